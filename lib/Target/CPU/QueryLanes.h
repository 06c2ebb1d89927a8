//===- QueryLanes.h - tile operations with queries in lanes ---------------===//

#ifndef FOVEA_LIB_TARGET_CPU_QUERYLANES_H
#define FOVEA_LIB_TARGET_CPU_QUERYLANES_H

#include "TileLowering.h"

namespace fovea::cpu {

/// How the rows of a query tile lie in vectors: `panels` panels of `vectors`
/// vectors of `lanes` lanes. Row r is lane r of the panels laid end to end;
/// lanes past the tile's rows repeat its last row.
struct TileShape {
  int64_t rows, heads, lanes, vectors, panels;

  int64_t getWidth() const { return lanes * vectors; }
  /// Query rows of one head.
  int64_t getQueries() const { return rows / heads; }
};

/// The strategy for many rows: the rows of the query tile lie in lanes, S^T = K
/// Q^T and O^T = V^T P^T. A tile T x N is a buffer [panels, N, width],
/// transposed so that rows are lanes; a row value T is [panels, width].
class QueryLanes final : public TileLowering {
public:
  QueryLanes(mlir::scf::ForallOp forall, const QueryTile &tile,
             const CPUInfo &info);

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

  llvm::SmallVector<int64_t> getBufferSizes(mlir::VectorType type) const;

  // Remarks (QueryLanesRemarks.cpp).
  void explain() override;
  void explainReads(attn::ScoresOp op, mlir::Region &region,
                    llvm::StringRef what);
  void sayMissed(mlir::Operation *op, llvm::StringRef name,
                 llvm::StringRef text, llvm::StringRef reason);

  // Memory (QueryLanesMemory.cpp).
  void lower(attn::LoadQueriesOp op) override;
  void lower(attn::LoadLseOp op) override;
  void lower(attn::StoreOutputOp op) override;
  void lower(attn::StoreWeightsOp op) override;

  // Scores (QueryLanesScores.cpp).
  mlir::LogicalResult lower(attn::ScoresOp op) override;
  void stageReads(VectorBuilder &b, attn::ScoresOp op, mlir::Region &region,
                  mlir::Value count, StagedReads &staged);
  mlir::Value stageRead(VectorBuilder &b, attn::ScoresOp op,
                        mlir::memref::LoadOp read, mlir::Block *block,
                        mlir::Value count, bool perKey);

  // Softmax and the second product (QueryLanesSoftmax.cpp).
  void lower(attn::SoftmaxStepOp op) override;
  void lower(attn::NormalizeOp op) override;
  void lower(attn::AccumulateOp op) override;
  void buildWeights(VectorBuilder &b, attn::SoftmaxStepOp op, mlir::Value panel,
                    mlir::Value count, llvm::ArrayRef<mlir::Value> shifts,
                    llvm::SmallVectorImpl<mlir::Value> &sums);
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

  void forPanels(VectorBuilder &b, llvm::function_ref<void(mlir::Value)> body);
  /// Head and query row of a lane: row `lane` of the tile that starts at
  /// `firstRow`, clamped to what exists.
  std::pair<mlir::Value, mlir::Value> getPlace(VectorBuilder &b,
                                               mlir::Value lane,
                                               mlir::Value firstRow,
                                               mlir::Value lastRow);

  const TileShape shape;
  const CPUInfo info;
  /// Rows of a register tile.
  const int64_t tileRows;
  /// Rows of keys of every tile are padded to a multiple of this, so that a
  /// register tile may overhang.
  int64_t rowMultiple = 1;

  Product product = Product::Direct;

  /// Weights that a softmax step wrote as pairs, for their one user.
  llvm::DenseMap<mlir::Value, mlir::Value> packedWeights;
};

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_QUERYLANES_H
