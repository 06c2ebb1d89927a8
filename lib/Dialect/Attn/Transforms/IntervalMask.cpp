//===- IntervalMask.cpp - a mask region evaluated on a tile ---------------===//
//
// Walks the region once, in IntervalArithmetic. A tile for which one of its
// checks fails is treated as partial, so that the answers hold for all data.
//
//===----------------------------------------------------------------------===//

#include "IntervalMask.h"
#include "IntervalArithmetic.h"
#include "LinearForm.h"
#include "fovea/Support/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

namespace {

/// Positions and batches count elements in memory.
constexpr int64_t kMostPosition = int64_t(1) << 48;

/// What a value of the region depends on.
enum Dependence : unsigned { onNothing = 0, onRow = 1, onHead = 2, onKey = 4 };

/// Dependences of the values of a mask region.
class Dependences {
public:
  Dependences(Block &block, bool uniformHead) {
    of[block.getArgument(1)] = uniformHead ? onNothing : onHead;
    of[block.getArgument(2)] = of[block.getArgument(3)] = onRow;
    of[block.getArgument(4)] = onKey;
    for (Operation &op : block)
      for (Value result : op.getResults())
        of[result] = ofOperands(&op);
  }

  unsigned lookup(Value value) const { return of.lookup(value); }
  unsigned ofOperands(Operation *op) const {
    unsigned all = onNothing;
    for (Value operand : op->getOperands())
      all |= of.lookup(operand);
    return all;
  }

private:
  llvm::DenseMap<Value, unsigned> of;
};

/// Writes the operations that `value` of the region needs, with the region's
/// arguments as `mapping` says.
Value cloneChain(OpBuilder &builder, Value value, IRMapping &mapping,
                 Block &block) {
  Operation *op = value.getDefiningOp();
  if (mapping.contains(value) || !op || op->getBlock() != &block)
    return mapping.lookupOrDefault(value);
  for (Value operand : op->getOperands())
    cloneChain(builder, operand, mapping, block);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

bool isSummarized(memref::LoadOp read) {
  Type type = read.getType();
  return type.isIndex() ||
         (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() > 1 &&
          type.getIntOrFloatBitWidth() <= 64);
}

/// A loop over [0, count) that takes the least and the greatest of a read;
/// `bind` maps the region's arguments for one iteration.
IntervalMask::Summary
buildSummary(OpBuilder &builder, Location loc, memref::LoadOp read, Value count,
             llvm::function_ref<void(OpBuilder &, Value, IRMapping &)> bind) {
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(builder, loc, constant(0), count, constant(1),
                                 ValueRange{constant(kMost), constant(kLeast)});
  OpBuilder body = OpBuilder::atBlockEnd(loop.getBody());
  IRMapping mapping;
  bind(body, loop.getInductionVar(), mapping);
  Value value =
      toIndex(body, loc,
              cloneChain(body, read.getResult(), mapping, *read->getBlock()));
  Value least =
      arith::MinSIOp::create(body, loc, loop.getRegionIterArg(0), value);
  Value greatest =
      arith::MaxSIOp::create(body, loc, loop.getRegionIterArg(1), value);
  scf::YieldOp::create(body, loc, ValueRange{least, greatest});
  return {loop.getResult(0), loop.getResult(1)};
}

class Evaluator : IntervalArithmetic {
public:
  Evaluator(OpBuilder &builder, Location loc, Region &mask,
            const TileRows &rows, Value firstKey, Value count,
            const llvm::DenseMap<Operation *, IntervalMask::Summary> &summaries)
      : IntervalArithmetic(builder, loc), block(mask.front()), rows(rows),
        firstKey(firstKey), count(count), summaries(summaries),
        dependences(block, rows.uniformHead) {}

  TileAnswer run() {
    bindArguments();
    for (Operation &op : block.without_terminator())
      if (op.getNumResults() == 1)
        values[op.getResult(0)] = evaluate(op);
    Abstract kept = condition(cast<YieldOp>(block.getTerminator()).getValue());
    if (loc->getContext()->getRemarkEngine())
      explain();
    return {either(kept.first, negate(valid)), both(kept.second, valid)};
  }

private:
  using IntervalArithmetic::condition;
  Abstract condition(Value value) {
    Abstract known = operand(value);
    return known.kind == Abstract::Condition ? known : unknownCondition();
  }

  //===-- Remarks ---------------------------------------------------------===//

  /// Whether nothing came out for `value`. Only looks: operations written for a
  /// remark would be in the kernel.
  bool isUnknown(Value value) const {
    auto found = values.find(value);
    if (found == values.end())
      return isInside(value.getDefiningOp());
    const Abstract &x = found->second;
    return x.kind == Abstract::Unknown ||
           (x.kind == Abstract::Condition && matchPattern(x.first, m_One()) &&
            matchPattern(x.second, m_Zero()));
  }

  bool isInside(Operation *op) const { return op && op->getBlock() == &block; }

  /// The first operation from which on nothing is known.
  Operation *findUnknown(Operation *op) const {
    if (!isa<memref::LoadOp>(op))
      for (Value value : op->getOperands())
        if (isInside(value.getDefiningOp()) && isUnknown(value))
          return findUnknown(value.getDefiningOp());
    return op;
  }

  /// Why `op`, whose operands are known, is not.
  std::string describeUnknown(Operation *op) const {
    auto read = dyn_cast<memref::LoadOp>(op);
    std::string text;
    llvm::raw_string_ostream os(text);
    if (!read)
      os << "there is no interval rule for '" << op->getName() << "'";
    else if (dependences.ofOperands(read) & onHead)
      os << "it reads a tensor by head, and a tile has several";
    else if (!isSummarized(read))
      os << "it reads a tensor of '" << read.getType()
         << "'; only integers have a least and a greatest for each tile";
    else
      os << "it reads a tensor by query and key together";
    return text;
  }

  /// Says of each condition that is no bound whether key tiles are decided.
  void explain() const {
    Region &mask = *block.getParent();
    for (Value value : getConjuncts(mask)) {
      std::string whyNoBound;
      if (matchPattern(value, m_One()) ||
          getBound(value, mask, rows.uniformHead, &whyNoBound))
        continue;
      auto name = [&](StringRef name) {
        return getRemarkOpts(mask.getParentOp(), kRemarkMasks, name);
      };
      if (isUnknown(value))
        remark::missed(value.getLoc(), name("undecided"))
            << "the condition decides no key tile and runs on every key"
            << remark::reason(
                   "{0}", describeUnknown(findUnknown(value.getDefiningOp())));
      else
        remark::passed(value.getLoc(), name("decided"))
            << "the condition decides each key tile by the intervals of i, p "
               "and j: skipped, whole or run key by key"
            << remark::reason("it is no bound of j, since {0}", whyNoBound);
    }
  }

  void bindArguments() {
    auto point = [&](Value value) {
      return integer(value, value, 0, kMostPosition);
    };
    uniform.map(block.getArgument(0), rows.batch);
    values[block.getArgument(0)] = point(rows.batch);
    if (rows.uniformHead) {
      uniform.map(block.getArgument(1), rows.head);
      values[block.getArgument(1)] = point(rows.head);
    } else {
      values[block.getArgument(1)] = integer(
          rows.head, make<arith::AddIOp>(rows.head, index(rows.heads - 1)), 0,
          kMostPosition);
    }
    values[block.getArgument(2)] =
        integer(rows.firstRow, rows.lastRow, 0, kMostPosition);
    values[block.getArgument(3)] =
        integer(make<arith::AddIOp>(rows.firstRow, rows.offset),
                make<arith::AddIOp>(rows.lastRow, rows.offset), kLeast, kMost);
    Value past = make<arith::AddIOp>(firstKey, count);
    values[block.getArgument(4)] = integer(
        firstKey, make<arith::SubIOp>(past, index(1)), 0, kMostPosition);
  }

  /// The abstract value of an operand; values from outside the region are
  /// points.
  Abstract operand(Value value) {
    auto known = values.find(value);
    if (known != values.end())
      return known->second;
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == &block)
      return {};
    return values[value] = point(value);
  }

  //===-- Operations ------------------------------------------------------===//

  Abstract evaluate(Operation &op) {
    Type type = op.getResult(0).getType();
    unsigned dependence = dependences.ofOperands(&op);
    if (dependence == onNothing)
      return point(cloneUniform(op));
    if (auto read = dyn_cast<memref::LoadOp>(op))
      return evaluateRead(read, dependence);
    SmallVector<Abstract, 3> x;
    for (Value value : op.getOperands())
      // A condition of which nothing is known still joins with others.
      x.push_back(value.getType().isInteger(1) ? condition(value)
                                               : operand(value));
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return evaluateSelect(condition(select.getCondition()), x[1], x[2]);
    auto all = [&](Abstract::Kind kind) {
      return llvm::all_of(x, [&](const Abstract &a) { return a.kind == kind; });
    };
    if (all(Abstract::Condition))
      return evaluateLogic(op, x);
    if (all(Abstract::Integer)) {
      if (auto compareOp = dyn_cast<arith::CmpIOp>(op))
        return evaluateCompare(compareOp.getPredicate(), x[0], x[1]);
      if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
        Abstract from =
            isa<arith::UIToFPOp>(op) ? within(x[0], 0, kMost) : x[0];
        return floating(toFloat(from.first, type), toFloat(from.second, type));
      }
      if (!isSignlessInteger(type) || type.isInteger(1))
        return {};
      Abstract result = evaluateInteger(op, x);
      return result.kind == Abstract::Integer ? withinType(result, type)
                                              : result;
    }
    if (all(Abstract::Float)) {
      if (auto compareOp = dyn_cast<arith::CmpFOp>(op))
        return evaluateCompare(compareOp.getPredicate(), x[0], x[1]);
      return evaluateFloat(op, x);
    }
    return {};
  }

