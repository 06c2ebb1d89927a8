//===- LoadedKernel.cpp - a kernel that this process can call -------------===//

#include "fovea/Pipeline/LoadedKernel.h"

using namespace fovea;

llvm::Expected<LoadedKernel> LoadedKernel::load(mlir::ModuleOp module,
                                                KernelInterface interface) {
  LoadedKernel kernel;
  kernel.interface = std::move(interface);
  llvm::Expected<std::string> object = emitCode(module, CodeKind::Object);
  if (!object)
    return object.takeError();
  auto code = LoadedCode::load(*object);
  if (!code)
    return code.takeError();
  kernel.code = std::move(*code);
  auto function = kernel.code->lookup(kernel.interface.name);
  if (!function)
    return function.takeError();
  kernel.function = reinterpret_cast<fovea_kernel>(*function);
  auto bytes = kernel.code->lookup(kernel.interface.name + "_workspace_bytes");
  if (!bytes)
    return bytes.takeError();
  kernel.workspaceBytes =
      reinterpret_cast<fovea_kernel_workspace_bytes>(*bytes);
  return kernel;
}

HostType fovea::getHostType(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
    return HostType::F64;
  case ElementKind::F32:
    return HostType::F32;
  case ElementKind::F16:
    return HostType::F16;
  case ElementKind::BF16:
    return HostType::BF16;
  case ElementKind::Index:
    return HostType::I64;
  case ElementKind::Bool:
    return HostType::Bool;
  }
  llvm_unreachable("not an element kind");
}

fovea_data_type fovea::getDataType(HostType type) {
  uint8_t bits = uint8_t(8 * getHostTypeBytes(type));
  switch (type) {
  case HostType::BF16:
    return {FOVEA_TYPE_BFLOAT, bits, 1};
  case HostType::I64:
  case HostType::I32:
  case HostType::I8:
    return {FOVEA_TYPE_INT, bits, 1};
  case HostType::U8:
    return {FOVEA_TYPE_UINT, bits, 1};
  case HostType::Bool:
    return {FOVEA_TYPE_BOOL, bits, 1};
  default:
    return {FOVEA_TYPE_FLOAT, bits, 1};
  }
}
