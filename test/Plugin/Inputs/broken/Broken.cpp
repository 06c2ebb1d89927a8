//===- Broken.cpp - a plugin that breaks the contract of stage fused ------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

/// Without it a NaN under the mask reaches the output.
struct DropKeep : PassWrapper<DropKeep, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropKeep)
  StringRef getArgument() const override { return "broken-drop-keep"; }
  void runOnOperation() override {
    getOperation().walk(
        [](fovea::attn::AccumulateOp op) { op.getKeepMutable().clear(); });
  }
};

/// Gives up.
struct Fail : PassWrapper<Fail, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Fail)
  StringRef getArgument() const override { return "broken-fail"; }
  void runOnOperation() override { signalPassFailure(); }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Broken", "1.0", [] {
            PassRegistration<DropKeep>();
            PassRegistration<Fail>();
          }};
}
