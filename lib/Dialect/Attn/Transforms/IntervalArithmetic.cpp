//===- IntervalArithmetic.cpp - operations on bounds ----------------------===//

#include "IntervalArithmetic.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fovea::attn;

/// Sums and products of two such numbers fit 64 bits.
static constexpr int64_t kSmall = int64_t(1) << 31;

Value fovea::attn::toIndex(OpBuilder &builder, Location loc, Value value) {
  if (value.getType().isIndex())
    return value;
  return builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(),
                                                  value);
}

Value IntervalArithmetic::real(Type type, double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

Abstract IntervalArithmetic::floating(Value first, Value second) {
  Type type = first.getType();
  double infinity = std::numeric_limits<double>::infinity();
  require(compare(arith::CmpFPredicate::OGT, first, real(type, -infinity)));
  require(compare(arith::CmpFPredicate::OLT, second, real(type, infinity)));
  return {Abstract::Float, first, second, 0, 0};
}

Abstract IntervalArithmetic::within(Abstract x, int64_t least, int64_t most) {
  if (x.least < least)
    require(atMost(index(least), x.first));
  if (x.most > most)
    require(atMost(x.second, index(most)));
  x.least = std::clamp(x.least, least, most);
  x.most = std::clamp(x.most, least, most);
  return x;
}

Abstract IntervalArithmetic::withinType(Abstract x, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width >= 64)
    return x;
  return within(x, llvm::minIntN(width), llvm::maxIntN(width));
}

Abstract IntervalArithmetic::point(Value value) {
  Type type = value.getType();
  if (type.isInteger(1))
    return condition(value, value);
  if (isa<FloatType>(type)) {
    FloatAttr constant;
    if (matchPattern(value, m_Constant(&constant)) &&
        constant.getValue().isFinite())
      return {Abstract::Float, value, value, 0, 0};
    return floating(value, value);
  }
  if (!isSignlessInteger(type))
    return {};
  int64_t least = kLeast, most = kMost;
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    least = most = constant.getValue().getSExtValue();
    Value same = index(least);
    return integer(same, same, least, most);
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width < 64)
    least = llvm::minIntN(width), most = llvm::maxIntN(width);
  value = toIndex(builder, loc, value);
  return integer(value, value, least, most);
}

bool IntervalArithmetic::isSignlessInteger(Type type) {
  return type.isIndex() ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64);
}

Value IntervalArithmetic::toFloat(Value value, Type type) {
  Value wide = builder.createOrFold<arith::IndexCastOp>(
      loc, builder.getI64Type(), value);
  return builder.createOrFold<arith::SIToFPOp>(loc, type, wide);
}

Abstract IntervalArithmetic::evaluateXor(const Abstract &a, const Abstract &b) {
  Value same =
      either(both(a.second, b.second), both(negate(a.first), negate(b.first)));
  Value differ =
      either(both(a.second, negate(b.first)), both(negate(a.first), b.second));
  return condition(negate(same), differ);
}

Abstract IntervalArithmetic::integer(Value first, Value second, int64_t least,
                                     int64_t most) {
  return {Abstract::Integer, first, second, least, most};
}

Abstract IntervalArithmetic::evaluateSelect(const Abstract &c,
                                            const Abstract &a,
                                            const Abstract &b) {
  if (a.kind != b.kind || a.kind == Abstract::Unknown) {
    // One side alone may still be what is taken.
    if (matchPattern(c.second, m_One()))
      return a;
    if (matchPattern(c.first, m_Zero()))
      return b;
    return {};
  }
  if (a.kind == Abstract::Condition) {
    Value sometimes = negate(c.second);
    return condition(
        either(both(c.first, a.first), both(sometimes, b.first)),
        both(either(negate(c.first), a.second), either(c.second, b.second)));
  }
  // Always a, never a, or the hull of both.
  auto pick = [&](Value ofA, Value ofB, Value hull) {
    return choose(c.second, ofA, choose(c.first, hull, ofB));
  };
  if (a.kind == Abstract::Float)
    return {
        Abstract::Float,
        pick(a.first, b.first, make<arith::MinimumFOp>(a.first, b.first)),
        pick(a.second, b.second, make<arith::MaximumFOp>(a.second, b.second)),
        0, 0};
  return integer(
      pick(a.first, b.first, make<arith::MinSIOp>(a.first, b.first)),
      pick(a.second, b.second, make<arith::MaxSIOp>(a.second, b.second)),
      std::min(a.least, b.least), std::max(a.most, b.most));
}

