//===- DrawValues.cpp - numbers of a call's inputs ------------------------===//

#include "Inputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <limits>

using namespace fovea;
using namespace fovea::fuzz;
using llvm::StringRef;

template <typename Entries>
static const Capture *findCapture(const Entries &entries, StringRef name) {
  for (const auto &entry : entries)
    for (const Capture &capture : entry.captures)
      if (capture.name == name)
        return &capture;
  return nullptr;
}

namespace {

class Filler {
public:
  Filler(const Case &kernel, const Call &call, Drawn &drawn, unsigned &used)
      : kernel(kernel), call(call), drawn(drawn), tensor(drawn.tensor),
        name(drawn.spec.name), used(used),
        dice(mix(call.seed ^ 1, llvm::xxHash64(drawn.spec.name))) {}

  void fill() {
    switch (drawn.spec.element) {
    case ElementKind::Bool:
      return fillBools();
    case ElementKind::Index:
      return fillIndices();
    default:
      return fillFloats();
    }
  }

private:
  void fillBools() {
    bool hasEmptyRows = call.specials & NoKeys && name.starts_with("mask");
    llvm::ArrayRef<int64_t> shape = tensor.getShape();
    int64_t keys = shape.empty() ? 1 : std::max<int64_t>(shape.back(), 1);
    bool isEmptyRow = false;
    for (auto [n, byte] : llvm::enumerate(tensor.as<uint8_t>())) {
      if (n % keys == 0)
        isEmptyRow = hasEmptyRows && (n == 0 || dice.onceIn(3));
      // Any nonzero byte is true.
      byte = isEmptyRow || dice.onceIn(4)
                 ? 0
                 : dice.pick<uint8_t>({1, 1, 2, 0x80, 0xff});
      if (isEmptyRow)
        used |= NoKeys;
    }
  }

  void fillLengths(int64_t whole) {
    bool isWild = call.specials & WildLengths;
    bool hasNone = call.specials & NoKeys;
    int64_t far = call.isNarrowIndex ? std::numeric_limits<int32_t>::max()
                                     : std::numeric_limits<int64_t>::max();
    for (int64_t n = 0; n < tensor.getNumElements(); ++n) {
      int64_t value = dice.onceIn(3) ? whole : dice.upTo(whole);
      if (hasNone && (n == 0 || dice.onceIn(3))) {
        value = 0;
        used |= NoKeys;
      } else if (isWild && (n == 0 || dice.onceIn(2))) {
        value =
            dice.pick<int64_t>({-1, -7, whole + 1, whole + 100, far, -far - 1});
        used |= WildLengths;
      }
      tensor.setInteger(n, value);
    }
  }

  void fillIndices() {
    if (name == "kv_lengths")
      return fillLengths(call.kv);
    if (name == "q_lengths")
      return fillLengths(call.query);
    int64_t least = -call.kv / 2, most = call.kv;
    if (const Capture *capture = findCapture(kernel.mask, name)) {
      least = capture->least;
      most = capture->most;
    }
    for (int64_t n = 0; n < tensor.getNumElements(); ++n)
      tensor.setInteger(n, dice.between(least, most));
    // Packed documents ascend along the tokens.
    llvm::ArrayRef<int64_t> shape = tensor.getShape();
    if (name.ends_with("_ids") && call.seed & 1 && shape.back() > 0)
      for (int64_t n = 0; n < tensor.getNumElements(); ++n) {
        int64_t token = n % shape.back();
        tensor.setInteger(n, token * 4 / shape.back());
      }
  }

  bool isProjection() const {
    return name.size() == 2 && name[0] == 'w' && tensor.getRank() == 2;
  }

  void fillFloats() {
    double factor = 1;
    if (isProjection())
      factor =
          1 / std::sqrt(double(std::max<int64_t>(tensor.getShape()[0], 1)));
    bool isPositive = name == "slopes" || name == "scale";
    for (int64_t n = 0; n < tensor.getNumElements(); ++n)
      tensor.setFloat(n, isPositive ? (dice.uniform() + 0x1p-10) / 2
                                    : dice.normal() * factor);
    if (name == "v" || name == "wv" || name == "bv")
      fillExtremes();
    if (name.starts_with("bias"))
      fillBias();
  }

  /// Values of which sums and products stay within the type.
  void fillExtremes() {
    bool isHalf = tensor.getType() == HostType::F16;
    for (int64_t n = 0; n < tensor.getNumElements(); ++n) {
      if (call.specials & HugeValues && dice.onceIn(4)) {
        tensor.setFloat(n, dice.normal() * (isHalf ? 300 : 1e15));
        used |= HugeValues;
      }
      if (call.specials & TinyValues && dice.onceIn(3)) {
        tensor.setFloat(n, dice.normal() * (isHalf ? 1e-7 : 1e-39));
        used |= TinyValues;
      }
    }
  }

  void fillBias() {
    double least = tensor.getType() == HostType::F16    ? -65504.0
                   : tensor.getType() == HostType::BF16 ? -0x1.fep127
                                                        : -0x1.fffffep127;
    bool all = dice.onceIn(4);
    for (int64_t n = 0; n < tensor.getNumElements(); ++n) {
      if (call.specials & InfBias && (n == 0 || dice.onceIn(4))) {
        tensor.setFloat(n, -std::numeric_limits<double>::infinity());
        used |= InfBias;
      }
      if (call.specials & MinBias && (n == 0 || all || dice.onceIn(3))) {
        tensor.setFloat(n, least);
        used |= MinBias;
      }
    }
  }

  const Case &kernel;
  const Call &call;
  Drawn &drawn;
  HostTensor &tensor;
  StringRef name;
  unsigned &used;
  Dice dice;
};

} // namespace

void fuzz::drawValues(const Case &kernel, const Call &call, Drawn &drawn,
                      unsigned &used) {
  Filler(kernel, call, drawn, used).fill();
}
