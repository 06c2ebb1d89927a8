//===- TileLoweringLoops.cpp - scf.for that carries tiles -----------------===//

#include "TileLowering.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

LogicalResult TileLowering::lowerLoop(scf::ForOp loop) {
  OpBuilder builder(loop);
  VectorBuilder b = makeBuilder(builder, loop);
  SmallVector<Value> carried; // buffers, null for values that stay iter_args
  SmallVector<Value> kept;
  for (auto [init, argument, result] : llvm::zip(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    if (!isTileType(argument.getType(), rows)) {
      carried.push_back(nullptr);
      kept.push_back(init);
      continue;
    }
    Value buffer;
    if (auto constant = init.getDefiningOp<arith::ConstantOp>()) {
      auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
      if (!splat)
        return constant.emitOpError("expects a tile constant to be a splat");
      buffer = buffers.create(argument, loop);
      Value start = arith::ConstantOp::create(
          builder, loop.getLoc(),
          DenseElementsAttr::get(b.vectorType,
                                 splat.getSplatValue<Attribute>()));
      fillBuffer(b, buffer, start);
    } else {
      // The loop may overwrite its start only if nothing else reads it there.
      bool onlyStart = llvm::count(loop.getInitArgs(), init) == 1 &&
                       llvm::none_of(init.getUsers(), [&](Operation *user) {
                         return loop->isProperAncestor(user);
                       });
      buffer = buffers.create(argument, loop, onlyStart ? init : Value());
      if (buffer != buffers.lookup(init))
        copyBuffer(b, buffers.lookup(init), buffer);
    }
    buffers.assign(argument, buffer);
    buffers.assign(result, buffer);
    buffers.pin(buffer);
    carried.push_back(buffer);
  }

  auto bare = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), kept);
  // The body moves over; tile arguments live on in the buffer map alone.
  if (failed(lowerBlock(*loop.getBody())))
    return failure();
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  builder.setInsertionPoint(yield);
  SmallVector<std::pair<Value, Value>> copies;
  SmallVector<Value> yielded;
  for (auto [value, buffer] : llvm::zip(yield.getOperands(), carried)) {
    if (!buffer) {
      yielded.push_back(value);
      continue;
    }
    Value source = buffers.lookup(value);
    if (!source) {
      auto constant = value.getDefiningOp<arith::ConstantOp>();
      if (!constant)
        return yield.emitOpError("yields a tile that was not computed");
      return constant.emitOpError("can't be yielded by a loop over key tiles");
    }
    if (source != buffer)
      copies.emplace_back(source, buffer);
  }
  // Values that change places go through temporaries.
  bool conflict = llvm::any_of(copies, [&](auto copy) {
    return llvm::is_contained(carried, copy.first);
  });
  for (auto &[source, target] : copies) {
    if (!conflict)
      continue;
    auto type = cast<MemRefType>(source.getType());
    Value temporary =
        buffers.createTemporary(type.getShape(), type.getElementType());
    copyBuffer(b, source, temporary);
    source = temporary;
  }
  for (auto [source, target] : copies)
    copyBuffer(b, source, target);
  for (auto [source, target] : copies)
    if (conflict)
      buffers.release(source);

  loop.getInductionVar().replaceAllUsesWith(bare.getInductionVar());
  unsigned next = 0;
  for (auto [argument, result, buffer] :
       llvm::zip(loop.getRegionIterArgs(), loop.getResults(), carried))
    if (!buffer) {
      argument.replaceAllUsesWith(bare.getRegionIterArg(next));
      result.replaceAllUsesWith(bare.getResult(next++));
    }
  yield->setOperands(yielded);
  Block *body = bare.getBody();
  if (!body->empty())
    body->getTerminator()->erase();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  for (Value buffer : carried)
    if (buffer)
      buffers.unpin(buffer);
  // Dead results free their buffers; dead inits were taken over.
  buffers.releaseDead(loop);
  lowered.push_back(loop);
  return success();
}
