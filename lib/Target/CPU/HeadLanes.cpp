//===- HeadLanes.cpp - tile operations with the head dim in lanes ---------===//

#include "HeadLanes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

static int64_t getGroupRows(attn::LoadQueriesOp queries, int64_t lanes) {
  auto type = cast<VectorType>(queries.getResult().getType());
  int64_t rows = llvm::PowerOf2Ceil(type.getDimSize(0));
  // A quarter of the lanes: with as many rows as keys in a block, both are read
  // least.
  return std::min<int64_t>(rows, std::max<int64_t>(1, lanes / 4));
}

HeadLanes::HeadLanes(scf::ForallOp forall, attn::LoadQueriesOp queries,
                     const CPUInfo &info)
    : TileLowering(forall, queries, info,
                   [this](VectorType type) { return getBufferSizes(type); }),
      groupRows(getGroupRows(queries, lanes)), groupKeys(lanes / groupRows),
      accumulators(info.registers / 2) {}

SmallVector<int64_t> HeadLanes::getBufferSizes(VectorType type) const {
  if (type.getRank() == 1)
    return {static_cast<int64_t>(llvm::alignTo(rows, lanes))};
  return {static_cast<int64_t>(llvm::alignTo(rows, groupRows)),
          static_cast<int64_t>(llvm::alignTo(type.getDimSize(1), lanes))};
}

void HeadLanes::forRows(VectorBuilder &b,
                        llvm::function_ref<void(Value)> body) {
  if (rows == 1)
    return body(b.index(0));
  b.forLoop(b.index(0), b.index(rows), 1, body);
}

void HeadLanes::forRowGroups(VectorBuilder &b,
                             llvm::function_ref<void(Value)> body) {
  if (rows <= groupRows)
    return body(b.index(0));
  b.forLoop(b.index(0), b.index(rows), groupRows, body);
}

std::pair<Value, Value> HeadLanes::getPlace(VectorBuilder &b, Value tileRow,
                                            Value firstRow, Value lastRow) {
  tileRow = b.minSigned(tileRow, b.index(rows - 1));
  int64_t queries = rows / heads;
  Value head = b.index(0), query = tileRow;
  if (heads > 1) {
    head = b.builder.createOrFold<arith::DivUIOp>(b.loc, tileRow,
                                                  b.index(queries));
    query = b.builder.createOrFold<arith::RemUIOp>(b.loc, tileRow,
                                                   b.index(queries));
  }
  return {head, b.minSigned(b.add(firstRow, query), lastRow)};
}

Value HeadLanes::getExisting(VectorBuilder &b, Value column, Value count) {
  SmallVector<int32_t> positions;
  for (int64_t lane = 0; lane < lanes; ++lane)
    positions.push_back(lane);
  Value left = arith::IndexCastOp::create(
      b.builder, b.loc, b.builder.getI32Type(), b.sub(count, column));
  return arith::CmpIOp::create(b.builder, b.loc, arith::CmpIPredicate::slt,
                               b.splatPositions(positions), b.broadcast(left));
}

Value HeadLanes::reduce(VectorBuilder &b, Value value,
                        llvm::function_ref<Value(Value, Value)> combine) {
  for (int64_t width = lanes / 2; width > 0; width /= 2) {
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < lanes; ++lane)
      mask.push_back((lane + width) % lanes);
    Value turned =
        vector::ShuffleOp::create(b.builder, b.loc, value, value, mask);
    value = combine(value, turned);
  }
  return vector::ExtractOp::create(b.builder, b.loc, value, 0);
}

Value HeadLanes::loadScalar(VectorBuilder &b, Value buffer, ValueRange at) {
  return memref::LoadOp::create(b.builder, b.loc, buffer, at);
}
