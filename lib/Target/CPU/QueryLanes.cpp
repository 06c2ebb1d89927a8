//===- QueryLanes.cpp - tile operations with queries in lanes -------------===//

#include "QueryLanes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

static TileShape getShape(attn::LoadQueriesOp queries, int64_t lanes,
                          int64_t maxVectors) {
  TileShape shape;
  shape.rows = cast<VectorType>(queries.getResult().getType()).getDimSize(0);
  shape.heads = queries.getQuery().getType().getDimSize(0);
  shape.lanes = lanes;
  int64_t vectors = llvm::divideCeil(shape.rows, lanes);
  // As many vectors in a register tile as divide the rows evenly.
  shape.vectors = std::min(vectors, maxVectors);
  while (vectors % shape.vectors != 0)
    --shape.vectors;
  shape.panels = vectors / shape.vectors;
  return shape;
}

static FloatType getElement(attn::LoadQueriesOp queries) {
  return cast<FloatType>(
      attn::getAccumulatorType(queries.getQuery().getType().getElementType()));
}

QueryLanes::QueryLanes(scf::ForallOp forall, attn::LoadQueriesOp queries,
                       const CPUInfo &info)
    : forall(forall), queries(queries), info(info),
      element(getElement(queries)),
      shape(getShape(queries, info.getLanes(element.getWidth()),
                     info.getTileVectors())),
      buffers(shape, forall.getBody(), forall.getLoc(), element),
      tileRows(info.getTileRows(shape.vectors)) {
  MemRefType view = queries.getQuery().getType();
  if (view.getElementType() != element) {
    bool pairs = view.getElementType().isBF16() && info.hasBF16Dot &&
                 view.getDimSize(2) % 2 == 0;
    product = pairs ? Product::Dot : Product::Widened;
  }
  // Register tiles and transposes may overhang the keys of a tile.
  buffers.rowMultiple = std::lcm(tileRows, shape.lanes);
}

LogicalResult QueryLanes::run() {
  if (forall->getContext()->getRemarkEngine())
    explain();
  if (failed(lowerBlock(*forall.getBody())))
    return failure();
  // They use each other, and arguments of loops that go too.
  for (Operation *op : lowered)
    op->dropAllReferences();
  for (Operation *op : lowered) {
    op->dropAllUses();
    op->erase();
  }
  // Tile constants went into what used them.
  auto kernel = forall->getParentOfType<func::FuncOp>();
  SmallVector<Operation *> dead;
  kernel.walk([&](arith::ConstantOp constant) {
    if (constant->use_empty() && isTileType(constant.getType(), shape.rows))
      dead.push_back(constant);
  });
  for (Operation *op : dead)
    op->erase();
  return success();
}

LogicalResult QueryLanes::lowerBlock(Block &block) {
  // Operations written while lowering stand before the one they replace.
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(lowerOp(op)))
      return failure();
  return success();
}

LogicalResult QueryLanes::lowerOp(Operation &op) {
  auto isTile = [&](Type type) { return isTileType(type, shape.rows); };
  bool hasTiles = llvm::any_of(op.getOperandTypes(), isTile) ||
                  llvm::any_of(op.getResultTypes(), isTile);
  // A loop that carries no tile may have tile operations in its body.
  if (isa<scf::ForOp, scf::IfOp>(op))
    for (Region &region : op.getRegions())
      for (Operation &inner : region.getOps())
        hasTiles |= isa<attn::AttnDialect>(inner.getDialect());
  // A splat is written where it is used.
  if (!hasTiles || isa<arith::ConstantOp, scf::YieldOp>(op)) {
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        for (Operation &inner : nested)
          if (isa<attn::AttnDialect>(inner.getDialect()) &&
              !isa<attn::YieldOp>(inner))
            return inner.emitOpError(
                "expects at stage fused to be in the body "
                "of an scf.forall or of its scf.for loops and scf.if branches");
    return success();
  }
  if (isa<attn::AttnDialect>(op.getDialect()) && failed(materializeSplats(op)))
    return failure();
  LogicalResult result =
      llvm::TypeSwitch<Operation *, LogicalResult>(&op)
          .Case([&](scf::ForOp loop) { return lowerLoop(loop); })
          .Case([&](scf::IfOp branch) { return lowerBranch(branch); })
          .Case([&](attn::ScoresOp scores) { return lower(scores); })
          .Case<attn::LoadQueriesOp, attn::LoadLseOp, attn::StoreOutputOp,
                attn::StoreWeightsOp, attn::SoftmaxStepOp, attn::NormalizeOp,
                attn::AccumulateOp>([&](auto tileOp) {
            lower(tileOp);
            return success();
          })
          .Default([&](Operation *other) { return lowerElementwise(*other); });
  if (failed(result))
    return failure();
  if (!isa<scf::ForOp, scf::IfOp>(op)) {
    buffers.releaseDead(&op);
    lowered.push_back(&op);
  }
  return success();
}

