//===- ExprBuild.cpp - From an expr's tree to region operations -----------===//
//
// Integers whose range fits 32 bits are of type index, which vector code keeps
// in 32-bit lanes; others are i64.
//
//===----------------------------------------------------------------------===//

#include "ExprBuild.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::config;

namespace {

bool isNarrow(ExprRange range) {
  return llvm::isInt<32>(range.least) && llvm::isInt<32>(range.most);
}

class ExprBuilder {
public:
  ExprBuilder(OpBuilder &builder, const ExprScope &scope,
              const ExprPlaces &places, FloatType realType,
              llvm::function_ref<Location(size_t)> locate)
      : builder(builder), loc(builder.getUnknownLoc()), scope(scope),
        places(places), realType(realType), locate(locate) {}

  Value buildReal(const Expr &expr) { return toReal(build(expr)); }

  Value build(const Expr &expr) {
    Value value = buildNode(expr);
    assert((expr.type != ExprType::Condition || value.getType().isInteger(1)) &&
           "a condition is an i1");
    return value;
  }

private:
  Value buildNode(const Expr &expr) {
    switch (expr.op) {
    case ExprOp::Number:
      at(expr);
      return expr.type == ExprType::Real ? real(expr.real)
                                         : number(expr.integer);
    case ExprOp::Name:
      return buildName(expr.name);
    case ExprOp::Read:
      return buildRead(expr);
    case ExprOp::Select:
      return buildSelect(expr);
    case ExprOp::Not:
    case ExprOp::And:
    case ExprOp::Or:
      return buildLogic(expr);
    case ExprOp::Equal:
    case ExprOp::NotEqual:
    case ExprOp::Less:
    case ExprOp::LessEqual:
    case ExprOp::Greater:
    case ExprOp::GreaterEqual:
      return buildCompare(expr);
    default:
      return expr.type == ExprType::Integer ? buildInteger(expr)
                                            : buildRealNode(expr);
    }
  }

  //===-- Pieces ----------------------------------------------------------===//

  void at(const Expr &expr) { loc = locate(expr.offset); }

  template <typename Op> Value make(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  Value number(int64_t value, bool wide = false) {
    if (!wide && llvm::isInt<32>(value))
      return arith::ConstantIndexOp::create(builder, loc, value);
    return arith::ConstantIntOp::create(builder, loc, builder.getI64Type(),
                                        value);
  }
  Value numberLike(Value other, int64_t value) {
    return number(value, !other.getType().isIndex());
  }
  Value real(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(realType, value));
  }
  Value truth() {
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  }
  Value widen(Value value) {
    return value.getType().isIndex()
               ? Value(arith::IndexCastOp::create(builder, loc,
                                                  builder.getI64Type(), value))
               : value;
  }
  Value toReal(Value value) {
    if (value.getType() == realType)
      return value;
    // An index fits 32 bits, from where any vector unit converts.
    if (value.getType().isIndex())
      value =
          arith::IndexCastOp::create(builder, loc, builder.getI32Type(), value);
    return arith::SIToFPOp::create(builder, loc, realType, value);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  Value choose(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }

  /// Values of one type: the wider of theirs, at least wide if `wide`.
  void unify(MutableArrayRef<Value> values, bool wide) {
    for (Value value : values)
      wide |= !value.getType().isIndex();
    if (wide)
      for (Value &value : values)
        value = widen(value);
  }

  //===-- Values ----------------------------------------------------------===//

  Value buildName(char name) {
    switch (name) {
    case 's':
      return places.score;
    case 'b':
      return narrow(places.batch, scope.batch);
    case 'h':
      return narrow(places.head, scope.head);
    case 'i':
      return narrow(places.row, scope.row);
    case 'p':
      return narrow(places.position, scope.position);
    default:
      return narrow(places.key, scope.key);
    }
  }
  Value narrow(Value place, ExprRange range) {
    return isNarrow(range) ? place : widen(place);
  }

  Value buildRead(const Expr &expr) {
    const ExprTensor &tensor = scope.tensors[expr.tensor];
    Value source = places.tensors[expr.tensor];
    SmallVector<Value> indices;
    for (auto [number, operand, dim] :
         llvm::enumerate(expr.operands, tensor.dims)) {
      Value index = build(*operand);
      at(*operand);
      if (!index.getType().isIndex())
        index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                           index);
      bool isGood = (dim.isKnown && dim.indices.contains(operand->range)) ||
                    (dim.place && operand->op == ExprOp::Name &&
                     operand->name == dim.place);
      indices.push_back(isGood ? index : clamp(index, source, number));
    }
    at(expr);
    Value value = tensor::ExtractOp::create(builder, loc, source, indices);
    auto type = dyn_cast<FloatType>(value.getType());
    if (!type || type == realType)
      return value;
    if (type.getWidth() < realType.getWidth())
      return arith::ExtFOp::create(builder, loc, realType, value);
    return arith::TruncFOp::create(builder, loc, realType, value);
  }

