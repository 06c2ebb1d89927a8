//===- HeadLanes.h - tile operations with the head dim in lanes -----------===//

#ifndef FOVEA_LIB_TARGET_CPU_HEADLANES_H
#define FOVEA_LIB_TARGET_CPU_HEADLANES_H

#include "TileLowering.h"

namespace fovea::cpu {

/// The strategy for few rows, as in decoding: the head dim lies in lanes in
/// both products, so that keys and values are read once, in whole vectors, and
/// widened in registers; keys lie in lanes in between. A tile T x N is a buffer
/// [T, N], a row value a buffer [T]; T is padded to whole row groups (row
/// values: vectors), N to whole vectors.
class HeadLanes final : public TileLowering {
public:
  HeadLanes(mlir::scf::ForallOp forall, const QueryTile &tile,
            const CPUInfo &info);

  /// Whether a tile of `rows` rows is better off with this strategy than with
  /// its rows in `lanes` lanes, most of which would repeat a row.
  static bool isBetter(int64_t rows, int64_t lanes) {
    return 2 * rows <= lanes;
  }

private:
  void explain() override;
  llvm::SmallVector<int64_t> getBufferSizes(mlir::VectorType type) const;

  // Memory (HeadLanesMemory.cpp).
  void lower(attn::LoadQueriesOp op) override;
  void lower(attn::LoadLseOp op) override;
  void lower(attn::StoreOutputOp op) override;
  void lower(attn::StoreWeightsOp op) override;

  // Scores (HeadLanesScores.cpp).
  mlir::LogicalResult lower(attn::ScoresOp op) override;
  void buildProducts(VectorBuilder &b, attn::ScoresOp op, mlir::Value scores,
                     mlir::Value count);
  /// Element k of the result is the sum of the lanes of vector k.
  static mlir::Value sumLanes(VectorBuilder &b,
                              llvm::SmallVector<mlir::Value> vectors);

  // Softmax and the second product (HeadLanesSoftmax.cpp).
  void lower(attn::SoftmaxStepOp op) override;
  void lower(attn::NormalizeOp op) override;
  void lower(attn::AccumulateOp op) override;
  /// A block of the second product whose sums are in registers.
  struct RegisterTile {
    mlir::Value firstRow, firstColumn;
    int64_t rows, columns;
    /// Whether it is all rows and columns.
    bool isWhole;
  };
  void accumulateTile(VectorBuilder &b, attn::AccumulateOp op, mlir::Value sums,
                      mlir::Value firstKey, mlir::Value count,
                      const RegisterTile &tile, bool guarded);
  void accumulateKeys(VectorBuilder &b, attn::AccumulateOp op, mlir::Value sums,
                      mlir::Value count, bool guarded);

  /// Head of a row of the tile, relative to the tile's first, and query row,
  /// at most `lastRow`.
  std::pair<mlir::Value, mlir::Value> getPlace(VectorBuilder &b,
                                               mlir::Value tileRow,
                                               mlir::Value firstRow,
                                               mlir::Value lastRow);
  void forRows(VectorBuilder &b, llvm::function_ref<void(mlir::Value)> body);
  /// Which lanes of the vector at column `column` are below `count`.
  mlir::Value getExisting(VectorBuilder &b, mlir::Value column,
                          mlir::Value count);
  /// A combination of all lanes.
  mlir::Value
  reduce(VectorBuilder &b, mlir::Value value,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  mlir::Value loadScalar(VectorBuilder &b, mlir::Value buffer,
                         mlir::ValueRange at);
  /// Asks for a row of keys or values some way past `row`, while that is read.
  void prefetchAfter(VectorBuilder &b, mlir::Value view, mlir::Value row);

  /// Rows that are multiplied with a key at once; the products of that many
  /// rows and keys fill a vector.
  const int64_t groupRows, groupKeys;
  /// Vectors of accumulators in the second product.
  const int64_t accumulators;
};

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_HEADLANES_H
