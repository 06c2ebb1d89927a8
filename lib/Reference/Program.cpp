//===- Program.cpp - regions as short programs over lanes -----------------===//

#include "Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace fovea;
using namespace fovea::reference;
using namespace mlir;
using llvm::Error;
using llvm::Expected;

Environment::~Environment() = default;

/// The width of an integer or index type, 0 for others.
static unsigned getBits(Type type) {
  if (type.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

static std::optional<HostType> getFloatType(Type type) {
  if (type.isF64())
    return HostType::F64;
  if (type.isF32())
    return HostType::F32;
  if (type.isF16())
    return HostType::F16;
  if (type.isBF16())
    return HostType::BF16;
  return std::nullopt;
}

static Error unknown(Operation &op, const Twine &why) {
  return llvm::createStringError("the reference evaluator doesn't know '" +
                                 op.getName().getStringRef() + "'" + why);
}

unsigned Program::addRegister(unsigned sources) {
  registers.push_back({std::vector<Scalar>(maxLanes), sources});
  return registers.size() - 1;
}

Expected<unsigned> Program::getRegister(Value value) {
  auto it = numbers.find(value);
  if (it != numbers.end())
    return it->second;
  std::optional<Scalar> scalar = environment->getScalar(value);
  if (!scalar) {
    if (Operation *op = value.getDefiningOp())
      return unknown(*op, "");
    return llvm::createStringError(
        "the reference evaluator doesn't know a value that a region reads");
  }
  unsigned number = addRegister(0);
  llvm::fill(registers[number].lanes, *scalar);
  numbers[value] = number;
  return number;
}

Error Program::addConstant(Operation &op) {
  TypedAttr value = cast<arith::ConstantOp>(op).getValue();
  Scalar scalar;
  if (auto number = dyn_cast<FloatAttr>(value))
    scalar.f = number.getValueAsDouble();
  else if (auto integer = dyn_cast<IntegerAttr>(value);
           integer && getBits(integer.getType()) == 1)
    scalar.i = !integer.getValue().isZero();
  else if (integer && getBits(integer.getType()))
    scalar.i = integer.getValue().getSExtValue();
  else
    return unknown(op, " of this type in a region");
  unsigned number = addRegister(0);
  llvm::fill(registers[number].lanes, scalar);
  numbers[op.getResult(0)] = number;
  return Error::success();
}

Error Program::add(Operation &op) {
  if (isa<arith::ConstantOp>(op))
    return addConstant(op);
  Instruction instruction;
  instruction.name = op.getName().getStringRef();
  instruction.kernel = lookupKernel(instruction.name);
  if (!instruction.kernel || op.getNumResults() != 1 ||
      op.getNumOperands() > Lanes::maxOperands)
    return unknown(op, "");
  Type type = op.getResult(0).getType();
  instruction.resultBits = getBits(type);
  if (emulate)
    instruction.rounding = getFloatType(type);
  if (!instruction.resultBits && !getFloatType(type))
    return unknown(op, " of this type");

  unsigned sources = 0;
  for (OpOperand &operand : op.getOpOperands()) {
    if (isa<TensorType>(operand.get().getType())) {
      Expected<const HostTensor *> tensor =
          environment->getTensor(operand.get());
      if (!tensor)
        return tensor.takeError();
      instruction.tensor = *tensor;
      continue;
    }
    if (!instruction.operandBits)
      instruction.operandBits = getBits(operand.get().getType());
    Expected<unsigned> number = getRegister(operand.get());
    if (!number)
      return number.takeError();
    sources |= registers[*number].sources;
    instruction.operands.push_back(*number);
  }
  // The bits that matter to a select are not those of its condition.
  if (isa<arith::SelectOp>(op))
    instruction.operandBits = instruction.resultBits;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    instruction.attribute = int64_t(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    instruction.attribute = int64_t(compare.getPredicate());
  instruction.result = addRegister(sources);
  numbers[op.getResult(0)] = instruction.result;
  instructions.push_back(std::move(instruction));
  return Error::success();
}

void Program::finish(unsigned yielded) {
  result = yielded;
  unsigned keyMask = 0;
  for (auto [number, argument] : llvm::enumerate(arguments))
    if (argument != Argument::Row)
      keyMask |= 1u << number;
  llvm::SmallVector<bool> isRead(registers.size());
  isRead[yielded] = true;
  for (Instruction &instruction : instructions) {
    unsigned sources = registers[instruction.result].sources;
    if (sources & keyMask) {
      for (unsigned operand : instruction.operands)
        isRead[operand] = true;
      keyInstructions.push_back(std::move(instruction));
    } else if (sources) {
      rowInstructions.push_back(std::move(instruction));
    } else {
      execute(instruction, maxLanes);
    }
  }
  instructions.clear();
  for (auto [number, value] : llvm::enumerate(registers))
    if (isRead[number] && value.sources && !(value.sources & keyMask))
      broadcasts.push_back(number);
  numbers.clear();
  environment = nullptr;
}

Expected<std::unique_ptr<Program>>
Program::compile(Block &block, llvm::ArrayRef<Argument> arguments,
                 Environment &environment, bool emulate) {
  std::unique_ptr<Program> program(new Program(environment, emulate));
  program->arguments.assign(arguments.begin(), arguments.end());
  for (BlockArgument argument : block.getArguments())
    program->numbers[argument] =
        program->addRegister(1u << argument.getArgNumber());
  for (Operation &op : block.without_terminator())
    if (Error error = program->add(op))
      return error;
  Expected<unsigned> yielded =
      program->getRegister(block.getTerminator()->getOperand(0));
  if (!yielded)
    return yielded.takeError();
  program->finish(*yielded);
  return program;
}

Expected<llvm::SmallVector<Scalar>>
Program::evaluate(Operation &op, Environment &environment, bool emulate) {
  Program program(environment, emulate);
  if (Error error = program.add(op))
    return error;
  program.finish(program.numbers.lookup(op.getResult(0)));
  if (Error error = program.takeFailure())
    return error;
  return llvm::SmallVector<Scalar>{program.registers[program.result].lanes[0]};
}

void Program::execute(const Instruction &instruction, int count) {
  Lanes lanes{instruction,
              registers[instruction.result].lanes.data(),
              {},
              count,
              failure};
  for (auto [number, operand] : llvm::enumerate(instruction.operands))
    lanes.operands[number] = registers[operand].lanes.data();
  instruction.kernel(lanes);
  Scalar *values = lanes.result;
  if (instruction.resultBits == 1) {
    for (int n = 0; n < count; ++n)
      values[n].i &= 1;
  } else if (instruction.resultBits && instruction.resultBits < 64) {
    for (int n = 0; n < count; ++n)
      values[n].i = llvm::SignExtend64(values[n].i, instruction.resultBits);
  } else if (instruction.rounding) {
    for (int n = 0; n < count; ++n)
      values[n].f = roundTo(*instruction.rounding, values[n].f);
  }
}

void Program::beginRow(llvm::ArrayRef<int64_t> values) {
  for (auto [number, argument] : llvm::enumerate(arguments))
    if (argument == Argument::Row) {
      registers[number].lanes[0].i = values.front();
      values = values.drop_front();
    }
  for (const Instruction &instruction : rowInstructions)
    execute(instruction, 1);
  for (unsigned number : broadcasts)
    llvm::fill(registers[number].lanes,
               Scalar(registers[number].lanes.front()));
}

const Scalar *Program::run(const int64_t *keys, const double *scores,
                           int count) {
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    Scalar *lanes = registers[number].lanes.data();
    if (argument == Argument::Key)
      for (int n = 0; n < count; ++n)
        lanes[n].i = keys[n];
    else if (argument == Argument::Score)
      for (int n = 0; n < count; ++n)
        lanes[n].f = scores[n];
  }
  for (const Instruction &instruction : keyInstructions)
    execute(instruction, count);
  return registers[result].lanes.data();
}

Error Program::takeFailure() {
  if (failure.empty())
    return Error::success();
  return llvm::createStringError(std::exchange(failure, std::string()));
}
