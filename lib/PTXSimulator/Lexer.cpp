//===- Lexer.cpp - tokens of PTX text -------------------------------------===//

#include "Lexer.h"
#include "llvm/ADT/StringExtras.h"

using namespace fovea::ptx;
using llvm::StringRef;

static bool isWordStart(char c) {
  return llvm::isAlpha(c) || c == '_' || c == '$' || c == '%';
}
static bool isWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

void Lexer::skipBlanks() {
  while (position < text.size()) {
    StringRef rest = text.substr(position);
    if (rest.starts_with("//")) {
      StringRef comment =
          rest.substr(2).take_until([](char c) { return c == '\n'; });
      StringRef words = comment.trim();
      if (words.consume_front("source:")) {
        sourceComment = words.trim();
        sourceCommentLine = line;
      }
      position += 2 + comment.size();
    } else if (rest.starts_with("/*")) {
      size_t end = rest.find("*/", 2);
      StringRef comment =
          rest.take_front(end == StringRef::npos ? rest.size() : end + 2);
      line += comment.count('\n');
      position += comment.size();
    } else if (llvm::isSpace(rest.front())) {
      line += rest.front() == '\n';
      ++position;
    } else {
      return;
    }
  }
}

/// The end of the number at `at`. Signs belong to it only in an exponent.
size_t Lexer::skipNumber(size_t at) const {
  bool hexadecimal = text.substr(at).starts_with_insensitive("0x") ||
                     text.substr(at).starts_with_insensitive("0f") ||
                     text.substr(at).starts_with_insensitive("0d");
  size_t end = at;
  while (end < text.size()) {
    char c = text[end];
    bool exponentSign = (c == '+' || c == '-') && !hexadecimal && end > at &&
                        (text[end - 1] == 'e' || text[end - 1] == 'E');
    if (!llvm::isAlnum(c) && !exponentSign && !(c == '.' && !hexadecimal))
      break;
    ++end;
  }
  return end;
}

Token Lexer::next() {
  skipBlanks();
  Token token;
  token.line = line;
  if (position == text.size())
    return token;
  size_t start = position, end = position + 1;
  char first = text[start];
  auto skipWord = [&] {
    while (end < text.size() && isWord(text[end]))
      ++end;
  };
  if (isWordStart(first)) {
    token.kind = Token::Identifier;
    skipWord();
  } else if (first == '.' && end < text.size() && isWord(text[end])) {
    token.kind = Token::Dot;
    skipWord();
    while (text.substr(end).starts_with("::")) {
      end += 2;
      skipWord();
    }
  } else if (llvm::isDigit(first)) {
    token.kind = Token::Number;
    end = skipNumber(start);
  } else if (first == '"') {
    token.kind = Token::String;
    end = std::min(text.find_first_of("\"\n", end), text.size());
    token.text = text.slice(start + 1, end);
    if (end == text.size() || text[end] != '"')
      token.kind = Token::Invalid;
    position = std::min(end + 1, text.size());
    return token;
  } else {
    token.kind = StringRef("{}[]()<>,;:@!|+-*/=&~?^").contains(first)
                     ? Token::Punctuation
                     : Token::Invalid;
  }
  position = end;
  token.text = text.slice(start, end);
  return token;
}
