//===- Compiler.h - from a config or module to machine code ---------------===//

#ifndef FOVEA_PIPELINE_COMPILER_H
#define FOVEA_PIPELINE_COMPILER_H

#include "fovea/Pipeline/KernelInterface.h"
#include "fovea/Pipeline/Plugins.h"
#include "fovea/Pipeline/Stages.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace fovea {

/// How to compile.
struct CompilerOptions {
  /// `host` or a name of cpu::getTargetNames(); empty: what the module's
  /// attn.target says, else host.
  std::string target;
  /// The C name of the kernel; empty: that of the config or function.
  std::string name;
  /// Where to write NN-<stage>.mlir; empty: nowhere.
  std::string stagesDir;
  /// The stage that an .mlir input is at; by default its attn.stage, else
  /// Input.
  std::optional<Stage> startFrom;
  /// After stage `fused`, count key tiles instead of computing.
  bool countTiles = false;
  /// Libraries with passes and dialects, and pipelines to run between stages.
  /// Whoever makes the context calls loadPlugins with them first.
  std::vector<std::string> passPlugins, dialectPlugins;
  std::vector<Insertion> insertions;
  /// Categories of remarks to print; whoever makes the context calls
  /// printRemarks with them. Empty: all; none: no remarks.
  std::optional<std::vector<std::string>> remarks;
};

/// Prints what is reported on `context` to standard error from now on, as
/// file:line:column: error: text.
void printDiagnostics(mlir::MLIRContext &context);

/// Has the passes report remarks on `context`, as diagnostics: where each
/// condition of a mask went, which tiles were chosen, and why. `categories` are
/// names of getRemarkCategories(), or none for all there are, those of plugins
/// too. No compiled code depends on it.
void printRemarks(mlir::MLIRContext &context,
                  llvm::ArrayRef<std::string> categories);

/// Reads a config (.yaml, .yml, .json) or a module (.mlir); `-` is a module on
/// standard input. Errors go to standard error with file, line and column;
/// nothing is returned then. The module has its target and stage set.
mlir::OwningOpRef<mlir::ModuleOp> loadInput(llvm::StringRef path,
                                            const CompilerOptions &options,
                                            mlir::MLIRContext &context);

/// Runs the stages after the one that `module` is at, up to and including
/// `last` (at most LLVM), writing stage files if asked to.
mlir::LogicalResult runStages(mlir::ModuleOp module, Stage last,
                              const CompilerOptions &options);

/// What to emit from a module at stage LLVM.
enum class CodeKind { LLVMIR, Assembly, Object };

/// Emits code for a module at stage LLVM. Deterministic: equal modules give
/// equal bytes.
llvm::Expected<std::string> emitCode(mlir::ModuleOp module, CodeKind kind);

/// Links an object to a shared library at `path`, by the system's C compiler.
llvm::Error linkShared(llvm::StringRef object, llvm::StringRef path);

/// Machine code in this process. Thread-safe once loaded; unloads when
/// destroyed.
class LoadedCode {
public:
  static llvm::Expected<std::unique_ptr<LoadedCode>>
  load(llvm::StringRef object);
  ~LoadedCode();

  /// The address of a C function, for example a kernel's (fovea_kernel in
  /// fovea/runtime.h) or NAME_workspace_bytes.
  llvm::Expected<void *> lookup(llvm::StringRef name) const;

private:
  struct Impl;
  explicit LoadedCode(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace fovea

#endif // FOVEA_PIPELINE_COMPILER_H
