//===- Lexer.h - tokens of PTX text ---------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_LEXER_H
#define FOVEA_PTXSIMULATOR_LEXER_H

#include "llvm/ADT/StringRef.h"

namespace fovea::ptx {

struct Token {
  enum Kind {
    /// `add`, `%r1`, `$L__BB0_2`, `_`.
    Identifier,
    /// `.f32`, `.shared::cta`: a dot and the word after it.
    Dot,
    /// `12`, `0x1F`, `0f3F800000`, `1.5e3`.
    Number,
    /// The text between two quotes.
    String,
    /// One character.
    Punctuation,
    /// A character that PTX does not have.
    Invalid,
    End,
  };
  Kind kind = End;
  llvm::StringRef text;
  unsigned line = 0;

  bool is(char punctuation) const {
    return kind == Punctuation && text.front() == punctuation;
  }
  bool isDot(llvm::StringRef word) const { return kind == Dot && text == word; }
};

class Lexer {
public:
  explicit Lexer(llvm::StringRef text) : text(text) {}

  Token next();

  /// The text of the last `// source: TEXT` comment before the current token,
  /// and its line.
  llvm::StringRef getSourceComment() const { return sourceComment; }
  unsigned getSourceCommentLine() const { return sourceCommentLine; }

private:
  void skipBlanks();
  size_t skipNumber(size_t at) const;

  llvm::StringRef text;
  size_t position = 0;
  unsigned line = 1;
  llvm::StringRef sourceComment;
  unsigned sourceCommentLine = 0;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_LEXER_H
