//===- QueryLanesSoftmax.cpp - softmax steps and O^T = V^T P^T ------------===//

#include "QueryLanes.h"
#include "RegisterTile.h"
#include <limits>

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// exp of a difference of scores, at most 0. The difference is taken first:
/// log2(e) times a large score would round, or overflow, before it cancels.
static Value exp(VectorBuilder &b, Value x) { return b.expOfNegative(x); }

void QueryLanes::lower(attn::SoftmaxStepOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  Value scores = buffers.lookup(op.getScores()),
        oldMax = buffers.lookup(op.getMax()),
        oldSum = buffers.lookup(op.getSum());
  // Pairs for the second product, if nothing else looks at the weights.
  auto accumulate =
      op.getWeights().hasOneUse()
          ? dyn_cast<attn::AccumulateOp>(*op.getWeights().user_begin())
          : attn::AccumulateOp();
  int64_t keys = cast<VectorType>(op.getScores().getType()).getDimSize(1);
  if (product == Product::Dot && accumulate &&
      accumulate->getBlock() == op->getBlock() &&
      accumulate.getCount() == op.getCount())
    packedWeights[op.getWeights()] = buffers.createTemporary(
        {shape.panels, (keys + 1) / 2, shape.getWidth()},
        b.bitsType.getElementType());
  else
    buffers.create(op.getWeights(), op, op.getScores());
  Value newMax = buffers.create(op.getNewMax(), op, op.getMax());
  Value newSum = buffers.create(op.getNewSum(), op, op.getSum());
  Value rescale = buffers.create(op.getRescale(), op);
  Value maxima = tileMaxima.lookup(op.getScores());
  Value count = getCount(b, op.getCount(), op.getScores().getType());
  Value minusInfinity = b.splat(-std::numeric_limits<double>::infinity());
  int64_t vectors = shape.vectors;
  auto column = [&](int64_t v) { return b.index(v * shape.lanes); };

  forPanels(b, [&](Value panel) {
    SmallVector<Value> tops;
    for (int64_t v = 0; v < vectors; ++v)
      tops.push_back(maxima ? b.load(maxima, {panel, column(v)})
                            : minusInfinity);
    if (!maxima)
      tops = b.forLoop(
          b.index(0), count, 1, tops, [&](Value key, ValueRange carried) {
            SmallVector<Value> top(carried);
            for (int64_t v = 0; v < vectors; ++v)
              top[v] = b.max(top[v], b.load(scores, {panel, key, column(v)}));
            return top;
          });
    SmallVector<Value> shifts, sums;
    for (int64_t v = 0; v < vectors; ++v) {
      Value before = b.load(oldMax, {panel, column(v)});
      Value top = b.max(before, tops[v]);
      // No allowed key yet: subtract 0, so that -inf - -inf is never formed.
      Value none = b.compare(arith::CmpFPredicate::OEQ, top, minusInfinity);
      Value shift = b.select(none, b.splat(0), top);
      Value factor = exp(b, b.subf(before, shift));

      b.store(factor, rescale, {panel, column(v)});
      b.store(top, newMax, {panel, column(v)});
      shifts.push_back(shift);
      // A tile's weights are summed on their own: added one by one to a long
      // running sum, each would lose more.
      sums.push_back(b.splat(0));
    }
    buildWeights(b, op, panel, count, shifts, sums);
    for (int64_t v = 0; v < vectors; ++v) {
      Value sum = b.fma(b.load(oldSum, {panel, column(v)}),
                        b.load(rescale, {panel, column(v)}), sums[v]);
      b.store(sum, newSum, {panel, column(v)});
    }
  });
  if (maxima)
    buffers.release(maxima);
}

