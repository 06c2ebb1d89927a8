//===- VerifyTiled.cpp - the contract of stage tiled ----------------------===//

#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea::attn {
#define GEN_PASS_DEF_VERIFYTILED
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea::attn;

namespace {

struct VerifyTiled : fovea::attn::impl::VerifyTiledBase<VerifyTiled> {
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
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      if (function.getNumResults() != 0)
        return function.emitOpError("returns a value at stage tiled, where "
                                    "results are output arguments");
      for (Type type : function.getArgumentTypes())
        if (isa<TensorType>(type))
          return function.emitOpError("takes a tensor at stage tiled, which "
                                      "holds memrefs only");
    }
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (isa<TensorType>(type))
        return op->emitOpError("uses a tensor at stage tiled, which holds "
                               "memrefs only; run attn-tile");
    if (auto tile = dyn_cast<SdpaTileOp>(op))
      return verifySteps(op, tile.getTiling().getHeads(),
                         tile.getTiling().getQueries());
    if (auto tile = dyn_cast<WeightsTileOp>(op))
      return verifySteps(op, tile.getTiling().getHeads(),
                         tile.getTiling().getQueries());
    if (auto tile = dyn_cast<ProjectTileOp>(op))
      return verifySteps(op, 1, tile.getRows());
    if (isa<AttnDialect>(op->getDialect()) && !isa<YieldOp>(op))
      return op->emitOpError("is not allowed at stage tiled, which holds tile "
                             "operations on views");
    return success();
  }

  LogicalResult verifySteps(Operation *op, int64_t heads, int64_t rows) {
    auto forall = op->getParentOfType<scf::ForallOp>();
    if (!forall || forall.getRank() != 3)
      return op->emitOpError("expects at stage tiled to be in an scf.forall "
                             "over batch, head and row");
    ArrayRef<int64_t> steps = forall.getStaticStep();
    if (steps[0] != 1 || steps[1] != heads || steps[2] != rows) {
      InFlightDiagnostic error =
          op->emitOpError("expects the steps of its scf.forall to be 1, ");
      error << heads << " and " << rows << " as in its tiling, but got ";
      for (auto [i, step] : llvm::enumerate(steps)) {
        error << (i == 0 ? "" : i == 1 ? ", " : " and ");
        if (ShapedType::isDynamic(step))
          error << "a value that is not constant";
        else
          error << step;
      }
      return error << "; change both";
    }
    return success();
  }
};

} // namespace
