//===- VerifyAttention.cpp - the contract of stage attention --------------===//

#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace fovea::attn {
#define GEN_PASS_DEF_VERIFYATTENTION
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea::attn;

namespace {

struct VerifyAttention
    : fovea::attn::impl::VerifyAttentionBase<VerifyAttention> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic() &&
          failed(verifyNames(function)))
        return signalPassFailure();
    WalkResult result = getOperation().walk([&](Operation *op) {
      return succeeded(verifyOp(op)) ? WalkResult::advance()
                                     : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult verifyNames(func::FuncOp function) {
    llvm::StringSet<> seen;
    auto check = [&](StringRef what, unsigned i,
                     StringAttr name) -> LogicalResult {
      if (!name)
        return function.emitOpError("at stage attention expects ")
               << kNameAttr << " on " << what << " " << i;
      if (!seen.insert(name.getValue()).second)
        return function.emitOpError("at stage attention uses the name '")
               << name.getValue() << "' twice";
      return success();
    };
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (failed(check("argument", i,
                       function.getArgAttrOfType<StringAttr>(i, kNameAttr))))
        return failure();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (failed(check("result", i,
                       dyn_cast_or_null<StringAttr>(
                           function.getResultAttr(i, kNameAttr)))))
        return failure();
    return success();
  }

  LogicalResult verifyOp(Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      for (Type type : function.getArgumentTypes())
        if (isa<BaseMemRefType>(type))
          return function.emitOpError("takes a memref at stage attention, "
                                      "which holds tensors only");
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (isa<BaseMemRefType>(type))
        return op->emitOpError("uses a memref at stage attention, which holds "
                               "tensors only");
    if (isa<LayerOp>(op))
      return op->emitOpError("is not allowed at stage attention; run "
                             "attn-expand-layers");
    if (isa<AttnDialect>(op->getDialect()) &&
        !isa<SdpaOp, SdpaWeightsOp, ProjectOp, SplitHeadsOp, MergeHeadsOp,
             YieldOp>(op))
      return op->emitOpError("is not allowed at stage attention, which holds "
                             "operations on tensors only");
    bool tiled = true;
    if (auto sdpa = dyn_cast<SdpaOp>(op))
      tiled = sdpa.getTiling().has_value();
    else if (auto weights = dyn_cast<SdpaWeightsOp>(op))
      tiled = weights.getTiling().has_value();
    if (!tiled)
      return op->emitOpError("has no tiling at stage attention; run "
                             "attn-configure");
    return success();
  }
};

} // namespace
