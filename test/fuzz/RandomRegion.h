//===- RandomRegion.h - random masks in a module --------------------------===//

#ifndef FOVEA_TEST_FUZZ_RANDOMREGION_H
#define FOVEA_TEST_FUZZ_RANDOMREGION_H

#include "mlir/IR/BuiltinOps.h"

namespace fovea::fuzz {

/// Joins the same random condition to the mask of every attention operation of
/// the module, as a user could write it.
void addRandomMask(mlir::ModuleOp module, uint64_t seed);

} // namespace fovea::fuzz

#endif // FOVEA_TEST_FUZZ_RANDOMREGION_H
