//===- ExprLexer.h - The words of an expr -----------------------*- C++ -*-===//

#ifndef FOVEA_LIB_CONFIG_EXPRLEXER_H
#define FOVEA_LIB_CONFIG_EXPRLEXER_H

#include "Expr.h"

namespace fovea::config {

struct ExprToken {
  enum Kind { End, Integer, Real, Name, Symbol, Bad } kind = End;
  llvm::StringRef text;
  size_t offset = 0;
  int64_t integer = 0;
  double real = 0.0;
  /// Bad: what is wrong with it.
  std::string problem;

  bool is(llvm::StringRef symbol) const {
    return kind == Symbol && text == symbol;
  }
};

class ExprLexer {
public:
  explicit ExprLexer(llvm::StringRef text) : text(text) { advance(); }

  const ExprToken &token() const { return current; }
  void advance();

private:
  void readNumber();

  llvm::StringRef text;
  size_t at = 0;
  ExprToken current;
};

} // namespace fovea::config

#endif // FOVEA_LIB_CONFIG_EXPRLEXER_H
