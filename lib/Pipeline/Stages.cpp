//===- Stages.cpp - the named stages of compilation -----------------------===//

#include "fovea/Pipeline/Stages.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fovea;

ArrayRef<Stage> fovea::getStages() {
  static const Stage stages[] = {Stage::Attention, Stage::Tiled,
                                 Stage::Fused,     Stage::Vectorized,
                                 Stage::LLVM,      Stage::Object};
  return stages;
}

StringRef fovea::getStageName(Stage stage) {
  switch (stage) {
  case Stage::Input:
    return "input";
  case Stage::Attention:
    return "attention";
  case Stage::Tiled:
    return "tiled";
  case Stage::Fused:
    return "fused";
  case Stage::Vectorized:
    return "vectorized";
  case Stage::LLVM:
    return "llvm";
  case Stage::Object:
    return "object";
  }
  llvm_unreachable("all stages are named");
}

std::optional<Stage> fovea::parseStageName(StringRef name) {
  for (Stage stage : getStages())
    if (getStageName(stage) == name)
      return stage;
  return std::nullopt;
}

/// canonicalize and cse, but loops over row tiles and key tiles stay loops also
/// where static sizes leave them a single iteration: stages count on them.
static void addCleanup(OpPassManager &manager) {
  static const std::string kept[] = {
      "(anonymous namespace)::ForallOpSingleOrZeroIterationDimsFolder",
      "(anonymous namespace)::SimplifyTrivialLoops"};
  manager.addPass(createCanonicalizerPass(GreedyRewriteConfig(), kept));
  manager.addPass(createCSEPass());
}

static void buildAttention(OpPassManager &manager) {
  manager.addPass(attn::createAttnExpandLayers());
  manager.addPass(attn::createAttnSimplifyMasks());
  // Drops masks that became constant true before tiles are chosen.
  addCleanup(manager);
  manager.addPass(attn::createAttnConfigure());
}

static void buildTiled(OpPassManager &manager) {
  manager.addPass(attn::createAttnTile());
  addCleanup(manager);
}

static void buildFused(OpPassManager &manager) {
  manager.addPass(attn::createAttnFuseSoftmax());
  addCleanup(manager);
}

static void buildVectorized(OpPassManager &manager) {
  manager.addPass(cpu::createAttnVectorize());
  addCleanup(manager);
  // Before control flow is lowered: a task's captures are found by regions.
  manager.addPass(cpu::createAttnOutlineParallel());
  addCleanup(manager);
}

static void buildLLVM(OpPassManager &manager) {
  manager.addPass(cpu::createAttnExpandMath());
  // While memref types still say what a view's words mean.
  manager.addPass(cpu::createAttnEmitEntry());
  // Else subviews leave casts behind.
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  // Ceiling divisions and float minima have no LLVM form.
  arith::ArithExpandOpsPassOptions expand;
  // Rounding to bf16 would else call a helper that libgcc does not have.
  expand.includeBf16 = true;
  manager.addPass(arith::createArithExpandOpsPass(expand));
  ConvertVectorToLLVMPassOptions vectors;
  vectors.x86Vector = true;
  manager.addPass(createConvertVectorToLLVMPass(vectors));
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createConvertMathToLLVMPass());
  // What LLVM has no intrinsic for; scalar calls.
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  addCleanup(manager);
}

void fovea::addStageVerifier(Stage stage, OpPassManager &manager) {
  switch (stage) {
  case Stage::Attention:
    return manager.addPass(attn::createVerifyAttention());
  case Stage::Tiled:
    return manager.addPass(attn::createVerifyTiled());
  case Stage::Fused:
    return manager.addPass(attn::createVerifyFused());
  case Stage::Vectorized:
    return manager.addPass(cpu::createVerifyVectorized());
  case Stage::LLVM:
    return manager.addPass(cpu::createVerifyLLVM());
  case Stage::Input:
  case Stage::Object:
    llvm_unreachable("not a stage with a contract");
  }
}

static void addPasses(Stage stage, OpPassManager &manager) {
  switch (stage) {
  case Stage::Attention:
    return buildAttention(manager);
  case Stage::Tiled:
    return buildTiled(manager);
  case Stage::Fused:
    return buildFused(manager);
  case Stage::Vectorized:
    return buildVectorized(manager);
  case Stage::LLVM:
    return buildLLVM(manager);
  case Stage::Input:
  case Stage::Object:
    llvm_unreachable("not a stage that passes lead to");
  }
}

namespace {
/// The end of a stage's pipeline: says in the module where it is.
struct SetStage : PassWrapper<SetStage, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetStage)
  explicit SetStage(Stage stage) : stage(stage) {}
  StringRef getName() const override { return "SetStage"; }
  void runOnOperation() override {
    getOperation()->setAttr(
        attn::kStageAttr, StringAttr::get(&getContext(), getStageName(stage)));
  }
  Stage stage;
};
} // namespace

void fovea::buildStagePipeline(Stage stage, OpPassManager &manager) {
  addPasses(stage, manager);
  addStageVerifier(stage, manager);
  manager.addPass(std::make_unique<SetStage>(stage));
}

void fovea::registerPasses() {
  attn::registerAttnPasses();
  cpu::registerCPUPasses();
  for (Stage stage : getStages()) {
    if (stage == Stage::Object)
      continue;
    static llvm::BumpPtrAllocator allocator;
    static llvm::StringSaver names(allocator);
    StringRef name = getStageName(stage);
    PassPipelineRegistration<>(names.save("fovea-to-" + name),
                               names.save("the passes that lead to stage " +
                                          name + " from the one before"),
                               [stage](OpPassManager &manager) {
                                 buildStagePipeline(stage, manager);
                               });
  }
}

void fovea::registerDialects(DialectRegistry &registry) {
  registry
      .insert<attn::AttnDialect, affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, index::IndexDialect,
              LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, tensor::TensorDialect, ub::UBDialect,
              vector::VectorDialect, x86vector::X86VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}
