//===- Case.h - one drawn kernel and the calls it gets --------------------===//

#ifndef FOVEA_TEST_FUZZ_CASE_H
#define FOVEA_TEST_FUZZ_CASE_H

#include "fovea/Support/Random.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace fovea::fuzz {

/// Random draws by name of what they decide.
class Dice : public Random {
public:
  using Random::Random;
  /// True once in `count` times.
  bool onceIn(int64_t count) { return upTo(count - 1) == 0; }
  int64_t between(int64_t least, int64_t most) {
    return least + upTo(most - least);
  }
  template <typename T> T pick(std::initializer_list<T> values) {
    return values.begin()[upTo(int64_t(values.size()) - 1)];
  }
};

/// Mixes a number into a seed, for draws that must not depend on others.
uint64_t mix(uint64_t seed, uint64_t number);

enum class Kind { Sdpa, SelfLayer, CrossLayer };

/// A tensor that expressions read; integers are in [least, most].
struct Capture {
  std::string name, dtype;
  std::vector<std::string> shape;
  int64_t least = 0, most = 0;
};

struct ScoreEntry {
  enum Form { Softcap, Bias, Alibi, AlibiInput, Expr } form;
  double cap = 0;
  std::array<bool, 4> full = {};
  std::string name = "", expr = "";
  std::vector<Capture> captures = {};
  /// An expr that adds to s something finite and no more, so that infinities
  /// and huge numbers before it stay what they are.
  bool isSum = false;
  bool usesPosition = false;
};

struct MaskEntry {
  enum Form {
    Causal,
    Window,
    KvLengths,
    QLengths,
    Tensor,
    Expr,
    Documents,
    Prefix,
    Region // operations in the module, beyond what a config says
  } form;
  int64_t left = -1, right = -1;
  std::array<bool, 4> full = {};
  std::string name = "", expr = "";
  std::vector<Capture> captures = {};
  bool usesPosition = false;
  uint64_t regionSeed = 0;
};

/// How strides differ from compact ones. Several may hold.
enum StrideStyle : unsigned {
  PaddedStrides = 1,   // gaps between rows
  PermutedStrides = 2, // outer dims in another order
  ZeroStrides = 4,     // inputs broadcast along a dim
  InnerStrides = 8,    // innermost dim not contiguous
  NegativeStrides = 16 // a further call, which must be refused
};

/// Values that are no ordinary numbers. Several may hold.
enum Special : unsigned {
  NaNForbidden = 1, // NaN in forbidden keys and values
  InfForbidden = 2, // infinity there
  NaNAllowed = 4,   // NaN in a value that is used
  NaNBias = 8,      // NaN in a bias where it is forbidden
  InfBias = 16,     // -inf in a bias
  MinBias = 32,     // the type's most negative number in a bias
  HugeValues = 64,
  TinyValues = 128,
  WildLengths = 256, // lengths below 0 and beyond the tensors
  NoKeys = 512       // rows that no key is allowed to
};
constexpr unsigned numStrideStyles = 5, numSpecials = 10;

enum class Hook { None, Pool, Reversed };

/// One call of the kernel.
struct Call {
  int64_t batch = 1, query = 1, kv = 1;
  Hook hook = Hook::None;
  /// Unreadable memory right before the tensors rather than right after.
  bool isGuardBefore = false;
  bool givesWorkspace = false;
  /// Index tensors are i32.
  bool isNarrowIndex = false;
  unsigned strides = 0, specials = 0;
  uint64_t seed = 0;
};

struct Case {
  uint64_t seed = 0;
  std::string dtype = "f32", layout = "bhsd", target = "host";
  Kind kind = Kind::Sdpa;
  /// A layer on rank-2 x.
  bool isFlat = false;
  bool anyBatch = false, anyQuery = false, anyKv = false;
  int64_t heads = 1, kvHeads = 1, qkDim = 1, vDim = 1;

  enum Offset { NoOffset, Integer, End, OffsetInput } offset = NoOffset;
  int64_t offsetValue = 0;
  enum Scale { DefaultScale, Number, ScaleInput } scale = DefaultScale;
  double scaleValue = 1;
  std::vector<ScoreEntry> score;
  std::vector<MaskEntry> mask;
  bool hasOut = true, hasLse = false, hasWeights = false;

  int64_t modelDim = 1, contextDim = 1, outDim = 0; // 0: no output projection
  std::string biases;                               // of the letters qkvo

  /// Sizes that are not `any` are the same in all calls.
  std::vector<Call> calls;

  bool isLayer() const { return kind != Kind::Sdpa; }
  bool isPositional() const;
  bool hasMask(MaskEntry::Form form) const;
  const ScoreEntry *findScore(ScoreEntry::Form form) const;
  bool hasIndexInput() const;
};

/// Draws a case from its seed and nothing else.
Case drawCase(uint64_t seed);

/// Draws the sizes and settings of its calls.
void drawCalls(Dice &dice, Case &drawn);

/// Drops specials and stride styles that a call of this case can't have.
void dropImpossible(const Case &drawn, Call &call);

/// The case as a config.
std::string toYaml(const Case &drawn);

/// One line on each thing of a call that a config does not say.
std::string describe(const Case &drawn, const Call &call);

} // namespace fovea::fuzz

#endif // FOVEA_TEST_FUZZ_CASE_H