  Value cloneUniform(Operation &op) {
    Operation *cloned = builder.clone(op, uniform);
    SmallVector<Value> folded;
    if (succeeded(builder.tryFold(cloned, folded)) && folded.size() == 1) {
      uniform.map(op.getResult(0), folded[0]);
      cloned->erase();
      return folded[0];
    }
    return cloned->getResult(0);
  }

  Abstract evaluateRead(memref::LoadOp read, unsigned dependence) {
    IntervalMask::Summary summary;
    if (auto known = summaries.find(read); known != summaries.end()) {
      summary = known->second;
    } else if (dependence == onKey && isSummarized(read)) {
      summary = buildSummary(
          builder, loc, read, count,
          [&](OpBuilder &body, Value at, IRMapping &mapping) {
            mapping = uniform;
            mapping.map(block.getArgument(4),
                        arith::AddIOp::create(body, loc, firstKey, at));
          });
    } else {
      return {};
    }
    Type type = read.getType();
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    return integer(summary.least, summary.greatest,
                   width < 64 ? llvm::minIntN(width) : kLeast,
                   width < 64 ? llvm::maxIntN(width) : kMost);
  }

  /// Operations whose operands are conditions.
  Abstract evaluateLogic(Operation &op, ArrayRef<Abstract> x) {
    return llvm::TypeSwitch<Operation *, Abstract>(&op)
        .Case([&](arith::AndIOp) {
          return condition(both(x[0].first, x[1].first),
                           both(x[0].second, x[1].second));
        })
        .Case([&](arith::OrIOp) {
          return condition(either(x[0].first, x[1].first),
                           either(x[0].second, x[1].second));
        })
        .Case([&](arith::XOrIOp) { return evaluateXor(x[0], x[1]); })
        .Case([&](arith::CmpIOp compareOp) -> Abstract {
          Abstract differ = evaluateXor(x[0], x[1]);
          if (compareOp.getPredicate() == arith::CmpIPredicate::ne)
            return differ;
          if (compareOp.getPredicate() == arith::CmpIPredicate::eq)
            return condition(negate(differ.second), negate(differ.first));
          return unknownCondition();
        })
        .Case([&](arith::ExtUIOp) {
          return integer(choose(x[0].second, index(1), index(0)),
                         choose(x[0].first, index(1), index(0)), 0, 1);
        })
        .Case([&](arith::ExtSIOp) {
          return integer(choose(x[0].first, index(-1), index(0)),
                         choose(x[0].second, index(-1), index(0)), -1, 0);
        })
        .Default([](Operation *) { return Abstract(); });
  }

