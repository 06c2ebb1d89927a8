//===- TileLowering.h - tile operations to vector code on scratch ---------===//

#ifndef FOVEA_LIB_TARGET_CPU_TILELOWERING_H
#define FOVEA_LIB_TARGET_CPU_TILELOWERING_H

#include "RegionInliner.h"
#include "TileBuffers.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Target/CPU/CPUInfo.h"

namespace fovea::cpu {

/// What a strategy has to know of the query tile of an scf.forall.
struct QueryTile {
  /// For remarks: what reads the queries, or else writes the output.
  mlir::Operation *op;
  /// Rows, and the heads that share them.
  int64_t rows, heads;
  /// The element type of queries, keys and values in memory.
  mlir::Type stored;
  int64_t headDim;

  explicit QueryTile(attn::LoadQueriesOp load);
  /// Where no key is left, nothing reads the queries.
  explicit QueryTile(attn::StoreOutputOp store);

  unsigned getAccumulatorBits() const {
    return attn::getAccumulatorType(stored).getIntOrFloatBitWidth();
  }
};

/// What the strategies of vectorization share: the tile operations of one row
/// tile (the body of one scf.forall) become vector code on scratch buffers;
/// loops and branches carry buffers instead of tiles, and elementwise
/// operations run vector by vector. How a tile lies in its buffer, and the tile
/// operations themselves, are the strategy's.
class TileLowering {
public:
  /// `sizes` gives the sizes of the buffer of a tile or row value; the last one
  /// is a multiple of the lanes.
  TileLowering(mlir::scf::ForallOp forall, const QueryTile &tile, int64_t lanes,
               TileBuffers::Sizes sizes);
  virtual ~TileLowering() = default;

  mlir::LogicalResult run();

protected:
  /// Says in remarks how the tile is lowered; called if anybody asks for them.
  virtual void explain() = 0;
  virtual void lower(attn::LoadQueriesOp op) = 0;
  virtual void lower(attn::LoadLseOp op) = 0;
  virtual mlir::LogicalResult lower(attn::ScoresOp op) = 0;
  virtual void lower(attn::SoftmaxStepOp op) = 0;
  virtual void lower(attn::NormalizeOp op) = 0;
  virtual void lower(attn::AccumulateOp op) = 0;
  virtual void lower(attn::StoreOutputOp op) = 0;
  virtual void lower(attn::StoreWeightsOp op) = 0;

  VectorBuilder makeBuilder(mlir::OpBuilder &builder, mlir::Operation *op) {
    return VectorBuilder(builder, op->getLoc(), lanes, element);
  }

  /// Calls `body` with the place of every vector of a buffer.
  void forEachVector(VectorBuilder &b, mlir::MemRefType buffer,
                     llvm::function_ref<void(mlir::ValueRange)> body);
  void copyBuffer(VectorBuilder &b, mlir::Value from, mlir::Value to);
  void fillBuffer(VectorBuilder &b, mlir::Value buffer, mlir::Value value);

  /// `count`, or all columns of `tile` where it is absent.
  mlir::Value getCount(VectorBuilder &b, mlir::Value count, mlir::Type tile);

  /// The scale that every use of a query tile multiplies by, if it is one value
  /// from outside the loop over row tiles.
  mlir::Value getCommonScale(attn::LoadQueriesOp op);

  /// A buffer of one value for each row to hold the maximum over a score tile,
  /// if the only user is a softmax step over the same columns. `sizes` are
  /// those of the buffer.
  mlir::Value createMaxima(attn::ScoresOp op, llvm::ArrayRef<int64_t> sizes);

  /// Whether an element of rows [firstRow, firstRow + count) of a view is NaN
  /// or infinite.
  mlir::Value buildAnyNonFinite(VectorBuilder &b, mlir::Value view,
                                mlir::Value firstRow, mlir::Value count);

  mlir::scf::ForallOp forall;
  const QueryTile tile;
  mlir::FloatType element;
  /// Rows of the query tile, and the heads that share it.
  const int64_t rows, heads;
  const int64_t lanes;
  TileBuffers buffers;

  /// Query tiles that were multiplied by the scale when they were read.
  llvm::DenseMap<mlir::Value, mlir::Value> foldedScales;
  /// Maximum over the keys of a score tile, taken while the scores were made.
  llvm::DenseMap<mlir::Value, mlir::Value> tileMaxima;

private:
  // Structure (TileLowering.cpp).
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation &op);
  mlir::LogicalResult lowerElementwise(mlir::Operation &op);
  mlir::LogicalResult materializeSplats(mlir::Operation &op);
  // Loops and branches (TileLoweringLoops.cpp, TileLoweringBranches.cpp).
  mlir::LogicalResult lowerLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerBranch(mlir::scf::IfOp branch);
  mlir::LogicalResult storeYielded(mlir::scf::YieldOp yield,
                                   llvm::ArrayRef<mlir::Value> targets);

  llvm::SmallVector<mlir::Operation *> lowered;
};

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_TILELOWERING_H
