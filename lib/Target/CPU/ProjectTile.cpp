//===- ProjectTile.cpp - register-tiled projections -----------------------===//

#include "ProjectTile.h"
#include "RegisterTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Rows of the weight that are packed at a time: with 48 columns of f32, half
/// of a 96 KiB L2 slice.
static constexpr int64_t kPackedRows = 256;

void fovea::cpu::lowerProjectTile(attn::ProjectTileOp op, const CPUInfo &info) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto element = cast<FloatType>(
      attn::getAccumulatorType(op.getInput().getType().getElementType()));
  int64_t lanes = info.getLanes(element.getWidth());
  VectorBuilder b(builder, loc, lanes, element);
  int64_t depth = op.getWeight().getType().getDimSize(0),
          width = op.getWeight().getType().getDimSize(1);
  int64_t vectors =
      std::min<int64_t>(llvm::divideCeil(width, lanes), info.getTileVectors());
  int64_t panelWidth = vectors * lanes, tileRows = info.getTileRows(vectors);
  int64_t rows = llvm::alignTo(op.getRows(), tileRows);

  auto forall = op->getParentOfType<scf::ForallOp>();
  auto allocate = [&](int64_t count) -> Value {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forall.getBody());
    return memref::AllocaOp::create(
        builder, loc, MemRefType::get({count, panelWidth}, element),
        builder.getI64IntegerAttr(64));
  };
  Value packed = allocate(std::min(depth, kPackedRows));
  Value sums = allocate(rows);

  Value total = memref::DimOp::create(builder, loc, op.getInput(), 0);
  Value rowCount =
      b.minSigned(b.sub(total, op.getRow()), b.index(op.getRows()));
  Value lastRow = b.sub(b.add(op.getRow(), rowCount), b.index(1));

  b.forLoop(b.index(0), b.index(width), panelWidth, [&](Value firstColumn) {
    Value columns = b.sub(b.index(width), firstColumn);
    auto left = [&](int64_t v) { return b.sub(columns, b.index(v * lanes)); };
    // Start from the bias.
    SmallVector<Value> start;
    for (int64_t v = 0; v < vectors; ++v) {
      if (!op.getBias()) {
        start.push_back(b.splat(0));
        continue;
      }
      Value at = b.add(firstColumn, v * lanes);
      start.push_back(b.loadPart(b.vectorType, op.getBias(), {at}, left(v)));
    }
    b.forLoop(b.index(0), b.index(rows), 1, [&](Value row) {
      for (int64_t v = 0; v < vectors; ++v)
        b.store(start[v], sums, {row, b.index(v * lanes)});
    });
    b.forLoop(b.index(0), b.index(depth), kPackedRows, [&](Value firstDepth) {
      Value depthCount =
          b.minSigned(b.sub(b.index(depth), firstDepth), b.index(kPackedRows));
      b.forLoop(b.index(0), depthCount, 1, [&](Value k) {
        for (int64_t v = 0; v < vectors; ++v)
          b.store(
              b.loadPart(b.vectorType, op.getWeight(),
                         {b.add(firstDepth, k), b.add(firstColumn, v * lanes)},
                         left(v)),
              packed, {k, b.index(v * lanes)});
      });
      b.forLoop(b.index(0), rowCount, tileRows, [&](Value first) {
        SmallVector<Value> acc, inputRows;
        for (int64_t r = 0; r < tileRows; ++r) {
          Value row = b.add(b.add(op.getRow(), first), r);
          inputRows.push_back(b.minSigned(row, lastRow));
          for (int64_t v = 0; v < vectors; ++v)
            acc.push_back(b.load(sums, {b.add(first, r), b.index(v * lanes)}));
        }
        acc = buildRegisterTile(
            b, depthCount, acc, tileRows, vectors,
            [&](int64_t r, Value k) -> Value {
              return memref::LoadOp::create(
                  builder, loc, op.getInput(),
                  ValueRange{inputRows[r], b.add(firstDepth, k)});
            },
            [&](int64_t v, Value k) {
              return b.load(packed, {k, b.index(v * lanes)});
            });
        for (int64_t r = 0; r < tileRows; ++r)
          for (int64_t v = 0; v < vectors; ++v)
            b.store(acc[r * vectors + v], sums,
                    {b.add(first, r), b.index(v * lanes)});
      });
    });
    b.forLoop(b.index(0), rowCount, 1, [&](Value row) {
      for (int64_t v = 0; v < vectors; ++v)
        b.storePart(b.load(sums, {row, b.index(v * lanes)}), op.getResult(),
                    {b.add(op.getRow(), row), b.add(firstColumn, v * lanes)},
                    left(v));
    });
  });
}
