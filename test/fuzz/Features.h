//===- Features.h - which pairs of features have been tried ---------------===//
//
// A feature is a value of an axis, such as dtype:bf16 or mask:window. Features
// of one call make pairs; faults tend to hide in a pair that nobody tried.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TEST_FUZZ_FEATURES_H
#define FOVEA_TEST_FUZZ_FEATURES_H

#include "Case.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace fovea::fuzz {

/// Features by number, `axis:value` by name.
unsigned getNumFeatures();
std::string getFeatureName(unsigned feature);

llvm::StringRef getStrideStyleName(unsigned number);
llvm::StringRef getSpecialName(unsigned number);

/// The features of one call, in ascending order.
llvm::SmallVector<unsigned, 48> getFeatures(const Case &drawn,
                                            const Call &call);

/// Why no call can have both, or the empty string where one can.
llvm::StringRef whyImpossible(unsigned a, unsigned b);

/// The pairs that calls had.
class Coverage {
public:
  Coverage();

  void add(llvm::ArrayRef<unsigned> features);
  void add(const Coverage &other) { seen |= other.seen; }
  /// The number of possible pairs among `features` that are not in it yet.
  unsigned countNew(llvm::ArrayRef<unsigned> features) const;

  bool contains(unsigned a, unsigned b) const { return seen[number(a, b)]; }
  unsigned getNumPossible() const { return possible.count(); }
  unsigned getNumCovered() const;

private:
  static unsigned number(unsigned a, unsigned b) {
    return a * getNumFeatures() + b;
  }
  llvm::BitVector seen, possible;
};

} // namespace fovea::fuzz

#endif // FOVEA_TEST_FUZZ_FEATURES_H
