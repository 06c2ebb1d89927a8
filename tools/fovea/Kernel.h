//===- Kernel.h - compiled code that this process can call ----------------===//

#ifndef FOVEA_TOOLS_FOVEA_KERNEL_H
#define FOVEA_TOOLS_FOVEA_KERNEL_H

#include "CommandLine.h"
#include "fovea/Pipeline/LoadedKernel.h"
#include "mlir/IR/MLIRContext.h"

namespace fovea::tool {

/// A context with the dialects of kernels, on this thread alone: kernels are
/// small, and starting threads takes longer than compiling them does. Loads the
/// plugins, and is null where one is wrong, having printed why.
std::unique_ptr<mlir::MLIRContext> createContext(CompilerOptions &options);

/// Where passes are inserted after stage attention, takes `module` there: the
/// reference then evaluates what they leave, not operations of a plugin that it
/// does not know.
mlir::LogicalResult runEarlyInsertions(mlir::ModuleOp module,
                                       CompilerOptions &options);

/// Whether the front end made the module of such an input.
bool isConfig(llvm::StringRef path);

/// The stage that a module is at.
Stage getStage(mlir::ModuleOp module);

/// The one kernel of a module, or prints what is wrong.
std::optional<KernelInterface> getSingleKernel(mlir::ModuleOp module);

/// A pool for `--threads=N`, none for one thread.
using Pool = std::unique_ptr<fovea_pool, void (*)(fovea_pool *)>;
std::optional<Pool> createPool(const llvm::opt::InputArgList &arguments);

/// What a call of a kernel takes: tensor structs that view host tensors.
class Call {
public:
  Call(llvm::ArrayRef<const HostTensor *> inputs,
       llvm::MutableArrayRef<HostTensor> outputs);

  const fovea_tensor *const *getInputs() const { return inputPointers.data(); }
  fovea_tensor *const *getOutputs() const { return outputPointers.data(); }

private:
  std::vector<fovea_tensor> views;
  std::vector<const fovea_tensor *> inputPointers;
  std::vector<fovea_tensor *> outputPointers;
};

/// A compiled and loaded kernel.
class Kernel {
public:
  /// Compiles `module`, which it takes to the last stage. Prints what goes
  /// wrong and sets the exit code.
  static std::unique_ptr<Kernel> compile(mlir::ModuleOp module,
                                         llvm::StringRef path,
                                         const CompilerOptions &options,
                                         int &exitCode);

  const KernelInterface &getInterface() const { return loaded.interface; }

  /// Calls it; prints what went wrong.
  ExitCode call(const Call &call, fovea_pool *pool) const;
  /// The same on memory that `workspace` keeps from call to call.
  ExitCode call(const Call &call, fovea_pool *pool,
                std::vector<char> &workspace) const;

private:
  ExitCode callIn(const Call &call, fovea_context &context) const;

  LoadedKernel loaded;
};

/// Allocates the outputs of a kernel, whose dims are sizes of symbols. Prints
/// what goes wrong.
std::optional<std::vector<HostTensor>>
createOutputs(const KernelInterface &interface,
              const llvm::StringMap<int64_t> &sizes);

} // namespace fovea::tool

#endif // FOVEA_TOOLS_FOVEA_KERNEL_H
