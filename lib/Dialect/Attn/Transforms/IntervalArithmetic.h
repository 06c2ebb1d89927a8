//===- IntervalArithmetic.h - operations on bounds --------------*- C++ -*-===//
//
// Integers become a pair of bounds, both of type index, with what is known of
// them at compile time; floats a pair of bounds in their own type; conditions a
// pair (any, all). What has no rule is unknown: it may be anything.
//
// Bounds are those of exact arithmetic. Where that could leave 64 bits, or the
// width of the type, a check is written that it did not (`valid`).
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_INTERVALARITHMETIC_H
#define FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_INTERVALARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

namespace fovea::attn {

inline constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// The values that a value of the mask region takes on a tile.
struct Abstract {
  enum Kind { Unknown, Integer, Float, Condition } kind = Unknown;
  /// Lower and upper bound; any and all of a condition.
  mlir::Value first, second;
  /// Integers: what is known of the bounds.
  int64_t least = kLeast, most = kMost;
};

/// An integer as an index.
mlir::Value toIndex(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value);

/// Writes operations on abstract values at `builder`, folded where they can be.
class IntervalArithmetic {
public:
  IntervalArithmetic(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc), valid(boolean(true)) {}

  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }

  mlir::Value boolean(bool value) {
    return mlir::arith::ConstantOp::create(builder, loc,
                                           builder.getBoolAttr(value));
  }

  template <typename Op> mlir::Value make(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }

  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::SelectOp>(loc, condition, a, b);
  }

  mlir::Value less(mlir::Value a, mlir::Value b) {
    return compare(mlir::arith::CmpIPredicate::slt, a, b);
  }

  mlir::Value atMost(mlir::Value a, mlir::Value b) {
    return compare(mlir::arith::CmpIPredicate::sle, a, b);
  }

  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    return builder.createOrFold<mlir::arith::CmpIOp>(loc, predicate, a, b);
  }

  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    return builder.createOrFold<mlir::arith::CmpFOp>(loc, predicate, a, b);
  }

  mlir::Value real(mlir::Type type, double value);
  mlir::Value toFloat(mlir::Value value, mlir::Type type);

  mlir::Value both(mlir::Value a, mlir::Value b) {
    return make<mlir::arith::AndIOp>(a, b);
  }
  mlir::Value either(mlir::Value a, mlir::Value b) {
    return make<mlir::arith::OrIOp>(a, b);
  }
  mlir::Value negate(mlir::Value a) {
    return make<mlir::arith::XOrIOp>(a, boolean(true));
  }

  void require(mlir::Value holds) { valid = both(valid, holds); }

  //===-- Abstract values -------------------------------------------------===//

  static Abstract integer(mlir::Value first, mlir::Value second, int64_t least,
                          int64_t most);
  static Abstract condition(mlir::Value any, mlir::Value all) {
    return {Abstract::Condition, any, all, 0, 0};
  }

  Abstract unknownCondition() {
    return condition(boolean(true), boolean(false));
  }

  /// Bounds with both values finite: then nothing between them is NaN either.
  Abstract floating(mlir::Value first, mlir::Value second);

  /// `x`, which is in [least, most] or makes the answer "partial".
  Abstract within(Abstract x, int64_t least, int64_t most);

  Abstract withinType(Abstract x, mlir::Type type);

  /// A value that is the same all over the tile.
  Abstract point(mlir::Value value);

  static bool isSignlessInteger(mlir::Type type);

  //===-- Conditions ------------------------------------------------------===//

  Abstract evaluateXor(const Abstract &a, const Abstract &b);

  Abstract evaluateSelect(const Abstract &c, const Abstract &a,
                          const Abstract &b);

  Abstract evaluateCompare(mlir::arith::CmpIPredicate predicate, Abstract a,
                           Abstract b);

  Abstract evaluateCompare(mlir::arith::CmpFPredicate predicate,
                           const Abstract &a, const Abstract &b);

  //===-- Integers --------------------------------------------------------===//

  /// Operands whose sum, difference and product fit 64 bits, unless the given
  /// ranges are known to.
  void makeSmall(Abstract &a, Abstract &b);

  Abstract add(Abstract a, Abstract b);
  Abstract subtract(Abstract a, Abstract b);
  Abstract multiply(Abstract a, Abstract b);

  /// The least and greatest of an operation that is monotone in each operand
  /// while the other is fixed.
  template <typename Op>
  std::pair<mlir::Value, mlir::Value> extremes(const Abstract &a,
                                               const Abstract &b) {
    if (b.first == b.second) {
      mlir::Value x = make<Op>(a.first, b.first),
                  y = make<Op>(a.second, b.first);
      return {make<mlir::arith::MinSIOp>(x, y),
              make<mlir::arith::MaxSIOp>(x, y)};
    }
    mlir::Value corners[] = {
        make<Op>(a.first, b.first), make<Op>(a.first, b.second),
        make<Op>(a.second, b.first), make<Op>(a.second, b.second)};
    mlir::Value least = corners[0], greatest = corners[0];
    for (mlir::Value corner : llvm::drop_begin(corners)) {
      least = make<mlir::arith::MinSIOp>(least, corner);
      greatest = make<mlir::arith::MaxSIOp>(greatest, corner);
    }
    return {least, greatest};
  }

  /// A divisor of at least 1, in the operations too: a check that fails must
  /// not come too late for the division.
  Abstract positive(Abstract x);

  template <typename Op> Abstract divide(Abstract a, Abstract b) {
    b = positive(b);
    auto [first, second] = extremes<Op>(a, b);
    // Nothing grows by a division.
    return integer(first, second, std::min<int64_t>(a.least, 0),
                   std::max<int64_t>(a.most, 0));
  }

  Abstract remainder(const Abstract &a, Abstract b);

  /// x & (2^k - 1), the floor remainder by 2^k; `bits` is k.
  Abstract lowBits(const Abstract &a, int64_t mask, unsigned bits);

  Abstract bitAnd(Abstract a, Abstract b);
  Abstract absolute(Abstract a);

  //===-- Floats ----------------------------------------------------------===//

  template <typename Op>
  Abstract floatExtremes(const Abstract &a, const Abstract &b) {
    mlir::Value corners[] = {
        make<Op>(a.first, b.first), make<Op>(a.first, b.second),
        make<Op>(a.second, b.first), make<Op>(a.second, b.second)};
    mlir::Value least = corners[0], greatest = corners[0];
    for (mlir::Value corner : llvm::drop_begin(corners)) {
      least = make<mlir::arith::MinimumFOp>(least, corner);
      greatest = make<mlir::arith::MaximumFOp>(greatest, corner);
    }
    return floating(least, greatest);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// Whether every check held.
  mlir::Value valid;
};

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_INTERVALARITHMETIC_H