  //===-- Integers --------------------------------------------------------===//

  Abstract shift(Operation &op, ArrayRef<Abstract> x, Type type) {
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    int64_t amount = x[1].least;
    if (amount != x[1].most || amount < 0 || amount >= std::min(width, 62u))
      return {};
    int64_t factor = int64_t(1) << amount;
    Value by = index(factor);
    Abstract scale = integer(by, by, factor, factor);
    if (isa<arith::ShLIOp>(op))
      return multiply(x[0], scale);
    Abstract from = isa<arith::ShRUIOp>(op) ? within(x[0], 0, kMost) : x[0];
    return divide<arith::FloorDivSIOp>(from, scale);
  }

  Abstract evaluateInteger(Operation &op, ArrayRef<Abstract> x) {
    auto unsignedOperands = [&] {
      SmallVector<Abstract, 2> both;
      for (const Abstract &a : x)
        both.push_back(within(a, 0, kMost));
      return both;
    };
    auto smaller = [&](ArrayRef<Abstract> y) {
      return integer(make<arith::MinSIOp>(y[0].first, y[1].first),
                     make<arith::MinSIOp>(y[0].second, y[1].second),
                     std::min(y[0].least, y[1].least),
                     std::min(y[0].most, y[1].most));
    };
    auto larger = [&](ArrayRef<Abstract> y) {
      return integer(make<arith::MaxSIOp>(y[0].first, y[1].first),
                     make<arith::MaxSIOp>(y[0].second, y[1].second),
                     std::max(y[0].least, y[1].least),
                     std::max(y[0].most, y[1].most));
    };
    return llvm::TypeSwitch<Operation *, Abstract>(&op)
        .Case([&](arith::AddIOp) { return add(x[0], x[1]); })
        .Case([&](arith::SubIOp subtraction) {
          if (auto rounded = roundToMultiple(subtraction, x[0]))
            return *rounded;
          return subtract(x[0], x[1]);
        })
        .Case([&](arith::MulIOp) { return multiply(x[0], x[1]); })
        .Case(
            [&](arith::DivSIOp) { return divide<arith::DivSIOp>(x[0], x[1]); })
        .Case([&](arith::FloorDivSIOp) {
          return divide<arith::FloorDivSIOp>(x[0], x[1]);
        })
        .Case([&](arith::CeilDivSIOp) {
          return divide<arith::CeilDivSIOp>(x[0], x[1]);
        })
        .Case([&](arith::DivUIOp) {
          auto y = unsignedOperands();
          return divide<arith::DivSIOp>(y[0], y[1]);
        })
        .Case([&](arith::CeilDivUIOp) {
          auto y = unsignedOperands();
          return divide<arith::CeilDivSIOp>(y[0], y[1]);
        })
        .Case([&](arith::RemSIOp) { return remainder(x[0], x[1]); })
        .Case([&](arith::RemUIOp) {
          auto y = unsignedOperands();
          return remainder(y[0], y[1]);
        })
        .Case([&](arith::MinSIOp) { return smaller(x); })
        .Case([&](arith::MaxSIOp) { return larger(x); })
        .Case([&](arith::MinUIOp) { return smaller(unsignedOperands()); })
        .Case([&](arith::MaxUIOp) { return larger(unsignedOperands()); })
        .Case([&](arith::AndIOp) { return bitAnd(x[0], x[1]); })
        .Case([&](math::AbsIOp) { return absolute(x[0]); })
        .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](Operation *) {
          return shift(op, x, op.getResult(0).getType());
        })
        // What changes is the type; the value must fit it.
        .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
            [&](Operation *) { return x[0]; })
        .Case<arith::IndexCastUIOp, arith::ExtUIOp>(
            [&](Operation *) { return within(x[0], 0, kMost); })
        .Default([](Operation *) { return Abstract(); });
  }

  /// x - x % c rises with x, which the difference of the two intervals would
  /// not show.
  std::optional<Abstract> roundToMultiple(arith::SubIOp op, const Abstract &x) {
    auto rest = op.getRhs().getDefiningOp<arith::RemSIOp>();
    IntegerAttr divisor;
    if (!rest || rest.getLhs() != op.getLhs() ||
        !matchPattern(rest.getRhs(), m_Constant(&divisor)) ||
        divisor.getValue().getSExtValue() < 1)
      return std::nullopt;
    Value by = index(divisor.getValue().getSExtValue());
    auto round = [&](Value value) {
      return make<arith::SubIOp>(value, make<arith::RemSIOp>(value, by));
    };
    return integer(round(x.first), round(x.second),
                   std::min<int64_t>(x.least, 0), std::max<int64_t>(x.most, 0));
  }

  //===-- Floats ----------------------------------------------------------===//

  /// Rounding is monotone, so the bounds of IEEE operations are exact. exp and
  /// its like may round otherwise in vectors than here and have no rule.
  Abstract evaluateFloat(Operation &op, ArrayRef<Abstract> x) {
    Type type = op.getResult(0).getType();
    auto pairwise = [&](auto make) {
      return floating(make(x[0].first, x[1].first),
                      make(x[0].second, x[1].second));
    };
    auto rising = [&](Operation *) {
      auto at = [&](Value value) {
        OperationState state(loc, op.getName(), value, type, op.getAttrs());
        return builder.create(state)->getResult(0);
      };
      return floating(at(x[0].first), at(x[0].second));
    };
    auto negated = [&](Value value) {
      return builder.createOrFold<arith::NegFOp>(loc, value);
    };
    Value zero = isa<FloatType>(type) ? real(type, 0) : Value();
    return llvm::TypeSwitch<Operation *, Abstract>(&op)
        .Case([&](arith::AddFOp) {
          return pairwise(
              [&](Value a, Value b) { return make<arith::AddFOp>(a, b); });
        })
        .Case([&](arith::SubFOp) {
          return floating(make<arith::SubFOp>(x[0].first, x[1].second),
                          make<arith::SubFOp>(x[0].second, x[1].first));
        })
        .Case([&](arith::MulFOp) {
          return floatExtremes<arith::MulFOp>(x[0], x[1]);
        })
        .Case([&](arith::DivFOp) {
          require(
              either(compare(arith::CmpFPredicate::OGT, x[1].first, zero),
                     compare(arith::CmpFPredicate::OLT, x[1].second, zero)));
          return floatExtremes<arith::DivFOp>(x[0], x[1]);
        })
        .Case<arith::MinimumFOp, arith::MinNumFOp>([&](Operation *) {
          return pairwise(
              [&](Value a, Value b) { return make<arith::MinimumFOp>(a, b); });
        })
        .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](Operation *) {
          return pairwise(
              [&](Value a, Value b) { return make<arith::MaximumFOp>(a, b); });
        })
        .Case([&](arith::NegFOp) {
          return floating(negated(x[0].second), negated(x[0].first));
        })
        .Case([&](math::AbsFOp) {
          return floating(
              make<arith::MaximumFOp>(
                  zero,
                  make<arith::MaximumFOp>(x[0].first, negated(x[0].second))),
              make<arith::MaximumFOp>(x[0].second, negated(x[0].first)));
        })
        .Case([&](math::SqrtOp root) {
          require(compare(arith::CmpFPredicate::OGE, x[0].first, zero));
          return rising(root);
        })
        .Case<arith::ExtFOp, arith::TruncFOp, math::FloorOp, math::CeilOp,
              math::TruncOp, math::RoundEvenOp>(rising)
        .Default([](Operation *) { return Abstract(); });
  }

  Block &block;
  const TileRows &rows;
  Value firstKey, count;
  const llvm::DenseMap<Operation *, IntervalMask::Summary> &summaries;
  Dependences dependences;
  llvm::DenseMap<Value, Abstract> values;
  /// Values that are the same all over the tile, as written here.
  IRMapping uniform;
};

} // namespace

