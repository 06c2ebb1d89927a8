//===- PrintTensor.h - tensors as text ------------------------------------===//

#ifndef FOVEA_TOOLS_FOVEA_PRINTTENSOR_H
#define FOVEA_TOOLS_FOVEA_PRINTTENSOR_H

#include "fovea/Support/HostTensor.h"
#include "llvm/Support/raw_ostream.h"

namespace fovea::tool {

/// Prints name, type and shape, and the values: all of a small tensor, nested
/// as NumPy does it, and the first of a large one.
void printTensor(llvm::raw_ostream &os, llvm::StringRef name,
                 const HostTensor &tensor);

} // namespace fovea::tool

#endif // FOVEA_TOOLS_FOVEA_PRINTTENSOR_H
