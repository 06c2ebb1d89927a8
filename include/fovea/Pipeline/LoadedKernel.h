//===- LoadedKernel.h - a kernel that this process can call ---------------===//

#ifndef FOVEA_PIPELINE_LOADEDKERNEL_H
#define FOVEA_PIPELINE_LOADEDKERNEL_H

#include "fovea/Pipeline/Compiler.h"
#include "fovea/Support/HostTensor.h"
#include "fovea/runtime.h"

namespace fovea {

/// A kernel's functions, and the code that they lie in. Calls are as
/// thread-safe as fovea/runtime.h says; none may run when this is destroyed.
struct LoadedKernel {
  /// Emits and loads the code of a module at stage LLVM. `interface` is that of
  /// one of its kernels.
  static llvm::Expected<LoadedKernel> load(mlir::ModuleOp module,
                                           KernelInterface interface);

  KernelInterface interface;
  std::unique_ptr<LoadedCode> code;
  fovea_kernel function = nullptr;
  fovea_kernel_workspace_bytes workspaceBytes = nullptr;
};

/// The type of a host tensor with such elements; i64 for an Index.
HostType getHostType(ElementKind kind);

/// The type as a fovea_tensor has it.
fovea_data_type getDataType(HostType type);

} // namespace fovea

#endif // FOVEA_PIPELINE_LOADEDKERNEL_H
