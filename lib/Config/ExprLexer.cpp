//===- ExprLexer.cpp - The words of an expr -------------------------------===//

#include "ExprLexer.h"
#include "Reader.h"

#include "llvm/ADT/StringExtras.h"

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;

static bool isNameCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

void ExprLexer::advance() {
  while (at < text.size() && llvm::isSpace(text[at]))
    ++at;
  current = ExprToken();
  current.offset = at;
  if (at == text.size())
    return;
  StringRef rest = text.drop_front(at);
  char c = rest.front();
  if (llvm::isDigit(c) ||
      (c == '.' && rest.size() > 1 && llvm::isDigit(rest[1])))
    return readNumber();
  if (isNameCharacter(c)) {
    current.kind = ExprToken::Name;
    current.text = rest.take_while(isNameCharacter);
    at += current.text.size();
    return;
  }
  static constexpr StringRef symbols[] = {
      "&&", "||", "<=", ">=", "==", "!=", "//", "<", ">", "!",
      "+",  "-",  "*",  "/",  "%",  "(",  ")",  "[", "]", ","};
  for (StringRef symbol : symbols)
    if (rest.starts_with(symbol)) {
      current.kind = ExprToken::Symbol;
      current.text = symbol;
      at += symbol.size();
      return;
    }
  current.kind = ExprToken::Bad;
  if (c == '&' || c == '|' || c == '=')
    current.problem = (llvm::Twine("expects '") + llvm::Twine(c) +
                       llvm::Twine(c) + "', but got '" + llvm::Twine(c) + "'")
                          .str();
  else if (c > ' ' && c <= '~')
    current.problem =
        (llvm::Twine("'") + llvm::Twine(c) + "' has no meaning in an expr")
            .str();
  else
    current.problem = "this character has no meaning in an expr";
}

void ExprLexer::readNumber() {
  size_t start = at;
  auto digits = [&] {
    while (at < text.size() && llvm::isDigit(text[at]))
      ++at;
  };
  bool isReal = false;
  digits();
  if (at < text.size() && text[at] == '.') {
    isReal = true;
    ++at;
    digits();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    isReal = true;
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-'))
      ++at;
    digits();
  }
  // 0x10, 1_000, 2b: a name can't follow a number directly.
  while (at < text.size() && (isNameCharacter(text[at]) || text[at] == '.'))
    ++at;
  current.text = text.slice(start, at);
  NumberFault fault = isReal ? config::readNumber(current.text, current.real)
                             : readInteger(current.text, current.integer);
  current.kind = isReal ? ExprToken::Real : ExprToken::Integer;
  if (fault == NumberFault::None)
    return;
  current.kind = ExprToken::Bad;
  current.problem =
      "'" + printable(current.text) +
      (fault == NumberFault::Range
           ? std::string("' is out of range")
           : std::string("' is no number; numbers are decimal, as in 12, 0.5 "
                         "or 1e-3"));
}
