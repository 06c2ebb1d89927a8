//===- HeadLanesMemory.cpp - reads of queries, writes of outputs ----------===//

#include "HeadLanes.h"
#include <limits>

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// The last row of a view [heads, rows, ...].
static Value getLastRow(VectorBuilder &b, Value view) {
  return b.sub(memref::DimOp::create(b.builder, b.loc, view, 1), b.index(1));
}

void HeadLanes::lower(attn::LoadQueriesOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  int64_t headDim = cast<VectorType>(op.getResult().getType()).getDimSize(1);
  Value buffer = buffers.create(op.getResult(), op);
  Value factor = getCommonScale(op);
  if (factor) {
    foldedScales[op.getResult()] = factor;
    factor = b.broadcast(factor);
  }
  Value last = getLastRow(b, op.getQuery());
  int64_t padded = cast<MemRefType>(buffer.getType()).getDimSize(0);
  b.forLoop(b.index(0), b.index(padded), 1, [&](Value row) {
    auto [head, query] = getPlace(b, row, op.getRow(), last);
    // Lanes past the head dim are 0 and add nothing to a product.
    for (int64_t d = 0; d < headDim; d += lanes) {
      Value value = b.widen(
          b.loadPart(op.getQuery(), {head, query, b.index(d)}, headDim - d));
      b.store(factor ? b.mulf(value, factor) : value, buffer,
              {row, b.index(d)});
    }
  });
}

void HeadLanes::lower(attn::LoadLseOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  Value buffer = buffers.create(op.getResult(), op);
  Value last = getLastRow(b, op.getLse());
  forRows(b, [&](Value row) {
    auto [head, query] = getPlace(b, row, op.getRow(), last);
    Value value = loadScalar(b, op.getLse(), {head, query});
    memref::StoreOp::create(builder, op.getLoc(), value, buffer, row);
  });
}

void HeadLanes::lower(attn::StoreOutputOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  Location loc = op.getLoc();
  int64_t headDim = cast<VectorType>(op.getAcc().getType()).getDimSize(1);
  Value acc = buffers.lookup(op.getAcc()), sums = buffers.lookup(op.getSum()),
        maxima = buffers.lookup(op.getMax());
  Value last = getLastRow(b, op.getOut()), zero = b.splat(0);
  Type stored = op.getOut().getType().getElementType();
  forRows(b, [&](Value row) {
    auto [head, query] = getPlace(b, row, op.getRow(), last);
    Value sum = b.broadcast(loadScalar(b, sums, row));
    Value empty = b.compare(arith::CmpFPredicate::OEQ, sum, zero);
    // Division, not a product with the reciprocal: weights that are equal to
    // their sum give exactly 1.
    for (int64_t d = 0; d < headDim; d += lanes) {
      Value value = b.divf(b.load(acc, {row, b.index(d)}), sum);
      value = b.select(empty, zero, value);
      b.storePart(b.narrow(value, stored), op.getOut(),
                  {head, query, b.index(d)}, headDim - d);
    }
  });
  if (!op.getLse())
    return;
  Value lses = buffers.createTemporary(
      cast<MemRefType>(sums.getType()).getShape(), element);
  forEachVector(b, cast<MemRefType>(sums.getType()), [&](ValueRange at) {
    Value sum = b.load(sums, at);
    Value lse = b.addf(b.load(maxima, at), b.log(sum));
    // A NaN score has made the sum NaN.
    Value number = b.compare(arith::CmpFPredicate::ORD, sum, sum);
    lse = b.select(number, lse, sum);
    Value empty = b.compare(arith::CmpFPredicate::OEQ, sum, zero);
    lse =
        b.select(empty, b.splat(-std::numeric_limits<double>::infinity()), lse);
    b.store(lse, lses, at);
  });
  forRows(b, [&](Value row) {
    auto [head, query] = getPlace(b, row, op.getRow(), last);
    memref::StoreOp::create(builder, loc, loadScalar(b, lses, row), op.getLse(),
                            ValueRange{head, query});
  });
  buffers.release(lses);
}

void HeadLanes::lower(attn::StoreWeightsOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  Value weights = buffers.lookup(op.getWeights());
  Value count = getCount(b, op.getCount(), op.getWeights().getType());
  Value last = getLastRow(b, op.getOut());
  Type stored = op.getOut().getType().getElementType();
  forRows(b, [&](Value row) {
    auto [head, query] = getPlace(b, row, op.getRow(), last);
    Value place = head, at = query; // captured by the loop below
    b.forLoop(b.index(0), count, lanes, [&](Value key) {
      b.storePart(b.narrow(b.load(weights, {row, key}), stored), op.getOut(),
                  {place, at, b.add(op.getKeyRow(), key)}, b.sub(count, key));
    });
  });
}
