//===- VerifyLLVM.cpp - the contract of stage llvm ------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Pipeline/KernelInterface.h"
#include "fovea/Target/CPU/Passes.h"

namespace fovea::cpu {
#define GEN_PASS_DEF_VERIFYLLVM
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea;

namespace {

struct VerifyLLVM : cpu::impl::VerifyLLVMBase<VerifyLLVM> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    WalkResult result = module.walk([&](Operation *op) {
      if (op == module.getOperation() ||
          isa<LLVM::LLVMDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitOpError("is not allowed at stage llvm, which holds the LLVM "
                      "dialect only");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    bool found = false;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (!function->hasAttr(kInterfaceAttr))
        continue;
      found = true;
      std::string name = function.getName().str();
      for (StringRef suffix : {".signature", ".strings", ".code"})
        if (!module.lookupSymbol<LLVM::GlobalOp>(name + suffix.str())) {
          function.emitOpError("expects the global '")
              << name << suffix << "' at stage llvm";
          return signalPassFailure();
        }
      if (!module.lookupSymbol<LLVM::LLVMFuncOp>(name + "_workspace_bytes")) {
        function.emitOpError("expects the function '")
            << name << "_workspace_bytes' at stage llvm";
        return signalPassFailure();
      }
    }
    if (!found) {
      module.emitError("expects a kernel's C function with ")
          << kInterfaceAttr << " at stage llvm";
      signalPassFailure();
    }
  }
};

} // namespace