/// Weights of all keys, and their sums on top of `sums`.
void QueryLanes::buildWeights(VectorBuilder &b, attn::SoftmaxStepOp op,
                              Value panel, Value count, ArrayRef<Value> shifts,
                              SmallVectorImpl<Value> &sums) {
  Value scores = buffers.lookup(op.getScores()),
        packed = packedWeights.lookup(op.getWeights()),
        weights = buffers.lookup(op.getWeights());
  auto weigh = [&](Value key, int64_t v) {
    Value score = b.load(scores, {panel, key, b.index(v * shape.lanes)});
    return exp(b, b.subf(score, shifts[v]));
  };
  SmallVector<Value> results = b.forLoop(
      b.index(0), count, packed ? 2 : 1, sums,
      [&](Value key, ValueRange carried) {
        SmallVector<Value> sum(carried);
        Value next, exists, half;
        if (packed) {
          next = b.add(key, 1);
          exists = arith::CmpIOp::create(
              b.builder, b.loc, arith::CmpIPredicate::slt, next, count);
          half = arith::DivUIOp::create(b.builder, b.loc, key, b.index(2));
        }
        for (int64_t v = 0; v < shape.vectors; ++v) {
          Value column = b.index(v * shape.lanes);
          Value weight = weigh(key, v);
          if (!packed) {
            b.store(weight, weights, {panel, key, column});
            sum[v] = b.addf(sum[v], weight);
            continue;
          }
          Value second = b.select(exists, weigh(next, v), b.splat(0));
          b.store(pair(b, weight, second), packed, {panel, half, column});
          sum[v] = b.addf(sum[v], b.addf(weight, second));
        }
        return sum;
      });
  sums.assign(results);
}

void QueryLanes::lower(attn::NormalizeOp op) {
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
  forPanels(b, [&](Value panel) {
    SmallVector<Value> shifts, empties;
    for (int64_t v = 0; v < shape.vectors; ++v) {
      Value sum = b.load(lse, {panel, b.index(v * shape.lanes)});
      Value none = b.compare(arith::CmpFPredicate::OEQ, sum, minusInfinity);
      empties.push_back(none);
      shifts.push_back(b.select(none, b.splat(0), sum));
    }
    b.forLoop(b.index(0), count, 1, [&](Value key) {
      for (int64_t v = 0; v < shape.vectors; ++v) {
        Value at = b.index(v * shape.lanes);
        Value score = b.load(scores, {panel, key, at});
        Value weight = exp(b, b.subf(score, shifts[v]));
        // A forbidden key has weight 0 also where NaN at another made the lse.
        Value none = b.compare(arith::CmpFPredicate::OEQ, score, minusInfinity);
        none = arith::OrIOp::create(builder, op.getLoc(), none, empties[v]);
        b.store(b.select(none, b.splat(0), weight), weights, {panel, key, at});
      }
    });
  });
}

/// One register tile of O^T: head dims first .. first + rows - 1.
void QueryLanes::accumulateRows(VectorBuilder &b, attn::AccumulateOp op,
                                Value panel, Value count, Value first,
                                int64_t rows, ArrayRef<Value> rescale,
                                bool guarded, Value staged) {
  int64_t vectors = shape.vectors;
  Value source = buffers.lookup(op.getAcc()),
        target = buffers.lookup(op.getResult()),
        weights = buffers.lookup(op.getWeights()),
        packed = packedWeights.lookup(op.getWeights());
  auto column = [&](int64_t v) { return b.index(v * shape.lanes); };
  // A tile's sum starts at 0 and joins the accumulator as a whole: added one by
  // one to a long sum, each key would lose more.
  SmallVector<Value> acc(rows * vectors, b.splat(0));
  // A view of the block: with [first + r] as an index LLVM hoists the
  // addresses and spills.
  OpFoldResult one = b.builder.getIndexAttr(1),
               zero = b.builder.getIndexAttr(0);
  bool pairs = product == Product::Dot && !guarded;
  Value steps = count;
  if (pairs)
    steps =
        arith::DivUIOp::create(b.builder, b.loc, b.add(count, 1), b.index(2));
  bool fromScratch = staged && (pairs || product == Product::Widened);
  Value block = memref::SubViewOp::create(
      b.builder, b.loc, fromScratch ? staged : Value(op.getValue()),
      SmallVector<OpFoldResult>{
          fromScratch ? zero : OpFoldResult(op.getValueRow()), first},
      SmallVector<OpFoldResult>{steps, b.builder.getIndexAttr(rows)},
      SmallVector<OpFoldResult>{one, one});
  auto scalar = [&](int64_t r, Value k) -> Value {
    Type type = cast<MemRefType>(block.getType()).getElementType();
    Value value = memref::LoadOp::create(b.builder, b.loc, b.asIntegers(block),
                                         ValueRange{k, b.index(r)});
    if (isa<FloatType>(type) && type != element) {
      value = arith::BitcastOp::create(b.builder, b.loc, type, value);
      value = arith::ExtFOp::create(b.builder, b.loc, element, value);
    }
    return b.broadcast(value);
  };
  auto weight = [&](int64_t v, Value k) {
    if (packed && !pairs)
      return unpackWeight(b, packed, panel, k, v);
    return b.load(packed ? packed : weights, {panel, k, column(v)});
  };
  if (!guarded) {
    acc =
        buildRegisterTile(b, steps, acc, rows, vectors, scalar, weight,
                          [&](Value x, Value y, Value sum) {
                            return pairs ? dot(b, x, y, sum) : b.fma(x, y, sum);
                          });
  } else {
    Value keep = buffers.lookup(op.getKeep());
    acc =
        b.forLoop(b.index(0), count, 1, acc, [&](Value k, ValueRange carried) {
          SmallVector<Value> sums(carried);
          for (int64_t v = 0; v < vectors; ++v) {
            Value bits = b.load(keep, {panel, k, column(v)});
            Value allowed = arith::CmpIOp::create(b.builder, b.loc,
                                                  arith::CmpIPredicate::ne,
                                                  bits, b.splatBits(0));
            Value w = weight(v, k);
            for (int64_t r = 0; r < rows; ++r) {
              Value &sum = sums[r * vectors + v];
              sum = b.select(allowed, b.fma(scalar(r, k), w, sum), sum);
            }
          }
          return sums;
        });
  }
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v) {
      SmallVector<Value> at{panel, b.add(first, r), column(v)};
      b.store(b.fma(b.load(source, at), rescale[v], acc[r * vectors + v]),
              target, at);
    }
}

