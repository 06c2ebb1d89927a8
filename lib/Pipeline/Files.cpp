//===- Files.cpp - shared libraries ---------------------------------------===//

#include "fovea/Pipeline/Compiler.h"
#include "fovea/Support/File.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace fovea;

llvm::Error fovea::linkShared(llvm::StringRef object, llvm::StringRef path) {
  llvm::ErrorOr<std::string> compiler = llvm::sys::findProgramByName("cc");
  if (!compiler)
    return llvm::createStringError(
        "expects a C compiler 'cc' on PATH to link a shared library; emit an "
        "object (-o NAME.o) and link it elsewhere");
  llvm::SmallString<128> source, log;
  std::string target = (path + ".tmp").str();
  llvm::scope_exit cleanup([&] {
    for (llvm::StringRef file :
         {source.str(), log.str(), llvm::StringRef(target)})
      if (!file.empty())
        llvm::sys::fs::remove(file);
  });
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("fovea", "o", source))
    return llvm::errorCodeToError(code);
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("fovea", "log", log))
    return llvm::errorCodeToError(code);
  if (llvm::Error error =
          writeAtomically(source, [&](llvm::raw_ostream &os) { os << object; }))
    return error;
  // All symbols must be found: a kernel needs libc and libm, nothing else.
  llvm::StringRef arguments[] = {*compiler,    "-shared",     "-o", target,
                                 source.str(), "-Wl,-z,defs", "-lm"};
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, log.str(),
                                                log.str()};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(*compiler, arguments, std::nullopt,
                                       redirects, 0, 0, &message);
  if (code != 0) {
    auto text = llvm::MemoryBuffer::getFile(log);
    return llvm::createStringError("can't link " + path + ": " + message +
                                   (text ? (*text)->getBuffer() : ""));
  }
  if (std::error_code renamed = llvm::sys::fs::rename(target, path))
    return llvm::createStringError("can't write " + path + ": " +
                                   renamed.message());
  return llvm::Error::success();
}
