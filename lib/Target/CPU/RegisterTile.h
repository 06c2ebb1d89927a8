//===- RegisterTile.h - the innermost loop --------------------------------===//

#ifndef FOVEA_LIB_TARGET_CPU_REGISTERTILE_H
#define FOVEA_LIB_TARGET_CPU_REGISTERTILE_H

#include "VectorBuilder.h"

namespace fovea::cpu {

/// acc[r * vectors + v] += sum over k < count of scalar(r, k) * column(v, k),
/// with all accumulators in registers. `scalar` gives a vector with the same
/// number in every lane; it is asked for right beside its uses, so that LLVM
/// folds the broadcast into the multiply-add or keeps it in one register, where
/// hoisted broadcasts would spill. `multiplyAdd(a, b, sum)` is the product.
inline llvm::SmallVector<mlir::Value> buildRegisterTile(
    VectorBuilder &b, mlir::Value count, mlir::ValueRange accumulators,
    int64_t rows, int64_t vectors,
    llvm::function_ref<mlir::Value(int64_t, mlir::Value)> scalar,
    llvm::function_ref<mlir::Value(int64_t, mlir::Value)> column,
    llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, mlir::Value)>
        multiplyAdd) {
  return b.forLoop(b.index(0), count, 1, accumulators,
                   [&](mlir::Value k, mlir::ValueRange carried) {
                     llvm::SmallVector<mlir::Value> acc(carried), columns;
                     for (int64_t v = 0; v < vectors; ++v)
                       columns.push_back(column(v, k));
                     for (int64_t r = 0; r < rows; ++r) {
                       mlir::Value same = scalar(r, k);
                       for (int64_t v = 0; v < vectors; ++v) {
                         mlir::Value &sum = acc[r * vectors + v];
                         sum = multiplyAdd(same, columns[v], sum);
                       }
                     }
                     return acc;
                   });
}

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_REGISTERTILE_H
