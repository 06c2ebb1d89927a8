//===- FuseSoftmax.cpp - row tiles to a streamed softmax ------------------===//

#include "IntervalMask.h"
#include "MaskBounds.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Support/Remarks.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include <limits>

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNFUSESOFTMAX
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

namespace {

/// What the two row tile operations have in common while they are rewritten.
struct RowTile {
  Value query, key, batch, head, row, offset, scale;
  TilingAttr tiling;
  Region *score, *mask;

  template <typename TileOp>
  explicit RowTile(TileOp op)
      : query(op.getQuery()), key(op.getKey()), batch(op.getBatch()),
        head(op.getHead()), row(op.getRow()), offset(op.getOffset()),
        scale(op.getScale()), tiling(op.getTiling()), score(&op.getScore()),
        mask(&op.getMask()) {}
};

class Fuser {
public:
  Fuser(Operation *op, RowTile tile, bool roundFull)
      : builder(op), loc(op->getLoc()), tile(tile), roundFull(roundFull) {
    Type element = cast<MemRefType>(tile.query.getType()).getElementType();
    Type accumulator = getAccumulatorType(element);
    int64_t rows = tile.tiling.getRows(), keys = tile.tiling.getKeys();
    int64_t headDim = cast<MemRefType>(tile.query.getType()).getDimSize(2);
    queryType = VectorType::get({rows, headDim}, element);
    scoresType = VectorType::get({rows, keys}, accumulator);
    keepType = VectorType::get({rows, keys}, builder.getI1Type());
    rowType = VectorType::get({rows}, accumulator);
  }

  void fuse(SdpaTileOp op) {
    begin();
    Value keys = memref::DimOp::create(builder, loc, tile.key, 0);
    KeyBounds bounds = buildKeyBounds(builder, loc, *tile.mask, rows(), keys);
    Value query =
        LoadQueriesOp::create(builder, loc, queryType, tile.query, tile.row);
    int64_t valueDim = op.getValue().getType().getDimSize(1);
    accumulatorType = VectorType::get({rowType.getDimSize(0), valueDim},
                                      rowType.getElementType());
    SmallVector<Value> state{
        splat(rowType, -std::numeric_limits<double>::infinity()),
        splat(rowType, 0), splat(accumulatorType, 0)};
    auto loop = [&](Value from, Value to, bool masked, bool whole) {
      state = buildLoop(op, query, state, from, to, masked, whole);
    };
    if (bounds.leading)
      loop(bounds.lo, bounds.fullLo, true, false);
    if (bounds.full) {
      Value fullHi = bounds.fullHi;
      if (roundFull)
        fullHi = roundDown(bounds.fullLo, fullHi);
      loop(bounds.fullLo, fullHi, false, roundFull);
      if (bounds.trailing || roundFull)
        loop(fullHi, bounds.hi, !tile.mask->empty(), false);
      explainLoops(bounds);
    } else {
      state = buildClassifiedLoop(op, query, state, bounds.lo, bounds.hi);
    }
    StoreOutputOp::create(builder, loc, state[2], state[0], state[1],
                          op.getOut(), tile.row, op.getLse());
    op.erase();
  }

