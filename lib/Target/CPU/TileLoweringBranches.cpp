//===- TileLoweringBranches.cpp - scf.if that yields tiles ----------------===//
//
// Both branches leave a tile in one buffer. Where a branch hands through what
// the loop carries (a skipped key tile), that is the carried buffer itself, and
// the other branch computes in place.
//
//===----------------------------------------------------------------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Where the results of an scf.if go; null for results that stay values.
static Value chooseTarget(TileBuffers &buffers, scf::IfOp branch,
                          ArrayRef<Value> yielded, ArrayRef<Value> sources,
                          ArrayRef<Value> taken) {
  for (auto [value, source] : llvm::zip(yielded, sources)) {
    if (!source || !buffers.isPinned(source) ||
        llvm::is_contained(taken, source))
      continue;
    // The buffer is overwritten in the other branch: what it held must not be
    // read after that.
    Value passed = value;
    bool isOutside =
        !branch->isAncestor(passed.getParentBlock()->getParentOp());
    bool isInPlace =
        llvm::all_of(sources, [&](Value other) { return other == source; });
    if (isInPlace || (isOutside && buffers.diesInBranchAt(passed, branch)))
      return source;
  }
  return nullptr;
}

LogicalResult TileLowering::lowerBranch(scf::IfOp branch) {
  for (Region &region : branch->getRegions())
    if (!region.empty() && failed(lowerBlock(region.front())))
      return failure();

  OpBuilder builder(branch);
  SmallVector<scf::YieldOp> yields;
  for (Region &region : branch->getRegions())
    if (!region.empty())
      yields.push_back(cast<scf::YieldOp>(region.front().getTerminator()));

  SmallVector<Value> targets, taken;
  SmallVector<Type> keptTypes;
  for (OpResult result : branch.getResults()) {
    if (!isTileType(result.getType(), rows)) {
      targets.push_back(nullptr);
      keptTypes.push_back(result.getType());
      continue;
    }
    SmallVector<Value> yielded, sources;
    for (scf::YieldOp yield : yields) {
      Value value = yield.getOperand(result.getResultNumber());
      yielded.push_back(value);
      sources.push_back(buffers.lookup(value));
    }
    Value target = chooseTarget(buffers, branch, yielded, sources, taken);
    if (target)
      buffers.assign(result, target);
    else
      target = buffers.create(result, branch);
    targets.push_back(target);
    taken.push_back(target);
  }

  for (scf::YieldOp yield : yields)
    if (failed(storeYielded(yield, targets)))
      return failure();

  auto bare =
      scf::IfOp::create(builder, branch.getLoc(), keptTypes,
                        branch.getCondition(), !branch.getElseRegion().empty());
  for (auto [from, to] : llvm::zip(branch->getRegions(), bare->getRegions())) {
    if (from.empty())
      continue;
    Block &body = to.front();
    body.clear();
    body.getOperations().splice(body.end(), from.front().getOperations());
  }
  unsigned next = 0;
  for (auto [result, target] : llvm::zip(branch.getResults(), targets))
    if (!target)
      result.replaceAllUsesWith(bare.getResult(next++));
  buffers.releaseDead(branch);
  lowered.push_back(branch);
  return success();
}

/// Copies the tiles that `yield` ends a branch with to `targets`, and leaves
/// it the other values.
LogicalResult TileLowering::storeYielded(scf::YieldOp yield,
                                         ArrayRef<Value> targets) {
  OpBuilder builder(yield);
  VectorBuilder b = makeBuilder(builder, yield);
  SmallVector<std::pair<Value, Value>> copies;
  SmallVector<Value> kept;
  for (auto [value, target] : llvm::zip(yield.getOperands(), targets)) {
    if (!target) {
      kept.push_back(value);
      continue;
    }
    if (Value source = buffers.lookup(value)) {
      if (source != target)
        copies.emplace_back(source, target);
      continue;
    }
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    auto splat =
        constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr;
    if (!splat || !isa<FloatType>(splat.getElementType()))
      return yield.emitOpError("yields a tile that was not computed");
    fillBuffer(b, target,
               arith::ConstantOp::create(
                   builder, yield.getLoc(),
                   DenseElementsAttr::get(b.vectorType,
                                          splat.getSplatValue<Attribute>())));
  }
  // Values that change places go through temporaries.
  bool conflict = llvm::any_of(copies, [&](auto copy) {
    return llvm::is_contained(targets, copy.first);
  });
  SmallVector<Value> temporaries;
  for (auto &[source, target] : copies) {
    if (!conflict)
      continue;
    auto type = cast<MemRefType>(source.getType());
    temporaries.push_back(
        buffers.createTemporary(type.getShape(), type.getElementType()));
    copyBuffer(b, source, temporaries.back());
    source = temporaries.back();
  }
  for (auto [source, target] : copies)
    copyBuffer(b, source, target);
  for (Value temporary : temporaries)
    buffers.release(temporary);
  yield->setOperands(kept);
  return success();
}
