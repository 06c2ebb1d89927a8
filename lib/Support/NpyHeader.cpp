//===- NpyHeader.cpp - the dict at the start of a .npy file ---------------===//

#include "NpyHeader.h"
#include "llvm/ADT/StringExtras.h"

using namespace fovea;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// Reads the few kinds of Python literal that a header is made of.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  Expected<NpyHeader> parse() {
    if (!take('{'))
      return fail("'{'");
    while (!take('}')) {
      std::string key;
      if (!parseString(key))
        return fail("a key in quotes or '}'");
      if (!take(':'))
        return fail("':'");
      if (Error error = parseValue(key))
        return error;
      if (!take(',') && !at('}'))
        return fail("',' or '}'");
    }
    if (!rest.trim().empty())
      return fail("nothing after '}'");
    for (auto [found, name] :
         {std::pair(hasDescr, "descr"), std::pair(hasOrder, "fortran_order"),
          std::pair(hasShape, "shape")})
      if (!found)
        return llvm::createStringError("has no '" + StringRef(name) + "'");
    return std::move(header);
  }

private:
  Error fail(StringRef expected) {
    std::string found;
    llvm::raw_string_ostream os(found);
    if (rest.empty()) {
      os << "its end";
    } else {
      os << '\'';
      llvm::printEscapedString(rest.take_front(20), os);
      os << '\'';
    }
    return llvm::createStringError("expects " + expected + ", found " + found);
  }

  bool at(char c) {
    rest = rest.ltrim();
    return rest.starts_with(StringRef(&c, 1));
  }

  bool take(char c) {
    bool found = at(c);
    if (found)
      rest = rest.drop_front();
    return found;
  }

  bool parseString(std::string &value) {
    char quote = at('"') ? '"' : '\'';
    if (!at(quote))
      return false;
    size_t end = rest.find(quote, 1);
    if (end == StringRef::npos)
      return false;
    value = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }

  Error parseValue(StringRef key) {
    bool &seen = key == "descr"           ? hasDescr
                 : key == "fortran_order" ? hasOrder
                                          : hasShape;
    if (key != "descr" && key != "fortran_order" && key != "shape")
      return llvm::createStringError("has the unknown key '" + key + "'");
    if (seen)
      return llvm::createStringError("has '" + key + "' twice");
    seen = true;
    if (key == "shape")
      return parseShape();
    if (key == "descr") {
      // A list describes a record; what it holds does not matter here.
      if (at('['))
        return skipList();
      return parseString(header.descr) ? Error::success()
                                       : fail("a type in quotes");
    }
    rest = rest.ltrim();
    header.fortranOrder = rest.consume_front("True");
    if (header.fortranOrder || rest.consume_front("False"))
      return Error::success();
    return fail("True or False");
  }

  Error skipList() {
    unsigned depth = 0;
    do {
      if (rest.empty())
        return fail("']'");
      std::string ignored;
      if (take('['))
        ++depth;
      else if (take(']'))
        --depth;
      else if (!parseString(ignored))
        rest = rest.drop_front(rest.empty() ? 0 : 1);
    } while (depth > 0);
    return Error::success();
  }

  Error parseShape() {
    if (!take('('))
      return fail("a tuple");
    while (!take(')')) {
      rest = rest.ltrim();
      StringRef digits = rest.take_while(llvm::isDigit);
      int64_t size = 0;
      if (digits.empty())
        return fail("a size or ')'");
      if (digits.getAsInteger(10, size))
        return llvm::createStringError("has a size too large for 64 bits: " +
                                       digits.take_front(40));
      rest = rest.drop_front(digits.size());
      // Python 2 wrote long integers with a suffix.
      rest.consume_front("L");
      header.shape.push_back(size);
      if (!take(',') && !at(')'))
        return fail("',' or ')'");
    }
    return Error::success();
  }

  StringRef rest;
  NpyHeader header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};

} // namespace

Expected<NpyHeader> fovea::parseNpyHeader(StringRef text) {
  return HeaderParser(text).parse();
}
