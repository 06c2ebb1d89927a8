//===- ExprBuild.h - From an expr's tree to region operations ---*- C++ -*-===//

#ifndef FOVEA_LIB_CONFIG_EXPRBUILD_H
#define FOVEA_LIB_CONFIG_EXPRBUILD_H

#include "Expr.h"

#include "mlir/IR/Builders.h"

namespace fovea::config {

/// What an expr's names are in the region.
struct ExprPlaces {
  mlir::Value score; // null in masks
  mlir::Value batch, head, row, position, key;
  /// In the order of the scope's tensors.
  llvm::SmallVector<mlir::Value> tensors;
};

/// Writes `expr` at `builder`: a condition as i1, a real in the type `real`; an
/// integer result of a score expr is made a real. `scope` is what the expr was
/// parsed with, `locate` the location of an offset in its text.
mlir::Value buildExpr(mlir::OpBuilder &builder, const Expr &expr,
                      const ExprScope &scope, const ExprPlaces &places,
                      mlir::FloatType real,
                      llvm::function_ref<mlir::Location(size_t offset)> locate);

} // namespace fovea::config

#endif // FOVEA_LIB_CONFIG_EXPRBUILD_H
