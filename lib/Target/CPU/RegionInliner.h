//===- RegionInliner.h - score and mask regions per vector ----------------===//

#ifndef FOVEA_LIB_TARGET_CPU_REGIONINLINER_H
#define FOVEA_LIB_TARGET_CPU_REGIONINLINER_H

#include "TileBuffers.h"

namespace fovea::cpu {

/// The values of a region's arguments for one vector: of rows against one key,
/// or of keys against one row. Each of h, i, p and j is a vector of positions
/// (i32) or, if the same for every lane, an index; b is an index.
struct RegionPoint {
  mlir::Value score, batch, head, row, position, key;
  /// If keys lie in lanes: the first key and how many exist from it on.
  std::pair<mlir::Value, mlir::Value> keyLanes;
  /// Where this vector stands in staged tiles: key within the tile, panel and
  /// first lane.
  mlir::Value tileKey, panel, lane;
};

/// A read of memory in a region that was copied to scratch before the key loop,
/// transposed so that rows are lanes.
struct StagedRead {
  mlir::Value buffer;
  /// Whether the buffer has a dimension of keys.
  bool perKey;
};
using StagedReads = llvm::DenseMap<mlir::Operation *, StagedRead>;

/// Whether `read`, a memref.load in a region with block `block`, is worth
/// staging: one index is the row i, the last may be the key j, the others don't
/// depend on either. `whyNot`, if given, is set where it is not.
bool isStageable(mlir::memref::LoadOp read, mlir::Block *block,
                 mlir::Type element, llvm::StringRef *whyNot = nullptr);

/// Whether the place of `read` differs between the rows of a tile of `heads`
/// heads.
bool isReadByRow(mlir::memref::LoadOp read, mlir::Block *block, int64_t heads);

/// Writes the region's operations for one vector: uniform values stay scalars,
/// lane values become vectors. Fails with an error for what has no vector form.
mlir::FailureOr<mlir::Value> inlineRegion(VectorBuilder &b,
                                          mlir::Region &region,
                                          const RegionPoint &point,
                                          const StagedReads &staged);

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_REGIONINLINER_H
