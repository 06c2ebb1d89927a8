//===- ExprTypes.h - Types and ranges of an expr's nodes --------*- C++ -*-===//

#ifndef FOVEA_LIB_CONFIG_EXPRTYPES_H
#define FOVEA_LIB_CONFIG_EXPRTYPES_H

#include "Expr.h"

#include "llvm/ADT/Twine.h"

namespace fovea::config {

/// Gives a node, whose operands have theirs, its type and range. Null, with the
/// error filled, where the operands don't suit it.
class ExprTypes {
public:
  ExprTypes(const ExprScope &scope, ExprError &error)
      : scope(scope), error(error) {}

  std::unique_ptr<Expr> check(std::unique_ptr<Expr> node);
  /// The whole expr must be a number for scores, a condition for masks.
  std::unique_ptr<Expr> checkResult(std::unique_ptr<Expr> node);

private:
  bool fail(size_t offset, const llvm::Twine &message);
  bool checkNode(Expr &node);
  bool checkName(Expr &node);
  bool checkRead(Expr &node);
  bool checkConditions(const Expr &node);
  bool checkNumbers(const Expr &node);
  bool checkDivision(Expr &node);
  bool checkEquality(Expr &node);
  bool checkSelect(Expr &node);
  bool bothIntegers(const Expr &node) const;

  const ExprScope &scope;
  ExprError &error;
};

} // namespace fovea::config

#endif // FOVEA_LIB_CONFIG_EXPRTYPES_H