  /// The nearest index that exists: no read leaves the tensor.
  Value clamp(Value index, Value source, int64_t dim) {
    auto type = cast<RankedTensorType>(source.getType());
    Value size = type.isDynamicDim(dim)
                     ? Value(tensor::DimOp::create(builder, loc, source, dim))
                     : Value(arith::ConstantIndexOp::create(
                           builder, loc, type.getDimSize(dim)));
    Value one = arith::ConstantIndexOp::create(builder, loc, 1),
          zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value last = make<arith::SubIOp>(size, one);
    return make<arith::MaxSIOp>(make<arith::MinSIOp>(index, last), zero);
  }

  Value buildSelect(const Expr &expr) {
    Value condition = build(*expr.operands[0]);
    Value branches[] = {build(*expr.operands[1]), build(*expr.operands[2])};
    at(expr);
    if (expr.type == ExprType::Real)
      for (Value &value : branches)
        value = toReal(value);
    if (expr.type == ExprType::Integer)
      unify(branches, /*wide=*/false);
    return choose(condition, branches[0], branches[1]);
  }

  Value buildLogic(const Expr &expr) {
    Value a = build(*expr.operands[0]);
    if (expr.op == ExprOp::Not) {
      at(expr);
      return make<arith::XOrIOp>(a, truth());
    }
    Value b = build(*expr.operands[1]);
    at(expr);
    return expr.op == ExprOp::And ? make<arith::AndIOp>(a, b)
                                  : make<arith::OrIOp>(a, b);
  }

  Value buildCompare(const Expr &expr) {
    Value sides[] = {build(*expr.operands[0]), build(*expr.operands[1])};
    at(expr);
    ExprType a = expr.operands[0]->type, b = expr.operands[1]->type;
    if (a == ExprType::Condition) {
      Value differ = make<arith::XOrIOp>(sides[0], sides[1]);
      return expr.op == ExprOp::NotEqual ? differ
                                         : make<arith::XOrIOp>(differ, truth());
    }
    if (a == ExprType::Integer && b == ExprType::Integer) {
      unify(sides, /*wide=*/false);
      return compare(integerPredicate(expr.op), sides[0], sides[1]);
    }
    return arith::CmpFOp::create(builder, loc, realPredicate(expr.op),
                                 toReal(sides[0]), toReal(sides[1]));
  }

  static arith::CmpIPredicate integerPredicate(ExprOp op) {
    switch (op) {
    case ExprOp::Equal:
      return arith::CmpIPredicate::eq;
    case ExprOp::NotEqual:
      return arith::CmpIPredicate::ne;
    case ExprOp::Less:
      return arith::CmpIPredicate::slt;
    case ExprOp::LessEqual:
      return arith::CmpIPredicate::sle;
    case ExprOp::Greater:
      return arith::CmpIPredicate::sgt;
    default:
      return arith::CmpIPredicate::sge;
    }
  }

