//===- QueryLanes.cpp - tile operations with queries in lanes -------------===//

#include "QueryLanes.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

static TileShape getShape(attn::LoadQueriesOp queries, int64_t lanes,
                          int64_t maxVectors) {
  TileShape shape;
  shape.rows = cast<VectorType>(queries.getResult().getType()).getDimSize(0);
  shape.heads = queries.getQuery().getType().getDimSize(0);
  shape.lanes = lanes;
  int64_t vectors = llvm::divideCeil(shape.rows, lanes);
  // As many vectors in a register tile as divide the rows evenly.
  shape.vectors = std::min(vectors, maxVectors);
  while (vectors % shape.vectors != 0)
    --shape.vectors;
  shape.panels = vectors / shape.vectors;
  return shape;
}

static unsigned getAccumulatorBits(attn::LoadQueriesOp queries) {
  Type element = queries.getQuery().getType().getElementType();
  return attn::getAccumulatorType(element).getIntOrFloatBitWidth();
}

QueryLanes::QueryLanes(scf::ForallOp forall, attn::LoadQueriesOp queries,
                       const CPUInfo &info)
    : TileLowering(forall, queries, info.getLanes(getAccumulatorBits(queries)),
                   [this](VectorType type) { return getBufferSizes(type); }),
      shape(getShape(queries, lanes, info.getTileVectors())), info(info),
      tileRows(info.getTileRows(shape.vectors)) {
  MemRefType view = queries.getQuery().getType();
  if (view.getElementType() != element) {
    bool pairs = view.getElementType().isBF16() && info.hasBF16Dot &&
                 view.getDimSize(2) % 2 == 0;
    product = pairs ? Product::Dot : Product::Widened;
  }
  // Register tiles and transposes may overhang the keys of a tile.
  rowMultiple = std::lcm(tileRows, lanes);
}

SmallVector<int64_t> QueryLanes::getBufferSizes(VectorType type) const {
  SmallVector<int64_t> sizes{shape.panels};
  if (type.getRank() == 2)
    sizes.push_back(llvm::alignTo(type.getDimSize(1), rowMultiple));
  sizes.push_back(shape.getWidth());
  return sizes;
}

void QueryLanes::forPanels(VectorBuilder &b,
                           llvm::function_ref<void(Value)> body) {
  if (shape.panels == 1)
    return body(b.index(0));
  b.forLoop(b.index(0), b.index(shape.panels), 1, body);
}

std::pair<Value, Value> QueryLanes::getPlace(VectorBuilder &b, Value lane,
                                             Value firstRow, Value lastRow) {
  if (shape.getWidth() * shape.panels != shape.rows)
    lane = b.minSigned(lane, b.index(shape.rows - 1));
  if (shape.heads == 1)
    return {b.index(0), b.minSigned(b.add(firstRow, lane), lastRow)};
  Value queries = b.index(shape.getQueries());
  Value head = b.builder.createOrFold<arith::DivUIOp>(b.loc, lane, queries);
  Value query = b.builder.createOrFold<arith::RemUIOp>(b.loc, lane, queries);
  return {head, b.minSigned(b.add(firstRow, query), lastRow)};
}
