//===- IntervalMask.h - a mask region evaluated on a tile -----------------===//
//
// A mask region is a function of (b, h, i, p, j). Evaluated on intervals of i,
// p and j instead of numbers, it says of a whole tile whether any and whether
// all of its keys may be attended to. The answer is safe: a tile with an
// allowed key is never empty, a tile with a forbidden key never full.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_INTERVALMASK_H
#define FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_INTERVALMASK_H

#include "MaskBounds.h"
#include "llvm/ADT/DenseMap.h"

namespace fovea::attn {

/// i1 values: whether some place of the tile may be allowed, and whether every
/// one is.
struct TileAnswer {
  mlir::Value any, all;
};

class IntervalMask {
public:
  /// `mask` is not empty and outlives this.
  IntervalMask(mlir::Region &mask, const TileRows &rows);

  /// Writes, at `builder`, the least and greatest of what the region reads by
  /// row: once for a row tile, ahead of the loop over its key tiles.
  void summarizeRows(mlir::OpBuilder &builder, mlir::Location loc);

  /// Writes the answer for keys firstKey .. firstKey + count - 1; count is at
  /// least 1. Folds where the operands are constant.
  TileAnswer classify(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value firstKey, mlir::Value count);

  /// The least and greatest of a read over the rows of a tile, as indices.
  struct Summary {
    mlir::Value least, greatest;
  };

private:
  mlir::Region &mask;
  TileRows rows;
  llvm::DenseMap<mlir::Operation *, Summary> rowSummaries;
};

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_INTERVALMASK_H
