//===- ProjectTile.cpp - register-tiled projections -----------------------===//

#include "ProjectTile.h"
#include "RegisterTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Rows of the weight that are packed at a time: with 48 columns of f32, 48
/// KiB.
static constexpr int64_t kPackedRows = 256;

namespace {

class ProjectTile {
public:
  ProjectTile(OpBuilder &builder, attn::ProjectTileOp op, const CPUInfo &info,
              FloatType element)
      : op(op),
        b(builder, op.getLoc(), info.getLanes(element.getWidth()), element),
        depth(op.getWeight().getType().getDimSize(0)),
        width(op.getWeight().getType().getDimSize(1)),
        vectors(std::min<int64_t>(llvm::divideCeil(width, b.lanes),
                                  info.getTileVectors())),
        tileRows(info.getTileRows(vectors)),
        rows(llvm::alignTo(op.getRows(), tileRows)) {}

  void build() {
    int64_t block = std::min(depth, kPackedRows);
    packed = allocate(block, vectors * b.lanes);
    sums = allocate(rows, vectors * b.lanes);
    // Half tokens are widened to scratch, a block at a time.
    if (op.getInput().getType().getElementType() != b.element)
      tokens = allocate(rows, llvm::alignTo(block, b.lanes) + b.lanes);
    Value total = memref::DimOp::create(b.builder, b.loc, op.getInput(), 0);
    rowCount = b.minSigned(b.sub(total, op.getRow()), b.index(op.getRows()));
    b.forLoop(b.index(0), b.index(width), vectors * b.lanes,
              [&](Value firstColumn) { buildPanel(firstColumn); });
  }

private:
  Value allocate(int64_t count, int64_t columns) {
    OpBuilder::InsertionGuard guard(b.builder);
    auto forall = op->getParentOfType<scf::ForallOp>();
    b.builder.setInsertionPointToStart(forall.getBody());
    return memref::AllocaOp::create(
        b.builder, b.loc, MemRefType::get({count, columns}, b.element),
        b.builder.getI64IntegerAttr(64));
  }
  Value column(int64_t v) { return b.index(v * b.lanes); }

  /// The first `count` elements at `at`, widened.
  Value load(Value source, ValueRange at, Value count) {
    auto type = cast<MemRefType>(source.getType());
    return b.widen(b.loadPart(VectorType::get({b.lanes}, type.getElementType()),
                              source, at, count));
  }

  /// One panel of columns of the result.
  void buildPanel(Value firstColumn) {
    SmallVector<Value> left, start;
    for (int64_t v = 0; v < vectors; ++v) {
      left.push_back(b.sub(b.sub(b.index(width), firstColumn), column(v)));
      start.push_back(
          op.getBias()
              ? load(op.getBias(), {b.add(firstColumn, v * b.lanes)}, left[v])
              : b.splat(0));
    }
    b.forLoop(b.index(0), b.index(rows), 1, [&](Value row) {
      for (int64_t v = 0; v < vectors; ++v)
        b.store(start[v], sums, {row, column(v)});
    });
    b.forLoop(b.index(0), b.index(depth), kPackedRows, [&](Value firstDepth) {
      Value count =
          b.minSigned(b.sub(b.index(depth), firstDepth), b.index(kPackedRows));
      pack(firstColumn, firstDepth, count, left);
      b.forLoop(b.index(0), rowCount, tileRows,
                [&](Value first) { multiply(first, firstDepth, count); });
    });
    Type stored = op.getResult().getType().getElementType();
    b.forLoop(b.index(0), rowCount, 1, [&](Value row) {
      for (int64_t v = 0; v < vectors; ++v)
        b.storePart(b.narrow(b.load(sums, {row, column(v)}), stored),
                    op.getResult(),
                    {b.add(op.getRow(), row), b.add(firstColumn, v * b.lanes)},
                    left[v]);
    });
  }

  /// The weight's block to scratch, and half tokens.
  void pack(Value firstColumn, Value firstDepth, Value count,
            ArrayRef<Value> left) {
    b.forLoop(b.index(0), count, 1, [&](Value k) {
      for (int64_t v = 0; v < vectors; ++v) {
        Value value = load(
            op.getWeight(),
            {b.add(firstDepth, k), b.add(firstColumn, v * b.lanes)}, left[v]);
        b.store(value, packed, {k, column(v)});
      }
    });
    if (!tokens)
      return;
    b.forLoop(b.index(0), rowCount, 1, [&](Value row) {
      b.forLoop(b.index(0), count, b.lanes, [&](Value k) {
        Value value =
            load(op.getInput(), {b.add(op.getRow(), row), b.add(firstDepth, k)},
                 b.sub(count, k));
        b.store(value, tokens, {row, k});
      });
    });
  }

  /// One register tile: tokens first .. first + tileRows - 1, the last of them
  /// again past the end.
  void multiply(Value first, Value firstDepth, Value count) {
    SmallVector<Value> acc, inputRows;
    Value last = b.sub(rowCount, b.index(1));
    for (int64_t r = 0; r < tileRows; ++r) {
      inputRows.push_back(b.minSigned(b.add(first, r), last));
      for (int64_t v = 0; v < vectors; ++v)
        acc.push_back(b.load(sums, {b.add(first, r), column(v)}));
    }
    acc = buildRegisterTile(
        b, count, acc, tileRows, vectors,
        [&](int64_t r, Value k) -> Value {
          SmallVector<Value> at{inputRows[r], k};
          if (!tokens)
            at = {b.add(op.getRow(), inputRows[r]), b.add(firstDepth, k)};
          return b.broadcast(memref::LoadOp::create(
              b.builder, b.loc, tokens ? tokens : Value(op.getInput()), at));
        },
        [&](int64_t v, Value k) { return b.load(packed, {k, column(v)}); },
        [&](Value x, Value y, Value sum) { return b.fma(x, y, sum); });
    for (int64_t r = 0; r < tileRows; ++r)
      for (int64_t v = 0; v < vectors; ++v)
        b.store(acc[r * vectors + v], sums, {b.add(first, r), column(v)});
  }

  attn::ProjectTileOp op;
  VectorBuilder b;
  const int64_t depth, width, vectors, tileRows, rows;
  Value packed, sums, tokens, rowCount;
};

} // namespace

void fovea::cpu::lowerProjectTile(attn::ProjectTileOp op, const CPUInfo &info) {
  OpBuilder builder(op);
  auto element = cast<FloatType>(
      attn::getAccumulatorType(op.getInput().getType().getElementType()));
  ProjectTile(builder, op, info, element).build();
}
