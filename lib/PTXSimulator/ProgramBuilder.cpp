//===- ProgramBuilder.cpp - a kernel and what it calls as one program -----===//

#include "ProgramBuilder.h"
#include "AddressSpace.h"
#include "BlockMemory.h"
#include "Decoder.h"
#include "Instructions/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace fovea::ptx;
using llvm::StringRef;

bool ProgramBuilder::fail(unsigned line, const llvm::Twine &text) {
  if (message.empty())
    message = (fileName + ":" + llvm::Twine(line) + ": " + text).str();
  return true;
}

llvm::Expected<std::shared_ptr<const Program>>
ProgramBuilder::build(const FunctionSyntax &kernel) {
  program->constants.resize(64); // so that no operand is at offset 0
  program->registerNames.emplace_back();
  program->target = module.target.str();
  program->module = module.number;
  for (uint32_t size : kernel.maxBlock)
    program->maxThreads = std::max<uint64_t>(program->maxThreads, 1) * size;
  program->requiredBlock = kernel.requiredBlock;

  bool failed = collect(kernel);
  if (!failed)
    layOutShared();
  for (auto &target : frames)
    if (!failed)
      placeVariables(*target);
  for (auto &target : frames)
    failed = failed || decodeFunction(*target);
  if (failed)
    return llvm::createStringError(message);
  program->localBytes = llvm::alignTo(program->localBytes, 64);
  return std::shared_ptr<const Program>(program);
}

//===-- What belongs to the program ---------------------------------------===//

