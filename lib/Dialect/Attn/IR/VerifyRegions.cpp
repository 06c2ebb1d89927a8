//===- VerifyRegions.cpp - offset, score and mask regions -----------------===//

#include "Verify.h"

using namespace mlir;
using namespace fovea::attn;

LogicalResult fovea::attn::verifyScale(Operation *op, Value scale,
                                       Type element) {
  // sdpa_c9
  Type expected = getAccumulatorType(element);
  if (scale.getType() != expected)
    return op->emitOpError("expects scale of type ")
           << expected << ", but got " << scale.getType();
  return success();
}

/// Checks the block arguments, the yielded type and the operations of one
/// region. `leading` is the type of the first argument if it is not an index.
static LogicalResult verifyRegion(Operation *op, Region &region, StringRef name,
                                  Type leading, unsigned indices, Type result) {
  Block &block = region.front();
  unsigned expected = indices + (leading ? 1 : 0);
  if (block.getNumArguments() != expected)
    return op->emitOpError("expects ")
           << expected << " arguments in the " << name << " region, but got "
           << block.getNumArguments();
  for (BlockArgument argument : block.getArguments()) {
    Type want = leading && argument.getArgNumber() == 0
                    ? leading
                    : IndexType::get(op->getContext());
    if (argument.getType() != want)
      return op->emitOpError("expects argument ")
             << argument.getArgNumber() << " of the " << name
             << " region to be " << want << ", but got " << argument.getType();
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return op->emitOpError("expects the ")
           << name << " region to end in attn.yield";
  if (yield.getValue().getType() != result)
    return op->emitOpError("expects the ")
           << name << " region to yield " << result << ", but got "
           << yield.getValue().getType();
  for (Operation &nested : block.without_terminator()) {
    // sdpa_c13. Reading memory is what a capture does from stage tiled on.
    bool reads = hasSingleEffect<MemoryEffects::Read>(&nested);
    if (nested.getNumRegions() != 0 || !(isMemoryEffectFree(&nested) || reads))
      return nested.emitOpError("is not allowed in the ")
             << name << " region of " << op->getName()
             << ", which holds pure operations without regions";
  }
  return success();
}

LogicalResult fovea::attn::verifyRegions(Operation *op, Region *offset,
                                         Region *score, Region *mask,
                                         Type element) {
  Type index = IndexType::get(op->getContext());
  Type accumulator = getAccumulatorType(element);
  // sdpa_c10
  if (offset && !offset->empty() &&
      failed(verifyRegion(op, *offset, "offset", Type(), 1, index)))
    return failure();
  // sdpa_c11
  if (score && !score->empty() &&
      failed(verifyRegion(op, *score, "score", accumulator, 5, accumulator)))
    return failure();
  // sdpa_c12
  if (mask && !mask->empty() &&
      failed(verifyRegion(op, *mask, "mask", Type(), 5,
                          IntegerType::get(op->getContext(), 1))))
    return failure();
  return success();
}

LogicalResult SdpaOp::verifyRegions() {
  return fovea::attn::verifyRegions(*this, &getOffset(), &getScore(),
                                    &getMask(),
                                    getQuery().getType().getElementType());
}

LogicalResult SdpaWeightsOp::verifyRegions() {
  return fovea::attn::verifyRegions(*this, &getOffset(), &getScore(),
                                    &getMask(),
                                    getQuery().getType().getElementType());
}

LogicalResult LayerOp::verifyRegions() {
  return fovea::attn::verifyRegions(*this, &getOffset(), &getScore(),
                                    &getMask(),
                                    getInput().getType().getElementType());
}

LogicalResult SdpaTileOp::verifyRegions() {
  return fovea::attn::verifyRegions(*this, nullptr, &getScore(), &getMask(),
                                    getQuery().getType().getElementType());
}

LogicalResult WeightsTileOp::verifyRegions() {
  return fovea::attn::verifyRegions(*this, nullptr, &getScore(), &getMask(),
                                    getQuery().getType().getElementType());
}

LogicalResult ScoresOp::verifyRegions() {
  return fovea::attn::verifyRegions(*this, nullptr, &getScore(), &getMask(),
                                    getQuery().getType().getElementType());
}
