//===- Reader.cpp - Typed reading of a config's tree ----------------------===//

#include "Reader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string>

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Words and numbers
//===----------------------------------------------------------------------===//

std::string config::printable(StringRef text) {
  constexpr size_t limit = 40;
  std::string result;
  for (char c : text.take_front(limit))
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  if (text.size() <= limit)
    return result;
  // Never cut inside a UTF-8 sequence: drop its tail and its lead byte.
  if ((static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) {
    while (!result.empty() &&
           (static_cast<unsigned char>(result.back()) & 0xC0) == 0x80)
      result.pop_back();
    if (!result.empty())
      result.pop_back();
  }
  return result + "...";
}

std::string config::describe(const Node &node) {
  switch (node.kind) {
  case Node::Null:
    return "nothing";
  case Node::Scalar:
    return (node.quoted ? "the string '" : "'") + printable(node.text) + "'";
  case Node::List:
    return "a list";
  case Node::Map:
    return "a mapping";
  }
  return "nothing";
}

StringRef config::nearest(StringRef word,
                          llvm::ArrayRef<StringRef> candidates) {
  StringRef best;
  // Half of the letters must be right, else a guess only confuses.
  unsigned bestDistance = std::min<size_t>(word.size(), 64) / 2 + 1;
  for (StringRef candidate : candidates) {
    if (word.size() > 64)
      break;
    unsigned distance =
        StringRef(word.lower())
            .edit_distance(candidate, /*AllowReplacements=*/true,
                           /*MaxEditDistance=*/bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string config::joinWords(llvm::ArrayRef<StringRef> words) {
  std::string result;
  for (auto [i, word] : llvm::enumerate(words)) {
    if (i)
      result += i + 1 == words.size() ? " or " : ", ";
    result += word;
  }
  return result;
}

NumberFault config::readInteger(StringRef text, int64_t &value) {
  StringRef digits = text;
  if (!digits.consume_front("-"))
    digits.consume_front("+");
  // A leading zero is octal to some readers of YAML and decimal to others.
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit) ||
      (digits.size() > 1 && digits.front() == '0'))
    return NumberFault::Syntax;
  text.consume_front("+");
  return text.getAsInteger(10, value) ? NumberFault::Range : NumberFault::None;
}

NumberFault config::readNumber(StringRef text, double &value) {
  StringRef rest = text;
  if (!rest.consume_front("-"))
    rest.consume_front("+");
  auto digits = [&rest] {
    size_t count = rest.take_while(llvm::isDigit).size();
    rest = rest.drop_front(count);
    return count;
  };
  size_t mantissa = digits();
  if (rest.consume_front("."))
    mantissa += digits();
  if (mantissa == 0)
    return NumberFault::Syntax;
  if (rest.consume_front("e") || rest.consume_front("E")) {
    if (!rest.consume_front("-"))
      rest.consume_front("+");
    if (digits() == 0)
      return NumberFault::Syntax;
  }
  if (!rest.empty())
    return NumberFault::Syntax;
  std::string copy = text.str();
  errno = 0;
  value = std::strtod(copy.c_str(), nullptr);
  return errno == ERANGE || !std::isfinite(value) ? NumberFault::Range
                                                  : NumberFault::None;
}

//===----------------------------------------------------------------------===//
// Reader
//===----------------------------------------------------------------------===//

void Reader::error(Place loc, const Twine &message) {
  // A config can hold a hundred thousand faults; the first few say enough.
  constexpr size_t limit = 20;
  hasErrors = true;
  if (diagnostics.size() < limit)
    diagnostics.push_back({ConfigDiagnostic::Error, loc, message.str()});
}

void Reader::note(Place loc, const Twine &message) {
  if (!diagnostics.empty())
    diagnostics.push_back({ConfigDiagnostic::Note, loc, message.str()});
}

bool Reader::mapping(const Node &node, StringRef what,
                     llvm::ArrayRef<StringRef> known) {
  if (node.kind != Node::Map) {
    error(node.loc, "expects '" + what + "' to be a mapping with " +
                        joinWords(known) + ", but got " + describe(node));
    return false;
  }
  bool good = true;
  for (const Entry &entry : node.entries) {
    if (llvm::is_contained(known, entry.key))
      continue;
    good = false;
    StringRef guess = nearest(entry.key, known);
    std::string where =
        what.empty() ? std::string() : (" in '" + what + "'").str();
    if (guess.empty()) {
      error(entry.keyLoc, "unknown key '" + printable(entry.key) + "'" + where +
                              "; known are " + joinWords(known));
      continue;
    }
    guessed.insert(guess);
    error(entry.keyLoc, "unknown key '" + printable(entry.key) + "'" + where +
                            "; did you mean '" + guess + "'?");
  }
  return good;
}

const Entry *Reader::required(const Node &map, StringRef key, StringRef what,
                              Place loc, const Twine &mend) {
  const Entry *entry = map.find(key);
  if (!entry && !guessed.contains(key))
    error(loc, "missing key '" + what + "'; " + mend);
  return entry;
}

bool Reader::list(const Node &node, StringRef what) {
  if (node.kind == Node::List)
    return true;
  if (node.kind == Node::Scalar)
    error(node.loc, "expects '" + what + "' to be a list, but got " +
                        describe(node) + "; write [" + printable(node.text) +
                        "]");
  else
    error(node.loc, "expects '" + what + "' to be a list, but got " +
                        describe(node) +
                        (node.kind == Node::Null ? "; write [] for none" : ""));
  return false;
}

static std::string integerFrom(int64_t least) {
  std::string text = "an integer";
  if (least > -kMaxPosition)
    text += " of at least " + std::to_string(least);
  return text;
}

std::optional<int64_t> Reader::integer(const Node &node, StringRef what,
                                       int64_t least, int64_t most) {
  int64_t value = 0;
  NumberFault fault = NumberFault::Syntax;
  if (node.kind == Node::Scalar && !node.quoted)
    fault = readInteger(node.text, value);
  if (fault == NumberFault::Syntax ||
      (fault == NumberFault::None && value < least)) {
    error(node.loc, "expects '" + what + "' to be " + integerFrom(least) +
                        ", but got " + describe(node));
    return std::nullopt;
  }
  if (fault == NumberFault::Range || value > most) {
    error(node.loc, "expects '" + what + "' to be an integer between " +
                        Twine(least) + " and " + Twine(most) + ", but got " +
                        describe(node));
    return std::nullopt;
  }
  return value;
}

std::optional<double> Reader::number(const Node &node, StringRef what) {
  double value = 0.0;
  NumberFault fault = NumberFault::Syntax;
  if (node.kind == Node::Scalar && !node.quoted)
    fault = readNumber(node.text, value);
  if (fault == NumberFault::None)
    return value;
  error(node.loc,
        "expects '" + what + "' to be a " +
            (fault == NumberFault::Range ? "number in the range of f64"
                                         : "finite number") +
            ", but got " + describe(node));
  return std::nullopt;
}

std::optional<bool> Reader::boolean(const Node &node, StringRef what) {
  if (node.kind == Node::Scalar && !node.quoted) {
    if (node.text == "true")
      return true;
    if (node.text == "false")
      return false;
  }
  error(node.loc, "expects '" + what + "' to be true or false, but got " +
                      describe(node));
  return std::nullopt;
}

std::optional<StringRef> Reader::word(const Node &node, StringRef what) {
  if (node.kind == Node::Scalar && !node.text.empty())
    return StringRef(node.text);
  error(node.loc,
        "expects '" + what + "' to be a word, but got " + describe(node));
  return std::nullopt;
}

std::optional<Dim> Reader::dim(const Node &node, StringRef what, int64_t least,
                               int64_t most) {
  if (node.kind == Node::Scalar) {
    if (node.text == "any")
      return Dim{};
    int64_t value = 0;
    NumberFault fault =
        node.quoted ? NumberFault::Syntax : readInteger(node.text, value);
    if (fault == NumberFault::None && value >= least && value <= most)
      return Dim{value};
    if (fault == NumberFault::Range ||
        (fault == NumberFault::None && value > most)) {
      error(node.loc, "expects '" + what + "' to be at most " + Twine(most) +
                          " or the word any, but got " + describe(node));
      return std::nullopt;
    }
  }
  error(node.loc, "expects '" + what + "' to be an integer of at least " +
                      Twine(least) + " or the word any, but got " +
                      describe(node));
  return std::nullopt;
}

std::optional<unsigned> Reader::choice(const Node &node, StringRef what,
                                       llvm::ArrayRef<StringRef> allowed) {
  if (node.kind == Node::Scalar) {
    for (auto [i, candidate] : llvm::enumerate(allowed))
      if (candidate == node.text) {
        if (!requireBuilt(node.loc, what, candidate))
          return std::nullopt;
        return unsigned(i);
      }
    StringRef guess = nearest(node.text, allowed);
    error(node.loc,
          "expects '" + what + "' to be " + joinWords(allowed) + ", but got " +
              describe(node) +
              (guess.empty() ? std::string()
                             : ("; did you mean '" + guess + "'?").str()));
    return std::nullopt;
  }
  error(node.loc, "expects '" + what + "' to be " + joinWords(allowed) +
                      ", but got " + describe(node));
  return std::nullopt;
}
