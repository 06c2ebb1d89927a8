//===- Parser.cpp - directives and declarations of PTX --------------------===//

#include "Parser.h"
#include "Number.h"

using namespace fovea::ptx;
using llvm::StringRef;

// Enough for any kernel, and too few to exhaust memory.
static constexpr uint64_t maxBytes = uint64_t(1) << 32;

bool Parser::fail(const llvm::Twine &text, unsigned line) {
  if (message.empty()) {
    message = text.str();
    errorLine = line ? line : token.line;
  }
  return true;
}

std::string Parser::describeToken() const {
  if (token.kind == Token::End)
    return "the end of the text";
  return "'" + token.text.str() + "'";
}

void Parser::advance() {
  previousEnd = token.text.data() ? token.text.end() : text.begin();
  token = lexer.next();
  if (token.kind == Token::Invalid)
    fail("unexpected " + describeToken());
}

bool Parser::consume(char punctuation) {
  if (!token.is(punctuation))
    return false;
  advance();
  return true;
}

bool Parser::expect(char punctuation, StringRef where) {
  if (consume(punctuation))
    return false;
  return fail("expected '" + llvm::Twine(punctuation) + "' " + where +
              ", but got " + describeToken());
}

bool Parser::expectInteger(uint64_t &value, StringRef where) {
  StringRef digits = token.text;
  digits.consume_back("U");
  if (token.kind != Token::Number || digits.getAsInteger(0, value))
    return fail("expected an integer " + where + ", but got " +
                describeToken());
  advance();
  return false;
}

bool Parser::skipTo(char punctuation) {
  while (!token.is(punctuation)) {
    if (token.kind == Token::End || token.kind == Token::Invalid)
      return fail("expected '" + llvm::Twine(punctuation) +
                  "' before the end of the text");
    advance();
  }
  advance();
  return false;
}

bool Parser::parseModule() {
  while (token.kind != Token::End)
    if (parseTopLevel() || !message.empty())
      return true;
  resolveLocations();
  return !message.empty();
}

bool Parser::parseTopLevel() {
  if (token.kind != Token::Dot)
    return fail("expected a directive, but got " + describeToken());
  bool isExtern = false;
  while (token.isDot(".visible") || token.isDot(".extern") ||
         token.isDot(".weak") || token.isDot(".common")) {
    isExtern |= token.isDot(".extern");
    advance();
  }
  StringRef directive = token.text;
  unsigned line = token.line;
  advance();
  if (directive == ".version") {
    advance();
    return false;
  }
  if (directive == ".target") {
    module.target = token.text;
    do
      advance();
    while (token.is(',') || token.kind == Token::Identifier);
    return false;
  }
  if (directive == ".address_size") {
    uint64_t bits = 0;
    if (expectInteger(bits, "after '.address_size'"))
      return true;
    return bits != 64 && fail("only 64-bit addresses are supported, but "
                              "'.address_size' is " +
                                  llvm::Twine(bits),
                              line);
  }
  if (directive == ".file")
    return parseFile();
  if (directive == ".section")
    return parseSection();
  if (directive == ".entry" || directive == ".func")
    return parseFunction(directive == ".entry", isExtern);
  if (directive == ".global")
    return parseVariable(VariableSyntax::Global, isExtern, module.variables,
                         false);
  if (directive == ".const")
    return parseVariable(VariableSyntax::Const, isExtern, module.variables,
                         false);
  if (directive == ".shared")
    return parseVariable(VariableSyntax::Shared, isExtern, module.variables,
                         false);
  if (directive == ".pragma")
    return skipTo(';');
  return fail("unknown directive '" + directive + "'", line);
}

/// `.file NUMBER "NAME"[, time, size]`.
bool Parser::parseFile() {
  uint64_t number = 0;
  if (expectInteger(number, "after '.file'"))
    return true;
  if (number > 65535)
    return fail("expected a number below 65536 after '.file', but got " +
                llvm::Twine(number));
  if (token.kind != Token::String)
    return fail("expected a file's name, but got " + describeToken());
  if (module.files.size() <= number)
    module.files.resize(number + 1);
  module.files[number] = token.text.str();
  advance();
  while (consume(','))
    advance();
  return false;
}

