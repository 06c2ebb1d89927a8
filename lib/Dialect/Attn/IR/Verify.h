//===- Verify.h - checks that several attn operations share ---------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_IR_VERIFY_H
#define FOVEA_LIB_DIALECT_ATTN_IR_VERIFY_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::attn {

/// sdpa_c9: `scale` has the accumulation type of `element`.
mlir::LogicalResult verifyScale(mlir::Operation *op, mlir::Value scale,
                                mlir::Type element);

/// sdpa_c10 to sdpa_c13. Null regions are skipped.
mlir::LogicalResult verifyRegions(mlir::Operation *op, mlir::Region *offset,
                                  mlir::Region *score, mlir::Region *mask,
                                  mlir::Type element);

/// Whether two static-or-dynamic sizes can be equal.
inline bool compatible(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) ||
         mlir::ShapedType::isDynamic(b);
}

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_IR_VERIFY_H
