//===- RandomMask.cpp - random mask regions -------------------------------===//

#include "RandomMask.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fovea::test;

namespace {

using Integer = std::function<int64_t(const Point &)>;
using Real = std::function<double(const Point &)>;
using Condition = std::function<bool(const Point &)>;

template <typename Function> struct Drawn {
  Function at;
  Value value;
};

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

class Drawer {
public:
  Drawer(std::mt19937_64 &random, Block &block, Location loc, bool isNarrow)
      : random(random), builder(OpBuilder::atBlockEnd(&block)), block(block),
        loc(loc), isNarrow(isNarrow) {}

  Drawn<Condition> condition(int depth) {
    switch (depth > 0 ? draw(10) : 9) {
    case 0:
    case 1:
      return join(
          depth, [](bool a, bool b) { return a && b; },
          [&](Value a, Value b) { return make<arith::AndIOp>(a, b); });
    case 2:
      return join(
          depth, [](bool a, bool b) { return a || b; },
          [&](Value a, Value b) { return make<arith::OrIOp>(a, b); });
    case 3:
      return join(
          depth, [](bool a, bool b) { return a != b; },
          [&](Value a, Value b) { return make<arith::XOrIOp>(a, b); });
    case 4: {
      auto a = condition(depth - 1);
      Value one =
          arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
      return {[f = a.at](const Point &x) { return !f(x); },
              make<arith::XOrIOp>(a.value, one)};
    }
    case 5: {
      auto c = condition(depth - 1), a = condition(depth - 1),
           b = condition(depth - 1);
      return {[c, a, b](const Point &x) { return c.at(x) ? a.at(x) : b.at(x); },
              arith::SelectOp::create(builder, loc, c.value, a.value, b.value)};
    }
    case 6:
      return compareReals(depth);
    default:
      return compareIntegers(depth);
    }
  }

private:
  int64_t draw(int64_t count) { return int64_t(random() % uint64_t(count)); }

  template <typename Op> Value make(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  Drawn<Condition> join(int depth, bool (*combine)(bool, bool),
                        llvm::function_ref<Value(Value, Value)> emit) {
    auto a = condition(depth - 1), b = condition(depth - 1);
    return {
        [a, b, combine](const Point &x) { return combine(a.at(x), b.at(x)); },
        emit(a.value, b.value)};
  }

  Drawn<Condition> compareIntegers(int depth) {
    auto a = integer(depth), b = integer(depth > 0 ? draw(depth + 1) : 0);
    static constexpr arith::CmpIPredicate predicates[] = {
        arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
        arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
        arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge,
        arith::CmpIPredicate::ult, arith::CmpIPredicate::uge};
    auto predicate = predicates[draw(8)];
    return {[a, b, predicate](const Point &x) {
              int64_t l = a.at(x), r = b.at(x);
              switch (predicate) {
              case arith::CmpIPredicate::eq:
                return l == r;
              case arith::CmpIPredicate::ne:
                return l != r;
              case arith::CmpIPredicate::slt:
                return l < r;
              case arith::CmpIPredicate::sle:
                return l <= r;
              case arith::CmpIPredicate::sgt:
                return l > r;
              case arith::CmpIPredicate::sge:
                return l >= r;
              case arith::CmpIPredicate::ult:
                return uint64_t(l) < uint64_t(r);
              default:
                return uint64_t(l) >= uint64_t(r);
              }
            },
            arith::CmpIOp::create(builder, loc, predicate, a.value, b.value)};
  }

  Drawn<Condition> compareReals(int depth) {
    auto a = real(depth), b = real(0);
    bool orEqual = draw(2);
    return {[a, b, orEqual](const Point &x) {
              return orEqual ? a.at(x) <= b.at(x) : a.at(x) < b.at(x);
            },
            arith::CmpFOp::create(builder, loc,
                                  orEqual ? arith::CmpFPredicate::OLE
                                          : arith::CmpFPredicate::OLT,
                                  a.value, b.value)};
  }

  Drawn<Real> real(int depth) {
    if (depth > 1) {
      auto a = real(depth - 1), b = real(depth - 2);
      switch (draw(4)) {
      case 0:
        return {[a, b](const Point &x) { return a.at(x) + b.at(x); },
                make<arith::AddFOp>(a.value, b.value)};
      case 1:
        return {[a, b](const Point &x) { return a.at(x) - b.at(x); },
                make<arith::SubFOp>(a.value, b.value)};
      case 2:
        return {[a, b](const Point &x) { return a.at(x) * b.at(x); },
                make<arith::MulFOp>(a.value, b.value)};
      default:
        return {[a, b](const Point &x) { return a.at(x) / b.at(x); },
                make<arith::DivFOp>(a.value, b.value)};
      }
    }
    if (draw(4) == 0) {
      double value = double(draw(41) - 20) / 4;
      return {[value](const Point &) { return value; },
              arith::ConstantOp::create(builder, loc,
                                        builder.getF64FloatAttr(value))};
    }
    auto a = integer(depth);
    Value wide =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), a.value);
    return {[a](const Point &x) { return double(a.at(x)); },
            arith::SIToFPOp::create(builder, loc, builder.getF64Type(), wide)};
  }