  /// Comparisons with NaN are false, but for !=.
  static arith::CmpFPredicate realPredicate(ExprOp op) {
    switch (op) {
    case ExprOp::Equal:
      return arith::CmpFPredicate::OEQ;
    case ExprOp::NotEqual:
      return arith::CmpFPredicate::UNE;
    case ExprOp::Less:
      return arith::CmpFPredicate::OLT;
    case ExprOp::LessEqual:
      return arith::CmpFPredicate::OLE;
    case ExprOp::Greater:
      return arith::CmpFPredicate::OGT;
    default:
      return arith::CmpFPredicate::OGE;
    }
  }

  //===-- Integers --------------------------------------------------------===//

  Value buildInteger(const Expr &expr) {
    if (expr.op == ExprOp::Subtract)
      if (Value multiple = buildMultiple(expr))
        return multiple;
    SmallVector<Value, 2> x;
    for (const auto &operand : expr.operands)
      x.push_back(build(*operand));
    at(expr);
    unify(x, !isNarrow(expr.range));
    switch (expr.op) {
    case ExprOp::Negate:
      return make<arith::SubIOp>(numberLike(x[0], 0), x[0]);
    case ExprOp::Add:
      return make<arith::AddIOp>(x[0], x[1]);
    case ExprOp::Subtract:
      return make<arith::SubIOp>(x[0], x[1]);
    case ExprOp::Multiply:
      return make<arith::MulIOp>(x[0], x[1]);
    case ExprOp::Abs:
      return math::AbsIOp::create(builder, loc, x[0]);
    case ExprOp::Min:
      return make<arith::MinSIOp>(x[0], x[1]);
    case ExprOp::Max:
      return make<arith::MaxSIOp>(x[0], x[1]);
    case ExprOp::FloorDivide:
      return buildDivision(expr, x[0], x[1], /*remainder=*/false);
    case ExprOp::Modulo:
      return buildDivision(expr, x[0], x[1], /*remainder=*/true);
    default:
      llvm_unreachable("no operation on integers");
    }
  }

  /// x - x % c as a multiple of c, which is seen to rise with x.
  Value buildMultiple(const Expr &expr) {
    const Expr &x = *expr.operands[0], &rest = *expr.operands[1];
    if (rest.op != ExprOp::Modulo || !isSame(x, *rest.operands[0]) ||
        !rest.operands[1]->range.isPoint() || rest.operands[1]->range.least < 1)
      return nullptr;
    int64_t by = rest.operands[1]->range.least;
    Value values[] = {build(x), number(by)};
    at(expr);
    unify(values, !isNarrow(expr.range));
    if (llvm::isPowerOf2_64(by))
      return make<arith::AndIOp>(values[0], numberLike(values[0], -by));
    Value quotient = floorQuotient(values[0], x.range, by);
    return make<arith::MulIOp>(quotient, values[1]);
  }

  /// floor(x / by) for a positive constant.
  Value floorQuotient(Value x, ExprRange range, int64_t by) {
    if (llvm::isPowerOf2_64(by))
      return make<arith::ShRSIOp>(x, numberLike(x, llvm::Log2_64(by)));
    if (range.least >= 0)
      return make<arith::DivSIOp>(x, numberLike(x, by));
    return make<arith::FloorDivSIOp>(x, numberLike(x, by));
  }

  /// x - floor(x / by) * by for a positive constant.
  Value floorRemainder(Value x, ExprRange range, int64_t by) {
    if (llvm::isPowerOf2_64(by))
      return make<arith::AndIOp>(x, numberLike(x, by - 1));
    Value divisor = numberLike(x, by);
    Value rest = make<arith::RemSIOp>(x, divisor);
    if (range.least >= 0)
      return rest;
    return make<arith::RemSIOp>(make<arith::AddIOp>(rest, divisor), divisor);
  }

