//===- File.cpp - files that appear whole or not at all -------------------===//

#include "fovea/Support/File.h"
#include "llvm/Support/FileSystem.h"

using namespace fovea;
using llvm::Error;
using llvm::StringRef;

static Error cannotWrite(StringRef path, std::error_code code) {
  return llvm::createStringError(code, "can't write '" + path +
                                           "': " + code.message());
}

/// The error of a stream, which is then taken as handled.
static std::error_code finish(llvm::raw_fd_ostream &stream) {
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return code;
}

Error fovea::writeAtomically(
    StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  llvm::sys::fs::file_status status;
  bool exists = !llvm::sys::fs::status(path, status);
  if (exists && llvm::sys::fs::is_directory(status))
    return cannotWrite(path, std::make_error_code(std::errc::is_a_directory));
  if (exists && !llvm::sys::fs::is_regular_file(status)) {
    std::error_code code;
    llvm::raw_fd_ostream stream(path, code);
    if (code)
      return cannotWrite(path, code);
    write(stream);
    code = finish(stream);
    return code ? cannotWrite(path, code) : Error::success();
  }
  // A link stays a link: what it points to is replaced.
  llvm::SmallString<128> target(path);
  if (exists && llvm::sys::fs::real_path(path, target))
    target = path;
  auto temporary = llvm::sys::fs::TempFile::create(
      target + ".%%%%%%%%", llvm::sys::fs::all_read | llvm::sys::fs::all_write);
  if (!temporary)
    return cannotWrite(path, llvm::errorToErrorCode(temporary.takeError()));
  std::error_code code;
  {
    llvm::raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
    write(stream);
    code = finish(stream);
  }
  if (code) {
    llvm::consumeError(temporary->discard());
    return cannotWrite(path, code);
  }
  if (Error error = temporary->keep(target))
    return cannotWrite(path, llvm::errorToErrorCode(std::move(error)));
  return Error::success();
}
