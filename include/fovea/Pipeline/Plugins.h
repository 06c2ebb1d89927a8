//===- Plugins.h - passes and dialects of others in the stages ------------===//
//
// A plugin is a shared library with upstream's entry points,
// mlirGetPassPluginInfo and mlirGetDialectPluginInfo, that links libFovea.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PIPELINE_PLUGINS_H
#define FOVEA_PIPELINE_PLUGINS_H

#include "fovea/Pipeline/Stages.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fovea {

/// A pass pipeline that runs when a stage is reached, after the stage's own
/// passes.
struct Insertion {
  Stage stage;
  /// As mlir-opt's --pass-pipeline takes it; `builtin.module(...)` around it
  /// may be left out.
  std::string pipeline;
  /// The plugins that its passes come from, for messages; loadPlugins fills it.
  std::vector<std::string> plugins;
};

/// Reads `after:STAGE:PIPELINE`. Whether the passes exist is checked by
/// loadPlugins.
llvm::Expected<Insertion> parseInsertion(llvm::StringRef text);

/// Loads libraries: the passes of pass plugins are registered in this process,
/// the dialects of dialect plugins in `registry`. Then checks the pipelines of
/// `insertions`, which may use passes of plugins, of Fovea and of MLIR.
llvm::Error loadPlugins(llvm::ArrayRef<std::string> passPlugins,
                        llvm::ArrayRef<std::string> dialectPlugins,
                        llvm::MutableArrayRef<Insertion> insertions,
                        mlir::DialectRegistry &registry);

/// Runs the insertions of `stage` on a module that has reached it, and the
/// stage's verifier after each: its errors name the pipeline and its plugins.
mlir::LogicalResult runInsertions(mlir::ModuleOp module, Stage stage,
                                  llvm::ArrayRef<Insertion> insertions);

} // namespace fovea

#endif // FOVEA_PIPELINE_PLUGINS_H
