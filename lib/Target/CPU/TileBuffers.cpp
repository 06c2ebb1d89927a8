//===- TileBuffers.cpp - scratch memory for tile values -------------------===//

#include "TileBuffers.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fovea::cpu;

bool fovea::cpu::isTileType(Type type, int64_t rows) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && !vector.isScalable() && vector.getRank() >= 1 &&
         vector.getRank() <= 2 && vector.getDimSize(0) == rows;
}

MemRefType TileBuffers::getType(Type type) const {
  auto vector = cast<VectorType>(type);
  Type stored = element;
  if (!isa<FloatType>(vector.getElementType()))
    stored =
        IntegerType::get(type.getContext(), element.getIntOrFloatBitWidth());
  return MemRefType::get(sizes(vector), stored);
}

Value TileBuffers::allocate(MemRefType type) {
  for (Value &buffer : unused)
    if (buffer.getType() == type) {
      Value found = buffer;
      std::swap(buffer, unused.back());
      unused.pop_back();
      return found;
    }
  OpBuilder builder(body, body->begin());
  return memref::AllocaOp::create(builder, loc, type,
                                  builder.getI64IntegerAttr(64));
}

bool TileBuffers::diesAt(Value value, Operation *op) {
  Block *home = value.getParentBlock();
  if (home != op->getBlock())
    return false;
  // A user inside a nested region counts where that region's operation stands.
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *ancestor = home->findAncestorOpInBlock(*user);
    return ancestor && (ancestor == op || ancestor->isBeforeInBlock(op));
  });
}

/// Whether `user` is done when `op` is, both within `block`.
static bool isDoneAt(Operation *user, Operation *op, Block *block) {
  Operation *first = block->findAncestorOpInBlock(*user),
            *second = block->findAncestorOpInBlock(*op);
  if (!first || !second)
    return false;
  if (first != second)
    return first->isBeforeInBlock(second);
  if (second == op || first == user)
    return true;
  // Of two branches one is taken; a loop may come round again.
  if (!isa<scf::IfOp>(second))
    return false;
  for (Region &region : second->getRegions())
    if (region.isAncestor(op->getParentRegion()))
      return !region.isAncestor(user->getParentRegion()) ||
             isDoneAt(user, op, &region.front());
  return false;
}

bool TileBuffers::diesInBranchAt(Value value, Operation *op) {
  Block *home = value.getParentBlock();
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return isDoneAt(user, op, home);
  });
}

Value TileBuffers::create(Value value, Operation *op, Value donor) {
  MemRefType type = getType(value.getType());
  if (donor) {
    Value buffer = lookup(donor);
    // In a branch only a pinned buffer is taken over: another would be given
    // back there, while the other branch still counts on it.
    if (buffer && buffer.getType() == type &&
        (diesAt(donor, op) || (isPinned(buffer) && diesInBranchAt(donor, op))))
      return buffers[value] = buffer;
  }
  return buffers[value] = allocate(type);
}

Value TileBuffers::createTemporary(ArrayRef<int64_t> sizes, Type type) {
  return allocate(MemRefType::get(sizes, type));
}

void TileBuffers::release(Value buffer) { unused.push_back(buffer); }

void TileBuffers::releaseDead(Operation *op) {
  auto give = [&](Value buffer) {
    if (!pinned.contains(buffer) && !llvm::is_contained(unused, buffer))
      unused.push_back(buffer);
  };
  SmallVector<Value> taken;
  for (Value result : op->getResults())
    if (Value buffer = lookup(result)) {
      if (result.use_empty())
        give(buffer); // nobody reads it
      taken.push_back(buffer);
    }
  for (Value operand : op->getOperands()) {
    Value buffer = lookup(operand);
    if (buffer && diesAt(operand, op) && !llvm::is_contained(taken, buffer))
      give(buffer);
  }
}
