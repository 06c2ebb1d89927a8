//===- HeadLanesSoftmax.cpp - softmax steps and O = P V of few rows -------===//

#include "HeadLanes.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

void HeadLanes::lower(attn::SoftmaxStepOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  Location loc = op.getLoc();
  Value scores = buffers.lookup(op.getScores()),
        oldMax = buffers.lookup(op.getMax()),
        oldSum = buffers.lookup(op.getSum());
  Value weights = buffers.create(op.getWeights(), op, op.getScores());
  Value newMax = buffers.create(op.getNewMax(), op, op.getMax());
  Value newSum = buffers.create(op.getNewSum(), op, op.getSum());
  Value rescale = buffers.create(op.getRescale(), op);
  auto rowType = cast<MemRefType>(newMax.getType());
  Value maxima = tileMaxima.lookup(op.getScores());
  Value sums = buffers.createTemporary(rowType.getShape(), element),
        shifts = buffers.createTemporary(rowType.getShape(), element);
  Value count = getCount(b, op.getCount(), op.getScores().getType());
  Value minusInfinity = b.splat(-std::numeric_limits<double>::infinity());
  auto larger = [&](Value x, Value y) { return b.max(x, y); };
  auto plus = [&](Value x, Value y) { return b.addf(x, y); };

  if (!maxima) {
    maxima = buffers.createTemporary(rowType.getShape(), element);
    forRows(b, [&](Value row) {
      SmallVector<Value> tops = b.forLoop(
          b.index(0), count, lanes, {minusInfinity},
          [&](Value column, ValueRange carried) -> SmallVector<Value> {
            Value score = b.load(scores, {row, column});
            if (op.getCount())
              score =
                  b.select(getExisting(b, column, count), score, minusInfinity);
            return {b.max(carried[0], score)};
          });
      memref::StoreOp::create(builder, loc, reduce(b, tops[0], larger), maxima,
                              row);
    });
  }
  forEachVector(b, rowType, [&](ValueRange at) {
    Value before = b.load(oldMax, at);
    Value top = b.max(before, b.load(maxima, at));
    // No allowed key yet: subtract 0, so that -inf - -inf is never formed.
    Value none = b.compare(arith::CmpFPredicate::OEQ, top, minusInfinity);
    Value shift = b.select(none, b.splat(0), top);
    b.store(b.expOfNegative(b.subf(before, shift)), rescale, at);
    b.store(top, newMax, at);
    b.store(shift, shifts, at);
  });

  forRows(b, [&](Value row) {
    Value shift = b.broadcast(loadScalar(b, shifts, row));
    // A tile's weights are summed on their own: added one by one to a long
    // running sum, each would lose more.
    SmallVector<Value> sum =
        b.forLoop(b.index(0), count, lanes, {b.splat(0)},
                  [&](Value column, ValueRange carried) -> SmallVector<Value> {
                    Value score = b.load(scores, {row, column});
                    Value weight = b.expOfNegative(b.subf(score, shift));

                    if (op.getCount())
                      weight = b.select(getExisting(b, column, count), weight,
                                        b.splat(0));
                    b.store(weight, weights, {row, column});
                    return {b.addf(carried[0], weight)};
                  });
    memref::StoreOp::create(builder, loc, reduce(b, sum[0], plus), sums, row);
  });
  forEachVector(b, rowType, [&](ValueRange at) {
    b.store(b.fma(b.load(oldSum, at), b.load(rescale, at), b.load(sums, at)),
            newSum, at);
  });
  for (Value temporary : {maxima, sums, shifts})
    buffers.release(temporary);
}

