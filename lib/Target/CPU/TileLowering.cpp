//===- TileLowering.cpp - tile operations to vector code on scratch -------===//

#include "TileLowering.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

QueryTile::QueryTile(attn::LoadQueriesOp load)
    : op(load),
      rows(cast<VectorType>(load.getResult().getType()).getDimSize(0)),
      heads(load.getQuery().getType().getDimSize(0)),
      stored(load.getQuery().getType().getElementType()),
      headDim(load.getQuery().getType().getDimSize(2)) {}

QueryTile::QueryTile(attn::StoreOutputOp store)
    : op(store), rows(cast<VectorType>(store.getAcc().getType()).getDimSize(0)),
      heads(store.getOut().getType().getDimSize(0)),
      stored(store.getOut().getType().getElementType()),
      headDim(store.getOut().getType().getDimSize(2)) {}

TileLowering::TileLowering(scf::ForallOp forall, const QueryTile &tile,
                           int64_t lanes, TileBuffers::Sizes sizes)
    : forall(forall), tile(tile),
      element(cast<FloatType>(attn::getAccumulatorType(tile.stored))),
      rows(tile.rows), heads(tile.heads), lanes(lanes),
      buffers(std::move(sizes), forall.getBody(), forall.getLoc(), element) {}

LogicalResult TileLowering::run() {
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
    if (constant->use_empty() && isTileType(constant.getType(), rows))
      dead.push_back(constant);
  });
  for (Operation *op : dead)
    op->erase();
  return success();
}

LogicalResult TileLowering::lowerBlock(Block &block) {
  // Operations written while lowering stand before the one they replace.
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(lowerOp(op)))
      return failure();
  return success();
}

LogicalResult TileLowering::lowerOp(Operation &op) {
  auto isTile = [&](Type type) { return isTileType(type, rows); };
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
LogicalResult TileLowering::materializeSplats(Operation &op) {
  OpBuilder builder(&op);
  VectorBuilder b = makeBuilder(builder, &op);
  for (Value operand : op.getOperands()) {
    auto constant = operand.getDefiningOp<arith::ConstantOp>();
    if (!constant || !isTileType(operand.getType(), rows))
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

/// arith and math between the tile operations: the same operation per vector.
LogicalResult TileLowering::lowerElementwise(Operation &op) {
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
    if (isTileType(operand.getType(), rows) && !donor &&
        buffers.lookup(operand) &&
        buffers.getType(operand.getType()) == buffers.getType(type))
      donor = operand;
  Value buffer = buffers.create(result, &op, donor);
  bool isCondition = type.getElementType().isInteger(1);
  LogicalResult status = success();
  forEachVector(b, cast<MemRefType>(buffer.getType()), [&](ValueRange at) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      if (splat) {
        operands.push_back(operand);
        continue;
      }
      bool condition =
          cast<VectorType>(operand.getType()).getElementType().isInteger(1);
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
          constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr;
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
      value = arith::ExtSIOp::create(builder, op.getLoc(), b.bitsType, value);
    b.store(value, buffer, at);
  });
  return status;
}

void TileLowering::forEachVector(VectorBuilder &b, MemRefType buffer,
                                 llvm::function_ref<void(ValueRange)> body) {
  /// More vectors in a line than this are a loop.
  constexpr int64_t kUnrolled = 4;
  SmallVector<Value> at;
  auto visit = [&](auto &self) -> void {
    int64_t dim = at.size(), size = buffer.getDimSize(dim);
    bool isLast = dim + 1 == buffer.getRank();
    auto enter = [&](Value index) {
      at.push_back(index);
      if (isLast)
        body(at);
      else
        self(self);
      at.pop_back();
    };
    int64_t step = isLast ? lanes : 1;
    if (size > step * (isLast ? kUnrolled : 1))
      return b.forLoop(b.index(0), b.index(size), step, enter);
    for (int64_t index = 0; index < size; index += step)
      enter(b.index(index));
  };
  visit(visit);
}

void TileLowering::copyBuffer(VectorBuilder &b, Value from, Value to) {
  forEachVector(b, cast<MemRefType>(from.getType()),
                [&](ValueRange at) { b.store(b.load(from, at), to, at); });
}

void TileLowering::fillBuffer(VectorBuilder &b, Value buffer, Value value) {
  forEachVector(b, cast<MemRefType>(buffer.getType()),
                [&](ValueRange at) { b.store(value, buffer, at); });
}

Value TileLowering::getCount(VectorBuilder &b, Value count, Type tile) {
  return count ? count : b.index(cast<VectorType>(tile).getDimSize(1));
}

Value TileLowering::getCommonScale(attn::LoadQueriesOp op) {
  Value scale;
  for (Operation *user : op.getResult().getUsers()) {
    auto scores = dyn_cast<attn::ScoresOp>(user);
    if (!scores || (scale && scale != scores.getScale()))
      return nullptr;
    scale = scores.getScale();
  }
  if (!scale || forall->isAncestor(scale.getParentBlock()->getParentOp()))
    return nullptr;
  return scale;
}

Value TileLowering::createMaxima(attn::ScoresOp op, ArrayRef<int64_t> sizes) {
  if (!op.getScores().hasOneUse())
    return nullptr;
  auto step = dyn_cast<attn::SoftmaxStepOp>(*op.getScores().user_begin());
  if (!step || step.getCount() != op.getCount())
    return nullptr;
  return tileMaxima[op.getScores()] = buffers.createTemporary(sizes, element);
}

Value TileLowering::buildAnyNonFinite(VectorBuilder &b, Value view,
                                      Value firstRow, Value count) {
  int64_t headDim = cast<MemRefType>(view.getType()).getDimSize(1);
  // 0 times a finite value is 0, else NaN, which sums keep.
  Value zero = b.splat(0);
  SmallVector<Value> sums = b.forLoop(
      b.index(0), count, 1, {zero}, [&](Value key, ValueRange carried) {
        Value row = b.add(firstRow, key), sum = carried[0];
        for (int64_t d = 0; d < headDim; d += lanes)
          sum = b.fma(b.widen(b.loadPart(view, {row, b.index(d)}, headDim - d)),
                      zero, sum);
        return SmallVector<Value>{sum};
      });
  Value bad = b.compare(arith::CmpFPredicate::UNO, sums[0], sums[0]);
  return vector::ReductionOp::create(b.builder, b.loc,
                                     vector::CombiningKind::OR, bad);
}
