//===- QueryLanesMemory.cpp - reads of queries, writes of outputs ---------===//

#include "QueryLanes.h"
#include <limits>

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

void QueryLanes::lower(attn::LoadQueriesOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  int64_t headDim = cast<VectorType>(op.getResult().getType()).getDimSize(1);
  bool pairs = product == Product::Dot;
  Value buffer;
  if (pairs) {
    buffer =
        buffers.createTemporary({shape.panels, headDim / 2, shape.getWidth()},
                                b.bitsType.getElementType());
    buffers.assign(op.getResult(), buffer);
  } else {
    buffer = buffers.create(op.getResult(), op);
  }
  // A half number must not be rounded again: pairs are scaled as scores.
  Value factor = pairs ? Value() : getCommonScale(op);
  if (factor) {
    foldedScales[op.getResult()] = factor;

    factor = b.broadcast(factor);
  } else {
    sayMissed(op, "scale-apart",
              "the scale multiplies each score, not the "
              "queries once",
              pairs ? "bf16 queries would be rounded again"
                    : "the scores of a row tile have not one scale");
  }
  Value last =
      b.sub(memref::DimOp::create(builder, op.getLoc(), op.getQuery(), 1),
            b.index(1));
  int64_t lanes = shape.lanes;
  forPanels(b, [&](Value panel) {
    b.forLoop(b.index(0), b.index(shape.getWidth()), lanes, [&](Value lane) {
      Value base = b.add(b.mul(panel, b.index(shape.getWidth())), lane);
      SmallVector<std::pair<Value, Value>> places;
      for (int64_t r = 0; r < lanes; ++r)
        places.push_back(getPlace(b, b.add(base, r), op.getRow(), last));
      // `column` counts elements, or pairs of them, as a lane holds them.
      auto block = [&](Value column, int64_t count) {
        SmallVector<Value> rows;
        for (auto [head, row] : places) {
          if (pairs) {
            auto type = VectorType::get({2 * lanes}, builder.getBF16Type());
            Value value =
                b.loadPart(type, op.getQuery(),
                           {head, row, b.mul(column, b.index(2))}, 2 * count);
            rows.push_back(vector::BitCastOp::create(builder, op.getLoc(),
                                                     b.bitsType, value));
            continue;
          }
          Value value =
              b.widen(b.loadPart(op.getQuery(), {head, row, column}, count));
          rows.push_back(factor ? b.mulf(value, factor) : value);
        }
        rows = b.transpose(rows);
        for (int64_t k = 0; k < std::min(count, lanes); ++k)
          b.store(rows[k], buffer, {panel, b.add(column, k), lane});
      };
      int64_t columns = pairs ? headDim / 2 : headDim;
      int64_t whole = columns / lanes * lanes;
      if (whole)
        b.forLoop(b.index(0), b.index(whole), lanes,
                  [&](Value column) { block(column, lanes); });
      if (whole < columns)
        block(b.index(whole), columns - whole);
    });
  });
}

void QueryLanes::lower(attn::LoadLseOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  Value buffer = buffers.create(op.getResult(), op);
  Value last = b.sub(
      memref::DimOp::create(builder, op.getLoc(), op.getLse(), 1), b.index(1));
  forPanels(b, [&](Value panel) {
    b.forLoop(b.index(0), b.index(shape.getWidth()), 1, [&](Value lane) {
      Value base = b.add(b.mul(panel, b.index(shape.getWidth())), lane);
      auto [head, row] = getPlace(b, base, op.getRow(), last);
      Value value = memref::LoadOp::create(builder, op.getLoc(), op.getLse(),
                                           ValueRange{head, row});

      memref::StoreOp::create(builder, op.getLoc(), value, buffer,
                              ValueRange{panel, lane});
    });
  });
}