void HeadLanes::lower(attn::NormalizeOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  Value scores = buffers.lookup(op.getScores()),
        lse = buffers.lookup(op.getLse());
  Value weights = buffers.create(op.getWeights(), op, op.getScores());
  Value minusInfinity = b.splat(-std::numeric_limits<double>::infinity());
  int64_t keys = cast<VectorType>(op.getScores().getType()).getDimSize(1);
  // The scores' own count bounds what was written; past it nothing is read.
  Value count = b.index(keys);
  if (auto source = op.getScores().getDefiningOp<attn::ScoresOp>())
    count = getCount(b, source.getCount(), op.getScores().getType());
  forRows(b, [&](Value row) {
    Value sum = b.broadcast(loadScalar(b, lse, row));
    Value none = b.compare(arith::CmpFPredicate::OEQ, sum, minusInfinity);
    Value shift = b.select(none, b.splat(0), sum);
    b.forLoop(b.index(0), count, lanes, [&](Value column) {
      Value score = b.load(scores, {row, column});
      Value weight = b.expOfNegative(b.subf(score, shift));
      // A forbidden key has weight 0 also where NaN at another made the lse.
      Value forbidden =
          b.compare(arith::CmpFPredicate::OEQ, score, minusInfinity);
      forbidden = arith::OrIOp::create(builder, op.getLoc(), forbidden, none);
      b.store(b.select(forbidden, b.splat(0), weight), weights, {row, column});
    });
  });
}

