//===- LinearForm.h - index expressions of a mask region ------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_LINEARFORM_H
#define FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_LINEARFORM_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include <optional>

namespace fovea::attn {

/// row * i + position * p + key * j + constant + sum of terms, where the terms
/// are values of the region that depend on b and h at most, each with a sign.
struct LinearForm {
  int64_t row = 0, position = 0, key = 0, constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms;

  LinearForm &operator-=(const LinearForm &other);
};

/// The value yielded by `mask` as a list of conditions that must all hold.
llvm::SmallVector<mlir::Value> getConjuncts(mlir::Region &mask);

/// Whether `value` depends on none of `arguments` (directly or through
/// operations of their block).
bool isIndependentOf(mlir::Value value,
                     llvm::ArrayRef<mlir::BlockArgument> arguments);

/// `condition` as a form that must be <= 0, with -1, 0 or 1 times j. Nothing if
/// it is not a signed comparison of linear expressions; `whyNot`, if given,
/// says which part is not. An equality gives nothing. `uniformHead` says that h
/// is the same for every row of a tile.
std::optional<LinearForm> getBound(mlir::Value condition, mlir::Region &mask,
                                   bool uniformHead,
                                   std::string *whyNot = nullptr);

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_LINEARFORM_H