void QueryLanes::lower(attn::StoreOutputOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  Location loc = op.getLoc();
  int64_t headDim = cast<VectorType>(op.getAcc().getType()).getDimSize(1);
  Value acc = buffers.lookup(op.getAcc()), sums = buffers.lookup(op.getSum()),
        maxima = buffers.lookup(op.getMax());
  Value last =
      b.sub(memref::DimOp::create(builder, loc, op.getOut(), 1), b.index(1));
  int64_t lanes = shape.lanes;
  Value zero = b.splat(0);
  forPanels(b, [&](Value panel) {
    b.forLoop(b.index(0), b.index(shape.getWidth()), lanes, [&](Value lane) {
      Value base = b.add(b.mul(panel, b.index(shape.getWidth())), lane);
      Value sum = b.load(sums, {panel, lane});
      Value empty = b.compare(arith::CmpFPredicate::OEQ, sum, zero);
      SmallVector<std::pair<Value, Value>> places;
      for (int64_t r = 0; r < lanes; ++r)
        places.push_back(getPlace(b, b.add(base, r), op.getRow(), last));
      // Division, not a product with the reciprocal: weights that are equal to
      // their sum give exactly 1.
      auto block = [&](Value column, int64_t count) {
        SmallVector<Value> columns;
        for (int64_t k = 0; k < lanes; ++k) {
          if (k >= count) {
            columns.push_back(zero);
            continue;
          }
          Value value = b.load(acc, {panel, b.add(column, k), lane});
          columns.push_back(b.select(empty, zero, b.divf(value, sum)));
        }
        columns = b.transpose(columns);
        Type stored = op.getOut().getType().getElementType();
        for (auto [row, place] : llvm::zip(columns, places))
          b.storePart(b.narrow(row, stored), op.getOut(),
                      {place.first, place.second, column}, count);
      };
      int64_t whole = headDim / lanes * lanes;
      if (whole)
        b.forLoop(b.index(0), b.index(whole), lanes,
                  [&](Value column) { block(column, lanes); });
      if (whole < headDim)
        block(b.index(whole), headDim - whole);
      if (!op.getLse())
        return;
      Value top = b.load(maxima, {panel, lane});
      Value lse = b.addf(top, b.log(sum));
      // A NaN score has made the sum NaN.
      Value number = b.compare(arith::CmpFPredicate::ORD, sum, sum);
      lse = b.select(number, lse, sum);
      lse = b.select(empty, b.splat(-std::numeric_limits<double>::infinity()),
                     lse);
      for (int64_t r = 0; r < lanes; ++r)
        memref::StoreOp::create(
            builder, loc, vector::ExtractOp::create(builder, loc, lse, r),
            op.getLse(), ValueRange{places[r].first, places[r].second});
    });
  });
}

void QueryLanes::lower(attn::StoreWeightsOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  Value weights = buffers.lookup(op.getWeights());
  Value count = getCount(b, op.getCount(), op.getWeights().getType());
  Value last = b.sub(
      memref::DimOp::create(builder, op.getLoc(), op.getOut(), 1), b.index(1));
  int64_t lanes = shape.lanes;
  forPanels(b, [&](Value panel) {
    b.forLoop(b.index(0), b.index(shape.getWidth()), lanes, [&](Value lane) {
      Value base = b.add(b.mul(panel, b.index(shape.getWidth())), lane);
      SmallVector<std::pair<Value, Value>> places;
      for (int64_t r = 0; r < lanes; ++r)
        places.push_back(getPlace(b, b.add(base, r), op.getRow(), last));
      b.forLoop(b.index(0), count, lanes, [&](Value key) {
        SmallVector<Value> columns;
        for (int64_t k = 0; k < lanes; ++k)
          columns.push_back(b.load(weights, {panel, b.add(key, k), lane}));
        columns = b.transpose(columns);
        Value column = b.add(op.getKeyRow(), key), left = b.sub(count, key);
        for (auto [row, place] : llvm::zip(columns, places))
          b.storePart(b.narrow(row, op.getOut().getType().getElementType()),
                      op.getOut(), {place.first, place.second, column}, left);
      });
    });
  });
}