Abstract IntervalArithmetic::evaluateCompare(arith::CmpIPredicate predicate,
                                             Abstract a, Abstract b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::ult:
  case P::ule:
  case P::ugt:
  case P::uge:
    a = within(a, 0, kMost), b = within(b, 0, kMost);
    break;
  default:
    break;
  }
  switch (predicate) {
  case P::eq:
  case P::ne: {
    Value meet = both(atMost(a.first, b.second), atMost(b.first, a.second));
    Value equal = both(compare(P::eq, a.first, b.second),
                       compare(P::eq, a.second, b.first));
    return predicate == P::eq ? condition(meet, equal)
                              : condition(negate(equal), negate(meet));
  }
  case P::slt:
  case P::ult:
    return condition(less(a.first, b.second), less(a.second, b.first));
  case P::sle:
  case P::ule:
    return condition(atMost(a.first, b.second), atMost(a.second, b.first));
  case P::sgt:
  case P::ugt:
    return condition(less(b.first, a.second), less(b.second, a.first));
  case P::sge:
  case P::uge:
    return condition(atMost(b.first, a.second), atMost(b.second, a.first));
  }
  llvm_unreachable("all predicates are handled");
}

Abstract IntervalArithmetic::evaluateCompare(arith::CmpFPredicate predicate,
                                             const Abstract &a,
                                             const Abstract &b) {
  using P = arith::CmpFPredicate;
  auto order = [&](P p, const Abstract &low, const Abstract &high) {
    return condition(compare(p, low.first, high.second),
                     compare(p, low.second, high.first));
  };
  // Neither is NaN where the answer counts.
  switch (predicate) {
  case P::OLT:
  case P::ULT:
    return order(P::OLT, a, b);
  case P::OLE:
  case P::ULE:
    return order(P::OLE, a, b);
  case P::OGT:
  case P::UGT:
    return order(P::OLT, b, a);
  case P::OGE:
  case P::UGE:
    return order(P::OLE, b, a);
  case P::OEQ:
  case P::UEQ:
  case P::ONE:
  case P::UNE: {
    Value meet = both(compare(P::OLE, a.first, b.second),
                      compare(P::OLE, b.first, a.second));
    Value equal = both(compare(P::OEQ, a.first, b.second),
                       compare(P::OEQ, a.second, b.first));
    bool isEqual = predicate == P::OEQ || predicate == P::UEQ;
    return isEqual ? condition(meet, equal)
                   : condition(negate(equal), negate(meet));
  }
  case P::ORD:
  case P::AlwaysTrue:
    return condition(boolean(true), boolean(true));
  case P::UNO:
  case P::AlwaysFalse:
    return condition(boolean(false), boolean(false));
  }
  llvm_unreachable("all predicates are handled");
}

void IntervalArithmetic::makeSmall(Abstract &a, Abstract &b) {
  a = within(a, -kSmall, kSmall);
  b = within(b, -kSmall, kSmall);
}

Abstract IntervalArithmetic::add(Abstract a, Abstract b) {
  int64_t least, most;
  if (llvm::AddOverflow(a.least, b.least, least) ||
      llvm::AddOverflow(a.most, b.most, most)) {
    makeSmall(a, b);
    least = a.least + b.least, most = a.most + b.most;
  }
  return integer(make<arith::AddIOp>(a.first, b.first),
                 make<arith::AddIOp>(a.second, b.second), least, most);
}

Abstract IntervalArithmetic::subtract(Abstract a, Abstract b) {
  int64_t least, most;
  if (llvm::SubOverflow(a.least, b.most, least) ||
      llvm::SubOverflow(a.most, b.least, most)) {
    makeSmall(a, b);
    least = a.least - b.most, most = a.most - b.least;
  }
  return integer(make<arith::SubIOp>(a.first, b.second),
                 make<arith::SubIOp>(a.second, b.first), least, most);
}

