//===- VerifyVectorized.cpp - the contract of stage vectorized ------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Target/CPU/Passes.h"

namespace fovea::cpu {
#define GEN_PASS_DEF_VERIFYVECTORIZED
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea;

namespace {

struct VerifyVectorized : cpu::impl::VerifyVectorizedBase<VerifyVectorized> {
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
          return function.emitOpError("takes a tensor at stage vectorized");
    if (isa<attn::AttnDialect>(op->getDialect()))
      return op->emitOpError("is not allowed at stage vectorized; run "
                             "attn-vectorize");
    if (isa<scf::ForallOp>(op))
      return op->emitOpError("is not allowed at stage vectorized; run "
                             "attn-outline-parallel");
    if (isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp>(op))
      return op->emitOpError("is not allowed at stage vectorized, where memory "
                             "comes from the workspace");
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                              op->getResultTypes())) {
      if (isa<TensorType>(type))
        return op->emitOpError("uses a tensor at stage vectorized");
      auto vector = dyn_cast<VectorType>(type);
      if (!vector)
        continue;
      if (vector.getRank() != 1)
        return op->emitOpError("uses ")
               << type << " at stage vectorized, where vectors have rank 1";
      unsigned bits =
          vector.getElementType().isIntOrFloat()
              ? vector.getElementTypeBitWidth() * vector.getNumElements()
              : 0;
      // Positions and flags of one vector of values may take more or less
      // room, and so may the f64 values of a mask; a data vector is one
      // register.
      unsigned most = vector.getElementType().isF64() ? 1024 : 512;
      if (isa<FloatType>(vector.getElementType()) && bits > most)
        return op->emitOpError("uses ")
               << type << " at stage vectorized, where a vector has at most "
               << most / 8 << " bytes";
    }
    if (auto function = dyn_cast<func::FuncOp>(op))
      if (function.isPublic() && !function.isExternal() &&
          (function.getNumArguments() == 0 ||
           !isa<LLVM::LLVMPointerType>(function.getArgumentTypes()[0])))
        return function.emitOpError("expects the frame as its first argument "
                                    "at stage vectorized");
    return success();
  }
};

} // namespace