void QueryLanes::lower(attn::AccumulateOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  int64_t headDim = cast<VectorType>(op.getResult().getType()).getDimSize(1);
  buffers.create(op.getResult(), op, op.getAcc());
  Value rescales = buffers.lookup(op.getRescale());
  Value count = getCount(b, op.getCount(), op.getWeights().getType());
  int64_t keys = cast<VectorType>(op.getWeights().getType()).getDimSize(1);
  if (product == Product::Dot && !packedWeights.lookup(op.getWeights())) {
    packedWeights[op.getWeights()] = packWeights(b, op, count);
    sayMissed(op, "pairs-apart",
              "the weights are packed to pairs in a pass of "
              "their own",
              "the softmax step is not all that makes them");
  }
  Value staged;
  if (product == Product::Widened)
    staged = stageWidened(b, op.getValue(), op.getValueRow(), count, keys);
  else if (product == Product::Dot)
    staged = stagePairs(b, op.getValue(), op.getValueRow(), count, keys);

  auto accumulate = [&](bool guarded) {
    forPanels(b, [&](Value panel) {
      SmallVector<Value> rescale;
      for (int64_t v = 0; v < shape.vectors; ++v)
        rescale.push_back(b.load(rescales, {panel, b.index(v * shape.lanes)}));
      int64_t whole = headDim / tileRows * tileRows;
      if (whole)
        b.forLoop(b.index(0), b.index(whole), tileRows, [&](Value first) {
          accumulateRows(b, op, panel, count, first, tileRows, rescale, guarded,
                         staged);
        });
      if (whole < headDim)
        accumulateRows(b, op, panel, count, b.index(whole), headDim - whole,
                       rescale, guarded, staged);
    });
  };
  auto releaseScratch = [&] {
    if (staged)
      buffers.release(staged);
    if (Value packed = packedWeights.lookup(op.getWeights()))
      buffers.release(packed);
  };
  if (!op.getKeep()) {
    accumulate(false);
    return releaseScratch();
  }
  // A weight of 0 times NaN is NaN: where a partial tile holds such a value,
  // forbidden keys are left out one by one. Finite values take the fast way.
  Value bad = buildAnyNonFinite(b, op.getValue(), op.getValueRow(), count);
  auto branch = scf::IfOp::create(builder, op.getLoc(), bad,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  accumulate(true);
  builder.setInsertionPointToStart(branch.elseBlock());
  accumulate(false);
  builder.setInsertionPointAfter(branch);
  releaseScratch();
}
