//===- LinearForm.cpp - index expressions of a mask region ----------------===//

#include "LinearForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea::attn;

LinearForm &LinearForm::operator-=(const LinearForm &other) {
  row -= other.row;
  position -= other.position;
  key -= other.key;
  constant -= other.constant;
  for (auto [value, factor] : other.terms)
    terms.emplace_back(value, -factor);
  return *this;
}

SmallVector<Value> fovea::attn::getConjuncts(Region &mask) {
  SmallVector<Value> open{
      cast<YieldOp>(mask.front().getTerminator()).getValue()};
  SmallVector<Value> conjuncts;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto both = value.getDefiningOp<arith::AndIOp>()) {
      open.push_back(both.getRhs());
      open.push_back(both.getLhs());
      continue;
    }
    // canonicalize writes "a and b" of two comparisons as a select at times.
    auto select = value.getDefiningOp<arith::SelectOp>();
    if (select && matchPattern(select.getFalseValue(), m_Zero())) {
      open.push_back(select.getTrueValue());
      open.push_back(select.getCondition());
      continue;
    }
    conjuncts.push_back(value);
  }
  return conjuncts;
}

bool fovea::attn::isIndependentOf(Value value,
                                  ArrayRef<BlockArgument> arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return !llvm::is_contained(arguments, argument);
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != arguments.front().getOwner())
    return true;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isIndependentOf(operand, arguments);
  });
}

namespace {

/// Reads index expressions, and keeps the first value that is not linear.
class LinearReader {
public:
  LinearReader(Block &block, ArrayRef<BlockArgument> varying)
      : block(block), varying(varying) {}

  /// Adds factor * value to `form`. Fails if value is not linear.
  LogicalResult add(LinearForm &form, Value value, int64_t factor) {
    if (value == block.getArgument(2))
      return form.row += factor, success();
    if (value == block.getArgument(3))
      return form.position += factor, success();
    if (value == block.getArgument(4))
      return form.key += factor, success();
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant)))
      return form.constant += factor * constant.getValue().getSExtValue(),
             success();
    if (isIndependentOf(value, varying)) {
      form.terms.emplace_back(value, factor);
      return success();
    }
    Operation *op = value.getDefiningOp();
    auto both = [&](int64_t second) {
      return success(succeeded(add(form, op->getOperand(0), factor)) &&
                     succeeded(add(form, op->getOperand(1), second)));
    };
    if (isa_and_present<arith::AddIOp>(op))
      return both(factor);
    if (isa_and_present<arith::SubIOp>(op))
      return both(-factor);
    // index to i64 keeps the value; narrower types may wrap.
    auto isWide = [](Value x) {
      return x.getType().isIndex() || x.getType().isInteger(64);
    };
    if (isa_and_present<arith::IndexCastOp>(op) && isWide(value) &&
        isWide(op->getOperand(0)))
      return add(form, op->getOperand(0), factor);
    obstacle = value;
    return failure();
  }

  /// Why `add` failed.
  std::string describeObstacle() const {
    if (Operation *op = obstacle.getDefiningOp())
      return ("'" + op->getName().getStringRef() +
              "' is not linear in i, p and j")
          .str();
    return "the rows of a tile have several heads";
  }

private:
  Block &block;
  ArrayRef<BlockArgument> varying;
  Value obstacle;
};

} // namespace

std::optional<LinearForm> fovea::attn::getBound(Value condition, Region &mask,
                                                bool uniformHead,
                                                std::string *whyNot) {
  auto refuse = [&](const Twine &why) {
    if (whyNot)
      *whyNot = why.str();
    return std::nullopt;
  };
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return refuse("it is no comparison of integers");
  Block &block = mask.front();
  SmallVector<BlockArgument> varying{block.getArgument(2), block.getArgument(3),
                                     block.getArgument(4)};
  if (!uniformHead)
    varying.push_back(block.getArgument(1));
  bool flip, strict;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sle:
    flip = false, strict = false;
    break;
  case arith::CmpIPredicate::slt:
    flip = false, strict = true;
    break;
  case arith::CmpIPredicate::sge:
    flip = true, strict = false;
    break;
  case arith::CmpIPredicate::sgt:
    flip = true, strict = true;
    break;
  default:
    return refuse("'" + arith::stringifyCmpIPredicate(compare.getPredicate()) +
                  "' bounds nothing; slt, sle, sgt and sge do");
  }
  LinearReader reader(block, varying);
  LinearForm lhs, rhs;
  if (failed(reader.add(lhs, compare.getLhs(), 1)) ||
      failed(reader.add(rhs, compare.getRhs(), 1)))
    return refuse(whyNot ? reader.describeObstacle() : "");
  LinearForm form = flip ? rhs : lhs;
  form -= flip ? lhs : rhs;
  form.constant += strict;
  if (form.key < -1 || form.key > 1)
    return refuse("j has the factor " + Twine(form.key));
  return form;
}