const FunctionSyntax *ProgramBuilder::findSyntax(StringRef name) const {
  for (const FunctionSyntax &function : module.functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

const FunctionFrame *ProgramBuilder::findFunction(StringRef name) const {
  for (const auto &target : frames)
    if (target->syntax->name == name)
      return target.get();
  return nullptr;
}

/// Finds functions and shared variables in what an operand names.
bool ProgramBuilder::collectOperand(const FunctionSyntax &function,
                                    unsigned scope,
                                    const OperandSyntax &operand) {
  for (const OperandSyntax &element : operand.elements)
    if (collectOperand(function, scope, element))
      return true;
  if (operand.kind != OperandSyntax::Name || function.find(scope, operand.name))
    return false;
  for (const VariableSyntax &variable : module.variables)
    if (variable.name == operand.name &&
        variable.space == VariableSyntax::Shared &&
        !llvm::is_contained(shared, &variable))
      shared.push_back(&variable);
  return false;
}

/// Adds `function`, after all that it calls.
bool ProgramBuilder::collect(const FunctionSyntax &function) {
  if (findFunction(function.name))
    return false;
  if (llvm::is_contained(open, &function))
    return fail(function.line,
                "'" + function.name + "' calls itself, which is not supported");
  open.push_back(&function);
  for (const VariableSyntax &variable : function.variables)
    if (variable.space == VariableSyntax::Shared)
      shared.push_back(&variable);
  for (const InstructionSyntax &instruction : function.instructions) {
    for (const OperandSyntax &operand : instruction.operands)
      if (collectOperand(function, instruction.scope, operand))
        return true;
    if (instruction.opcode != "call")
      continue;
    for (const OperandSyntax &operand : instruction.operands)
      if (operand.kind == OperandSyntax::Name)
        if (const FunctionSyntax *callee = findSyntax(operand.name))
          if (callee->hasBody && collect(*callee))
            return true;
  }
  open.pop_back();
  auto added = std::make_unique<FunctionFrame>();
  added->syntax = &function;
  frames.push_back(std::move(added));
  return false;
}

//===-- Memory ------------------------------------------------------------===//

/// Static variables come first, as the assembler places them, then the dynamic
/// ones, all at one address. In the simulator gaps of whole kilobytes stand
/// between them, which leave alignments and banks as they are.
void ProgramBuilder::layOutShared() {
  auto place = [&](const VariableSyntax &variable, uint64_t address,
                   uint64_t bytes) {
    VariablePlace found;
    found.space = VariableSyntax::Shared;
    found.address = address;
    found.bytes = bytes;
    places[&variable] = found;
  };
  uint64_t end = SharedMemory::firstAddress, packed = 0;
  auto getNext = [&](uint64_t alignment) {
    packed = llvm::alignTo(packed, alignment);
    uint64_t unit = std::max<uint64_t>(SharedMemory::gap, alignment);
    uint64_t from =
        end == SharedMemory::firstAddress ? end : end + SharedMemory::gap;
    return llvm::alignTo(from, unit) + packed % unit;
  };
  unsigned dynamicAlignment = 1;
  for (const VariableSyntax *variable : shared) {
    if (variable->isExtern) {
      dynamicAlignment = std::max(dynamicAlignment, variable->alignment);
      program->dynamicNames.push_back(variable->name.str());
      continue;
    }
    // The assembler gives a variable without a size one byte, so that its
    // address is that of its successor; here it has a place of its own, and
    // using it for more is out of bounds.
    uint64_t bytes = std::max<uint64_t>(variable->getBytes(), 1);
    uint64_t address = getNext(variable->alignment);
    place(*variable, address, bytes);
    program->shared.push_back({variable->name.str(), address, bytes});
    end = address + bytes;
    packed += bytes;
  }
  program->staticSharedBytes = packed;
  program->sharedEnd = end;
  program->dynamicBase = getNext(dynamicAlignment);
  for (const VariableSyntax *variable : shared)
    if (variable->isExtern)
      place(*variable, program->dynamicBase, 0);
}

void ProgramBuilder::placeVariables(FunctionFrame &target) {
  const FunctionSyntax &function = *target.syntax;
  for (unsigned n = 0; n < function.variables.size(); ++n) {
    const VariableSyntax &variable = function.variables[n];
    VariablePlace place;
    place.space = variable.space;
    place.bytes = variable.getBytes();
    bool isKernelParameter =
        function.isKernel && llvm::is_contained(function.parameters, n);
    if (isKernelParameter) {
      place.address =
          llvm::alignTo(program->parameterBytes, variable.alignment);
      program->parameterBytes = place.address + place.bytes;
      program->parameters.push_back(
          {variable.name.str(), place.address, place.bytes});
    } else if (variable.space == VariableSyntax::Param ||
               variable.space == VariableSyntax::Local) {
      place.isLocal = true;
      uint64_t from = program->localBytes + localGap;
      place.address = llvm::alignTo(from, variable.alignment);
      program->localBytes = place.address + place.bytes;
      program->local.push_back(
          {variable.name.str(), place.address, place.bytes});
    } else if (variable.space == VariableSyntax::Shared) {
      place = places[&variable];
    } else {
      place.moduleVariable = program->variables.size();
      program->variables.push_back({(function.name + "." + variable.name).str(),
                                    variable.initializer,
                                    variable.space == VariableSyntax::Const});
      program->variables.back().content.resize(place.bytes);
    }
    target.variables.push_back(place);
  }
  for (unsigned n = 0; n < function.registers.size(); ++n)
    target.registers.push_back(addRegister(function.registers[n], ""));
  for (const ScopeSyntax &scope : function.scopes)
    for (const auto &[name, symbol] : scope.symbols)
      if (symbol.kind == Symbol::Register)
        program->registerNames[target.registers[symbol.index].number] =
            name.str();
  target.returnAddress = addRegister(Type::B32, "return address");
}

std::optional<VariablePlace>
ProgramBuilder::findVariable(const Symbol *symbol, StringRef name) const {
  if (symbol) {
    if (symbol->kind == Symbol::Variable)
      return frame->variables[symbol->index];
    return std::nullopt;
  }
  for (const VariableSyntax &variable : module.variables) {
    if (variable.name != name)
      continue;
    if (variable.space == VariableSyntax::Shared)
      return places.lookup(&variable);
    VariablePlace place;
    place.space = variable.space;
    place.bytes = variable.getBytes();
    for (unsigned n = 0; n < program->variables.size(); ++n)
      if (program->variables[n].name == name)
        place.moduleVariable = n;
    if (!place.moduleVariable) {
      place.moduleVariable = program->variables.size();
      ModuleVariable added{name.str(), variable.initializer,
                           variable.space == VariableSyntax::Const};
      added.content.resize(place.bytes);
      program->variables.push_back(std::move(added));
    }
    return place;
  }
  return std::nullopt;
}

//===-- Rows --------------------------------------------------------------===//

Operand ProgramBuilder::addRegister(Type type, StringRef name) {
  unsigned bytes = getTypeBytes(type);
  Operand place;
  place.bytes = bytes;
  place.number = program->numRegisters++;
  unsigned size = bytes ? bytes * warpSize : sizeof(Mask);
  place.offset =
      llvm::alignTo(program->registerBytes, std::min<unsigned>(size, 64));
  program->registerBytes = place.offset + size;
  program->registerNames.push_back(name.str());
  return place;
}

Operand ProgramBuilder::getConstant(uint64_t value, unsigned bytes) {
  auto [found, isNew] = constants.try_emplace({bytes, value});
  if (!isNew)
    return found->second;
  Operand place;
  place.bytes = bytes;
  place.isConstant = true;
  std::vector<uint8_t> &rows = program->constants;
  place.offset = llvm::alignTo(rows.size(), 64);
  rows.resize(place.offset + std::max<size_t>(bytes * warpSize, sizeof(Mask)));
  if (bytes == 0)
    std::memcpy(&rows[place.offset], &value, sizeof(Mask));
  // Of 16 bytes the upper half is zero.
  for (unsigned lane = 0; bytes && lane < warpSize; ++lane)
    std::memcpy(&rows[place.offset + lane * bytes], &value,
                std::min(bytes, 8u));
  return found->second = place;
}

Operand ProgramBuilder::getAddress(const VariablePlace &place, uint64_t offset,
                                   unsigned bytes) {
  if (!place.moduleVariable)
    return getConstant(place.address + offset, bytes);
  Operand row;
  row.bytes = bytes;
  row.isConstant = true;
  row.offset = llvm::alignTo(program->constants.size(), 64);
  program->constants.resize(row.offset + bytes * warpSize);
  program->relocations.push_back({row.offset, *place.moduleVariable, offset});
  return row;
}

Operand ProgramBuilder::getSink(unsigned bytes) {
  auto [found, isNew] = sinks.try_emplace(bytes);
  if (isNew)
    found->second = addRegister(bytes == 0    ? Type::Pred
                                : bytes == 2  ? Type::B16
                                : bytes == 4  ? Type::B32
                                : bytes == 16 ? Type::B128
                                              : Type::B64,
                                "_");
  return found->second;
}

uint32_t ProgramBuilder::getOpcodeNumber(const InstructionSyntax &instruction) {
  std::string opcode = instruction.opcode.str();
  for (StringRef modifier : instruction.modifiers)
    opcode += "." + modifier.str();
  auto [found, isNew] =
      opcodes.try_emplace(opcode, uint32_t(program->opcodes.size()));
  if (isNew)
    program->opcodes.push_back(opcode);
  return found->second;
}

//===-- Instructions ------------------------------------------------------===//

uint32_t ProgramBuilder::addBranchTable(llvm::ArrayRef<StringRef> labels,
                                        unsigned scope) {
  std::vector<uint32_t> targets;
  for (StringRef label : labels) {
    const Symbol *symbol = frame->syntax->find(scope, label);
    targets.push_back(symbol && symbol->kind == Symbol::Label ? symbol->index
                                                              : UINT32_MAX);
  }
  program->branchTables.push_back(std::move(targets));
  openTables.push_back(program->branchTables.size() - 1);
  return openTables.back();
}

bool ProgramBuilder::decodeFunction(FunctionFrame &target) {
  static const InstructionTable table = makeInstructionTable();
  frame = &target;
  target.firstOp = program->ops.size();
  if (target.syntax->isKernel)
    program->entry = target.firstOp;
  std::vector<uint32_t> starts; // the first op of each instruction
  for (const InstructionSyntax &instruction : target.syntax->instructions) {
    starts.push_back(program->ops.size());
    auto found = table.find(instruction.opcode);
    std::string what;
    if (found == table.end()) {
      what = ("unknown instruction '" + instruction.opcode + "'").str();
    } else {
      Decoder decoder(*this, instruction);
      found->second(decoder);
      decoder.finish(what);
    }
    if (!what.empty())
      return fail(instruction.line, what + " in '" + instruction.text + "'");
  }

  // A function without a `ret` at its end.
  InstructionSyntax end;
  end.opcode = "ret";
  end.text = "the end of the function";
  end.line = target.syntax->line;
  if (!target.syntax->instructions.empty())
    end.line = target.syntax->instructions.back().line;
  starts.push_back(program->ops.size());
  std::string what;
  Decoder decoder(*this, end);
  table.find("ret")->second(decoder);
  decoder.finish(what);

  for (uint32_t n = target.firstOp; n < program->ops.size(); ++n)
    if (program->ops[n].isBranch)
      program->ops[n].target = starts[program->ops[n].target];
  for (uint32_t number : openTables)
    for (uint32_t &at : program->branchTables[number]) {
      if (at == UINT32_MAX)
        return fail(target.syntax->line,
                    "a list of branch targets names what is no label");
      at = starts[at];
    }
  openTables.clear();
  return false;
}
