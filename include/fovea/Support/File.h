//===- File.h - files that appear whole or not at all ---------------------===//

#ifndef FOVEA_SUPPORT_FILE_H
#define FOVEA_SUPPORT_FILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace fovea {

/// Calls `write` on a temporary file beside `path` and renames that to `path`,
/// so that a reader never sees half a file. What is no regular file
/// (/dev/stdout, a pipe) is written as it stands.
llvm::Error
writeAtomically(llvm::StringRef path,
                llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace fovea

#endif // FOVEA_SUPPORT_FILE_H