Abstract IntervalArithmetic::multiply(Abstract a, Abstract b) {
  int64_t corners[4];
  auto known = [&] {
    return llvm::MulOverflow(a.least, b.least, corners[0]) ||
           llvm::MulOverflow(a.least, b.most, corners[1]) ||
           llvm::MulOverflow(a.most, b.least, corners[2]) ||
           llvm::MulOverflow(a.most, b.most, corners[3]);
  };
  if (known()) {
    makeSmall(a, b);
    known();
  }
  auto [first, second] = extremes<arith::MulIOp>(a, b);
  return integer(first, second, *std::min_element(corners, corners + 4),
                 *std::max_element(corners, corners + 4));
}

Abstract IntervalArithmetic::positive(Abstract x) {
  bool known = x.least >= 1;
  x = within(x, 1, kMost);
  if (known)
    return x;
  bool isPoint = x.first == x.second;
  x.first = make<arith::MaxSIOp>(x.first, index(1));
  x.second = isPoint ? x.first : make<arith::MaxSIOp>(x.second, index(1));
  return x;
}

Abstract IntervalArithmetic::remainder(const Abstract &a, Abstract b) {
  b = positive(b);
  if (b.first != b.second)
    return {};
  // Where all of [first, second] has one quotient the remainder rises with
  // the number; elsewhere it may be anything of the right sign.
  Value one = make<arith::DivSIOp>(a.first, b.first),
        other = make<arith::DivSIOp>(a.second, b.first);
  Value same = compare(arith::CmpIPredicate::eq, one, other);
  Value zero = index(0), largest = make<arith::SubIOp>(b.first, index(1));
  Value low = a.least >= 0
                  ? zero
                  : make<arith::MaxSIOp>(make<arith::MinSIOp>(a.first, zero),
                                         make<arith::SubIOp>(zero, largest));
  Value high =
      make<arith::MinSIOp>(make<arith::MaxSIOp>(a.second, zero), largest);
  return integer(choose(same, make<arith::RemSIOp>(a.first, b.first), low),
                 choose(same, make<arith::RemSIOp>(a.second, b.first), high),
                 a.least >= 0 ? 0 : std::max(a.least, 1 - b.most),
                 a.most <= 0 ? 0 : std::min(a.most, b.most - 1));
}

Abstract IntervalArithmetic::lowBits(const Abstract &a, int64_t mask,
                                     unsigned bits) {
  Value shift = index(bits), last = index(mask);
  Value same =
      compare(arith::CmpIPredicate::eq, make<arith::ShRSIOp>(a.first, shift),
              make<arith::ShRSIOp>(a.second, shift));
  return integer(choose(same, make<arith::AndIOp>(a.first, last), index(0)),
                 choose(same, make<arith::AndIOp>(a.second, last), last), 0,
                 mask);
}

Abstract IntervalArithmetic::bitAnd(Abstract a, Abstract b) {
  if (a.least == a.most)
    std::swap(a, b);
  if (b.least == b.most && b.least >= 0 && llvm::isMask_64(b.least))
    return lowBits(a, b.least, llvm::countr_one(uint64_t(b.least)));
  // x & -2^k rounds down to a multiple.
  if (b.least == b.most && b.least < 0 && llvm::isPowerOf2_64(-b.least)) {
    Value mask = index(b.least);
    return integer(make<arith::AndIOp>(a.first, mask),
                   make<arith::AndIOp>(a.second, mask), a.least & b.least,
                   a.most);
  }
  a = within(a, 0, kMost), b = within(b, 0, kMost);
  return integer(index(0), make<arith::MinSIOp>(a.second, b.second), 0,
                 std::min(a.most, b.most));
}

Abstract IntervalArithmetic::absolute(Abstract a) {
  a = within(a, -kMost, kMost);
  Value zero = index(0);
  Value low = make<arith::SubIOp>(zero, a.second),
        high = make<arith::SubIOp>(zero, a.first);
  int64_t largest = std::max(-a.least, a.most);
  return integer(make<arith::MaxSIOp>(zero, make<arith::MaxSIOp>(a.first, low)),
                 make<arith::MaxSIOp>(a.second, high), 0, largest);
}
