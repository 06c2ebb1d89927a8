//===- Npy.h - NumPy's .npy files -----------------------------------------===//
//
// Versions 1.0 to 3.0 of the format, row-major, little-endian, of the types
//
//   <f8 <f4 <f2   f64 f32 f16        <i8 <i4 |i1   i64 i32 i8
//   |V2 or <V2    bf16, which        |u1           u8
//                 ml_dtypes writes   |b1           bool
//
// Errors name the file, what was expected, what was found, and the mend.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_SUPPORT_NPY_H
#define FOVEA_SUPPORT_NPY_H

#include "fovea/Support/HostTensor.h"

namespace fovea {

/// Reads the file at `path`.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path);

/// Reads a file's bytes; `fileName` is for messages only. Fails on bytes that
/// are no such file, and never reads beyond them.
llvm::Expected<HostTensor> parseNpy(llvm::StringRef bytes,
                                    llvm::StringRef fileName);

/// Writes version 1.0, with the data 64-byte aligned, under a temporary name
/// that is then renamed.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace fovea

#endif // FOVEA_SUPPORT_NPY_H