  Drawn<Integer> leaf() {
    switch (draw(8)) {
    case 0:
      return {[](const Point &x) { return x.b; }, block.getArgument(0)};
    case 1:
      return {[](const Point &x) { return x.h; }, block.getArgument(1)};
    case 2:
      return {[](const Point &x) { return x.i; }, block.getArgument(2)};
    case 3:
      return {[](const Point &x) { return x.p; }, block.getArgument(3)};
    case 4:
    case 5:
      return {[](const Point &x) { return x.j; }, block.getArgument(4)};
    default: {
      // Now and then a number near the ends of 64 bits.
      bool isFar = draw(30) == 0 && !isNarrow;
      int64_t value = isFar ? int64_t(random()) : draw(81) - 40;
      return {[value](const Point &) { return value; }, number(value)};
    }
    }
  }

  template <typename Op>
  Drawn<Integer> pair(int depth, int64_t (*combine)(int64_t, int64_t)) {
    auto a = integer(depth - 1), b = integer(draw(depth));
    return {
        [a, b, combine](const Point &x) { return combine(a.at(x), b.at(x)); },
        make<Op>(a.value, b.value)};
  }

  template <typename Op>
  Drawn<Integer> byConstant(int depth, int64_t constant,
                            int64_t (*combine)(int64_t, int64_t)) {
    auto a = integer(depth - 1);
    return {[a, constant, combine](const Point &x) {
              return combine(a.at(x), constant);
            },
            make<Op>(a.value, number(constant))};
  }

  Drawn<Integer> integer(int depth) {
    if (depth <= 0)
      return leaf();
    switch (draw(18)) {
    case 0:
    case 1:
      return pair<arith::AddIOp>(depth, [](int64_t a, int64_t b) {
        return int64_t(uint64_t(a) + uint64_t(b));
      });
    case 2:
    case 3:
      return pair<arith::SubIOp>(depth, [](int64_t a, int64_t b) {
        return int64_t(uint64_t(a) - uint64_t(b));
      });
    case 4:
      if (isNarrow)
        return byConstant<arith::MulIOp>(
            depth, draw(9) - 3, [](int64_t a, int64_t b) { return a * b; });
      return pair<arith::MulIOp>(depth, [](int64_t a, int64_t b) {
        return int64_t(uint64_t(a) * uint64_t(b));
      });
    case 5:
      return byConstant<arith::DivSIOp>(
          depth, 1 + draw(9), [](int64_t a, int64_t b) { return a / b; });
    case 6:
      return byConstant<arith::FloorDivSIOp>(depth, 1 + draw(9), floorDivide);
    case 7:
      if (isNarrow) // a negative dividend is a large number
        return leaf();
      return byConstant<arith::DivUIOp>(
          depth, 1 + draw(9), [](int64_t a, int64_t b) {
            return int64_t(uint64_t(a) / uint64_t(b));
          });
    case 8:
    case 9:
      return byConstant<arith::RemSIOp>(
          depth, 1 + draw(9), [](int64_t a, int64_t b) { return a % b; });
    case 10:
      return byConstant<arith::AndIOp>(
          depth, (int64_t(1) << draw(5)) - 1,
          [](int64_t a, int64_t b) { return a & b; });
    case 11:
      return byConstant<arith::AndIOp>(
          depth, -(int64_t(1) << draw(5)),
          [](int64_t a, int64_t b) { return a & b; });
    case 12:
      return pair<arith::MinSIOp>(
          depth, [](int64_t a, int64_t b) { return std::min(a, b); });
    case 13:
      return pair<arith::MaxSIOp>(
          depth, [](int64_t a, int64_t b) { return std::max(a, b); });
    case 14:
      return byConstant<arith::ShRSIOp>(
          depth, draw(6), [](int64_t a, int64_t b) { return a >> b; });
    case 15: {
      auto a = integer(depth - 1);
      return {[a](const Point &x) {
                int64_t value = a.at(x);
                return value < 0 ? int64_t(0 - uint64_t(value)) : value;
              },
              math::AbsIOp::create(builder, loc, a.value)};
    }
    case 16: {
      // x - x % c, which has a rule of its own.
      auto a = integer(depth - 1);
      int64_t by = 1 + draw(9);
      return {[a, by](const Point &x) { return a.at(x) - a.at(x) % by; },
              make<arith::SubIOp>(a.value,
                                  make<arith::RemSIOp>(a.value, number(by)))};
    }
    default: {
      auto c = condition(depth - 1);
      auto a = integer(depth - 1), b = integer(depth - 1);
      return {[c, a, b](const Point &x) { return c.at(x) ? a.at(x) : b.at(x); },
              arith::SelectOp::create(builder, loc, c.value, a.value, b.value)};
    }
    }
  }

  std::mt19937_64 &random;
  OpBuilder builder;
  Block &block;
  Location loc;
  bool isNarrow;
};

} // namespace

RandomMask fovea::test::drawMask(std::mt19937_64 &random, Block &block,
                                 Location loc, bool isNarrow) {
  auto drawn =
      Drawer(random, block, loc, isNarrow).condition(1 + int(random() % 3));
  return {drawn.at, drawn.value};
}
