//===- Decoder.cpp - from an instruction's syntax to its ops --------------===//

#include "Decoder.h"
#include "Instructions/Instructions.h"
#include "Number.h"

using namespace fovea::ptx;
using llvm::StringRef;

Decoder::Decoder(ProgramBuilder &builder, const InstructionSyntax &instruction)
    : builder(builder), instruction(instruction),
      modifiers(instruction.modifiers) {}

void Decoder::fail(const llvm::Twine &text) {
  if (message.empty())
    message = text.str();
}

void Decoder::failType() {
  fail("'" + instruction.opcode + "' does not have this type");
}

//===-- Modifiers ---------------------------------------------------------===//

bool Decoder::hasModifier(StringRef name) const {
  return llvm::is_contained(modifiers, name);
}

bool Decoder::take(StringRef name) {
  auto *found = llvm::find(modifiers, name);
  if (found == modifiers.end())
    return false;
  modifiers.erase(found);
  return true;
}

int Decoder::takeOneOf(llvm::ArrayRef<StringRef> names) {
  for (size_t n = 0; n < names.size(); ++n)
    if (take(names[n]))
      return n;
  return -1;
}

unsigned Decoder::expectOneOf(llvm::ArrayRef<StringRef> names, StringRef what) {
  int found = takeOneOf(names);
  if (found >= 0)
    return found;
  std::string list;
  for (StringRef name : names)
    list += (list.empty() ? "'." : ", '.") + name.str() + "'";
  fail("expected " + what + ", one of " + list);
  return 0;
}

bool Decoder::hasType() const {
  return llvm::any_of(modifiers,
                      [](StringRef name) { return parseType(name); });
}

Type Decoder::takeType() {
  for (auto *at = modifiers.begin(); at != modifiers.end(); ++at)
    if (std::optional<Type> type = parseType(*at)) {
      modifiers.erase(at);
      return *type;
    }
  fail("'" + instruction.opcode + "' expects a type");
  return Type::B32;
}

//===-- Operands ----------------------------------------------------------===//

const OperandSyntax &Decoder::getOperand(unsigned n) const {
  static const OperandSyntax none;
  return n < instruction.operands.size() ? instruction.operands[n] : none;
}

void Decoder::expectOperands(unsigned least, unsigned most) {
  unsigned count = getNumOperands();
  if (count >= least && count <= most)
    return;
  std::string wanted = std::to_string(least);
  if (most > least)
    wanted += " to " + std::to_string(most);
  fail("'" + instruction.opcode + "' expects " + wanted +
       " operands, but got " + llvm::Twine(count));
}

unsigned Decoder::getRegisterBytes(const OperandSyntax &operand,
                                   unsigned otherwise) const {
  const FunctionFrame &frame = builder.getFrame();
  if (operand.kind == OperandSyntax::Name)
    if (const Symbol *symbol =
            frame.syntax->find(instruction.scope, operand.name))
      if (symbol->kind == Symbol::Register)
        return frame.registers[symbol->index].bytes;
  return otherwise;
}

bool Decoder::isPredicate(unsigned n) const {
  return getRegisterBytes(getOperand(n), 1) == 0;
}

Operand Decoder::readSpecialRegister(StringRef name, unsigned bytes) {
  std::optional<SpecialRegister> special = parseSpecialRegister(name);
  if (!special) {
    fail("unknown register '" + name + "'");
    return Operand();
  }
  Type type = bytes == 2 ? Type::B16 : bytes == 8 ? Type::B64 : Type::B32;
  Operand place = builder.addRegister(type, name);
  Op read;
  read.handler = readSpecial;
  read.immediate = int64_t(*special);
  pushOp(read, place, {}, /*isSecondary=*/true);
  return place;
}

std::optional<Operand> Decoder::resolveName(const OperandSyntax &operand,
                                            Type type, bool wide,
                                            bool isResult) {
  const FunctionFrame &frame = builder.getFrame();
  unsigned bytes = getTypeBytes(type);
  const Symbol *symbol = frame.syntax->find(instruction.scope, operand.name);
  if (symbol && symbol->kind == Symbol::Register) {
    Operand place = frame.registers[symbol->index];
    bool fits = wide && type != Type::Pred && place.bytes != 0
                    ? place.bytes >= bytes
                    : place.bytes == bytes;
    if (!fits) {
      auto describe = [](unsigned size) {
        return size ? std::to_string(size * 8) + " bits"
                    : std::string("a predicate");
      };
      fail("expected " + describe(bytes) + ", but '" + operand.name + "' has " +
           describe(place.bytes));
    }
    place.isNegated = operand.negated;
    if (operand.negated && place.bytes)
      fail("'!' before '" + operand.name + "', which is no predicate");
    return place;
  }
  if (isResult) {
    fail("expected a register, but got '" + operand.name + "'");
    return std::nullopt;
  }
  if (operand.name == "WARP_SZ")
    return builder.getConstant(warpSize, bytes);
  if (std::optional<VariablePlace> variable =
          builder.findVariable(symbol, operand.name)) {
    if (bytes != 8 && bytes != 4)
      fail("an address does not fit into " + getTypeName(type));
    return builder.getAddress(*variable, operand.value, bytes);
  }
  if (operand.name.starts_with("%") && !symbol)
    return readSpecialRegister(operand.name, bytes);
  fail("unknown name '" + operand.name + "'");
  return std::nullopt;
}

