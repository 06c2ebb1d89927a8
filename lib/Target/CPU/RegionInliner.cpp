//===- RegionInliner.cpp - score and mask regions per vector --------------===//

#include "RegionInliner.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Whether `value` depends on `argument` through operations of the block.
static bool dependsOn(Value value, BlockArgument argument) {
  if (value == argument)
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == argument.getOwner() &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, argument);
         });
}

static bool isHalf(Type type) { return isa<Float16Type, BFloat16Type>(type); }

bool fovea::cpu::isReadByRow(memref::LoadOp read, Block *block, int64_t heads) {
  // h, i and p stand before j.
  ArrayRef<BlockArgument> rows =
      ArrayRef<BlockArgument>(block->getArguments()).take_back(4).drop_back();
  return llvm::any_of(read.getIndices(), [&](Value index) {
    return llvm::any_of(rows.drop_front(heads == 1), [&](BlockArgument row) {
      return dependsOn(index, row);
    });
  });
}

bool fovea::cpu::isStageable(memref::LoadOp read, Block *block, Type element,
                             StringRef *whyNot) {
  auto refuse = [&](StringRef why) {
    if (whyNot)
      *whyNot = why;
    return false;
  };
  auto type = cast<MemRefType>(read.getMemRef().getType());
  unsigned width = element.getIntOrFloatBitWidth();
  bool half = isHalf(type.getElementType()) &&
              llvm::all_of(read->getUsers(), [&](Operation *user) {
                return isa<arith::ExtFOp>(user) &&
                       user->getResult(0).getType() == element;
              });
  bool isWhole = type.getElementType().isInteger(64);
  bool fits = type.getElementType() == element || half ||
              type.getElementType().isInteger(8) || isWhole;
  if (!fits || width > 64)
    return refuse("its type is not that of the scores, a byte or i64");
  if (!type.isLastDimUnitStride())
    return refuse("its last dim has a stride");
  unsigned count = block->getNumArguments();
  BlockArgument key = block->getArgument(count - 1),
                position = block->getArgument(count - 2),
                row = block->getArgument(count - 3);
  unsigned rows = 0;
  for (auto [dim, index] : llvm::enumerate(read.getIndices())) {
    if (index == row) {
      ++rows;
      continue;
    }
    bool last = dim + 1 == read.getIndices().size();
    // Whole numbers have no transpose.
    if (index == key && last && !isWhole)
      continue;
    if (index == key)
      return refuse(last ? "i64 read by query and key has no transpose"
                         : "the key is not its last index");
    if (dependsOn(index, row) || dependsOn(index, position) ||
        dependsOn(index, key))
      return refuse("an index is computed from i, p or j");
  }
  if (rows != 1)
    return refuse(rows ? "i is its index twice" : "i is none of its indices");
  return true;
}

namespace {

class Inliner {
public:
  Inliner(VectorBuilder &b, Region &region, const RegionPoint &point,
          const StagedReads &staged)
      : b(b), block(region.front()), point(point), staged(staged) {
    SmallVector<Value> arguments{point.batch, point.head, point.row,
                                 point.position, point.key};
    if (point.score)
      arguments.insert(arguments.begin(), point.score);
    for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
      mapping.map(argument, value);
  }

  FailureOr<Value> run() {
    for (Operation &op : block.without_terminator())
      if (failed(inlineOp(op)))
        return failure();
    return mapping.lookupOrDefault(
        cast<attn::YieldOp>(block.getTerminator()).getValue());
  }

private:
  static bool isLanes(Value value) { return isa<VectorType>(value.getType()); }

  /// The vector type for a scalar type: positions for index values.
  VectorType getLaneType(Type type) {
    if (type.isIndex())
      return b.positionType;
    return VectorType::get({b.lanes}, type);
  }

  Value toLanes(Value value) {
    if (isLanes(value))
      return value;
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b.builder, b.loc,
                                         b.builder.getI32Type(), value);
    return b.broadcast(value);
  }

  LogicalResult inlineOp(Operation &op) {
    auto extend = dyn_cast<arith::ExtFOp>(op);
    if (extend && isa<Float16Type, BFloat16Type>(extend.getIn().getType())) {
      // A half number was staged as what it is extended to.
      auto it = staged.find(extend.getIn().getDefiningOp());
      if (it != staged.end() && isHalf(extend.getIn().getType())) {
        mapping.map(extend.getResult(), readStaged(it->second, op));
        return success();
      }
    }
    if (auto it = staged.find(&op); it != staged.end()) {
      if (isHalf(op.getResult(0).getType()))
        return success(); // read by its arith.extf
      mapping.map(op.getResult(0), readStaged(it->second, op));
      return success();
    }
    bool lanes = llvm::any_of(op.getOperands(), [&](Value operand) {
      return isLanes(mapping.lookupOrDefault(operand));
    });
    if (!lanes) {
      b.builder.clone(op, mapping);
      return success();
    }
    if (auto read = dyn_cast<memref::LoadOp>(op)) {
      if (succeeded(loadAlongKeys(read)))
        return success();
      return gather(read);
    }
    if (auto cast = dyn_cast<arith::IndexCastOp>(op)) {
      mapping.map(
          cast.getResult(),
          convertIndex(mapping.lookupOrDefault(cast.getIn()), cast.getType()));
      return success();
    }
    if (!OpTrait::hasElementwiseMappableTraits(&op))
      return op.emitOpError("has no vector form; score and mask regions are "
                            "made of elementwise operations");
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(toLanes(mapping.lookupOrDefault(operand)));
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(getLaneType(type));
    OperationState state(op.getLoc(), op.getName(), operands, types,
                         op.getAttrs());
    mapping.map(op.getResults(), b.builder.create(state)->getResults());
    return success();
  }

