//===- Passes.h - passes over the attn dialect ----------------------------===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_H
#define FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace fovea::attn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"

/// Rewrites attn.layer into projections and attn.sdpa.
void populateExpandLayersPatterns(mlir::RewritePatternSet &patterns);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_H