IntervalMask::IntervalMask(Region &mask, const TileRows &rows)
    : mask(mask), rows(rows) {}

void IntervalMask::summarizeRows(OpBuilder &builder, Location loc) {
  Block &block = mask.front();
  Dependences dependences(block, rows.uniformHead);
  Value count;
  for (auto read : block.getOps<memref::LoadOp>()) {
    if (dependences.ofOperands(read) != onRow || !isSummarized(read))
      continue;
    if (!count) {
      Value length =
          arith::SubIOp::create(builder, loc, rows.lastRow, rows.firstRow);
      count = arith::AddIOp::create(
          builder, loc, length,
          arith::ConstantIndexOp::create(builder, loc, 1));
    }
    rowSummaries[read] = buildSummary(
        builder, loc, read, count,
        [&](OpBuilder &body, Value at, IRMapping &mapping) {
          Value row = arith::AddIOp::create(body, loc, rows.firstRow, at);
          mapping.map(block.getArgument(0), rows.batch);
          if (rows.uniformHead)
            mapping.map(block.getArgument(1), rows.head);
          mapping.map(block.getArgument(2), row);
          mapping.map(block.getArgument(3),
                      arith::AddIOp::create(body, loc, row, rows.offset));
        });
  }
}

TileAnswer IntervalMask::classify(OpBuilder &builder, Location loc,
                                  Value firstKey, Value count) {
  return Evaluator(builder, loc, mask, rows, firstKey, count, rowSummaries)
      .run();
}