std::optional<Operand> Decoder::resolve(const OperandSyntax &operand, Type type,
                                        bool wide, bool isResult) {
  switch (operand.kind) {
  case OperandSyntax::Name:
    return resolveName(operand, type, wide, isResult);
  case OperandSyntax::Number: {
    if (isResult)
      break;
    std::optional<uint64_t> bits = getNumberBits(operand, type);
    if (!bits) {
      fail("a number of another type than '." + getTypeName(type) + "'");
      return std::nullopt;
    }
    if (getTypeBytes(type) == 1)
      return builder.getConstant(*bits, 2);
    return builder.getConstant(*bits, getTypeBytes(type));
  }
  case OperandSyntax::Sink:
    if (isResult && instruction.operands.size())
      return builder.getSink(getTypeBytes(type));
    break;
  default:
    break;
  }
  fail(isResult ? "expected a register" : "expected a register or a number");
  return std::nullopt;
}

void Decoder::addResult(const OperandSyntax &operand, Type type) {
  if (std::optional<Operand> place = resolve(operand, type, false, true))
    results.push_back(*place);
}

void Decoder::addSource(const OperandSyntax &operand, Type type) {
  if (std::optional<Operand> place = resolve(operand, type, false, false))
    sources.push_back(*place);
}

void Decoder::addWideResult(const OperandSyntax &operand, Type type) {
  if (std::optional<Operand> place = resolve(operand, type, true, true))
    results.push_back(*place);
}

void Decoder::addWideSource(const OperandSyntax &operand, Type type) {
  if (std::optional<Operand> place = resolve(operand, type, true, false))
    sources.push_back(*place);
}

void Decoder::addConstant(uint64_t value, unsigned bytes) {
  sources.push_back(builder.getConstant(value, bytes));
}

void Decoder::addPlace(const Operand &place, bool isResult) {
  (isResult ? results : sources).push_back(place);
}

void Decoder::addVector(unsigned n, Type type, unsigned count, bool isResult) {
  const OperandSyntax &vector = getOperand(n);
  auto add = [&](const OperandSyntax &element) {
    if (isResult)
      addResult(element, type);
    else
      addSource(element, type);
  };
  // One register may stand without braces.
  if (count == 1 && vector.kind != OperandSyntax::Vector)
    return add(vector);
  if (vector.kind != OperandSyntax::Vector || vector.elements.size() != count)
    return fail("expected operand " + llvm::Twine(n + 1) + " to be a list of " +
                llvm::Twine(count) + " registers");
  for (const OperandSyntax &element : vector.elements)
    add(element);
}

AddressSyntax Decoder::addAddress(unsigned n) {
  AddressSyntax address;
  const OperandSyntax &operand = getOperand(n);
  if (operand.kind != OperandSyntax::Address || operand.elements.size() != 1) {
    fail("expected operand " + llvm::Twine(n + 1) + " to be an address");
    return address;
  }
  const OperandSyntax &base = operand.elements.front();
  if (base.kind == OperandSyntax::Number) {
    addSource(base, Type::B64);
    return address;
  }
  if (base.kind != OperandSyntax::Name) {
    fail("expected an address to be a register, a variable or a number");
    return address;
  }
  address.offset = base.value;
  const FunctionFrame &frame = builder.getFrame();
  const Symbol *symbol = frame.syntax->find(instruction.scope, base.name);
  if (std::optional<VariablePlace> variable =
          builder.findVariable(symbol, base.name)) {
    address.space = variable->isLocal ? VariableSyntax::Local : variable->space;
    sources.push_back(builder.getAddress(*variable, 0, 8));
    return address;
  }
  unsigned bytes = getRegisterBytes(base, 8);
  addSource(base, bytes == 4 ? Type::B32 : Type::B64);
  return address;
}

uint64_t Decoder::takeInteger(unsigned n, StringRef what) {
  const OperandSyntax &operand = getOperand(n);
  if (operand.kind != OperandSyntax::Number || operand.isFloat) {
    fail("expected " + what + " to be an integer constant");
    return 0;
  }
  return operand.value;
}

//===-- The op ------------------------------------------------------------===//

void Decoder::pushOp(Op finished, llvm::ArrayRef<Operand> results,
                     llvm::ArrayRef<Operand> sources, bool isSecondary) {
  Program &program = builder.getProgram();
  size_t count = results.size() + sources.size();
  auto *places = program.operandStorage.Allocate<Operand>(count);
  llvm::copy(results, places);
  llvm::copy(sources, places + results.size());
  finished.operands = places;
  finished.numResults = results.size();
  finished.numOperands = count;
  program.ops.push_back(finished);
  OpInfo info;
  info.line = instruction.line;
  info.opcode = builder.getOpcodeNumber(instruction);
  info.isSecondary = isSecondary;
  info.text = instruction.text.str();
  info.source = instruction.source;
  program.infos.push_back(std::move(info));
}

void Decoder::addGuard() {
  if (instruction.guard.empty())
    return;
  OperandSyntax guard;
  guard.kind = OperandSyntax::Name;
  guard.name = instruction.guard;
  guard.negated = instruction.guardNegated;
  if (std::optional<Operand> place = resolve(guard, Type::Pred, false, true)) {
    op.hasGuard = true;
    op.guard = *place;
  }
}

void Decoder::finishSecondary() {
  addGuard();
  pushOp(op, results, sources, /*isSecondary=*/true);
  op = Op();
  results.clear();
  sources.clear();
}

bool Decoder::finish(std::string &into) {
  if (!modifiers.empty())
    fail("unknown modifier '." + modifiers.front() + "' of '" +
         instruction.opcode + "'");
  if (!op.handler)
    fail("'" + instruction.opcode + "' does not exist in this form");
  addGuard();
  if (!message.empty()) {
    into = message;
    return true;
  }
  pushOp(op, results, sources, /*isSecondary=*/false);
  return false;
}
