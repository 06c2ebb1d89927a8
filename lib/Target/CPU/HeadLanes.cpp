//===- HeadLanes.cpp - tile operations with the head dim in lanes ---------===//

#include "HeadLanes.h"
#include "fovea/Support/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Loops over one row or two wait for memory all the time: read 32 bytes at a
/// time, it comes sooner, as the processor's own prefetching runs further
/// ahead.
static int64_t getLanes(const QueryTile &tile, const CPUInfo &info) {
  int64_t lanes = info.getLanes(tile.getAccumulatorBits());
  if (tile.rows > 2)
    return lanes;
  return std::min<int64_t>(lanes, 256 / tile.stored.getIntOrFloatBitWidth());
}

/// Rows of queries, of which four still leave room for a vector of each.
static int64_t getGroupRows(const QueryTile &tile, int64_t lanes) {
  return std::min<int64_t>(
      {static_cast<int64_t>(llvm::PowerOf2Ceil(tile.rows)), 4, lanes});
}

HeadLanes::HeadLanes(scf::ForallOp forall, const QueryTile &tile,
                     const CPUInfo &info)
    : TileLowering(forall, tile, getLanes(tile, info),
                   [this](VectorType type) { return getBufferSizes(type); }),
      groupRows(getGroupRows(tile, lanes)), groupKeys(lanes / groupRows),
      accumulators(info.registers / 2) {}

void HeadLanes::explain() {
  remark::passed(tile.op->getLoc(),
                 getRemarkOpts(tile.op, kRemarkVectors, "head-dim-in-lanes"))
      << remark::add("keys and values are read once, {0} elements of the head "
                     "dim at a time",
                     lanes)
      << remark::reason("with rows in lanes, half of a vector's would be "
                        "unused (rows of the tile: {0})",
                        rows);
}

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

void HeadLanes::prefetchAfter(VectorBuilder &b, Value view, Value row) {
  // Far enough to hide memory, near enough to stay in the second cache; odd in
  // pages, which do not then compete for one set.
  constexpr int64_t kDistance = 5120, kLine = 64;
  auto type = cast<MemRefType>(view.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8, width = type.getDimSize(1);
  Value last =
      b.sub(memref::DimOp::create(b.builder, b.loc, view, 0), b.index(1));
  row =
      b.minSigned(b.add(row, llvm::divideCeil(kDistance, width * bytes)), last);
  for (int64_t d = 0; d < width; d += kLine / bytes)
    memref::PrefetchOp::create(b.builder, b.loc, view,
                               ValueRange{row, b.index(d)}, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
}
