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
  /// How the two products read keys and values.
  enum class Product {
    /// Elements of the accumulation type, straight from the caller's memory.
    Direct,
    /// Half numbers, widened tile by tile into scratch.
    Widened,
    /// Pairs of bf16, summed in f32 by one instruction (AVX512_BF16): pairs of
    /// the head dim for scores, pairs of keys for the output.
    Dot
  };

  // Remarks (QueryLanesRemarks.cpp).
  void explain();
  void explainReads(attn::ScoresOp op, mlir::Region &region,
                    llvm::StringRef what);
  void sayMissed(mlir::Operation *op, llvm::StringRef name,
                 llvm::StringRef text, llvm::StringRef reason);

  // Structure (QueryLanes.cpp).
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lowerOp(mlir::Operation &op);
  mlir::LogicalResult lowerLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerElementwise(mlir::Operation &op);
  mlir::LogicalResult materializeSplats(mlir::Operation &op);
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
  void buildWeights(VectorBuilder &b, attn::SoftmaxStepOp op, mlir::Value panel,
                    mlir::Value count, llvm::ArrayRef<mlir::Value> shifts,
                    llvm::SmallVectorImpl<mlir::Value> &sums);
  mlir::Value buildAnyNonFinite(VectorBuilder &b, mlir::Value view,
                                mlir::Value firstRow, mlir::Value count);
  void accumulateRows(VectorBuilder &b, attn::AccumulateOp op,
                      mlir::Value panel, mlir::Value count, mlir::Value first,
                      int64_t rows, llvm::ArrayRef<mlir::Value> rescale,
                      bool guarded, mlir::Value staged);
  /// Weights of pairs of keys as bf16, from the scratch of f32 weights.
  mlir::Value packWeights(VectorBuilder &b, attn::AccumulateOp op,
                          mlir::Value count);

  // Half numbers (QueryLanesHalf.cpp).
  /// Rows [first, first + count) of a view, widened to scratch.
  mlir::Value stageWidened(VectorBuilder &b, mlir::Value view,
                           mlir::Value first, mlir::Value count, int64_t keys);
  /// The same rows as pairs of keys: element [k, d] holds rows 2k and 2k + 1.
  mlir::Value stagePairs(VectorBuilder &b, mlir::Value view, mlir::Value first,
                         mlir::Value count, int64_t keys);
  /// Two vectors as one of pairs, `low` in the low halves.
  mlir::Value pair(VectorBuilder &b, mlir::Value low, mlir::Value high);
  mlir::Value dot(VectorBuilder &b, mlir::Value x, mlir::Value y,
                  mlir::Value sum);
  /// Weight of key `k` for vector `v`, from pairs.
  mlir::Value unpackWeight(VectorBuilder &b, mlir::Value pairs,
                           mlir::Value panel, mlir::Value k, int64_t v);

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
  attn::LoadQueriesOp queries;
  const CPUInfo info;
  mlir::FloatType element;
  TileShape shape;
  TileBuffers buffers;
  /// Rows of a register tile.
  int64_t tileRows;

  Product product = Product::Direct;

  /// Weights that a softmax step wrote as pairs, for their one user.
  llvm::DenseMap<mlir::Value, mlir::Value> packedWeights;
  /// Query tiles that were multiplied by the scale when they were read.
  llvm::DenseMap<mlir::Value, mlir::Value> foldedScales;
  /// Maximum over the keys of a score tile, taken while the scores were made.
  llvm::DenseMap<mlir::Value, mlir::Value> tileMaxima;
  llvm::SmallVector<mlir::Operation *> lowered;
};

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_QUERYLANES_H
