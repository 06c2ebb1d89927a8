//===- HeadLanesScores.cpp - scores of few rows, regions over keys --------===//

#include "HeadLanes.h"
#include <limits>

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Reduces pairs of vectors to one vector until one is left. In every step the
/// parts of a vector that hold what is left of one sum are halved: first within
/// 128 bits, where x86 unpacks two vectors by one instruction, then across.
Value HeadLanes::sumLanes(VectorBuilder &b, SmallVector<Value> vectors) {
  int64_t lanes = b.lanes, chunk = std::min<int64_t>(lanes, 128 / b.bits);
  auto combine = [&](auto &&getLow) {
    // getLow(k, half): where the k-th element of the low or high operand comes
    // from; sources at and past `lanes` are the second vector's.
    SmallVector<int64_t> low, high;
    for (int64_t k = 0; k < lanes; ++k) {
      low.push_back(getLow(k, 0));
      high.push_back(getLow(k, 1));
    }
    SmallVector<Value> sums;
    for (size_t i = 0; i < vectors.size(); i += 2) {
      auto shuffle = [&](ArrayRef<int64_t> mask) -> Value {
        return vector::ShuffleOp::create(b.builder, b.loc, vectors[i],
                                         vectors[i + 1], mask);
      };
      sums.push_back(b.addf(shuffle(low), shuffle(high)));
    }
    vectors = sums;
  };
  // Blocks of `size` elements, one of each vector in turn.
  for (int64_t size = 1; size < chunk; size *= 2)
    combine([&](int64_t k, int64_t half) {
      int64_t base = k / chunk * chunk, block = k % chunk / size;
      int64_t source = base + half * chunk / 2 + block / 2 * size + k % size;
      return source + (block % 2 ? lanes : 0);
    });
  // A vector now holds `parts` sums of each `lanes / parts` elements.
  for (int64_t parts = 1; parts < lanes / chunk; parts *= 2)
    combine([&](int64_t k, int64_t half) {
      int64_t length = lanes / parts; // of the part that holds one sum
      int64_t second = k >= lanes / 2, place = k % (lanes / 2);
      int64_t part = place / (length / 2);
      return second * lanes + part * length + half * (length / 2) +
             place % (length / 2);
    });
  return vectors.front();
}

/// scores = K Q^T: a block of rows and keys at a time, whose products fill one
/// vector once their lanes are summed. Keys are read in the order they have in
/// memory, each as a whole: read side by side they defeat the processor's own
/// prefetching, which more than halves the rate.
void HeadLanes::buildProducts(VectorBuilder &b, attn::ScoresOp op, Value scores,
                              Value count) {
  int64_t headDim = cast<VectorType>(op.getQuery().getType()).getDimSize(1);
  Value queries = buffers.lookup(op.getQuery());
  Value lastKey = b.sub(b.add(op.getKeyRow(), count), b.index(1));
  /// Head dims beyond this many vectors are a loop.
  int64_t step = 8 * lanes, whole = headDim / step * step;
  // The queries of the first group stay in registers, as far as there are any:
  // read again for each key they would take the loads that keys wait for.
  int64_t perRow = llvm::divideCeil(headDim, lanes);
  SmallVector<Value> kept;
  if (groupRows * perRow <= 2 * accumulators)
    for (int64_t r = 0; r < groupRows; ++r)
      for (int64_t d = 0; d < perRow; ++d)
        kept.push_back(b.load(queries, {b.index(r), b.index(d * lanes)}));
  // Products of the rows from `firstRow` on with a key, not yet summed.
  auto multiply = [&](Value keyRow, Value firstRow, bool isFirst) {
    auto part = [&](Value from, int64_t columns, ValueRange sums) {
      SmallVector<Value> acc(sums);
      for (int64_t d = 0; d < columns; d += lanes) {
        Value at = b.add(from, d);
        Value key = b.widen(b.loadPart(op.getKey(), {keyRow, at}, columns - d));
        for (int64_t r = 0; r < groupRows; ++r) {
          Value query = isFirst && !kept.empty()
                            ? kept[r * perRow + d / lanes]
                            : b.load(queries, {b.add(firstRow, r), at});
          acc[r] = b.fma(query, key, acc[r]);
        }
      }
      return acc;
    };
    if (isFirst && !kept.empty())
      return part(b.index(0), headDim,
                  SmallVector<Value>(groupRows, b.splat(0)));
    SmallVector<Value> sums(groupRows, b.splat(0));
    if (whole > step)
      sums = b.forLoop(
          b.index(0), b.index(whole), step, sums,
          [&](Value d, ValueRange carried) { return part(d, step, carried); });
    else if (whole)
      sums = part(b.index(0), step, sums);
    if (whole < headDim)
      sums = part(b.index(whole), headDim - whole, sums);
    return sums;
  };
  // A loop over keys with the vectors of sums in memory keeps their order; left
  // side by side, LLVM would take head dim by head dim of all of them.
  Value scratch = buffers.createTemporary({lanes, lanes}, element);
  auto store = [&](ArrayRef<Value> sums, Value firstRow, Value first) {
    Value products = sumLanes(b, SmallVector<Value>(sums));
    for (int64_t r = 0; r < groupRows; ++r) {
      Value part = products;
      if (groupRows > 1)
        part = vector::ExtractStridedSliceOp::create(
            b.builder, b.loc, products, ArrayRef<int64_t>{r * groupKeys},
            ArrayRef<int64_t>{groupKeys}, ArrayRef<int64_t>{1});
      vector::StoreOp::create(b.builder, b.loc, part, scores,
                              ValueRange{b.add(firstRow, r), first});
    }
  };
  b.forLoop(b.index(0), count, groupKeys, [&](Value first) {
    Value base = b.add(op.getKeyRow(), first), zero = b.index(0);
    b.forLoop(zero, b.index(groupKeys), 1, [&](Value k) {
      Value keyRow = b.minSigned(b.add(base, k), lastKey);
      prefetchAfter(b, op.getKey(), keyRow);
      for (auto [r, sum] : llvm::enumerate(multiply(keyRow, zero, true)))
        b.store(sum, scratch, {b.add(k, r * groupKeys), zero});
    });
    SmallVector<Value> sums;
    for (int64_t i = 0; i < lanes; ++i)
      sums.push_back(b.load(scratch, {b.index(i), zero}));
    store(sums, zero, first);
    // For further rows the keys are in the first cache: side by side each
    // vector of queries serves them all.
    if (rows <= groupRows)
      return;
    b.forLoop(b.index(groupRows), b.index(rows), groupRows,
              [&](Value firstRow) {
                SmallVector<Value> sums(lanes);
                for (int64_t k = 0; k < groupKeys; ++k) {
                  Value keyRow = b.minSigned(b.add(base, k), lastKey);
                  for (auto [r, sum] :
                       llvm::enumerate(multiply(keyRow, firstRow, false)))
                    sums[r * groupKeys + k] = sum;
                }
                store(sums, firstRow, first);
              });
  });
  buffers.release(scratch);
}

