//===- VerifyTensorOps.cpp - verifiers of attn.sdpa and its kin -----------===//

#include "Verify.h"

using namespace mlir;
using namespace fovea::attn;

/// Checks what query and key of `attn.sdpa` and `attn.sdpa_weights` have in
/// common: shapes, element type, head counts and head dims.
static LogicalResult verifyQueryAndKey(Operation *op, RankedTensorType query,
                                       RankedTensorType key) {
  for (auto [name, type] : {std::pair("query", query), std::pair("key", key)}) {
    // sdpa_c1
    if (type.getRank() != 4)
      return op->emitOpError("expects ")
             << name << " of rank 4 [batch, heads, length, head dim], but got "
             << type;
    // sdpa_c4
    for (auto [what, dim] : {std::pair("heads", 1), std::pair("head dim", 3)})
      if (type.isDynamicDim(dim) || type.getDimSize(dim) < 1)
        return op->emitOpError("expects ")
               << name << " " << what
               << " to be static and at least 1, but got " << type;
  }
  // sdpa_c1
  if (query.getElementType() != key.getElementType())
    return op->emitOpError("expects key element type to equal that of query, "
                           "but got ")
           << query.getElementType() << " and " << key.getElementType();
  // sdpa_c2
  if (!compatible(query.getDimSize(0), key.getDimSize(0)))
    return op->emitOpError("expects key batch to equal query batch, but got ")
           << query.getDimSize(0) << " and " << key.getDimSize(0);
  // sdpa_c3
  if (query.getDimSize(3) != key.getDimSize(3))
    return op->emitOpError(
               "expects key head dim to equal query head dim, but got ")
           << query.getDimSize(3) << " and " << key.getDimSize(3);
  // sdpa_c5
  if (query.getDimSize(1) % key.getDimSize(1) != 0)
    return op->emitOpError("expects query heads to be a multiple of key heads, "
                           "but got ")
           << query.getDimSize(1) << " and " << key.getDimSize(1);
  return success();
}

/// Checks a result or LSE against the shape and element type it must have.
static LogicalResult verifyShape(Operation *op, StringRef name,
                                 RankedTensorType type, ArrayRef<int64_t> shape,
                                 Type element) {
  bool matches = type.getRank() == static_cast<int64_t>(shape.size()) &&
                 type.getElementType() == element;
  if (matches)
    for (auto [got, want] : llvm::zip(type.getShape(), shape))
      matches &= compatible(got, want);
  if (!matches)
    return op->emitOpError("expects ")
           << name << " of type " << RankedTensorType::get(shape, element)
           << ", but got " << type;
  return success();
}

/// sdpa_c14
template <typename OpTy> static LogicalResult verifyShortTilings(OpTy op) {
  ArrayAttr shorts = op.getShortTilingsAttr();
  if (!shorts)
    return success();
  if (!op.getTiling())
    return op.emitOpError("expects a tiling beside its short tilings");
  int64_t least = 0;
  for (auto tiling : shorts.template getAsRange<TilingAttr>()) {
    if (tiling.getQueries() <= least)
      return op.emitOpError("expects short tilings in the order of their "
                            "queries, but got ")
             << tiling.getQueries() << " after " << least;
    least = tiling.getQueries();
  }
  return success();
}

LogicalResult SdpaOp::verify() {
  RankedTensorType query = getQuery().getType(), key = getKey().getType(),
                   value = getValue().getType();
  if (failed(verifyQueryAndKey(*this, query, key)))
    return failure();
  Type element = query.getElementType();
  // sdpa_c1
  if (value.getRank() != 4 || value.getElementType() != element)
    return emitOpError("expects value of rank 4 [batch, heads, length, head "
                       "dim] and element type ")
           << element << ", but got " << value;
  // sdpa_c2
  if (!compatible(query.getDimSize(0), value.getDimSize(0)))
    return emitOpError("expects value batch to equal query batch, but got ")
           << query.getDimSize(0) << " and " << value.getDimSize(0);
  // sdpa_c4
  if (value.isDynamicDim(3) || value.getDimSize(3) < 1)
    return emitOpError("expects value head dim to be static and at least 1, "
                       "but got ")
           << value;
  // sdpa_c5
  if (value.getDimSize(1) != key.getDimSize(1))
    return emitOpError("expects value heads to equal key heads, but got ")
           << value.getDimSize(1) << " and " << key.getDimSize(1);
  // sdpa_c6
  if (!compatible(key.getDimSize(2), value.getDimSize(2)))
    return emitOpError("expects value length to equal key length, but got ")
           << value.getDimSize(2) << " and " << key.getDimSize(2);
  // sdpa_c7
  int64_t batch = query.getDimSize(0), heads = query.getDimSize(1),
          length = query.getDimSize(2);
  if (failed(verifyShape(*this, "out", getOut().getType(),
                         {batch, heads, length, value.getDimSize(3)}, element)))
    return failure();
  // sdpa_c8
  if (getLse() && failed(verifyShape(
                      *this, "lse", cast<RankedTensorType>(getLse().getType()),
                      {batch, heads, length}, getAccumulatorType(element))))
    return failure();
  if (failed(verifyShortTilings(*this)))
    return failure();
  return verifyScale(*this, getScale(), element);
}