/// Tile operations read buffers: a constant among their operands gets one.
LogicalResult QueryLanes::materializeSplats(Operation &op) {
  OpBuilder builder(&op);
  VectorBuilder b = makeBuilder(builder, &op);
  for (Value operand : op.getOperands()) {
    auto constant = operand.getDefiningOp<arith::ConstantOp>();
    if (!constant || !isTileType(operand.getType(), shape.rows))
      continue;
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      return constant.emitOpError("expects a tile constant to be a splat");
    // Filled where it is used: the buffer may be another value's elsewhere.
    Value buffer = buffers.lookup(operand);
    if (!buffer) {
      buffer = buffers.create(operand, &op);
      buffers.pin(buffer);
    }
    bool condition = splat.getElementType().isInteger(1);
    Value value =
        condition ? b.splatBits(splat.getSplatValue<APInt>().isZero() ? 0 : -1)
                  : Value(arith::ConstantOp::create(
                        builder, op.getLoc(),
                        DenseElementsAttr::get(
                            b.vectorType, splat.getSplatValue<Attribute>())));
    fillBuffer(b, buffer, value);
  }
  return success();
}

LogicalResult QueryLanes::lowerLoop(scf::ForOp loop) {
  OpBuilder builder(loop);
  VectorBuilder b = makeBuilder(builder, loop);
  SmallVector<Value> carried; // buffers, null for values that stay iter_args
  SmallVector<Value> kept;
  for (auto [init, argument, result] : llvm::zip(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    if (!isTileType(argument.getType(), shape.rows)) {
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

void QueryLanes::copyBuffer(VectorBuilder &b, Value from, Value to) {
  auto type = cast<MemRefType>(from.getType());
  int64_t rows = type.getRank() == 3 ? type.getDimSize(1) : 1;
  forPanels(b, [&](Value panel) {
    b.forLoop(b.index(0), b.index(rows), 1, [&](Value row) {
      for (int64_t v = 0; v < shape.vectors; ++v) {
        SmallVector<Value> at{panel};
        if (type.getRank() == 3)
          at.push_back(row);
        at.push_back(b.index(v * shape.lanes));
        b.store(b.load(from, at), to, at);
      }
    });
  });
}

void QueryLanes::fillBuffer(VectorBuilder &b, Value buffer, Value value) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t rows = type.getRank() == 3 ? type.getDimSize(1) : 1;
  forPanels(b, [&](Value panel) {
    b.forLoop(b.index(0), b.index(rows), 1, [&](Value row) {
      for (int64_t v = 0; v < shape.vectors; ++v) {
        SmallVector<Value> at{panel};
        if (type.getRank() == 3)
          at.push_back(row);
        at.push_back(b.index(v * shape.lanes));
        b.store(value, buffer, at);
      }
    });
  });
}

/// arith and math between the tile operations: the same operation per vector.
LogicalResult QueryLanes::lowerElementwise(Operation &op) {
  auto refuse = [&](const Twine &why) {
    return op.emitOpError("can't be lowered between tile operations: ") << why;
  };
  bool splat = isa<vector::BroadcastOp>(op) &&
               !isa<VectorType>(op.getOperand(0).getType());
  if (!splat && !OpTrait::hasElementwiseMappableTraits(&op))
    return refuse("expects an elementwise operation");
  if (op.getNumResults() != 1)
    return refuse("expects one result");
  Value result = op.getResult(0);
  auto type = cast<VectorType>(result.getType());
  auto isSupported = [&](Type t) {
    auto vector = dyn_cast<VectorType>(t);
    return vector && vector.getShape() == type.getShape() &&
           (vector.getElementType() == element ||
            vector.getElementType().isInteger(1));
  };
  if (!isSupported(type))
    return refuse("expects tiles of the accumulation type or of i1");
  if (!splat)
    for (Type operand : op.getOperandTypes())
      if (!isSupported(operand))
        return refuse("expects operands of one shape, of the accumulation type "
                      "or of i1");

  OpBuilder builder(&op);
  VectorBuilder b = makeBuilder(builder, &op);
  Value donor;
  for (Value operand : op.getOperands())
    if (isTileType(operand.getType(), shape.rows) && !donor &&
        buffers.lookup(operand) &&
        buffers.getType(operand.getType()) == buffers.getType(type))
      donor = operand;
  Value buffer = buffers.create(result, &op, donor);
  bool isTile = type.getRank() == 2;
  bool isCondition = type.getElementType().isInteger(1);
  LogicalResult status = success();
  forPanels(b, [&](Value panel) {
    b.forLoop(
        b.index(0), b.index(isTile ? type.getDimSize(1) : 1), 1,
        [&](Value row) {
          for (int64_t v = 0; v < shape.vectors; ++v) {
            SmallVector<Value> at{panel}, operands;
            if (isTile)
              at.push_back(row);
            at.push_back(b.index(v * shape.lanes));
            for (Value operand : op.getOperands()) {
              if (splat) {
                operands.push_back(operand);
                continue;
              }
              bool condition = cast<VectorType>(operand.getType())
                                   .getElementType()
                                   .isInteger(1);
              if (Value source = buffers.lookup(operand)) {
                Value value = b.load(source, at);
                if (condition)
                  value = arith::CmpIOp::create(builder, op.getLoc(),
                                                arith::CmpIPredicate::ne, value,
                                                b.splatBits(0));
                operands.push_back(value);
                continue;
              }
              auto constant = operand.getDefiningOp<arith::ConstantOp>();
              auto values =
                  constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                           : nullptr;
              if (!values) {
                status = refuse("expects constants to be splats");
                return;
              }
              operands.push_back(arith::ConstantOp::create(
                  builder, op.getLoc(),
                  DenseElementsAttr::get(condition ? b.maskType : b.vectorType,
                                         values.getSplatValue<Attribute>())));
            }
            OperationState state(op.getLoc(), op.getName(), operands,
                                 {isCondition ? b.maskType : b.vectorType},
                                 op.getAttrs());
            Value value = builder.create(state)->getResult(0);
            if (isCondition)
              value = arith::ExtSIOp::create(builder, op.getLoc(), b.bitsType,
                                             value);
            b.store(value, buffer, at);
          }
        });
  });
  return status;
}

void QueryLanes::forPanels(VectorBuilder &b,
                           llvm::function_ref<void(Value)> body) {
  if (shape.panels == 1)
    return body(b.index(0));
  b.forLoop(b.index(0), b.index(shape.panels), 1, body);
}

std::pair<Value, Value> QueryLanes::getPlace(VectorBuilder &b, Value lane,
                                             Value firstRow, Value lastRow) {
  if (shape.getWidth() * shape.panels != shape.rows)
    lane = b.minSigned(lane, b.index(shape.rows - 1));
  if (shape.heads == 1)
    return {b.index(0), b.minSigned(b.add(firstRow, lane), lastRow)};
  Value queries = b.index(shape.getQueries());
  Value head = b.builder.createOrFold<arith::DivUIOp>(b.loc, lane, queries);
  Value query = b.builder.createOrFold<arith::RemUIOp>(b.loc, lane, queries);
  return {head, b.minSigned(b.add(firstRow, query), lastRow)};
}

Value QueryLanes::getCount(VectorBuilder &b, Value count, Type tile) {
  return count ? count : b.index(cast<VectorType>(tile).getDimSize(1));
}
