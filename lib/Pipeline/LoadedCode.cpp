//===- LoadedCode.cpp - machine code in this process ----------------------===//

#include "fovea/Pipeline/Compiler.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

using namespace fovea;

struct LoadedCode::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

LoadedCode::LoadedCode(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
LoadedCode::~LoadedCode() = default;

llvm::Expected<std::unique_ptr<LoadedCode>>
LoadedCode::load(llvm::StringRef object) {
  llvm::InitializeNativeTarget();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  // libc and libm of this process.
  auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!symbols)
    return symbols.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*symbols));
  if (llvm::Error error = (*jit)->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(object, "kernel")))
    return error;
  auto impl = std::make_unique<Impl>();
  impl->jit = std::move(*jit);
  return std::unique_ptr<LoadedCode>(new LoadedCode(std::move(impl)));
}

llvm::Expected<void *> LoadedCode::lookup(llvm::StringRef name) const {
  auto address = impl->jit->lookup(name);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}
