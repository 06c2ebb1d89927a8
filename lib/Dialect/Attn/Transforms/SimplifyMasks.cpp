//===- SimplifyMasks.cpp - drops implied mask conditions ------------------===//

#include "LinearForm.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Support/Remarks.h"
#include "mlir/IR/Matchers.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNSIMPLIFYMASKS
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

namespace {

/// Whether the two forms differ by their constant only.
bool sameShape(const LinearForm &a, const LinearForm &b) {
  return a.row == b.row && a.position == b.position && a.key == b.key &&
         a.terms == b.terms;
}

struct SimplifyMasks : fovea::attn::impl::AttnSimplifyMasksBase<SimplifyMasks> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto sdpa = dyn_cast<SdpaOp>(op))
        simplify(sdpa.getMask());
      else if (auto weights = dyn_cast<SdpaWeightsOp>(op))
        simplify(weights.getMask());
    });
  }

private:
  /// Says that `condition` goes, since it is always true or `stronger` implies
  /// it.
  static void explain(Region &mask, Value condition, Value stronger) {
    auto said = remark::passed(
        condition.getLoc(),
        getRemarkOpts(mask.getParentOp(), kRemarkMasks, "dropped"));
    if (!said)
      return;
    if (!stronger) {
      said << "the condition is always true and goes";
      return;
    }
    FileLineColLoc place = findPlace(stronger.getLoc());
    said << "the condition is implied by another and goes";
    if (place)
      said << remark::reason("the one at {0}:{1}", place.getLine(),
                             place.getColumn());
  }

  void simplify(Region &mask) {
    if (mask.empty())
      return;
    SmallVector<Value> conjuncts = getConjuncts(mask);
    SmallVector<std::optional<LinearForm>> forms;
    for (Value condition : conjuncts)
      forms.push_back(getBound(condition, mask, /*uniformHead=*/true));
    SmallVector<Value> kept;
    for (size_t i = 0; i < conjuncts.size(); ++i) {
      bool implied = matchPattern(conjuncts[i], m_One());
      if (implied)
        explain(mask, conjuncts[i], /*stronger=*/{});
      for (size_t k = 0; k < conjuncts.size() && !implied; ++k) {
        if (i == k || !forms[i] || !forms[k] ||
            !sameShape(*forms[i], *forms[k]))
          continue;
        // form + c <= 0 with the larger c is the stronger; of equals the first.
        int64_t mine = forms[i]->constant, other = forms[k]->constant;
        implied = other > mine || (other == mine && k < i);
        if (implied)
          explain(mask, conjuncts[i], conjuncts[k]);
      }
      if (!implied)
        kept.push_back(conjuncts[i]);
    }
    if (kept.size() == conjuncts.size())
      return;
    auto yield = cast<YieldOp>(mask.front().getTerminator());
    OpBuilder builder(yield);
    Location loc = yield.getLoc();
    Value all =
        kept.empty()
            ? arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true))
            : kept.front();
    for (Value condition : ArrayRef(kept).drop_front(kept.empty() ? 0 : 1))
      all = arith::AndIOp::create(builder, loc, all, condition);
    yield.getValueMutable().assign(all);
  }
};

} // namespace
