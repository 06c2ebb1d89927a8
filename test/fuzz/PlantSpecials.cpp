//===- PlantSpecials.cpp - NaN and infinity by what is allowed ------------===//

#include "Inputs.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace fovea;
using namespace fovea::fuzz;
using llvm::StringRef;

namespace {

class Planter {
public:
  Planter(const Case &kernel, const Call &call, const HostTensor &allowed,
          llvm::MutableArrayRef<Drawn> inputs, unsigned &used)
      : kernel(kernel), call(call), allowed(allowed), inputs(inputs),
        used(used), dice(mix(call.seed, 77)) {}

  void plant() {
    int64_t groups = kernel.isLayer() ? 1 : kernel.kvHeads;
    for (int64_t b = 0; b < call.batch; ++b)
      for (int64_t g = 0; g < groups; ++g)
        for (int64_t j = 0; j < call.kv; ++j)
          plantKey(b, g, groups, j);
    if (call.specials & NaNBias)
      for (Drawn &drawn : inputs)
        if (StringRef(drawn.spec.name).starts_with("bias"))
          plantBias(drawn);
  }

private:
  bool isAllowed(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return allowed.getFloat(
               ((b * kernel.heads + h) * call.query + i) * call.kv + j) > 0;
  }

  /// Whether any row sees the key with one of the heads of a group.
  bool isSeen(int64_t b, int64_t g, int64_t groups, int64_t j) const {
    int64_t width = kernel.heads / groups;
    for (int64_t h = g * width; h < (g + 1) * width; ++h)
      for (int64_t i = 0; i < call.query; ++i)
        if (isAllowed(b, h, i, j))
          return true;
    return false;
  }

  void plantKey(int64_t b, int64_t g, int64_t groups, int64_t j) {
    double infinity = std::numeric_limits<double>::infinity();
    if (isSeen(b, g, groups, j)) {
      StringRef name = kernel.kind == Kind::Sdpa        ? "v"
                       : kernel.kind == Kind::SelfLayer ? "x"
                                                        : "context";
      if (call.specials & NaNAllowed && (j == 0 || dice.onceIn(60)))
        set(name, b, g, j, NAN, NaNAllowed);
      return;
    }
    for (StringRef name : {"k", "v", "context", "x"}) {
      if (name == "x" && kernel.kind == Kind::CrossLayer)
        continue;
      if (call.specials & NaNForbidden && !dice.onceIn(4))
        set(name, b, g, j, NAN, NaNForbidden);
      else if (call.specials & InfForbidden && !dice.onceIn(4))
        set(name, b, g, j, dice.onceIn(2) ? infinity : -infinity, InfForbidden);
    }
  }

  /// Sets one head's row of a token, or some of it.
  void set(StringRef name, int64_t b, int64_t g, int64_t j, double value,
           unsigned special) {
    for (Drawn &drawn : inputs) {
      if (drawn.spec.name != name || drawn.isBroadcast)
        continue;
      HostTensor &tensor = drawn.tensor;
      int64_t width = tensor.getShape().back(), row = 0;
      if (kernel.isLayer()) {
        row = (b * call.kv + j) * width;
      } else if (kernel.layout == "bhsd") {
        row = ((b * kernel.kvHeads + g) * call.kv + j) * width;
      } else {
        width = name == "k" ? kernel.qkDim : kernel.vDim;
        row = ((b * call.kv + j) * kernel.kvHeads + g) * width;
      }
      bool all = dice.onceIn(2);
      int64_t one = dice.upTo(width - 1);
      for (int64_t d = 0; d < width; ++d)
        if (all || d == one)
          tensor.setFloat(row + d, value);
      used |= special;
    }
  }

  /// Elements of a bias that no allowed score reads.
  void plantBias(Drawn &drawn) {
    if (drawn.isBroadcast)
      return;
    llvm::ArrayRef<int64_t> shape = drawn.tensor.getShape();
    std::vector<bool> isRead(drawn.tensor.getNumElements());
    const int64_t sizes[] = {call.batch, kernel.heads, call.query, call.kv};
    int64_t at[4];
    for (at[0] = 0; at[0] < sizes[0]; ++at[0])
      for (at[1] = 0; at[1] < sizes[1]; ++at[1])
        for (at[2] = 0; at[2] < sizes[2]; ++at[2])
          for (at[3] = 0; at[3] < sizes[3]; ++at[3]) {
            int64_t index = 0;
            for (int dim = 0; dim < 4; ++dim)
              index = index * shape[dim] + (shape[dim] > 1 ? at[dim] : 0);
            if (isAllowed(at[0], at[1], at[2], at[3]))
              isRead[index] = true;
          }
    for (size_t n = 0; n < isRead.size(); ++n)
      if (!isRead[n] && !dice.onceIn(3)) {
        drawn.tensor.setFloat(n, NAN);
        used |= NaNBias;
      }
  }

  const Case &kernel;
  const Call &call;
  const HostTensor &allowed;
  llvm::MutableArrayRef<Drawn> inputs;
  unsigned &used;
  Dice dice;
};

} // namespace

void fuzz::plantSpecials(const Case &kernel, const Call &call,
                         const HostTensor &allowed,
                         llvm::MutableArrayRef<Drawn> inputs, unsigned &used) {
  Planter(kernel, call, allowed, inputs, used).plant();
}
