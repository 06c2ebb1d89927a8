//===- MaskBounds.cpp - loop bounds from a mask region --------------------===//
//
// A condition `key * j + slope * i + rest <= 0` bounds j by a function of the
// row that is monotone, so its extremes over a tile are at the first or the
// last row: the weaker extreme bounds the keys that some row may see, the
// stronger one those that every row sees.
//
//===----------------------------------------------------------------------===//

#include "MaskBounds.h"
#include "LinearForm.h"
#include "fovea/Support/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

namespace {

class BoundsBuilder {
public:
  BoundsBuilder(OpBuilder &builder, Location loc, Region &mask,
                const TileRows &rows, Value keys)
      : builder(builder), loc(loc), mask(mask), rows(rows) {
    Value zero = constant(0);
    bounds = {zero, zero, keys, keys, false, true, false};
  }

  KeyBounds build() {
    bool opaque = false;
    if (!mask.empty()) {
      for (Value condition : getConjuncts(mask)) {
        if (matchPattern(condition, m_One()))
          continue;
        auto form = getBound(condition, mask, rows.uniformHead);
        if (form) {
          take(*form);
          explain(condition, *form);
        } else {
          opaque = true;
        }
      }
    }
    if (opaque) {
      // Nothing is known to be allowed: all of [lo, hi) runs the mask.
      bounds.leading = bounds.full = false;
      bounds.trailing = true;
      bounds.fullLo = bounds.fullHi = bounds.lo;
      return bounds;
    }
    // lo <= fullLo and fullHi <= hi hold by construction; the rest does where
    // the tile has keys that every row sees.
    if (bounds.leading)
      bounds.fullLo =
          builder.createOrFold<arith::MinSIOp>(loc, bounds.fullLo, bounds.hi);
    if (bounds.leading || bounds.trailing)
      bounds.fullHi = builder.createOrFold<arith::MaxSIOp>(loc, bounds.fullHi,
                                                           bounds.fullLo);
    return bounds;
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value addScaled(Value sum, Value value, int64_t factor) {
    if (factor == -1)
      return builder.createOrFold<arith::SubIOp>(loc, sum, value);
    if (factor != 1)
      value = builder.createOrFold<arith::MulIOp>(loc, value, constant(factor));
    return add(value, sum);
  }

  /// A value of the region that depends on b and h only, computed for the tile.
  Value materialize(Value value) {
    Block &block = mask.front();
    mapping.map(block.getArgument(0), rows.batch);
    if (rows.uniformHead)
      mapping.map(block.getArgument(1), rows.head);
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block)
      return value;
    for (Value operand : op->getOperands())
      materialize(operand);
    builder.clone(*op, mapping);
    return mapping.lookup(value);
  }

  void take(const LinearForm &form) {
    // The form is key * j + slope * i + rest. Where it bounds j from above,
    // what
    // bounds is its negative.
    int64_t sign = form.key > 0 ? -1 : 1;
    // The part that is the same for every row: constant, terms and the query
    // offset within p = i + offset.
    Value rest = constant(sign * form.constant);
    for (auto [value, factor] : form.terms) {
      Value term = materialize(value);
      if (!term.getType().isIndex())
        term = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                          term);
      rest = addScaled(rest, term, sign * factor);
    }
    if (form.position != 0)
      rest = addScaled(rest, rows.offset, sign * form.position);
    int64_t slope = sign * (form.row + form.position);
    Value least = rest, greatest = rest;
    if (slope != 0) {
      least = addScaled(rest, slope > 0 ? rows.firstRow : rows.lastRow, slope);
      greatest =
          addScaled(rest, slope > 0 ? rows.lastRow : rows.firstRow, slope);
    }
    auto lower = [&](Value &bound, Value value) {
      bound = builder.createOrFold<arith::MaxSIOp>(loc, bound, value);
    };
    auto upper = [&](Value &bound, Value value) {
      bound = builder.createOrFold<arith::MinSIOp>(loc, bound, value);
    };
    if (form.key < 0) { // j >= slope * i + rest
      lower(bounds.lo, least);
      lower(bounds.fullLo, greatest);
      bounds.leading = true;
      return;
    }
    bounds.trailing = true;
    if (form.key > 0) { // j <= slope * i + rest
      Value one = constant(1);
      upper(bounds.hi, add(greatest, one));
      upper(bounds.fullHi, add(least, one));
      return;
    }
    // A condition on the rows alone: no key for any row, or not for each.
    Value zero = constant(0);
    auto gate = [&](Value &bound, Value value) {
      Value holds = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::sle, value, zero);
      bound = arith::SelectOp::create(builder, loc, holds, bound, zero);
    };
    gate(bounds.hi, least);
    gate(bounds.fullHi, greatest);
  }

  void explain(Value condition, const LinearForm &form) {
    auto say = [&](StringRef name, StringRef text) {
      remark::passed(condition.getLoc(),
                     getRemarkOpts(mask.getParentOp(), kRemarkMasks, name))
          << text;
    };
    if (form.key < 0)
      say("first-key", "the condition bounds the first key of a row tile: key "
                       "tiles before it "
                       "are skipped");
    else if (form.key > 0)
      say("last-key",
          "the condition bounds the last key of a row tile: key tiles after it "
          "are skipped");
    else
      say("rows",
          "the condition does not depend on the key: a row tile whose rows all "
          "fail it skips every key");
  }

  OpBuilder &builder;
  Location loc;
  Region &mask;
  const TileRows &rows;
  KeyBounds bounds;
  IRMapping mapping;
};

} // namespace

KeyBounds fovea::attn::buildKeyBounds(OpBuilder &builder, Location loc,
                                      Region &mask, const TileRows &rows,
                                      Value keys) {
  return BoundsBuilder(builder, loc, mask, rows, keys).build();
}
