//===- NpyHeader.h - the dict at the start of a .npy file -----------------===//

#ifndef FOVEA_LIB_SUPPORT_NPYHEADER_H
#define FOVEA_LIB_SUPPORT_NPYHEADER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace fovea {

struct NpyHeader {
  /// NumPy's name of the type; empty for a structured one.
  std::string descr;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;
};

/// Parses a Python literal such as
/// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
llvm::Expected<NpyHeader> parseNpyHeader(llvm::StringRef text);

} // namespace fovea

#endif // FOVEA_LIB_SUPPORT_NPYHEADER_H