  void fuse(WeightsTileOp op) {
    begin();
    Value keys = memref::DimOp::create(builder, loc, tile.key, 0);
    Value query =
        LoadQueriesOp::create(builder, loc, queryType, tile.query, tile.row);
    Value lse = LoadLseOp::create(builder, loc, rowType, op.getLse(), tile.row);
    // Every weight is written, zeros too, so that no tile is skipped.
    auto loop = scf::ForOp::create(builder, loc, constant(0), keys,
                                   constant(tile.tiling.getKeys()));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value count = buildCount(loop.getInductionVar(), keys);
    ScoresOp scores =
        buildScores(query, loop.getInductionVar(), count, !tile.mask->empty());
    Value weights = NormalizeOp::create(builder, loc, scores.getScores(), lse);
    StoreWeightsOp::create(builder, loc, weights, op.getWeights(), tile.row,
                           loop.getInductionVar(), count);
    sayLoops("weights: one loop over all key tiles, none skipped",
             "every weight is written, zeros too");
    op.erase();
  }

private:
  void sayLoops(StringRef text, StringRef reason) {
    remark::passed(
        loc, getRemarkOpts(tile.mask->getParentOp(), kRemarkLoops, "key-loops"))
        << text << remark::reason("{0}", reason);
  }
  void explainLoops(const KeyBounds &bounds) {
    bool trailing = bounds.trailing || roundFull;
    std::string loops = bounds.leading ? "leading partial, " : "";
    loops += "full without mask code";
    loops += trailing ? ", trailing partial" : "";
    sayLoops(loops == "full without mask code"
                 ? "one loop over key tiles, full without mask code"
                 : "loops over key tiles: " + loops,
             tile.mask->empty()
                 ? (trailing ? "there is no mask; the last tile may be cut"
                             : "there is no mask")
                 : "every condition of the mask is a bound");
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value splat(VectorType type, double value) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, builder.getFloatAttr(type.getElementType(), value)));
  }

  /// The number of query rows of the tile that exist, and the last of them.
  void begin() {
    Value queries = memref::DimOp::create(builder, loc, tile.query, 1);
    Value left = arith::SubIOp::create(builder, loc, queries, tile.row);
    queryCount = arith::MinSIOp::create(builder, loc, left,
                                        constant(tile.tiling.getQueries()));
    Value last = arith::AddIOp::create(builder, loc, tile.row, queryCount);
    lastRow = arith::SubIOp::create(builder, loc, last, constant(1));
  }
  TileRows rows() {
    int64_t heads = tile.tiling.getHeads();
    return {tile.batch,  tile.head,  tile.row, lastRow,
            tile.offset, heads == 1, heads};
  }

  /// from + the whole key tiles in [from, to).
  Value roundDown(Value from, Value to) {
    Value size = constant(tile.tiling.getKeys());
    Value length = arith::SubIOp::create(builder, loc, to, from);
    Value tiles = arith::DivUIOp::create(builder, loc, length, size);
    Value whole = arith::MulIOp::create(builder, loc, tiles, size);
    return arith::AddIOp::create(builder, loc, from, whole);
  }

  /// The number of keys of the tile that starts at `from`.
  Value buildCount(Value from, Value to) {
    Value left = arith::SubIOp::create(builder, loc, to, from);
    return arith::MinSIOp::create(builder, loc, left,
                                  constant(tile.tiling.getKeys()));
  }

  ScoresOp buildScores(Value query, Value keyRow, Value count, bool masked) {
    auto scores = ScoresOp::create(
        builder, loc, scoresType, masked ? Type(keepType) : Type(), query,
        tile.key, keyRow, count, queryCount, tile.batch, tile.head, tile.row,
        tile.offset, tile.scale, tile.tiling.getHeads());
    IRMapping mapping;
    tile.score->cloneInto(&scores.getScore(), mapping);
    if (masked)
      tile.mask->cloneInto(&scores.getMask(), mapping);
    return scores;
  }

  /// One key tile of the streamed softmax: max, sum and accumulator after it.
  SmallVector<Value> buildStep(SdpaTileOp op, Value query, ValueRange state,
                               Value keyRow, Value count, bool masked) {
    ScoresOp scores = buildScores(query, keyRow, count, masked);
    auto step = SoftmaxStepOp::create(builder, loc, scoresType, rowType,
                                      rowType, rowType, scores.getScores(),
                                      state[0], state[1], count);
    Value acc = AccumulateOp::create(
        builder, loc, state[2].getType(), step.getWeights(), op.getValue(),
        keyRow, state[2], step.getRescale(), count, scores.getKeep());
    return {step.getNewMax(), step.getNewSum(), acc};
  }

  SmallVector<Value> buildLoop(SdpaTileOp op, Value query,
                               ArrayRef<Value> state, Value from, Value to,
                               bool masked, bool whole) {
    auto loop = scf::ForOp::create(builder, loc, from, to,
                                   constant(tile.tiling.getKeys()), state);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value keyRow = loop.getInductionVar();
    Value count = whole ? Value() : buildCount(keyRow, to);
    scf::YieldOp::create(
        builder, loc,
        buildStep(op, query, loop.getRegionIterArgs(), keyRow, count, masked));
    return SmallVector<Value>(loop.getResults());
  }

  /// A loop over key tiles that the mask, evaluated on the tile's intervals,
  /// skips, takes whole or runs with mask code.
  SmallVector<Value> buildClassifiedLoop(SdpaTileOp op, Value query,
                                         ArrayRef<Value> state, Value from,
                                         Value to) {
    IntervalMask mask(*tile.mask, rows());
    mask.summarizeRows(builder, loc);
    auto loop = scf::ForOp::create(builder, loc, from, to,
                                   constant(tile.tiling.getKeys()), state);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value keyRow = loop.getInductionVar();
    Value count = buildCount(keyRow, to);
    TileAnswer answer = mask.classify(builder, loc, keyRow, count);
    ValueRange carried = loop.getRegionIterArgs();
    auto step = [&](bool masked) {
      return buildStep(op, query, carried, keyRow, count, masked);
    };
    // A branch stands only where either way can be taken; a mask that is known
    // to forbid everything keeps its loop, which later stages expect.
    bool isDecided =
        matchPattern(answer.any, m_One()) || matchPattern(answer.any, m_Zero());
    auto some = [&] {
      if (matchPattern(answer.all, m_Zero()))
        return step(true);
      return buildBranch(
          answer.all, [&] { return step(false); }, [&] { return step(true); });
    };
    if (!matchPattern(answer.all, m_Zero()))
      sayLoops("one loop over key tiles, each skipped, full or partial",
               "a condition of the mask is no bound");
    else if (!isDecided)
      sayLoops("one loop over key tiles, each skipped or partial",
               "a condition of the mask decides no tile");
    else
      sayLoops("one loop over key tiles, all partial",
               "the mask decides no tile");
    SmallVector<Value> next =
        isDecided ? some() : buildBranch(answer.any, some, [&] {
          return SmallVector<Value>(carried);
        });
    scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(loop.getResults());
  }

  using Build = llvm::function_ref<SmallVector<Value>()>;
  SmallVector<Value> buildBranch(Value condition, Build then, Build otherwise) {
    auto branch = scf::IfOp::create(
        builder, loc, TypeRange{rowType, rowType, accumulatorType}, condition,
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, then());
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, otherwise());
    return SmallVector<Value>(branch.getResults());
  }

  OpBuilder builder;
  Location loc;
  RowTile tile;
  bool roundFull;
  VectorType queryType, scoresType, keepType, rowType, accumulatorType;
  Value queryCount, lastRow;
};

struct FuseSoftmax : fovea::attn::impl::AttnFuseSoftmaxBase<FuseSoftmax> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto tile = dyn_cast<SdpaTileOp>(op))
        Fuser(op, RowTile(tile), roundFull).fuse(tile);
      else if (auto weights = dyn_cast<WeightsTileOp>(op))
        Fuser(op, RowTile(weights), roundFull).fuse(weights);
    });
  }
};

} // namespace
