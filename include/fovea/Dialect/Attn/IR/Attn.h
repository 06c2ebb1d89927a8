//===- Attn.h - the attn dialect ------------------------------------------===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTN_H
#define FOVEA_DIALECT_ATTN_IR_ATTN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fovea/Dialect/Attn/IR/AttnDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fovea/Dialect/Attn/IR/AttnAttrs.h.inc"

#define GET_OP_CLASSES
#include "fovea/Dialect/Attn/IR/AttnOps.h.inc"

namespace fovea::attn {

/// Names of the discardable attributes that the dialect gives meaning to.
inline constexpr llvm::StringLiteral kStageAttr = "attn.stage";
inline constexpr llvm::StringLiteral kTargetAttr = "attn.target";
inline constexpr llvm::StringLiteral kNameAttr = "attn.name";
inline constexpr llvm::StringLiteral kDimsAttr = "attn.dims";
/// Marks the arguments that hold results, from stage `tiled` on.
inline constexpr llvm::StringLiteral kOutputAttr = "attn.output";

/// The type in which scores, sums and outputs of `elementType` are computed:
/// f64 for f64, else f32.
mlir::Type getAccumulatorType(mlir::Type elementType);

} // namespace fovea::attn

#endif // FOVEA_DIALECT_ATTN_IR_ATTN_H
