//===- VerifyTileOps.cpp - verifiers of the tile operations ---------------===//

#include "Verify.h"

using namespace mlir;
using namespace fovea::attn;

static LogicalResult expectRank(Operation *op, StringRef name, Value value,
                                int64_t rank, StringRef shape) {
  auto type = cast<MemRefType>(value.getType());
  if (type.getRank() != rank)
    return op->emitOpError("expects ") << name << " of rank " << rank << " "
                                       << shape << ", but got " << type;
  return success();
}

/// T must be a multiple of the leading size of a view [heads,...].
static LogicalResult verifyRows(Operation *op, int64_t rows, Value view) {
  int64_t heads = cast<MemRefType>(view.getType()).getDimSize(0);
  if (ShapedType::isDynamic(heads) || heads < 1 || rows % heads != 0)
    return op->emitOpError("expects a static leading size of the view that "
                           "divides the ")
           << rows << " rows of the tile, but got " << view.getType();
  return success();
}

static LogicalResult verifyHeads(Operation *op, StringRef name, Value view,
                                 int64_t heads) {
  int64_t got = cast<MemRefType>(view.getType()).getDimSize(0);
  if (got != heads)
    return op->emitOpError("expects ")
           << name << " with " << heads << " heads as in the tile, but got "
           << view.getType();
  return success();
}

LogicalResult SdpaTileOp::verify() {
  // sdpa_tile_c1
  if (failed(expectRank(*this, "query", getQuery(), 3, "[heads, Sq, Dqk]")) ||
      failed(expectRank(*this, "key", getKey(), 2, "[Sk, Dqk]")) ||
      failed(expectRank(*this, "value", getValue(), 2, "[Sk, Dv]")) ||
      failed(expectRank(*this, "out", getOut(), 3, "[heads, Sq, Dv]")))
    return failure();
  if (getLse() && failed(expectRank(*this, "lse", getLse(), 2, "[heads, Sq]")))
    return failure();
  // sdpa_tile_c2
  int64_t keyDim = getKey().getType().getDimSize(1),
          valueDim = getValue().getType().getDimSize(1);
  if (ShapedType::isDynamic(keyDim) ||
      keyDim != getQuery().getType().getDimSize(2))
    return emitOpError("expects key head dim to equal query head dim, but got ")
           << getKey().getType() << " and " << getQuery().getType();
  if (ShapedType::isDynamic(valueDim) ||
      valueDim != getOut().getType().getDimSize(2))
    return emitOpError("expects out head dim to equal value head dim, but got ")
           << getOut().getType() << " and " << getValue().getType();
  // sdpa_tile_c3
  int64_t heads = getTiling().getHeads();
  if (failed(verifyHeads(*this, "query", getQuery(), heads)) ||
      failed(verifyHeads(*this, "out", getOut(), heads)) ||
      (getLse() && failed(verifyHeads(*this, "lse", getLse(), heads))))
    return failure();
  return verifyScale(*this, getScale(), getQuery().getType().getElementType());
}

LogicalResult WeightsTileOp::verify() {
  // weights_tile_c1
  if (failed(expectRank(*this, "query", getQuery(), 3, "[heads, Sq, Dqk]")) ||
      failed(expectRank(*this, "key", getKey(), 2, "[Sk, Dqk]")) ||
      failed(expectRank(*this, "lse", getLse(), 2, "[heads, Sq]")) ||
      failed(expectRank(*this, "weights", getWeights(), 3, "[heads, Sq, Sk]")))
    return failure();
  // weights_tile_c2
  int64_t heads = getTiling().getHeads();
  if (failed(verifyHeads(*this, "query", getQuery(), heads)) ||
      failed(verifyHeads(*this, "lse", getLse(), heads)) ||
      failed(verifyHeads(*this, "weights", getWeights(), heads)))
    return failure();
  return verifyScale(*this, getScale(), getQuery().getType().getElementType());
}

LogicalResult ProjectTileOp::verify() {
  // project_tile_c1
  if (failed(expectRank(*this, "input", getInput(), 2, "[S, M]")) ||
      failed(expectRank(*this, "weight", getWeight(), 2, "[M, N]")) ||
      failed(expectRank(*this, "result", getResult(), 2, "[S, N]")) ||
      (getBias() && failed(expectRank(*this, "bias", getBias(), 1, "[N]"))))
    return failure();
  // project_tile_c2
  MemRefType weight = getWeight().getType();
  if (getRows() < 1)
    return emitOpError("expects at least 1 row, but got ") << getRows();
  int64_t width = weight.getDimSize(1);
  if (!weight.hasStaticShape() ||
      getInput().getType().getDimSize(1) != weight.getDimSize(0) ||
      getResult().getType().getDimSize(1) != width ||
      (getBias() &&
       cast<MemRefType>(getBias().getType()).getDimSize(0) != width))
    return emitOpError("expects the static sizes of input, bias and result to "
                       "match the weight ")
           << weight;
  return success();
}

