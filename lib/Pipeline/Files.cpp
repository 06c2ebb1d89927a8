//===- Files.cpp - whole files or none, and shared libraries --------------===//

#include "fovea/Pipeline/Compiler.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace fovea;

llvm::Error fovea::writeFile(llvm::StringRef path, llvm::StringRef contents) {
  if (path == "-") {
    llvm::outs() << contents;
    return llvm::Error::success();
  }
  auto temporary = llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  auto explain = [&](llvm::Error error) {
    return llvm::createStringError("can't write " + path + ": " +
                                   llvm::toString(std::move(error)));
  };
  if (!temporary)
    return explain(temporary.takeError());
  llvm::raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
  os << contents;
  os.flush();
  if (os.has_error()) {
    std::error_code code = os.error();
    os.clear_error();
    llvm::consumeError(temporary->discard());
    return explain(llvm::errorCodeToError(code));
  }
  // As the umask has it for ordinary files, not private to the user.
  llvm::sys::fs::perms mask =
      static_cast<llvm::sys::fs::perms>(llvm::sys::fs::getUmask());
  std::error_code code = llvm::sys::fs::setPermissions(
      temporary->TmpName,
      static_cast<llvm::sys::fs::perms>(0666 & ~static_cast<unsigned>(mask)));
  if (code) {
    llvm::consumeError(temporary->discard());
    return explain(llvm::errorCodeToError(code));
  }
  if (llvm::Error error = temporary->keep(path))
    return explain(std::move(error));
  return llvm::Error::success();
}

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
  if (llvm::Error error = writeFile(source, object))
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
