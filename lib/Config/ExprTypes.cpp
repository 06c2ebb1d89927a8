//===- ExprTypes.cpp - Types and ranges of an expr's nodes ----------------===//

#include "ExprTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;
using llvm::Twine;

ExprRange ExprRange::all() {
  return {std::numeric_limits<int64_t>::min(),
          std::numeric_limits<int64_t>::max()};
}

bool config::isSame(const Expr &a, const Expr &b) {
  if (a.op != b.op || a.type != b.type || a.integer != b.integer ||
      a.real != b.real || a.name != b.name || a.tensor != b.tensor ||
      a.operands.size() != b.operands.size())
    return false;
  for (auto [x, y] : llvm::zip(a.operands, b.operands))
    if (!isSame(*x, *y))
      return false;
  return true;
}

bool config::usesPosition(const Expr &expr) {
  return (expr.op == ExprOp::Name && expr.name == 'p') ||
         llvm::any_of(expr.operands, [](const auto &operand) {
           return usesPosition(*operand);
         });
}

//===-- Ranges ------------------------------------------------------------===//

static ExprRange add(ExprRange a, ExprRange b) {
  ExprRange sum;
  if (llvm::AddOverflow(a.least, b.least, sum.least) ||
      llvm::AddOverflow(a.most, b.most, sum.most))
    return ExprRange::all();
  return sum;
}

static ExprRange negate(ExprRange a) {
  if (a.least == ExprRange::all().least)
    return ExprRange::all();
  return {-a.most, -a.least};
}

static ExprRange multiply(ExprRange a, ExprRange b) {
  int64_t corners[4];
  if (llvm::MulOverflow(a.least, b.least, corners[0]) ||
      llvm::MulOverflow(a.least, b.most, corners[1]) ||
      llvm::MulOverflow(a.most, b.least, corners[2]) ||
      llvm::MulOverflow(a.most, b.most, corners[3]))
    return ExprRange::all();
  return {*std::min_element(corners, corners + 4),
          *std::max_element(corners, corners + 4)};
}