LogicalResult LoadQueriesOp::verify() {
  // load_queries_c1
  if (failed(expectRank(*this, "query", getQuery(), 3, "[heads, Sq, D]")))
    return failure();
  auto tile = cast<VectorType>(getResult().getType());
  if (failed(verifyRows(*this, tile.getDimSize(0), getQuery())))
    return failure();
  MemRefType view = getQuery().getType();
  if (view.getDimSize(2) != tile.getDimSize(1) ||
      view.getElementType() != tile.getElementType())
    return emitOpError("expects a tile with the head dim and element type of ")
           << view << ", but got " << tile;
  return success();
}

LogicalResult ScoresOp::verify() {
  auto query = cast<VectorType>(getQuery().getType());
  auto scores = cast<VectorType>(getScores().getType());
  auto key = cast<MemRefType>(getKey().getType());
  // scores_c1
  if (key.getRank() != 2 || key.getDimSize(1) != query.getDimSize(1) ||
      key.getElementType() != query.getElementType())
    return emitOpError("expects a key view [Sk, D] with the head dim and "
                       "element type of ")
           << query << ", but got " << key;
  // scores_c2
  Type accumulator = getAccumulatorType(query.getElementType());
  if (scores.getDimSize(0) != query.getDimSize(0) ||
      scores.getElementType() != accumulator)
    return emitOpError("expects scores of ")
           << query.getDimSize(0) << " rows of " << accumulator << ", but got "
           << scores;
  if (getKeep() &&
      cast<VectorType>(getKeep().getType()).getShape() != scores.getShape())
    return emitOpError("expects keep with the shape of ")
           << scores << ", but got " << getKeep().getType();
  // scores_c3
  if (getHeads() < 1 || query.getDimSize(0) % getHeads() != 0)
    return emitOpError("expects heads to divide the ")
           << query.getDimSize(0) << " rows of the tile, but got "
           << getHeads();
  return verifyScale(*this, getScale(), query.getElementType());
}

static LogicalResult verifySameRows(Operation *op, StringRef name, Value value,
                                    int64_t rows) {
  auto type = cast<VectorType>(value.getType());
  if (type.getDimSize(0) != rows)
    return op->emitOpError("expects ")
           << name << " of " << rows << " rows, but got " << type;
  return success();
}

/// One value of the scores' type for each of their rows.
static LogicalResult verifyRowValue(Operation *op, StringRef name, Value value,
                                    VectorType scores) {
  auto expected =
      VectorType::get({scores.getDimSize(0)}, scores.getElementType());
  if (value.getType() != expected)
    return op->emitOpError("expects ") << name << " of type " << expected
                                       << ", but got " << value.getType();
  return success();
}

LogicalResult SoftmaxStepOp::verify() {
  // softmax_step_c1
  auto scores = cast<VectorType>(getScores().getType());
  return verifyRowValue(*this, "max", getMax(), scores);
}

LogicalResult AccumulateOp::verify() {
  auto acc = cast<VectorType>(getAcc().getType());
  auto value = cast<MemRefType>(getValue().getType());
  // accumulate_c1
  if (value.getRank() != 2 || value.getDimSize(1) != acc.getDimSize(1))
    return emitOpError("expects a value view [Sk, D] with the head dim of ")
           << acc << ", but got " << value;
  // accumulate_c2
  auto weights = cast<VectorType>(getWeights().getType());
  if (failed(
          verifySameRows(*this, "weights", getWeights(), acc.getDimSize(0))) ||
      failed(verifySameRows(*this, "rescale", getRescale(), acc.getDimSize(0))))
    return failure();
  if (getKeep() &&
      cast<VectorType>(getKeep().getType()).getShape() != weights.getShape())
    return emitOpError("expects keep with the shape of ")
           << weights << ", but got " << getKeep().getType();
  return success();
}

LogicalResult StoreOutputOp::verify() {
  auto acc = cast<VectorType>(getAcc().getType());
  int64_t rows = acc.getDimSize(0);
  // store_output_c1
  if (failed(expectRank(*this, "out", getOut(), 3, "[heads, Sq, Dv]")) ||
      failed(verifyRows(*this, rows, getOut())) ||
      failed(verifySameRows(*this, "max", getMax(), rows)) ||
      failed(verifySameRows(*this, "sum", getSum(), rows)))
    return failure();
  if (getOut().getType().getDimSize(2) != acc.getDimSize(1))
    return emitOpError("expects out with the head dim of ")
           << acc << ", but got " << getOut().getType();
  if (getLse())
    if (failed(expectRank(*this, "lse", getLse(), 2, "[heads, Sq]")) ||
        failed(verifyHeads(*this, "lse", getLse(),
                           getOut().getType().getDimSize(0))))
      return failure();
  return success();
}

LogicalResult LoadLseOp::verify() {
  // load_lse_c1
  if (failed(expectRank(*this, "lse", getLse(), 2, "[heads, Sq]")))
    return failure();
  return verifyRows(
      *this, cast<VectorType>(getResult().getType()).getDimSize(0), getLse());
}

LogicalResult NormalizeOp::verify() {
  // normalize_c1
  auto scores = cast<VectorType>(getScores().getType());
  return verifyRowValue(*this, "lse", getLse(), scores);
}

LogicalResult StoreWeightsOp::verify() {
  // store_weights_c1
  if (failed(expectRank(*this, "out", getOut(), 3, "[heads, Sq, Sk]")))
    return failure();
  return verifyRows(
      *this, cast<VectorType>(getWeights().getType()).getDimSize(0), getOut());
}
