//===- VerifyLayer.cpp - verifier of attn.layer ---------------------------===//

#include "Verify.h"

using namespace mlir;
using namespace fovea::attn;

/// Checks one weight and its bias against the width of what it projects.
static LogicalResult verifyWeight(LayerOp op, StringRef name, Value weight,
                                  Value bias, int64_t width, int64_t heads) {
  auto type = cast<RankedTensorType>(weight.getType());
  Type element = op.getInput().getType().getElementType();
  // layer_c2
  if (type.getRank() != 2 || !type.hasStaticShape() ||
      type.getElementType() != element ||
      !compatible(type.getDimSize(0), width))
    return op.emitOpError("expects w")
           << name << " of rank 2 and element type " << element << " with "
           << width << " rows, but got " << type;
  // layer_c3
  if (type.getDimSize(1) < 1 || type.getDimSize(1) % heads != 0)
    return op.emitOpError("expects the columns of w")
           << name << " to be a positive multiple of its " << heads
           << " heads, but got " << type.getDimSize(1);
  // layer_c4
  if (bias) {
    auto biasType = cast<RankedTensorType>(bias.getType());
    if (biasType != RankedTensorType::get({type.getDimSize(1)}, element))
      return op.emitOpError("expects b")
             << name << " of type "
             << RankedTensorType::get({type.getDimSize(1)}, element)
             << ", but got " << biasType;
  }
  return success();
}

LogicalResult LayerOp::verify() {
  RankedTensorType input = getInput().getType();
  auto context =
      getSource() ? cast<RankedTensorType>(getSource().getType()) : input;
  Type element = input.getElementType();
  int64_t heads = getQueryHeads(), kvHeads = getKvHeads();
  // layer_c1
  for (auto [name, type] :
       {std::pair("input", input), std::pair("context", context)})
    if ((type.getRank() != 2 && type.getRank() != 3) ||
        type.isDynamicDim(type.getRank() - 1) ||
        type.getElementType() != element)
      return emitOpError("expects ")
             << name << " of rank 2 or 3, element type " << element
             << " and static width, but got " << type;
  if (input.getRank() != context.getRank() ||
      (input.getRank() == 3 &&
       !compatible(input.getDimSize(0), context.getDimSize(0))))
    return emitOpError("expects context with the rank and batch of ")
           << input << ", but got " << context;
  // layer_c3
  if (heads < 1 || kvHeads < 1 || heads % kvHeads != 0)
    return emitOpError("expects query heads to be a positive multiple of key "
                       "heads, but got ")
           << heads << " and " << kvHeads;
  if (failed(verifyWeight(*this, "q", getWq(), getBq(), input.getShape().back(),
                          heads)) ||
      failed(verifyWeight(*this, "k", getWk(), getBk(),
                          context.getShape().back(), kvHeads)) ||
      failed(verifyWeight(*this, "v", getWv(), getBv(),
                          context.getShape().back(), kvHeads)))
    return failure();
  int64_t headDim = getWq().getType().getDimSize(1) / heads;
  if (headDim != getWk().getType().getDimSize(1) / kvHeads)
    return emitOpError("expects wq and wk to give the same head dim, but got ")
           << headDim << " and " << getWk().getType().getDimSize(1) / kvHeads;
  // layer_c4
  if (getBo() && !getWo())
    return emitOpError("expects wo where there is an output bias");
  int64_t width = heads * (getWv().getType().getDimSize(1) / kvHeads);
  if (getWo()) {
    if (failed(verifyWeight(*this, "o", getWo(), getBo(), width, 1)))
      return failure();
    width = cast<RankedTensorType>(getWo().getType()).getDimSize(1);
  }
  // layer_c5
  auto check = [&](StringRef name, Value result, ArrayRef<int64_t> shape,
                   Type type) -> LogicalResult {
    if (!result)
      return success();
    auto got = cast<RankedTensorType>(result.getType());
    bool matches = got.getRank() == static_cast<int64_t>(shape.size()) &&
                   got.getElementType() == type;
    for (int64_t i = 0; matches && i < got.getRank(); ++i)
      matches = compatible(got.getDimSize(i), shape[i]);
    if (!matches)
      return emitOpError("expects ")
             << name << " of type " << RankedTensorType::get(shape, type)
             << ", but got " << got;
    return success();
  };
  int64_t rank = input.getRank();
  int64_t batch = rank == 3 ? input.getDimSize(0) : 1;
  int64_t length = input.getDimSize(rank - 2),
          keys = context.getDimSize(rank - 2);
  SmallVector<int64_t> outShape{length, width};
  if (rank == 3)
    outShape.insert(outShape.begin(), batch);
  if (failed(check("out", getOut(), outShape, element)) ||
      failed(check("lse", getLse(), {batch, heads, length},
                   getAccumulatorType(element))) ||
      failed(check("weights", getWeights(), {batch, heads, length, keys},
                   element)))
    return failure();
  return verifyScale(*this, getScale(), element);
}