/// `.loc FILE LINE COLUMN[, function_name NAME, inlined_at FILE LINE COLUMN]`.
bool Parser::parseLoc() {
  uint64_t file = 0, line = 0, column = 0;
  if (expectInteger(file, "after '.loc'") ||
      expectInteger(line, "as the line of '.loc'") ||
      expectInteger(column, "as the column of '.loc'"))
    return true;
  while (consume(',')) {
    while (token.kind == Token::Identifier || token.kind == Token::Number ||
           token.is('+'))
      advance();
  }
  location = {unsigned(file), unsigned(line), unsigned(column)};
  return false;
}

/// Once the whole text is known: files are numbered at its end.
void Parser::resolveLocations() {
  for (FunctionSyntax &function : module.functions)
    for (InstructionSyntax &instruction : function.instructions) {
      LocationSyntax at = instruction.location;
      if (instruction.source.empty() && at.line &&
          at.file < module.files.size())
        instruction.source = module.files[at.file] + ":" +
                             std::to_string(at.line) + ":" +
                             std::to_string(at.column);
    }
}

/// Debug information, which does not bear on what is executed.
bool Parser::parseSection() {
  advance();
  if (expect('{', "after a section's name"))
    return true;
  return skipTo('}');
}

bool Parser::parseDimensions(std::vector<uint32_t> &into) {
  do {
    uint64_t size = 0;
    if (expectInteger(size, "as a block's size"))
      return true;
    into.push_back(std::min<uint64_t>(size, UINT32_MAX));
  } while (consume(','));
  return false;
}

bool Parser::parseFunctionDirectives(FunctionSyntax &function) {
  while (token.kind == Token::Dot) {
    StringRef directive = token.text;
    unsigned line = token.line;
    advance();
    uint64_t ignored = 0;
    if (directive == ".maxntid") {
      if (parseDimensions(function.maxBlock))
        return true;
    } else if (directive == ".reqntid") {
      if (parseDimensions(function.requiredBlock))
        return true;
    } else if (directive == ".minnctapersm" || directive == ".maxnreg" ||
               directive == ".maxnctapersm") {
      if (expectInteger(ignored, "after a tuning directive"))
        return true;
    } else if (directive == ".pragma") {
      if (skipTo(';'))
        return true;
    } else if (directive != ".noreturn") {
      return fail("unknown directive '" + directive + "'", line);
    }
  }
  return false;
}

bool Parser::parseParameters(FunctionSyntax &function,
                             std::vector<unsigned> &into) {
  if (!consume('('))
    return false;
  while (!token.is(')')) {
    if (token.isDot(".param")) {
      advance();
      if (parseVariable(VariableSyntax::Param, false, function.variables, true))
        return true;
      into.push_back(function.variables.size() - 1);
      VariableSyntax &variable = function.variables.back();
      if (addSymbol(0, variable.name, {Symbol::Variable, unsigned(into.back())},
                    variable.line))
        return true;
    } else {
      return fail("expected a '.param', but got " + describeToken());
    }
    if (!token.is(')') && expect(',', "between parameters"))
      return true;
  }
  advance();
  return false;
}

bool Parser::parseFunction(bool isKernel, bool isExtern) {
  FunctionSyntax parsed;
  parsed.isKernel = isKernel;
  parsed.scopes.emplace_back();
  function = &parsed;
  location = LocationSyntax();
  if (!isKernel && parseParameters(parsed, parsed.results))
    return true;
  if (token.kind != Token::Identifier)
    return fail("expected a function's name, but got " + describeToken());
  parsed.name = token.text;
  parsed.line = token.line;
  advance();
  if (parseParameters(parsed, parsed.parameters) ||
      parseFunctionDirectives(parsed))
    return true;
  if (!consume(';')) {
    parsed.hasBody = true;
    if (isExtern)
      return fail("an external function has no body");
    if (expect('{', "before a function's body") || parseBlock(0))
      return true;
  }
  function = nullptr;
  for (FunctionSyntax &other : module.functions)
    if (other.name == parsed.name) {
      if (other.hasBody && parsed.hasBody)
        return fail("function '" + parsed.name + "' is defined twice",
                    parsed.line);
      if (parsed.hasBody)
        other = std::move(parsed);
      return false;
    }
  module.functions.push_back(std::move(parsed));
  return false;
}