  Value buildDivision(const Expr &expr, Value x, Value y, bool remainder) {
    ExprRange range = expr.operands[0]->range,
              divisor = expr.operands[1]->range;
    // rest + divisor, above, must not overflow.
    if (divisor.isPoint() && divisor.least >= 1 &&
        llvm::isInt<31>(divisor.least))
      return remainder ? floorRemainder(x, range, divisor.least)
                       : floorQuotient(x, range, divisor.least);
    Value zero = numberLike(x, 0), one = numberLike(x, 1),
          minusOne = numberLike(x, -1);
    // Division by 0 traps, and so does that of the least number by -1.
    Value isZero = compare(arith::CmpIPredicate::eq, y, zero),
          isMinusOne = compare(arith::CmpIPredicate::eq, y, minusOne);
    Value safe = choose(make<arith::OrIOp>(isZero, isMinusOne), one, y);
    if (remainder) {
      Value rest = make<arith::RemSIOp>(x, safe);
      Value inexact = compare(arith::CmpIPredicate::ne, rest, zero);
      Value otherSide =
          make<arith::XOrIOp>(compare(arith::CmpIPredicate::slt, rest, zero),
                              compare(arith::CmpIPredicate::slt, safe, zero));
      return choose(make<arith::AndIOp>(inexact, otherSide),
                    make<arith::AddIOp>(rest, safe), rest);
    }
    Value quotient = make<arith::FloorDivSIOp>(x, safe);
    quotient = choose(isMinusOne, make<arith::SubIOp>(zero, x), quotient);
    return choose(isZero, zero, quotient);
  }

  //===-- Reals -----------------------------------------------------------===//

  Value buildRealNode(const Expr &expr) {
    SmallVector<Value, 2> x;
    for (const auto &operand : expr.operands)
      x.push_back(build(*operand));
    at(expr);
    for (Value &value : x)
      value = toReal(value);
    switch (expr.op) {
    case ExprOp::Negate:
      return arith::NegFOp::create(builder, loc, x[0]);
    case ExprOp::Add:
      return make<arith::AddFOp>(x[0], x[1]);
    case ExprOp::Subtract:
      return make<arith::SubFOp>(x[0], x[1]);
    case ExprOp::Multiply:
      return make<arith::MulFOp>(x[0], x[1]);
    case ExprOp::Divide:
      return make<arith::DivFOp>(x[0], x[1]);
    case ExprOp::Modulo:
      return buildRealRemainder(x[0], x[1]);
    case ExprOp::Abs:
      return math::AbsFOp::create(builder, loc, x[0]);
    case ExprOp::Min:
      return make<arith::MinimumFOp>(x[0], x[1]);
    case ExprOp::Max:
      return make<arith::MaximumFOp>(x[0], x[1]);
    case ExprOp::Exp:
      return math::ExpOp::create(builder, loc, x[0]);
    case ExprOp::Log:
      return math::LogOp::create(builder, loc, x[0]);
    case ExprOp::Tanh:
      return math::TanhOp::create(builder, loc, x[0]);
    case ExprOp::Sqrt:
      return math::SqrtOp::create(builder, loc, x[0]);
    default:
      llvm_unreachable("no operation on reals");
    }
  }

  Value buildRealRemainder(Value x, Value y) {
    auto isNegative = [&](Value value) -> Value {
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                   value, real(0));
    };
    Value rest = make<arith::RemFOp>(x, y);
    Value inexact = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::UNE, rest, real(0));
    Value otherSide = make<arith::XOrIOp>(isNegative(rest), isNegative(y));
    return choose(make<arith::AndIOp>(inexact, otherSide),
                  make<arith::AddFOp>(rest, y), rest);
  }

  OpBuilder &builder;
  Location loc;
  const ExprScope &scope;
  const ExprPlaces &places;
  FloatType realType;
  llvm::function_ref<Location(size_t)> locate;
};

} // namespace

Value config::buildExpr(OpBuilder &builder, const Expr &expr,
                        const ExprScope &scope, const ExprPlaces &places,
                        FloatType real,
                        llvm::function_ref<Location(size_t)> locate) {
  ExprBuilder build(builder, scope, places, real, locate);
  return expr.type == ExprType::Condition ? build.build(expr)
                                          : build.buildReal(expr);
}
