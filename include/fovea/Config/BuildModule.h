//===- BuildModule.h - From a config to the attn dialect ------------------===//

#ifndef FOVEA_CONFIG_BUILDMODULE_H
#define FOVEA_CONFIG_BUILDMODULE_H

#include "fovea/Config/Config.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace fovea {

/// Builds the module that a config means: one function named `config.name`,
/// with the tensors of `kernelInputs` as arguments (index inputs as i64, bool
/// ones as i1) and those of `kernelOutputs` as results, whose body is one
/// `attn.layer`, or one `attn.sdpa` and, for the output weights, one
/// `attn.sdpa_weights`. Masks and score changes are regions; their operations
/// carry the places of the config's entries. Loads the dialects it needs.
/// Null, with an error reported on `context`, if the module does not verify.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(const Config &config,
                                              mlir::MLIRContext &context);

/// The slopes of the ALiBi paper for `heads` heads, with its rule for a number
/// that is no power of two.
llvm::SmallVector<double> alibiSlopes(int64_t heads);

} // namespace fovea

#endif // FOVEA_CONFIG_BUILDMODULE_H
