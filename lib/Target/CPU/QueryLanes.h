//===- QueryLanes.h - tile operations with queries in lanes ---------------===//

#ifndef FOVEA_LIB_TARGET_CPU_QUERYLANES_H
#define FOVEA_LIB_TARGET_CPU_QUERYLANES_H

#include "RegionInliner.h"
#include "TileBuffers.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Target/CPU/CPUInfo.h"

namespace fovea::cpu {

/// Lowers the tile operations of one row tile (the body of one scf.forall) to
/// vector code on scratch buffers, with the rows of the query tile in lanes:
/// S^T = K Q^T and O^T = V^T P^T.
class QueryLanes {
public:
  QueryLanes(mlir::scf::ForallOp forall, attn::LoadQueriesOp queries,
             const CPUInfo &info);

  mlir::LogicalResult run();

private:
  // Structure (QueryLanes.cpp).
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation &op);
  mlir::LogicalResult lowerLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerElementwise(mlir::Operation &op);
  // Branches (QueryLanesBranches.cpp).
  mlir::LogicalResult lowerBranch(mlir::scf::IfOp branch);
  mlir::LogicalResult storeYielded(mlir::scf::YieldOp yield,
                                   llvm::ArrayRef<mlir::Value> targets);
  void copyBuffer(VectorBuilder &b, mlir::Value from, mlir::Value to);
  void fillBuffer(VectorBuilder &b, mlir::Value buffer, mlir::Value value);
  

  // Memory (QueryLanesMemory.cpp).
  void lower(attn::LoadQueriesOp op);
  void lower(attn::LoadLseOp op);
  void lower(attn::StoreOutputOp op);
  void lower(attn::StoreWeightsOp op);

  // Scores (QueryLanesScores.cpp).
  mlir::LogicalResult lower(attn::ScoresOp op);
  void stageReads(VectorBuilder &b, attn::ScoresOp op, mlir::Region &region,
                  mlir::Value count, StagedReads &staged);
  mlir::Value stageRead(VectorBuilder &b, attn::ScoresOp op,
                        mlir::memref::LoadOp read, mlir::Block *block,
                        mlir::Value count, bool perKey);

  // Softmax and the second product (QueryLanesSoftmax.cpp).
  void lower(attn::SoftmaxStepOp op);
  void lower(attn::NormalizeOp op);
  void lower(attn::AccumulateOp op);
  mlir::Value buildAnyNonFinite(VectorBuilder &b, mlir::Value view,
                                mlir::Value firstRow, mlir::Value count);
  void accumulateRows(VectorBuilder &b, attn::AccumulateOp op,
                      mlir::Value panel, mlir::Value count, mlir::Value first,
                      int64_t rows, llvm::ArrayRef<mlir::Value> rescale,
                      bool guarded);
  

  VectorBuilder makeBuilder(mlir::OpBuilder &builder, mlir::Operation *op) {
    return VectorBuilder(builder, op->getLoc(), shape.lanes, element);
  }
  void forPanels(VectorBuilder &b, llvm::function_ref<void(mlir::Value)> body);
  /// Head and query row of a lane: row `lane` of the tile that starts at
  /// `firstRow`, clamped to what exists.
  std::pair<mlir::Value, mlir::Value> getPlace(VectorBuilder &b,
                                               mlir::Value lane,
                                               mlir::Value firstRow,
                                               mlir::Value lastRow);
  mlir::Value getCount(VectorBuilder &b, mlir::Value count, mlir::Type tile);

  mlir::scf::ForallOp forall;
  mlir::FloatType element;
  TileShape shape;
  TileBuffers buffers;
  /// Rows of a register tile.
  int64_t tileRows;
  
  /// Query tiles that were multiplied by the scale when they were read.
  llvm::DenseMap<mlir::Value, mlir::Value> foldedScales;
  /// Maximum over the keys of a score tile, taken while the scores were made.
  llvm::DenseMap<mlir::Value, mlir::Value> tileMaxima;
  llvm::SmallVector<mlir::Operation *> lowered;
};

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_QUERYLANES_H