static ExprRange join(ExprRange a, ExprRange b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

/// `%` by `divisor`: from 0 towards it, without reaching it.
static ExprRange modulo(ExprRange divisor) {
  if (divisor.least == ExprRange::all().least)
    return ExprRange::all();
  return {std::min<int64_t>(divisor.least + 1, 0),
          std::max<int64_t>(divisor.most - 1, 0)};
}

/// The magnitude does not grow, but for the one below 0 that rounds down.
static ExprRange floorDivide(ExprRange a, ExprRange divisor) {
  if (divisor.isPoint() && divisor.least >= 1)
    return {llvm::divideFloorSigned(a.least, divisor.least),
            llvm::divideFloorSigned(a.most, divisor.least)};
  ExprRange magnitude = join(a, negate(a));
  if (magnitude.contains(ExprRange::all()))
    return magnitude;
  if (divisor.least >= 1)
    return {std::min<int64_t>(a.least, 0), std::max<int64_t>(a.most, 0)};
  return join(magnitude, {-1, 0});
}

static ExprRange rangeOf(const Expr &node) {
  auto range = [&](unsigned i) { return node.operands[i]->range; };
  switch (node.op) {
  case ExprOp::Negate:
    return negate(range(0));
  case ExprOp::Add:
    return add(range(0), range(1));
  case ExprOp::Subtract:
    return add(range(0), negate(range(1)));
  case ExprOp::Multiply:
    return multiply(range(0), range(1));
  case ExprOp::FloorDivide:
    return floorDivide(range(0), range(1));
  case ExprOp::Modulo:
    return modulo(range(1));
  case ExprOp::Abs: {
    ExprRange either = join(range(0), negate(range(0)));
    return {std::min<int64_t>(either.most, 0), either.most};
  }
  case ExprOp::Min:
    return {std::min(range(0).least, range(1).least),
            std::min(range(0).most, range(1).most)};
  case ExprOp::Max:
    return {std::max(range(0).least, range(1).least),
            std::max(range(0).most, range(1).most)};
  case ExprOp::Select:
    return join(range(1), range(2));
  default:
    return ExprRange::all();
  }
}

//===-- Types -------------------------------------------------------------===//

static StringRef describe(ExprType type) {
  switch (type) {
  case ExprType::Condition:
    return "a condition";
  case ExprType::Integer:
    return "an integer";
  case ExprType::Real:
    return "a real number";
  }
  llvm_unreachable("all types are named");
}

static StringRef symbolOf(ExprOp op) {
  static constexpr StringRef symbols[] = {
      "number", "name",   "read", "-",   "!",   "+",   "-",   "*",    "/",
      "//",     "%",      "<",    "<=",  ">",   ">=",  "==",  "!=",   "&&",
      "||",     "select", "abs",  "min", "max", "exp", "log", "tanh", "sqrt"};
  return symbols[unsigned(op)];
}

bool ExprTypes::fail(size_t offset, const Twine &message) {
  error = {offset, message.str()};
  return false;
}

std::unique_ptr<Expr> ExprTypes::check(std::unique_ptr<Expr> node) {
  if (!checkNode(*node))
    return nullptr;
  return node;
}

std::unique_ptr<Expr> ExprTypes::checkResult(std::unique_ptr<Expr> node) {
  bool isCondition = node->type == ExprType::Condition;
  if (scope.isScore == !isCondition)
    return node;
  if (scope.isScore)
    fail(node->offset, "expects a score expr to give a number, but got a "
                       "condition; write select(condition, a, b)");
  else
    fail(node->offset, "expects a mask expr to give a condition (true = keep), "
                       "but got " +
                           describe(node->type));
  return nullptr;
}

bool ExprTypes::checkName(Expr &node) {
  node.type = ExprType::Integer;
  switch (node.name) {
  case 's':
    node.type = ExprType::Real;
    return scope.isScore ||
           fail(node.offset, "'s' is the score, which a mask has not");
  case 'b':
    node.range = scope.batch;
    return true;
  case 'h':
    node.range = scope.head;
    return true;
  case 'i':
    node.range = scope.row;
    return true;
  case 'p':
    node.range = scope.position;
    return true;
  default:
    node.range = scope.key;
    return true;
  }
}

bool ExprTypes::checkRead(Expr &node) {
  const ExprTensor &tensor = scope.tensors[node.tensor];
  node.type = tensor.type;
  node.range = ExprRange::all();
  if (node.operands.size() != tensor.dims.size())
    return fail(node.offset, "'" + tensor.name + "' takes " +
                                 Twine(tensor.dims.size()) +
                                 (tensor.dims.size() == 1 ? " index, but got "
                                                          : " indices, but "
                                                            "got ") +
                                 Twine(node.operands.size()));
  for (auto [number, index, dim] :
       llvm::enumerate(node.operands, tensor.dims)) {
    if (index->type != ExprType::Integer)
      return fail(index->offset,
                  "expects index " + Twine(number) + " of '" + tensor.name +
                      "' to be an integer, but got " + describe(index->type));
    if (index->range.isPoint() && !dim.indices.contains(index->range))
      return fail(index->offset, "index " + Twine(index->range.least) +
                                     " is out of range for dim " +
                                     Twine(number) + " of '" + tensor.name +
                                     "', whose size is " + dim.size);
  }
  return true;
}

bool ExprTypes::checkConditions(const Expr &node) {
  for (const auto &operand : node.operands)
    if (operand->type != ExprType::Condition)
      return fail(operand->offset,
                  "'" + symbolOf(node.op) + "' takes conditions, but got " +
                      describe(operand->type) + "; compare it, as in x != 0");
  return true;
}

bool ExprTypes::checkNumbers(const Expr &node) {
  for (const auto &operand : node.operands)
    if (operand->type == ExprType::Condition)
      return fail(operand->offset, "'" + symbolOf(node.op) +
                                       "' takes numbers, but got a condition; "
                                       "write select(condition, 1, 0)");
  return true;
}

bool ExprTypes::bothIntegers(const Expr &node) const {
  return llvm::all_of(node.operands, [](const auto &operand) {
    return operand->type == ExprType::Integer;
  });
}

bool ExprTypes::checkDivision(Expr &node) {
  if (!checkNumbers(node))
    return false;
  const Expr &divisor = *node.operands[1];
  if (node.op == ExprOp::FloorDivide && !bothIntegers(node))
    return fail(node.offset, "'//' takes integers, but got a real number");
  if (divisor.op == ExprOp::Number && node.op != ExprOp::Divide &&
      (divisor.type == ExprType::Integer ? divisor.integer == 0
                                         : divisor.real == 0.0))
    return fail(divisor.offset, "division by 0");
  return true;
}

bool ExprTypes::checkEquality(Expr &node) {
  bool first = node.operands[0]->type == ExprType::Condition,
       second = node.operands[1]->type == ExprType::Condition;
  node.type = ExprType::Condition;
  return first == second ||
         fail(node.offset, "'" + symbolOf(node.op) +
                               "' compares a condition with " +
                               describe(node.operands[first ? 1 : 0]->type));
}

bool ExprTypes::checkSelect(Expr &node) {
  if (node.operands[0]->type != ExprType::Condition)
    return fail(node.operands[0]->offset,
                "expects the first argument of 'select' to be a condition, but "
                "got " +
                    describe(node.operands[0]->type));
  ExprType a = node.operands[1]->type, b = node.operands[2]->type;
  if ((a == ExprType::Condition) != (b == ExprType::Condition))
    return fail(node.operands[2]->offset,
                "expects the last arguments of 'select' to be alike, but got " +
                    describe(a) + " and " + describe(b));
  node.type = a == b ? a : ExprType::Real;
  return true;
}

bool ExprTypes::checkNode(Expr &node) {
  auto arithmetic = [&] {
    node.type = bothIntegers(node) ? ExprType::Integer : ExprType::Real;
    if (node.type == ExprType::Integer)
      node.range = rangeOf(node);
    return true;
  };
  switch (node.op) {
  case ExprOp::Number:
    return true;
  case ExprOp::Name:
    return checkName(node);
  case ExprOp::Read:
    return checkRead(node);
  case ExprOp::Negate:
  case ExprOp::Add:
  case ExprOp::Subtract:
  case ExprOp::Multiply:
  case ExprOp::Abs:
  case ExprOp::Min:
  case ExprOp::Max:
    return checkNumbers(node) && arithmetic();
  case ExprOp::FloorDivide:
  case ExprOp::Modulo:
    return checkDivision(node) && arithmetic();
  case ExprOp::Divide:
    node.type = ExprType::Real;
    return checkDivision(node);
  case ExprOp::Less:
  case ExprOp::LessEqual:
  case ExprOp::Greater:
  case ExprOp::GreaterEqual:
    node.type = ExprType::Condition;
    return checkNumbers(node);
  case ExprOp::Equal:
  case ExprOp::NotEqual:
    return checkEquality(node);
  case ExprOp::Not:
  case ExprOp::And:
  case ExprOp::Or:
    node.type = ExprType::Condition;
    return checkConditions(node);
  case ExprOp::Select:
    if (!checkSelect(node))
      return false;
    if (node.type == ExprType::Integer)
      node.range = rangeOf(node);
    return true;
  case ExprOp::Exp:
  case ExprOp::Log:
  case ExprOp::Tanh:
  case ExprOp::Sqrt:
    node.type = ExprType::Real;
    return checkNumbers(node);
  }
  llvm_unreachable("all operators are handled");
}
