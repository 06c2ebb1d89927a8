//===- ParseBody.cpp - instructions of PTX, and what stands between them --===//

#include "Parser.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include <bit>

using namespace fovea::ptx;
using llvm::StringRef;

static constexpr unsigned maxRegisters = 1 << 20;
// Of scopes, lists and addresses within each other.
static constexpr unsigned maxDepth = 64;

bool Parser::addSymbol(unsigned scope, StringRef name, Symbol symbol,
                       unsigned line) {
  if (!function->scopes[scope].symbols.try_emplace(name, symbol).second)
    return fail("'" + name + "' is declared twice", line);
  return false;
}

/// The statements up to the brace that closes the scope.
bool Parser::parseBlock(unsigned scope) {
  if (++depth > maxDepth)
    return fail("scopes are nested too deep");
  while (!consume('}')) {
    if (token.kind == Token::End)
      return fail("expected '}' before the end of the text");
    if (parseStatement(scope) || !message.empty())
      return true;
  }
  --depth;
  return false;
}

bool Parser::parseStatement(unsigned scope) {
  if (consume(';'))
    return false;
  if (consume('{')) {
    function->scopes.emplace_back().parent = scope;
    return parseBlock(function->scopes.size() - 1);
  }
  if (token.kind != Token::Dot)
    return parseInstruction(scope);

  StringRef directive = token.text;
  unsigned line = token.line;
  advance();
  if (directive == ".reg")
    return parseRegisters(scope);
  if (directive == ".loc")
    return parseLoc();
  if (directive == ".pragma")
    return skipTo(';');
  bool isExtern = directive == ".extern";
  if (isExtern) {
    directive = token.text;
    advance();
  }
  std::optional<VariableSyntax::Space> space;
  if (directive == ".param")
    space = VariableSyntax::Param;
  else if (directive == ".shared")
    space = VariableSyntax::Shared;
  else if (directive == ".local")
    space = VariableSyntax::Local;
  else if (directive == ".global")
    space = VariableSyntax::Global;
  else if (directive == ".const")
    space = VariableSyntax::Const;
  if (!space)
    return fail("unknown directive '" + directive + "'", line);
  unsigned first = function->variables.size();
  if (parseVariable(*space, isExtern, function->variables, false))
    return true;
  for (unsigned n = first; n < function->variables.size(); ++n)
    if (addSymbol(scope, function->variables[n].name, {Symbol::Variable, n},
                  line))
      return true;
  return false;
}

/// `.reg .TYPE %name<COUNT>, name, ...;`
bool Parser::parseRegisters(unsigned scope) {
  std::optional<Type> type;
  if (token.kind == Token::Dot)
    type = parseType(token.text.drop_front());
  if (!type || getTypeBytes(*type) == 1)
    return fail("expected a register's type, but got " + describeToken());
  advance();
  do {
    if (token.kind != Token::Identifier)
      return fail("expected a register's name, but got " + describeToken());
    StringRef name = token.text;
    unsigned line = token.line;
    advance();
    uint64_t count = 1;
    bool isRange = consume('<');
    if (isRange && (expectInteger(count, "as the number of registers") ||
                    expect('>', "after the number of registers")))
      return true;
    if (count > maxRegisters ||
        function->registers.size() + count > maxRegisters)
      return fail("a function has more than " + llvm::Twine(maxRegisters) +
                      " registers",
                  line);
    for (uint64_t n = 0; n < count; ++n) {
      Symbol symbol{Symbol::Register, unsigned(function->registers.size())};
      llvm::SmallString<16> full(name);
      if (isRange)
        full += llvm::utostr(n);
      if (addSymbol(scope, full, symbol, line))
        return true;
      function->registers.push_back(*type);
    }
  } while (consume(','));
  return expect(';', "after registers");
}

/// What follows `NAME:`; a list of targets or a prototype may.
bool Parser::parseLabel(unsigned scope, StringRef name, unsigned line) {
  if (token.isDot(".branchtargets")) {
    advance();
    std::vector<StringRef> targets;
    do {
      if (token.kind != Token::Identifier)
        return fail("expected a label, but got " + describeToken());
      targets.push_back(token.text);
      advance();
    } while (consume(','));
    Symbol symbol{Symbol::Targets, unsigned(function->branchTargets.size())};
    function->branchTargets.push_back(std::move(targets));
    return addSymbol(scope, name, symbol, line) ||
           expect(';', "after branch targets");
  }
  if (token.isDot(".callprototype"))
    return addSymbol(scope, name, {Symbol::Prototype, 0}, line) || skipTo(';');
  return addSymbol(scope, name,
                   {Symbol::Label, unsigned(function->instructions.size())},
                   line);
}

