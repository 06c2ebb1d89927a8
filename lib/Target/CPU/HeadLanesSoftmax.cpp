//===- HeadLanesSoftmax.cpp - softmax steps and O = P V of few rows -------===//

#include "HeadLanes.h"
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
      b.store(b.select(none, b.splat(0), weight), weights, {row, column});
    });
  });
}

/// One register tile of O: a row group, `vectors` vectors of the head dim from
/// `firstColumn` on, of which `columns` elements exist.
void HeadLanes::accumulateVectors(VectorBuilder &b, attn::AccumulateOp op,
                                  Value count, Value firstRow,
                                  Value firstColumn, int64_t vectors,
                                  int64_t columns, bool guarded) {
  Value source = buffers.lookup(op.getAcc()),
        target = buffers.lookup(op.getResult()),
        weights = buffers.lookup(op.getWeights()),
        rescales = buffers.lookup(op.getRescale());
  auto column = [&](int64_t v) { return b.add(firstColumn, v * lanes); };
  // A tile's sum starts at 0 and joins the accumulator as a whole.
  SmallVector<Value> acc(groupRows * vectors, b.splat(0));
  acc =
      b.forLoop(b.index(0), count, 1, acc, [&](Value key, ValueRange carried) {
        SmallVector<Value> sums(carried), values;
        Value keyRow = b.add(op.getValueRow(), key);
        for (int64_t v = 0; v < vectors; ++v)
          values.push_back(b.widen(b.loadPart(
              op.getValue(), {keyRow, column(v)}, columns - v * lanes)));
        for (int64_t r = 0; r < groupRows; ++r) {
          Value row = b.add(firstRow, r);
          Value weight = b.broadcast(loadScalar(b, weights, {row, key}));
          Value allowed;
          if (guarded) {
            Value bits =
                loadScalar(b, buffers.lookup(op.getKeep()), {row, key});
            Value none = arith::ConstantOp::create(
                b.builder, b.loc, b.builder.getZeroAttr(bits.getType()));
            allowed = arith::CmpIOp::create(
                b.builder, b.loc, arith::CmpIPredicate::ne, bits, none);
          }
          for (int64_t v = 0; v < vectors; ++v) {
            Value &sum = sums[r * vectors + v];
            Value next = b.fma(values[v], weight, sum);
            sum = guarded ? b.select(allowed, next, sum) : next;
          }
        }
        return sums;
      });
  for (int64_t r = 0; r < groupRows; ++r) {
    Value row = b.add(firstRow, r);
    Value rescale = b.broadcast(loadScalar(b, rescales, row));
    for (int64_t v = 0; v < vectors; ++v) {
      SmallVector<Value> at{row, column(v)};
      b.store(b.fma(b.load(source, at), rescale, acc[r * vectors + v]), target,
              at);
    }
  }
}

void HeadLanes::lower(attn::AccumulateOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  int64_t headDim = cast<VectorType>(op.getResult().getType()).getDimSize(1);
  buffers.create(op.getResult(), op, op.getAcc());
  Value count = getCount(b, op.getCount(), op.getWeights().getType());
  int64_t vectors = std::min<int64_t>(accumulators / groupRows,
                                      llvm::divideCeil(headDim, lanes));
  int64_t step = vectors * lanes, whole = headDim / step * step;
  auto accumulate = [&](bool guarded) {
    forRowGroups(b, [&](Value row) {
      if (whole == step)
        accumulateVectors(b, op, count, row, b.index(0), vectors, step,
                          guarded);
      else if (whole)
        b.forLoop(b.index(0), b.index(whole), step, [&](Value column) {
          accumulateVectors(b, op, count, row, column, vectors, step, guarded);
        });
      if (int64_t rest = headDim - whole)
        accumulateVectors(b, op, count, row, b.index(whole),
                          llvm::divideCeil(rest, lanes), rest, guarded);
    });
  };
  if (!op.getKeep())
    return accumulate(false);
  // A weight of 0 times NaN is NaN: where a partial tile holds such a value,
  // forbidden keys are left out one by one. Finite values take the fast way.
  Value bad = buildAnyNonFinite(b, op.getValue(), op.getValueRow(), count);
  auto branch = scf::IfOp::create(builder, op.getLoc(), bad,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  accumulate(true);
  builder.setInsertionPointToStart(branch.elseBlock());
  accumulate(false);
}
