//===- Stages.h - the named stages of compilation -------------------------===//
//
// Every stage is a state of the IR. `verify-<stage>` holds it to the contract
// that its description in Passes.td states.
//
//   attention   attn operations on tensors, tilings chosen
//   tiled       memrefs; scf.forall over (batch, head, row tile)
//   fused       loops over key tiles carrying max, sum and accumulator
//   vectorized  register-sized vector code in tasks; memory from the workspace
//   llvm        LLVM dialect, with the C entry functions
//   object      machine code
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PIPELINE_STAGES_H
#define FOVEA_PIPELINE_STAGES_H

#include "mlir/Pass/PassManager.h"
#include <optional>

namespace fovea {

/// In order. Input is what a front end or a user writes, before `attention`.
enum class Stage { Input, Attention, Tiled, Fused, Vectorized, LLVM, Object };

/// All stages with IR or code that can be written out, in order.
llvm::ArrayRef<Stage> getStages();
llvm::StringRef getStageName(Stage stage);
std::optional<Stage> parseStageName(llvm::StringRef name);

/// Adds the passes that lead to `stage` from the stage before it, ending in its
/// verifier and in the module's attn.stage. Not for Input and Object.
void buildStagePipeline(Stage stage, mlir::OpPassManager &manager);

/// Adds the verifier of `stage`. Not for Input and Object.
void addStageVerifier(Stage stage, mlir::OpPassManager &manager);

/// Registers every pass of Fovea and the pipelines `fovea-to-<stage>`.
void registerPasses();

/// Adds the dialects that kernels use, with the interfaces that the passes and
/// the translation to LLVM IR need.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace fovea

#endif // FOVEA_PIPELINE_STAGES_H