LogicalResult HeadLanes::lower(attn::ScoresOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  Value scores = buffers.create(op.getScores(), op);
  Value keep = op.getKeep() ? buffers.create(op.getKeep(), op) : Value();
  Value count = getCount(b, op.getCount(), op.getScores().getType());
  buildProducts(b, op, scores, count);

  bool folded = foldedScales.lookup(op.getQuery()) == op.getScale();
  Value scale = folded ? Value() : b.broadcast(op.getScale());
  Value maxima = createMaxima(
      op, buffers.getType(VectorType::get({rows}, element)).getShape());
  LogicalResult status = success();
  Value minusInfinity = b.splat(-std::numeric_limits<double>::infinity());
  Value lastRow = b.sub(b.add(op.getRow(), op.getQueries()), b.index(1));
  SmallVector<int32_t> laneNumbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    laneNumbers.push_back(lane);
  auto toPositions = [&](Value value) {
    return b.broadcast(arith::IndexCastOp::create(builder, op.getLoc(),
                                                  builder.getI32Type(), value));
  };

  forRows(b, [&](Value row) {
    auto [head, query] = getPlace(b, row, op.getRow(), lastRow);
    RegionPoint point;
    point.batch = op.getBatch();
    point.head = b.add(op.getHead(), head);
    point.row = query;
    point.position = b.add(query, op.getOffset());
    SmallVector<Value> tops = b.forLoop(
        b.index(0), count, lanes, {minusInfinity},
        [&](Value column, ValueRange carried) -> SmallVector<Value> {
          Value exists =
              op.getCount() ? getExisting(b, column, count) : Value();
          Value score = b.load(scores, {row, column});
          if (scale)
            score = b.mulf(score, scale);
          point.keyLanes = {b.add(op.getKeyRow(), column),
                            b.sub(count, column)};
          // Lanes past the last key repeat it: nothing is read beyond.
          point.key = b.add(toPositions(point.keyLanes.first),
                            b.splatPositions(laneNumbers));
          if (op.getCount())
            point.key = arith::MinSIOp::create(
                builder, op.getLoc(), point.key,
                toPositions(b.sub(b.add(op.getKeyRow(), count), b.index(1))));
          auto inlined = [&](Region &region, Value input) -> Value {
            point.score = input;
            FailureOr<Value> value =
                inlineRegion(b, region, point, StagedReads());
            if (failed(value)) {
              status = failure();
              return nullptr;
            }
            return isa<VectorType>(value->getType()) ? *value
                                                     : b.broadcast(*value);
          };
          if (!op.getScore().empty())
            if (!(score = inlined(op.getScore(), score)))
              return SmallVector<Value>(carried);
          Value allowed = exists;
          if (!op.getMask().empty()) {
            Value kept = inlined(op.getMask(), nullptr);
            if (!kept)
              return SmallVector<Value>(carried);
            allowed = allowed ? Value(arith::AndIOp::create(
                                    builder, op.getLoc(), allowed, kept))
                              : kept;
          }
          if (allowed)
            score = b.select(allowed, score, minusInfinity);
          b.store(score, scores, {row, column});
          if (keep) {
            Value bits =
                allowed ? Value(arith::ExtSIOp::create(builder, op.getLoc(),
                                                       b.bitsType, allowed))
                        : b.splatBits(-1);
            b.store(bits, keep, {row, column});
          }
          // A NaN score is passed over here; its weight brings it out.
          return {b.max(carried[0], score)};
        });
    if (maxima) {
      Value top =
          reduce(b, tops[0], [&](Value x, Value y) { return b.max(x, y); });
      memref::StoreOp::create(builder, op.getLoc(), top, maxima, row);
    }
  });
  return status;
}
