//===- QueryLanesScores.cpp - S^T = K Q^T, score and mask regions ---------===//

#include "QueryLanes.h"
#include "RegisterTile.h"
#include <limits>

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

namespace {
/// Query rows, their positions and (if several heads share the tile) heads, of
/// one vector of lanes.
struct LanePositions {
  Value row, position, head;
};
} // namespace

/// Positions of the lanes of vector `v` of `panel`, repeating the last query
/// row that exists.
static LanePositions getPositions(VectorBuilder &b, attn::ScoresOp op,
                                  const TileShape &shape, Value panel,
                                  int64_t v) {
  auto toLanes = [&](Value value) {
    return b.broadcast(arith::IndexCastOp::create(
        b.builder, b.loc, b.builder.getI32Type(), value));
  };
  SmallVector<int32_t> first;
  for (int64_t lane = 0; lane < shape.lanes; ++lane)
    first.push_back(v * shape.lanes + lane);
  Value lane = b.splatPositions(first);
  if (shape.panels > 1)
    lane = b.add(lane, toLanes(b.mul(panel, b.index(shape.getWidth()))));
  auto constant = [&](int64_t value) {
    return b.splatPositions(SmallVector<int32_t>(shape.lanes, value));
  };
  if (shape.getWidth() * shape.panels != shape.rows)
    lane = arith::MinSIOp::create(b.builder, b.loc, lane,
                                  constant(shape.rows - 1));
  LanePositions positions;
  positions.head = op.getHead();
  Value query = lane;
  if (shape.heads > 1) {
    Value queries = constant(shape.getQueries());
    Value head = arith::DivUIOp::create(b.builder, b.loc, lane, queries);
    query = arith::RemUIOp::create(b.builder, b.loc, lane, queries);
    positions.head = b.add(toLanes(op.getHead()), head);
  }
  Value lastQuery = toLanes(b.sub(op.getQueries(), b.index(1)));
  query = arith::MinSIOp::create(b.builder, b.loc, query, lastQuery);
  positions.row = b.add(toLanes(op.getRow()), query);
  positions.position = b.add(positions.row, toLanes(op.getOffset()));
  return positions;
}

Value QueryLanes::stageRead(VectorBuilder &b, attn::ScoresOp op,
                            memref::LoadOp read, Block *block, Value count,
                            bool perKey) {
  auto type = cast<MemRefType>(read.getMemRef().getType());
  bool bytes = type.getElementType().isInteger(8);
  // Half numbers are staged widened; the region's arith.extf is left out.
  Type stored = bytes ? b.bitsType.getElementType()
                : isa<FloatType>(type.getElementType()) ? Type(element)
                                                        : type.getElementType();
  auto widenScalar = [&](Value value) -> Value {
    if (bytes)
      return arith::ExtUIOp::create(b.builder, b.loc, stored, value);
    return value.getType() == stored
               ? value
               : Value(arith::ExtFOp::create(b.builder, b.loc, element, value));
  };
  int64_t keys = cast<VectorType>(op.getScores().getType()).getDimSize(1);
  SmallVector<int64_t> sizes{shape.panels, shape.getWidth()};
  if (perKey)
    sizes.insert(sizes.begin() + 1, llvm::alignTo(keys, rowMultiple));
  Value buffer = buffers.createTemporary(sizes, stored);

  BlockArgument rowArgument = block->getArgument(block->getNumArguments() - 3),
                keyArgument = block->getArgument(block->getNumArguments() - 1);
  // The other indices depend on b and h only: compute them here.
  IRMapping mapping;
  mapping.map(block->getArgument(block->getNumArguments() - 5), op.getBatch());
  mapping.map(block->getArgument(block->getNumArguments() - 4), op.getHead());
  auto materialize = [&](auto &self, Value value) -> Value {
    Operation *definition = value.getDefiningOp();
    if (!definition || definition->getBlock() != block ||
        mapping.contains(value))
      return mapping.lookupOrDefault(value);
    for (Value operand : definition->getOperands())
      self(self, operand);
    b.builder.clone(*definition, mapping);
    return mapping.lookup(value);
  };
  unsigned rowDim = 0;
  SmallVector<Value> uniform;
  for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
    if (index == rowArgument)
      rowDim = dim;
    uniform.push_back(index == rowArgument || index == keyArgument
                          ? Value()
                          : materialize(materialize, index));
  }
  Value lastRow = b.sub(b.add(op.getRow(), op.getQueries()), b.index(1));
  auto getIndices = [&](Value row, Value key) {
    SmallVector<Value> indices(uniform);
    indices[rowDim] = row;
    for (Value &index : indices)
      if (!index)
        index = key;
    return indices;
  };
  forPanels(b, [&](Value panel) {
    if (!perKey) {
      b.forLoop(b.index(0), b.index(shape.getWidth()), 1, [&](Value lane) {
        Value base = b.add(b.mul(panel, b.index(shape.getWidth())), lane);
        Value row = getPlace(b, base, op.getRow(), lastRow).second;
        Value value = memref::LoadOp::create(b.builder, b.loc, read.getMemRef(),
                                             getIndices(row, {}));
        memref::StoreOp::create(b.builder, b.loc, widenScalar(value), buffer,
                                ValueRange{panel, lane});
      });
      return;
    }
    b.forLoop(
        b.index(0), b.index(shape.getWidth()), shape.lanes, [&](Value lane) {
          Value base = b.add(b.mul(panel, b.index(shape.getWidth())), lane);
          SmallVector<Value> rows;
          for (int64_t r = 0; r < shape.lanes; ++r)
            rows.push_back(
                getPlace(b, b.add(base, r), op.getRow(), lastRow).second);
          b.forLoop(b.index(0), count, shape.lanes, [&](Value key) {
            Value left = b.sub(count, key), column = b.add(op.getKeyRow(), key);
            auto source = VectorType::get({shape.lanes}, type.getElementType());
            SmallVector<Value> values;
            for (Value row : rows) {
              Value value = b.loadPart(source, read.getMemRef(),
                                       getIndices(row, column), left);
              if (bytes)
                value =
                    arith::ExtUIOp::create(b.builder, b.loc, b.bitsType, value);
              else
                value = b.widen(value);
              values.push_back(value);
            }
            values = b.transpose(values);
            for (int64_t k = 0; k < shape.lanes; ++k)
              b.store(values[k], buffer, {panel, b.add(key, k), lane});
          });
        });
  });
  return buffer;
}