/// Adds the products of the keys [firstKey, firstKey + count) of a tile to
/// `sums`: a register tile of `tileRows` rows from `firstRow` on and `columns`
/// columns from `firstColumn` on.
void HeadLanes::accumulateTile(VectorBuilder &b, attn::AccumulateOp op,
                               Value sums, Value firstKey, Value count,
                               const RegisterTile &tile, bool guarded) {
  Value weights = buffers.lookup(op.getWeights());
  int64_t vectors = llvm::divideCeil(tile.columns, lanes);
  auto place = [&](int64_t r, int64_t v) {
    return SmallVector<Value>{b.add(tile.firstRow, r),
                              b.add(tile.firstColumn, v * lanes)};
  };
  SmallVector<Value> acc;
  for (int64_t r = 0; r < tile.rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      acc.push_back(b.load(sums, place(r, v)));
  acc = b.forLoop(b.index(0), count, 1, acc, [&](Value k, ValueRange carried) {
    SmallVector<Value> next(carried), factors, allowed;
    Value key = b.add(firstKey, k), keyRow = b.add(op.getValueRow(), key);
    if (tile.isWhole)
      prefetchAfter(b, op.getValue(), keyRow);
    for (int64_t r = 0; r < tile.rows; ++r) {
      SmallVector<Value> at{b.add(tile.firstRow, r), key};
      factors.push_back(b.broadcast(loadScalar(b, weights, at)));
      if (!guarded)
        continue;
      Value bits = loadScalar(b, buffers.lookup(op.getKeep()), at);
      Value none = arith::ConstantOp::create(
          b.builder, b.loc, b.builder.getZeroAttr(bits.getType()));
      allowed.push_back(arith::CmpIOp::create(
          b.builder, b.loc, arith::CmpIPredicate::ne, bits, none));
    }
    for (int64_t v = 0; v < vectors; ++v) {
      Value value = b.widen(b.loadPart(
          op.getValue(), {keyRow, b.add(tile.firstColumn, v * lanes)},
          tile.columns - v * lanes));
      for (int64_t r = 0; r < tile.rows; ++r) {
        Value &sum = next[r * vectors + v];
        Value more = b.fma(value, factors[r], sum);
        sum = guarded ? b.select(allowed[r], more, sum) : more;
      }
    }
    return next;
  });
  for (int64_t r = 0; r < tile.rows; ++r)
    for (int64_t v = 0; v < vectors; ++v)
      b.store(acc[r * vectors + v], sums, place(r, v));
}

/// Adds the products of all keys of a tile to `sums`.
void HeadLanes::accumulateKeys(VectorBuilder &b, attn::AccumulateOp op,
                               Value sums, Value count, bool guarded) {
  auto value = cast<MemRefType>(op.getValue().getType());
  int64_t headDim = value.getDimSize(1);
  int64_t vectors =
      std::min<int64_t>(llvm::divideCeil(headDim, lanes), accumulators);
  RegisterTile tile;
  tile.rows = std::min<int64_t>(
      groupRows, llvm::bit_floor<uint64_t>(accumulators / vectors));
  int64_t width = vectors * lanes, groups = llvm::divideCeil(rows, tile.rows);
  // What several register tiles read is a page of values at a time: the first
  // brings it to the first cache, and the processor sees one stream.
  constexpr int64_t kPage = 4096;
  int64_t keys = cast<VectorType>(op.getWeights().getType()).getDimSize(1);
  int64_t block = std::clamp<int64_t>(
      kPage * 8 / (headDim * value.getElementTypeBitWidth()), 1, keys);
  // Columns [from, from + passes * columns).
  auto build = [&](int64_t from, int64_t passes, int64_t columns) {
    tile.columns = columns;
    int64_t tiles = groups * passes;
    tile.isWhole = tiles == 1 && columns == headDim;
    if (tiles == 1) {
      tile.firstRow = b.index(0);
      tile.firstColumn = b.index(from);
      return accumulateTile(b, op, sums, b.index(0), count, tile, guarded);
    }
    // One loop over blocks and register tiles: were the tiles side by side,
    // LLVM would carry the sums of all of them in registers, and run out of
    // those.
    Value blocks =
        arith::CeilDivSIOp::create(b.builder, b.loc, count, b.index(block));
    Value turns = b.mul(blocks, b.index(tiles));
    b.forLoop(b.index(0), turns, 1, [&](Value turn) {
      auto divide = [&](Value value, int64_t by) -> std::pair<Value, Value> {
        return {arith::DivUIOp::create(b.builder, b.loc, value, b.index(by)),
                arith::RemUIOp::create(b.builder, b.loc, value, b.index(by))};
      };
      auto [number, place] = divide(turn, tiles);
      auto [group, pass] = divide(place, passes);
      Value first = b.mul(number, b.index(block));
      tile.firstRow = b.mul(group, b.index(tile.rows));
      tile.firstColumn = b.add(b.mul(pass, b.index(columns)), from);
      accumulateTile(b, op, sums, first,
                     b.minSigned(b.sub(count, first), b.index(block)), tile,
                     guarded);
    });
  };
  int64_t whole = headDim / width;
  if (whole)
    build(0, whole, width);
  if (int64_t rest = headDim % width)
    build(whole * width, 1, rest);
}

void HeadLanes::lower(attn::AccumulateOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  int64_t headDim = op.getValue().getType().getDimSize(1);
  buffers.create(op.getResult(), op, op.getAcc());
  Value source = buffers.lookup(op.getAcc()),
        target = buffers.lookup(op.getResult()),
        rescales = buffers.lookup(op.getRescale());
  auto type = cast<MemRefType>(target.getType());
  Value count = getCount(b, op.getCount(), op.getWeights().getType());
  // A tile's sum starts at 0 and joins the accumulator as a whole: added one by
  // one to a long sum, each key would lose more.
  Value sums = buffers.createTemporary(type.getShape(), element);
  fillBuffer(b, sums, b.splat(0));
  if (op.getKeep()) {
    // A weight of 0 times NaN is NaN: where a partial tile holds such a value,
    // forbidden keys are left out one by one. Finite values take the fast way.
    Value bad = buildAnyNonFinite(b, op.getValue(), op.getValueRow(), count);
    auto branch = scf::IfOp::create(builder, op.getLoc(), bad,
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    accumulateKeys(b, op, sums, count, /*guarded=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    accumulateKeys(b, op, sums, count, /*guarded=*/false);
    builder.setInsertionPointAfter(branch);
  } else {
    accumulateKeys(b, op, sums, count, /*guarded=*/false);
  }
  forRows(b, [&](Value row) {
    Value rescale = b.broadcast(loadScalar(b, rescales, row));
    for (int64_t d = 0; d < headDim; d += lanes) {
      SmallVector<Value> at{row, b.index(d)};
      b.store(b.fma(b.load(source, at), rescale, b.load(sums, at)), target, at);
    }
  });
  buffers.release(sums);
}
