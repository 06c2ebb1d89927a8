//===- DrawInputs.cpp - inputs of a seed ----------------------------------===//
//
// Integer and exact float arithmetic only, so that a seed means the same
// numbers on every machine.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "llvm/Support/xxhash.h"

using namespace fovea;
using namespace fovea::tool;

namespace {

/// SplitMix64 (Steele, Lea and Flood 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  /// In [0, 1).
  double uniform() { return double(next() >> 11) * 0x1p-53; }

  /// Near to normal, with mean 0 and variance 1: four 16-bit uniforms summed.
  double normal() {
    uint64_t bits = next();
    double sum = 0;
    for (int n = 0; n < 4; ++n)
      sum += double(bits >> (16 * n) & 0xffff);
    return (sum * 0x1p-16 - 2) * 1.7320508075688772;
  }

  /// In [0, most].
  int64_t upTo(int64_t most) {
    return most <= 0 ? 0 : int64_t(next() % (uint64_t(most) + 1));
  }

private:
  uint64_t state;
};

} // namespace

/// The largest value of an index input by what its name means.
static int64_t getLargest(llvm::StringRef name, int64_t queries, int64_t keys) {
  if (name == "q_lengths")
    return queries;
  if (name == "query_offset")
    return std::max<int64_t>(keys - queries, 0);
  if (name.ends_with("documents"))
    return 3;
  return keys;
}

void tool::drawInput(const TensorSpec &spec, HostTensor &tensor,
                     const Drawing &drawing, int64_t queries, int64_t keys) {
  Random random(llvm::xxHash64(spec.name) ^ drawing.seed);
  int64_t count = tensor.getNumElements();
  switch (spec.element) {
  case ElementKind::Bool:
    for (int64_t n = 0; n < count; ++n)
      tensor.setInteger(n, random.next() >> 62 != 0);
    return;
  case ElementKind::Index: {
    int64_t most = getLargest(spec.name, queries, keys);
    bool isLength = llvm::StringRef(spec.name).ends_with("lengths");
    for (int64_t n = 0; n < count; ++n) {
      int64_t value = random.upTo(most);
      tensor.setInteger(n, drawing.wantsFullLengths && isLength ? most : value);
    }
    return;
  }
  default:
    break;
  }
  llvm::ArrayRef<int64_t> shape = tensor.getShape();
  // Weights keep the size of what they multiply.
  bool isWeight = spec.name.size() == 2 && spec.name[0] == 'w' &&
                  shape.size() == 2 && shape[0] > 0;
  double root = 1;
  for (int step = 0; isWeight && step < 60; ++step)
    root = (root + double(shape[0]) / root) / 2;
  bool isPositive = spec.name == "slopes" || spec.name == "scale";
  for (int64_t n = 0; n < count; ++n)
    tensor.setFloat(n, isPositive ? (random.uniform() + 0x1p-10) / 2
                                  : random.normal() / root);
}