/// Copies what the region reads by row (and key) to transposed scratch: read
/// row by row, it would cost a gather for every key.
void QueryLanes::stageReads(VectorBuilder &b, attn::ScoresOp op, Region &region,
                            Value count, StagedReads &staged) {
  // With several heads in a tile the head differs by lane.
  if (region.empty() || shape.heads > 1)
    return;
  Block &block = region.front();
  for (auto read : block.getOps<memref::LoadOp>()) {
    if (!isStageable(read, &block, element))
      continue;
    bool perKey =
        llvm::is_contained(read.getIndices(), block.getArguments().back());
    staged[read] = {stageRead(b, op, read, &block, count, perKey), perKey};
  }
}

LogicalResult QueryLanes::lower(attn::ScoresOp op) {
  OpBuilder builder(op);
  VectorBuilder b = makeBuilder(builder, op);
  int64_t headDim = cast<VectorType>(op.getQuery().getType()).getDimSize(1);
  Value queries = buffers.lookup(op.getQuery());
  Value scores = buffers.create(op.getScores(), op);
  Value keep = op.getKeep() ? buffers.create(op.getKeep(), op) : Value();
  Value count = getCount(b, op.getCount(), op.getScores().getType());
  Value lastKey = b.sub(b.add(op.getKeyRow(), count), b.index(1));
  bool regions = !op.getScore().empty() || !op.getMask().empty();
  int64_t keys = cast<VectorType>(op.getScores().getType()).getDimSize(1);
  Value widened;
  if (product == Product::Widened)
    widened = stageWidened(b, op.getKey(), op.getKeyRow(), count, keys);

  StagedReads staged;
  stageReads(b, op, op.getScore(), count, staged);
  stageReads(b, op, op.getMask(), count, staged);

  // What is left to multiply after the product.
  bool folded = foldedScales.lookup(op.getQuery()) == op.getScale();
  Value scale = folded ? Value() : b.broadcast(op.getScale());

  // The row maximum comes for free while the scores are in registers.
  Value maxima = createMaxima(op, {shape.panels, shape.getWidth()});
  if (!maxima && llvm::any_of(op.getScores().getUsers(), [](Operation *user) {
        return isa<attn::SoftmaxStepOp>(user);
      }))
    sayMissed(op, "maximum-apart",
              "the row maximum is taken in a pass of its own",
              "the scores have another user than the softmax step");

  LogicalResult status = success();
  Value minusInfinity = b.splat(-std::numeric_limits<double>::infinity());
  forPanels(b, [&](Value panel) {
    SmallVector<LanePositions> positions;
    if (regions)
      for (int64_t v = 0; v < shape.vectors; ++v)
        positions.push_back(getPositions(b, op, shape, panel, v));
    SmallVector<Value> tops(maxima ? shape.vectors : 0, minusInfinity);
    tops = b.forLoop(
        b.index(0), count, tileRows, tops,
        [&](Value first, ValueRange carried) {
          SmallVector<Value> top(carried), keyRows;
          Value base = b.add(op.getKeyRow(), first);
          for (int64_t r = 0; r < tileRows; ++r)
            keyRows.push_back(b.minSigned(b.add(base, r), lastKey));
          SmallVector<Value> acc(tileRows * shape.vectors, b.splat(0));
          SmallVector<Value> tileKeys;
          for (Value row : keyRows)
            tileKeys.push_back(b.sub(row, op.getKeyRow()));
          auto element = [&](int64_t r, Value k) -> Value {
            if (product == Product::Dot) {
              auto two = VectorType::get({2}, builder.getBF16Type());
              auto one = VectorType::get({1}, b.bitsType.getElementType());
              Value both = b.loadAs(two, op.getKey(),
                                    {keyRows[r], b.mul(k, b.index(2))});
              both = vector::BitCastOp::create(builder, op.getLoc(), one, both);
              return b.broadcast(
                  vector::ExtractOp::create(builder, op.getLoc(), both, 0));
            }
            Value source = widened ? widened : Value(op.getKey());
            Value row = widened ? tileKeys[r] : keyRows[r];
            return b.broadcast(memref::LoadOp::create(
                builder, op.getLoc(), source, ValueRange{row, k}));
          };
          acc = buildRegisterTile(
              b, b.index(product == Product::Dot ? headDim / 2 : headDim), acc,
              tileRows, shape.vectors, element,
              [&](int64_t v, Value k) {
                return b.load(queries, {panel, k, b.index(v * shape.lanes)});
              },
              [&](Value x, Value y, Value sum) {
                return product == Product::Dot ? dot(b, x, y, sum)
                                               : b.fma(x, y, sum);
              });
          for (int64_t r = 0; r < tileRows; ++r)
            for (int64_t v = 0; v < shape.vectors; ++v) {
              Value score = acc[r * shape.vectors + v];
              Value at = b.add(first, r), lane = b.index(v * shape.lanes);
              if (scale)
                score = b.mulf(score, scale);
              RegionPoint point;
              point.batch = op.getBatch();
              point.key = keyRows[r];
              // Past the last key the register tile repeats it, in staged reads
              // too: a score of its own would enter the maximum.
              if (!staged.empty())
                point.tileKey = tileKeys[r];
              point.panel = panel;
              point.lane = lane;
              if (regions) {
                point.head = positions[v].head;
                point.row = positions[v].row;
                point.position = positions[v].position;
              }
              if (!op.getScore().empty()) {
                point.score = score;
                FailureOr<Value> changed =
                    inlineRegion(b, op.getScore(), point, staged);
                if (failed(changed)) {
                  status = failure();
                  return top;
                }
                score = *changed;
                if (!isa<VectorType>(score.getType()))
                  score = b.broadcast(score);
              }

              Value allowed;
              if (!op.getMask().empty()) {
                point.score = nullptr;
                FailureOr<Value> kept =
                    inlineRegion(b, op.getMask(), point, staged);
                if (failed(kept)) {
                  status = failure();
                  return top;
                }
                allowed = *kept;
                if (!isa<VectorType>(allowed.getType()))
                  allowed = b.broadcast(allowed);
                score = b.select(allowed, score, minusInfinity);
              }
              b.store(score, scores, {panel, at, lane});
              if (keep) {
                Value bits =
                    allowed ? Value(arith::ExtSIOp::create(builder, op.getLoc(),
                                                           b.bitsType, allowed))
                            : b.splatBits(-1);
                b.store(bits, keep, {panel, at, lane});
              }
              // A NaN score is passed over here; its weight brings it out.
              if (maxima)
                top[v] = b.max(top[v], score);
            }
          return top;
        });
    for (auto [v, top] : llvm::enumerate(tops))
      b.store(top, maxima, {panel, b.index(v * shape.lanes)});
  });
  for (auto &[read, stage] : staged)
    buffers.release(stage.buffer);
  if (widened)
    buffers.release(widened);
  return status;
}
