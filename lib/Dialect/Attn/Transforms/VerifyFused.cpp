//===- VerifyFused.cpp - the contract of stage fused ----------------------===//

#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea::attn {
#define GEN_PASS_DEF_VERIFYFUSED
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea::attn;

namespace {

struct VerifyFused : fovea::attn::impl::VerifyFusedBase<VerifyFused> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) {
      return succeeded(verifyOp(op)) ? WalkResult::advance()
                                     : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult verifyOp(Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      for (Type type : function.getArgumentTypes())
        if (isa<TensorType>(type))
          return function.emitOpError("takes a tensor at stage fused, which "
                                      "holds memrefs and vectors only");
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (isa<TensorType>(type))
        return op->emitOpError("uses a tensor at stage fused, which holds "
                               "memrefs and vectors only");
    if (!isa<AttnDialect>(op->getDialect()) || isa<YieldOp>(op))
      return success();
    if (isa<SdpaTileOp, WeightsTileOp>(op))
      return op->emitOpError("is not allowed at stage fused; run "
                             "attn-fuse-softmax");
    if (!isa<LoadQueriesOp, ScoresOp, SoftmaxStepOp, AccumulateOp,
             StoreOutputOp, LoadLseOp, NormalizeOp, StoreWeightsOp,
             ProjectTileOp>(op))
      return op->emitOpError("is not allowed at stage fused, which holds "
                             "streaming tile operations");
    if (!op->getParentOfType<scf::ForallOp>())
      return op->emitOpError("expects at stage fused to be in an scf.forall");
    if (auto load = dyn_cast<LoadQueriesOp>(op))
      return verifySteps(load);
    if (auto step = dyn_cast<SoftmaxStepOp>(op))
      return verifyCarried(op, {{"max", step.getMax(), step.getNewMax()},
                                {"sum", step.getSum(), step.getNewSum()}});
    if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
      if (failed(verifyCarried(op, {{"accumulator", accumulate.getAcc(),
                                     accumulate.getResult()}})))
        return failure();
      return verifyKeep(accumulate);
    }
    return success();
  }

  /// Steps of the loop over row tiles beyond the tile would leave rows out.
  LogicalResult verifySteps(LoadQueriesOp op) {
    auto forall = op->getParentOfType<scf::ForallOp>();
    int64_t heads = op.getQuery().getType().getDimSize(0);
    int64_t queries =
        cast<VectorType>(op.getResult().getType()).getDimSize(0) / heads;
    ArrayRef<int64_t> steps = forall.getStaticStep();
    // A pipeline of a user's may have folded dimensions of one iteration.
    if (steps.size() != 3)
      return success();
    if (ShapedType::isDynamicShape(steps) || steps[0] != 1 ||
        steps[1] != heads || steps[2] > queries)
      return op.emitOpError("expects an scf.forall over batch, head and row "
                            "with steps 1, ")
             << heads << " and at most " << queries << " as in its tile";
    return success();
  }

  struct Carried {
    StringRef name;
    Value before, after;
  };

  /// `before` is an iter_arg of the loop around `op`, and something that
  /// depends on `after` (itself, unless an operation was put behind it) is
  /// yielded in its place, through any scf.if between the two.
  LogicalResult verifyCarried(Operation *op, ArrayRef<Carried> values) {
    Operation *parent = op->getParentOp();
    while (isa<scf::IfOp>(parent))
      parent = parent->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return op->emitOpError("expects at stage fused to be in an scf.for over "
                             "key tiles");
    for (const Carried &value : values) {
      auto argument = dyn_cast<BlockArgument>(value.before);
      // An operation between iter_arg and use is a user's change and fine, as
      // long as the loop carries it on.
      Value root = argument ? value.before : findIterArg(value.before, loop);
      auto iterArg = dyn_cast_or_null<BlockArgument>(root);
      if (!iterArg || iterArg.getOwner() != loop.getBody() ||
          iterArg.getArgNumber() == 0)
        return op->emitOpError("expects its ")
               << value.name << " to be carried by the loop over key tiles";
      if (!isYielded(value.after, op->getBlock(), loop,
                     iterArg.getArgNumber() - 1))
        return op->emitOpError("expects the loop over key tiles to yield its "
                               "new ")
               << value.name << " where it carries the old one";
    }
    return success();
  }

  static Value findIterArg(Value value, scf::ForOp loop) {
    SmallVector<Value> open{value};
    while (!open.empty()) {
      Value next = open.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(next)) {
        if (argument.getOwner() == loop.getBody() &&
            argument.getType() == value.getType())
          return argument;
        continue;
      }
      if (loop->isAncestor(next.getDefiningOp()))
        llvm::append_range(open, next.getDefiningOp()->getOperands());
    }
    return nullptr;
  }

  /// Whether `value`, of `block`, reaches the operand `number` of the loop's
  /// yield: there itself, or as a result of the scf.if that the block is in.
  static bool isYielded(Value value, Block *block, scf::ForOp loop,
                        unsigned number) {
    if (block == loop.getBody())
      return dependsOn(loop.getYieldedValues()[number], value, block);
    auto branch = cast<scf::IfOp>(block->getParentOp());
    for (auto [result, yielded] :
         llvm::zip(branch.getResults(), block->getTerminator()->getOperands()))
      if (dependsOn(yielded, value, block) &&
          isYielded(result, branch->getBlock(), loop, number))
        return true;
    return false;
  }

  static bool dependsOn(Value value, Value source, Block *block) {
    if (value == source)
      return true;
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == block &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return dependsOn(operand, source, block);
           });
  }

  /// The scores that the weights come from, through the softmax step and
  /// whatever was put between.
  static ScoresOp findScores(Value weights, Block *block) {
    SmallVector<Value> open{weights};
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || op->getBlock() != block)
        continue;
      if (auto scores = dyn_cast<ScoresOp>(op))
        return scores;
      llvm::append_range(open, op->getOperands());
    }
    return nullptr;
  }

  LogicalResult verifyKeep(AccumulateOp op) {
    ScoresOp scores = findScores(op.getWeights(), op->getBlock());
    if (!scores || scores.getMask().empty())
      return success();
    if (!op.getKeep() || !scores.getKeep() ||
        !dependsOn(op.getKeep(), scores.getKeep(), op->getBlock()))
      return op.emitOpError("expects the keep of its masked scores, or a NaN "
                            "under the mask reaches the output");
    return success();
  }
};

} // namespace
