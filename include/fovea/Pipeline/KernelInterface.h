//===- KernelInterface.h - names, types and dims of a kernel's tensors ----===//

#ifndef FOVEA_PIPELINE_KERNELINTERFACE_H
#define FOVEA_PIPELINE_KERNELINTERFACE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace fovea {

/// Element types of kernel tensors. An Index is int32 or int64 in the caller's
/// memory, a Bool one byte.
enum class ElementKind { F64, F32, F16, BF16, Index, Bool };

llvm::StringRef getElementKindName(ElementKind kind);

/// One dimension: a static size, or the name of a symbol; dimensions with the
/// same symbol have the same size.
struct DimSpec {
  int64_t size = -1;
  std::string symbol;
  bool isStatic() const { return symbol.empty(); }
};

/// One input or output.
struct TensorSpec {
  std::string name;
  ElementKind element;
  llvm::SmallVector<DimSpec> dims;
};

/// What a caller of a kernel has to know: the C function's name and its tensors
/// in order.
struct KernelInterface {
  std::string name;
  llvm::SmallVector<TensorSpec> inputs, outputs;
};

/// The interfaces of all kernels of `module`, at any stage. Emits an error and
/// fails where an argument has a type that no kernel can take.
mlir::FailureOr<llvm::SmallVector<KernelInterface>>
getKernelInterfaces(mlir::ModuleOp module);

/// To and from the attribute that carries an interface past stage `vectorized`.
mlir::DictionaryAttr toAttribute(const KernelInterface &interface,
                                 mlir::MLIRContext *context);
mlir::FailureOr<KernelInterface> fromAttribute(mlir::DictionaryAttr attribute,
                                               mlir::Location loc);

/// The name of that attribute, on the kernel's C function.
inline constexpr llvm::StringLiteral kInterfaceAttr = "attn.interface";

/// The C header for `interfaces`: a table of the tensors, the kernels'
/// prototypes and typed inline wrappers. `stem` names the include guard.
std::string emitHeader(llvm::ArrayRef<KernelInterface> interfaces,
                       llvm::StringRef stem);

} // namespace fovea

#endif // FOVEA_PIPELINE_KERNELINTERFACE_H
