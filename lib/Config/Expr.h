//===- Expr.h - The language of `expr` entries ------------------*- C++ -*-===//
//
//   or      = and { "||" and }
//   and     = compare { "&&" compare }
//   compare = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//   sum     = product { ("+" | "-") product }
//   product = unary { ("*" | "/" | "//" | "%") unary }
//   unary   = ("-" | "!") unary | primary
//   primary = number | "(" or ")" | NAME | NAME "(" list ")" | NAME "[" list
//   "]"
//
// Values are conditions, integers or reals; an integer becomes a real beside
// one. `/` divides reals; `//` and `%` round down, so that a remainder has the
// sign of its divisor. Dividing an integer by 0 gives 0, as in NumPy.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONFIG_EXPR_H
#define FOVEA_LIB_CONFIG_EXPR_H

#include "fovea/Config/Config.h"

#include <memory>
#include <vector>

namespace fovea::config {

enum class ExprType { Condition, Integer, Real };

enum class ExprOp {
  Number,
  Name, // s, b, h, i, p or j
  Read, // of a tensor; the operands are its indices
  Negate,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Modulo,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Or,
  Select,
  Abs,
  Min,
  Max,
  Exp,
  Log,
  Tanh,
  Sqrt
};

/// Integers that a value may take; outside of them at most by wrapping around.
struct ExprRange {
  int64_t least, most;

  static ExprRange all();
  bool isPoint() const { return least == most; }
  bool contains(ExprRange other) const {
    return least <= other.least && other.most <= most;
  }
};

struct Expr {
  ExprOp op{};
  ExprType type{};
  size_t offset = 0;   // of its first or its operator's character in the text
  ExprRange range{};   // integers
  int64_t integer = 0; // Number
  double real = 0.0;   // Number
  char name = 0;       // Name
  unsigned tensor = 0; // Read: number of the tensor in the scope
  std::vector<std::unique_ptr<Expr>> operands;
};

/// Whether the two compute the same.
bool isSame(const Expr &a, const Expr &b);

/// Whether `p` occurs in it.
bool usesPosition(const Expr &expr);

/// A tensor that an expr may read.
struct ExprTensor {
  std::string name;
  ExprType type{};
  /// One range of good indices for each dim, and what to call the dim.
  struct Dim {
    ExprRange indices;
    /// Whether the size is, so that every one of `indices` is good.
    bool isKnown = true;
    std::string size;
    /// The name that is always in range, or 0.
    char place = 0;
  };
  llvm::SmallVector<Dim, 4> dims;
};

/// What names mean.
struct ExprScope {
  /// Score exprs have `s` and give a number, mask exprs give a condition.
  bool isScore = false;
  ExprRange batch, head, row, position, key;
  std::vector<ExprTensor> tensors;
};

struct ExprError {
  size_t offset = 0;
  std::string message;
};

/// Reads and types an expr. Any bytes are fine; null, with `error` filled, if
/// they are no expr.
std::unique_ptr<Expr> parseExpr(llvm::StringRef text, const ExprScope &scope,
                                ExprError &error);

/// The names that a tensor can't have, since they mean something in every expr.
llvm::ArrayRef<llvm::StringRef> exprWords();

} // namespace fovea::config

#endif // FOVEA_LIB_CONFIG_EXPR_H