LogicalResult SdpaWeightsOp::verify() {
  RankedTensorType query = getQuery().getType(), key = getKey().getType();
  // sdpa_weights_c1
  if (failed(verifyQueryAndKey(*this, query, key)))
    return failure();
  Type element = query.getElementType();
  int64_t batch = query.getDimSize(0), heads = query.getDimSize(1),
          length = query.getDimSize(2);
  // sdpa_weights_c2
  if (failed(verifyShape(*this, "lse", getLse().getType(),
                         {batch, heads, length}, getAccumulatorType(element))))
    return failure();
  // sdpa_weights_c3
  if (failed(verifyShape(*this, "weights", getWeights().getType(),
                         {batch, heads, length, key.getDimSize(2)}, element)))
    return failure();
  if (failed(verifyShortTilings(*this)))
    return failure();
  return verifyScale(*this, getScale(), element);
}

/// The number of tokens' columns of a rank-2, rank-3 or (heads apart) rank-4
/// tensor, or dynamic.
static int64_t getWidth(RankedTensorType type) {
  int64_t last = type.getShape().back();
  if (type.getRank() < 4)
    return last;
  if (type.isDynamicDim(1) || type.isDynamicDim(3))
    return ShapedType::kDynamic;
  return type.getDimSize(1) * last;
}

static int64_t getBatch(RankedTensorType type) {
  return type.getRank() == 2 ? 1 : type.getDimSize(0);
}

static int64_t getLength(RankedTensorType type) {
  return type.getDimSize(type.getRank() - 2);
}

LogicalResult ProjectOp::verify() {
  RankedTensorType input = getInput().getType(), weight = getWeight().getType(),
                   result = getResult().getType();
  Type element = input.getElementType();
  // project_c1
  if (weight.getElementType() != element ||
      result.getElementType() != element ||
      (getBias() &&
       cast<RankedTensorType>(getBias().getType()).getElementType() != element))
    return emitOpError("expects weight, bias and result of element type ")
           << element << " like the input";
  for (auto [name, type] :
       {std::pair("input", input), std::pair("result", result)}) {
    // project_c4
    if (type.getRank() < 2 || type.getRank() > 4)
      return emitOpError("expects ")
             << name << " of rank 2 to 4, but got " << type;
    // project_c5
    if (type.getRank() == 4 && (type.isDynamicDim(1) || type.isDynamicDim(3)))
      return emitOpError("expects static heads and head dim in ")
             << name << ", but got " << type;
  }
  // project_c5
  if (input.getRank() != 4 && result.getRank() != 4)
    return emitOpError("expects input or result of rank 4; use linalg.matmul "
                       "for a plain product");
  // project_c2
  if (weight.getRank() != 2 || !weight.hasStaticShape() ||
      getWidth(input) != weight.getDimSize(0))
    return emitOpError("expects a static weight with as many rows as the "
                       "tokens have columns, but got ")
           << weight << " for " << input;
  // project_c3
  if (getBias()) {
    auto bias = cast<RankedTensorType>(getBias().getType());
    if (bias.getRank() != 1 || bias.getDimSize(0) != weight.getDimSize(1))
      return emitOpError("expects bias of ")
             << weight.getDimSize(1) << " elements, but got " << bias;
  }
  // project_c4
  if (!compatible(getBatch(input), getBatch(result)) ||
      !compatible(getLength(input), getLength(result)) ||
      getWidth(result) != weight.getDimSize(1))
    return emitOpError("expects result with the batch and length of ")
           << input << " and width " << weight.getDimSize(1) << ", but got "
           << result;
  return success();
}

/// Whether `tokens` can be [B,S,H,D], [B,S,H*D] or [S,H*D] of `heads`, which is
/// [B,H,S,D].
static bool areTokensOf(RankedTensorType tokens, RankedTensorType heads) {
  if (tokens.getElementType() != heads.getElementType())
    return false;
  if (tokens.getRank() == 4)
    return compatible(tokens.getDimSize(0), heads.getDimSize(0)) &&
           compatible(tokens.getDimSize(1), heads.getDimSize(2)) &&
           tokens.getDimSize(2) == heads.getDimSize(1) &&
           tokens.getDimSize(3) == heads.getDimSize(3);
  return tokens.getRank() >= 2 &&
         compatible(getBatch(heads), getBatch(tokens)) &&
         compatible(getLength(heads), getLength(tokens)) &&
         getWidth(heads) == tokens.getShape().back();
}

/// merge_heads_c1 and split_heads_c1.
static LogicalResult verifyHeads(Operation *op, RankedTensorType heads,
                                 StringRef headsName, RankedTensorType tokens,
                                 StringRef tokensName) {
  if (heads.getRank() != 4 || heads.isDynamicDim(1) || heads.isDynamicDim(3))
    return op->emitOpError("expects ")
           << headsName << " of rank 4 with static heads and head dim, but got "
           << heads;
  if (!areTokensOf(tokens, heads))
    return op->emitOpError("expects ")
           << tokensName << " with the batch, length and width of " << heads
           << ", but got " << tokens;
  return success();
}

LogicalResult MergeHeadsOp::verify() {
  // merge_heads_c1
  return verifyHeads(*this, getInput().getType(), "input",
                     getResult().getType(), "result");
}

LogicalResult SplitHeadsOp::verify() {
  // split_heads_c1
  if (getInput().getType().getRank() < 3)
    return emitOpError("expects input of rank 3 or 4, but got ")
           << getInput().getType();
  return verifyHeads(*this, getResult().getType(), "result",
                     getInput().getType(), "input");
}