  /// index <-> integer on positions of 32 bits.
  Value convertIndex(Value value, Type to) {
    unsigned from = cast<VectorType>(value.getType()).getElementTypeBitWidth();
    VectorType type = getLaneType(to);
    unsigned width = type.getElementTypeBitWidth();
    if (from == width)
      return value;
    if (from < width)
      return arith::ExtSIOp::create(b.builder, b.loc, type, value);
    return arith::TruncIOp::create(b.builder, b.loc, type, value);
  }

  Value readStaged(const StagedRead &read, Operation &op) {
    SmallVector<Value> at{point.panel};
    if (read.perKey)
      at.push_back(point.tileKey);
    at.push_back(point.lane);
    Value value = b.load(read.buffer, at);
    VectorType type = getLaneType(op.getResult(0).getType());
    if (value.getType() != type)
      value = arith::TruncIOp::create(b.builder, b.loc, type, value);
    return value;
  }

  /// Reads elements side by side where keys lie in lanes and the last index,
  /// alone, is the key.
  LogicalResult loadAlongKeys(memref::LoadOp read) {
    auto type = cast<MemRefType>(read.getMemRef().getType());
    if (!point.keyLanes.first || type.getElementType().isIndex() ||
        type.getElementType().isInteger(1) || !type.isLastDimUnitStride() ||
        read.getIndices().empty() ||
        read.getIndices().back() != block.getArguments().back())
      return failure();
    SmallVector<Value> indices;
    for (Value operand : read.getIndices().drop_back()) {
      Value at = mapping.lookupOrDefault(operand);
      if (isLanes(at))
        return failure();
      indices.push_back(at);
    }
    indices.push_back(point.keyLanes.first);
    mapping.map(read.getResult(),
                b.loadPart(getLaneType(type.getElementType()), read.getMemRef(),
                           indices, point.keyLanes.second));
    return success();
  }

  /// Element by element: for reads whose place no loop can follow.
  LogicalResult gather(memref::LoadOp read) {
    VectorType type = getLaneType(read.getType());
    bool index = read.getType().isIndex();
    // Half numbers as bits: LLVM puts a vector of bf16 together by way of f32,
    // with a helper function that no library has.
    bool half = isa<Float16Type, BFloat16Type>(read.getType());
    VectorType gathered =
        half ? VectorType::get({b.lanes}, b.builder.getI16Type()) : type;
    Value result = arith::ConstantOp::create(b.builder, b.loc,
                                             b.builder.getZeroAttr(gathered));
    for (int64_t lane = 0; lane < b.lanes; ++lane) {
      SmallVector<Value> indices;
      for (Value operand : read.getIndices()) {
        Value at = mapping.lookupOrDefault(operand);
        if (isLanes(at)) {
          at = vector::ExtractOp::create(b.builder, b.loc, at, lane);
          at = arith::IndexCastOp::create(b.builder, b.loc,
                                          b.builder.getIndexType(), at);
        }
        indices.push_back(at);
      }
      Value scalar =
          memref::LoadOp::create(b.builder, b.loc, read.getMemRef(), indices);
      if (index)
        scalar = arith::IndexCastOp::create(b.builder, b.loc,
                                            b.builder.getI32Type(), scalar);
      if (half)
        scalar = arith::BitcastOp::create(b.builder, b.loc,
                                          gathered.getElementType(), scalar);
      result = vector::InsertOp::create(b.builder, b.loc, scalar, result, lane);
    }
    if (half)
      result = arith::BitcastOp::create(b.builder, b.loc, type, result);
    mapping.map(read.getResult(), result);
    return success();
  }

  VectorBuilder &b;
  Block &block;
  const RegionPoint &point;
  const StagedReads &staged;
  IRMapping mapping;
};

} // namespace

FailureOr<Value> fovea::cpu::inlineRegion(VectorBuilder &b, Region &region,
                                          const RegionPoint &point,
                                          const StagedReads &staged) {
  return Inliner(b, region, point, staged).run();
}