/// From behind the state space to the semicolon, or to the end of a parameter.
bool Parser::parseVariable(VariableSyntax::Space space, bool isExtern,
                           std::vector<VariableSyntax> &into,
                           bool isParameter) {
  VariableSyntax variable;
  variable.space = space;
  variable.isExtern = isExtern;
  unsigned vector = 1;
  unsigned alignment = 0;
  bool hasType = false;
  while (token.kind == Token::Dot) {
    StringRef word = token.text;
    advance();
    if (word == ".align") {
      uint64_t bytes = 0;
      if (expectInteger(bytes, "after '.align'"))
        return true;
      // On a pointer, `.ptr .align` is that of what it points to.
      if (bytes == 0 || (bytes & (bytes - 1)) || bytes > (1 << 20))
        return fail("expected a power of two after '.align', but got " +
                    llvm::Twine(bytes));
      if (!hasType)
        alignment = bytes;
    } else if (word == ".v2" || word == ".v4") {
      vector = word == ".v2" ? 2 : 4;
    } else if (std::optional<Type> type = parseType(word.drop_front())) {
      variable.type = *type;
      hasType = true;
    } else if (word != ".ptr" && word != ".global" && word != ".const" &&
               word != ".shared" && word != ".local" && word != ".attribute") {
      return fail("unknown '" + word + "' in a declaration");
    }
  }
  if (!hasType || variable.type == Type::Pred)
    return fail("expected a variable's type, but got " + describeToken());
  do {
    VariableSyntax declared = variable;
    if (token.kind != Token::Identifier)
      return fail("expected a variable's name, but got " + describeToken());
    declared.name = token.text;
    declared.line = token.line;
    declared.elements = vector;
    declared.alignment = std::max<unsigned>(
        alignment ? alignment : getTypeBytes(variable.type) * vector, 1);
    advance();
    while (consume('[')) {
      declared.isArray = true;
      uint64_t count = 0;
      if (!token.is(']') && expectInteger(count, "as an array's length"))
        return true;
      if (count > maxBytes || declared.elements * count > maxBytes)
        return fail("array '" + declared.name + "' is too large");
      declared.isUnsized |= count == 0;
      declared.elements *= count;
      if (expect(']', "after an array's length"))
        return true;
    }
    if (consume('=') && parseInitializer(declared))
      return true;
    into.push_back(std::move(declared));
    if (isParameter)
      return false;
  } while (consume(','));
  return expect(';', "after a declaration");
}

bool Parser::appendElement(VariableSyntax &variable) {
  bool negative = consume('-');
  OperandSyntax number;
  if (token.kind != Token::Number)
    return fail("expected a number as initial value, but got " +
                describeToken());
  if (parseNumber(number, negative))
    return true;
  std::optional<uint64_t> bits = getNumberBits(number, variable.type);
  if (!bits)
    return fail("expected an initial value of type '." +
                getTypeName(variable.type) + "'");
  const auto *bytes = reinterpret_cast<const uint8_t *>(&*bits);
  unsigned size = std::min(8u, getTypeBytes(variable.type));
  variable.initializer.insert(variable.initializer.end(), bytes, bytes + size);
  return false;
}

bool Parser::parseInitializer(VariableSyntax &variable) {
  if (!token.is('{')) {
    if (appendElement(variable))
      return true;
  } else {
    unsigned open = 0;
    do {
      if (consume('{')) {
        ++open;
      } else if (consume('}')) {
        --open;
      } else if (!consume(',') && appendElement(variable)) {
        return true;
      }
    } while (open);
  }
  if (variable.isUnsized) {
    variable.elements =
        variable.initializer.size() / getTypeBytes(variable.type);
    variable.isUnsized = false;
  }
  if (variable.initializer.size() > variable.getBytes())
    return fail("'" + variable.name + "' has more initial values than " +
                llvm::Twine(variable.elements) + " elements");
  variable.initializer.resize(variable.getBytes());
  return false;
}
