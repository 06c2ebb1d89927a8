//===- MaskBounds.h - loop bounds from a mask region ----------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_MASKBOUNDS_H
#define FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_MASKBOUNDS_H

#include "fovea/Dialect/Attn/IR/Attn.h"

namespace fovea::attn {

/// The rows of a tile: b and h, the first and last query row, the query offset.
struct TileRows {
  mlir::Value batch, head, firstRow, lastRow, offset;
  /// Whether h is the same for every row.
  bool uniformHead;
  /// Heads h, h + 1, ... of the rows.
  int64_t heads = 1;
};

/// Keys outside [lo, hi) are forbidden for every row of the tile, keys in
/// [fullLo, fullHi) allowed for every row. 0 <= lo <= fullLo <= fullHi <= hi <=
/// Sk, except that hi may lie below lo where no key is allowed; loops between
/// them are then empty.
struct KeyBounds {
  mlir::Value lo, fullLo, fullHi, hi;
  /// Whether [lo, fullLo), [fullLo, fullHi) and [fullHi, hi) can hold keys.
  /// `full` is false where a condition is no bound of j: then all of [lo, hi)
  /// is in question.
  bool leading, full, trailing;
};

/// Derives the bounds of `mask` (may be empty) for `rows` and `keys` keys and
/// writes the arithmetic for them at `builder`.
KeyBounds buildKeyBounds(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Region &mask, const TileRows &rows,
                         mlir::Value keys);

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_MASKBOUNDS_H
