//===- QueryLanes.cpp - tile operations with queries in lanes -------------===//

#include "QueryLanes.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

static TileShape getShape(const QueryTile &tile, int64_t lanes,
                          int64_t maxVectors) {
  TileShape shape;
  shape.rows = tile.rows;
  shape.heads = tile.heads;
  shape.lanes = lanes;
  int64_t vectors = llvm::divideCeil(shape.rows, lanes);
  // As many vectors in a register tile as divide the rows evenly.
  shape.vectors = std::min(vectors, maxVectors);
  while (vectors % shape.vectors != 0)
    --shape.vectors;
  shape.panels = vectors / shape.vectors;
  return shape;
}

QueryLanes::QueryLanes(scf::ForallOp forall, const QueryTile &tile,
                       const CPUInfo &info)
    : TileLowering(forall, tile, info.getLanes(tile.getAccumulatorBits()),
                   [this](VectorType type) { return getBufferSizes(type); }),
      shape(getShape(tile, lanes, info.getTileVectors())), info(info),
      tileRows(info.getTileRows(shape.vectors)) {
  if (tile.stored != element) {
    bool pairs =
        tile.stored.isBF16() && info.hasBF16Dot && tile.headDim % 2 == 0;
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