bool Parser::parseInstruction(unsigned scope) {
  InstructionSyntax instruction;
  instruction.line = token.line;
  instruction.scope = scope;
  const char *start = token.text.data();
  if (consume('@')) {
    instruction.guardNegated = consume('!');
    if (token.kind != Token::Identifier)
      return fail("expected a predicate after '@', but got " + describeToken());
    instruction.guard = token.text;
    advance();
  }
  if (token.kind != Token::Identifier)
    return fail("expected an instruction, but got " + describeToken());
  instruction.opcode = token.text;
  advance();
  if (instruction.guard.empty() && consume(':'))
    return parseLabel(scope, instruction.opcode, instruction.line);
  while (token.kind == Token::Dot) {
    instruction.modifiers.push_back(token.text.drop_front());
    advance();
  }
  while (!token.is(';')) {
    if (!instruction.operands.empty() && expect(',', "between operands"))
      return true;
    if (parseOperand(instruction.operands.emplace_back()))
      return true;
  }
  instruction.text = StringRef(start, token.text.begin() - start);
  // A comment on the line itself comes after the semicolon's token.
  unsigned line = token.line;
  advance();
  if (lexer.getSourceCommentLine() == line)
    instruction.source = lexer.getSourceComment().str();
  instruction.location = location;
  function->instructions.push_back(std::move(instruction));
  return false;
}

bool Parser::parseOperands(OperandSyntax &operand, char close) {
  advance();
  while (!token.is(close)) {
    if (!operand.elements.empty() && expect(',', "between operands"))
      return true;
    if (parseOperand(operand.elements.emplace_back()))
      return true;
  }
  advance();
  return false;
}

bool Parser::parseOperand(OperandSyntax &operand) {
  if (++depth > maxDepth)
    return fail("operands are nested too deep");
  bool failed = [&] {
    if (token.is('[')) {
      operand.kind = OperandSyntax::Address;
      return parseOperands(operand, ']');
    }
    if (token.is('{')) {
      operand.kind = OperandSyntax::Vector;
      return parseOperands(operand, '}');
    }
    if (token.is('(')) {
      operand.kind = OperandSyntax::List;
      return parseOperands(operand, ')');
    }
    operand.negated = consume('!');
    bool negative = consume('-');
    if (token.kind == Token::Number)
      return parseNumber(operand, negative);
    if (token.kind != Token::Identifier || negative)
      return fail("expected an operand, but got " + describeToken());
    operand.kind =
        token.text == "_" ? OperandSyntax::Sink : OperandSyntax::Name;
    const char *start = token.text.begin();
    StringRef name = token.text;
    advance();
    // `%tid.x` is one name.
    if (token.kind == Token::Dot && token.text.begin() == name.end()) {
      name = StringRef(start, token.text.end() - start);
      advance();
    }
    operand.name = name;
    if (consume('|')) {
      if (token.kind != Token::Identifier)
        return fail("expected a name after '|', but got " + describeToken());
      operand.second = token.text;
      advance();
    }
    bool minus = token.is('-');
    if (minus || token.is('+')) {
      advance();
      minus ^= consume('-');
      uint64_t offset = 0;
      if (expectInteger(offset, "as an offset"))
        return true;
      operand.value = minus ? -offset : offset;
    }
    return false;
  }();
  --depth;
  return failed;
}

bool Parser::parseNumber(OperandSyntax &operand, bool negative) {
  operand.kind = OperandSyntax::Number;
  StringRef text = token.text;
  auto bad = [&] { return fail("expected a number, but got '" + text + "'"); };
  auto setFloat = [&](double value) {
    operand.isFloat = true;
    operand.value = std::bit_cast<uint64_t>(negative ? -value : value);
  };
  StringRef digits = text.substr(2);
  if (text.starts_with_insensitive("0f")) {
    uint32_t bits;
    if (digits.size() != 8 || digits.getAsInteger(16, bits))
      return bad();
    operand.isSingle = true;
    operand.isFloat = true;
    // The 32 bits stay as they are: a signalling NaN would not survive.
    operand.value = negative ? bits ^ 0x80000000u : bits;
  } else if (text.starts_with_insensitive("0d")) {
    uint64_t bits;
    if (digits.size() != 16 || digits.getAsInteger(16, bits))
      return bad();
    operand.isFloat = true;
    operand.value = negative ? bits ^ (uint64_t(1) << 63) : bits;
  } else if (text.contains('.') || (!text.starts_with_insensitive("0x") &&
                                    text.contains_insensitive('e'))) {
    double value;
    if (text.getAsDouble(value))
      return bad();
    setFloat(value);
  } else {
    StringRef integer = text;
    integer.consume_back("U");
    uint64_t value;
    if (integer.getAsInteger(0, value))
      return bad();
    operand.value = negative ? -value : value;
  }
  advance();
  return false;
}
