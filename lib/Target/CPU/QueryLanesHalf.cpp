//===- QueryLanesHalf.cpp - keys, values and weights in half precision ----===//

#include "QueryLanes.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

Value QueryLanes::stageWidened(VectorBuilder &b, Value view, Value first,
                               Value count, int64_t keys) {
  int64_t headDim = cast<MemRefType>(view.getType()).getDimSize(1);
  // One line more than whole vectors: rows a power of two apart would share
  // their cache sets.
  int64_t width = llvm::alignTo(headDim, shape.lanes) + shape.lanes;
  Value scratch = buffers.createTemporary({keys, width}, element);
  b.forLoop(b.index(0), count, 1, [&](Value key) {
    Value row = b.add(first, key);
    for (int64_t d = 0; d < headDim; d += shape.lanes)
      b.store(b.widen(b.loadPart(view, {row, b.index(d)}, headDim - d)),
              scratch, {key, b.index(d)});
  });
  return scratch;
}

Value QueryLanes::stagePairs(VectorBuilder &b, Value view, Value first,
                             Value count, int64_t keys) {
  int64_t headDim = cast<MemRefType>(view.getType()).getDimSize(1);
  int64_t width = llvm::alignTo(headDim, shape.lanes) + shape.lanes;
  Value scratch = buffers.createTemporary({(keys + 1) / 2, width},
                                          b.bitsType.getElementType());
  auto half = VectorType::get({shape.lanes}, b.builder.getI16Type());
  auto bits = [&](Value value) -> Value {
    value = arith::BitcastOp::create(b.builder, b.loc, half, value);
    return arith::ExtUIOp::create(b.builder, b.loc, b.bitsType, value);
  };
  b.forLoop(b.index(0), count, 2, [&](Value key) {
    Value row = b.add(first, key), next = b.add(key, 1);
    // The last key of an odd count has no partner: zeros, which add nothing.
    Value exists = arith::CmpIOp::create(
        b.builder, b.loc, arith::CmpIPredicate::slt, next, count);
    Value nextRow = b.add(first, b.minSigned(next, b.sub(count, b.index(1))));
    Value target = arith::DivUIOp::create(b.builder, b.loc, key, b.index(2));
    for (int64_t d = 0; d < headDim; d += shape.lanes) {
      Value low = bits(b.loadPart(view, {row, b.index(d)}, headDim - d));
      Value high = bits(b.loadPart(view, {nextRow, b.index(d)}, headDim - d));
      high = b.select(exists, high, b.splatBits(0));
      high = arith::ShLIOp::create(b.builder, b.loc, high, b.splatBits(16));
      b.store(arith::OrIOp::create(b.builder, b.loc, low, high), scratch,
              {target, b.index(d)});
    }
  });
  return scratch;
}

Value QueryLanes::pair(VectorBuilder &b, Value low, Value high) {
  auto packed = VectorType::get({shape.lanes}, b.builder.getBF16Type());
  auto half = VectorType::get({shape.lanes}, b.builder.getI16Type());
  auto bits = [&](Value value) -> Value {
    value = x86vector::CvtPackedF32ToBF16Op::create(b.builder, b.loc, packed,
                                                    value);
    value = arith::BitcastOp::create(b.builder, b.loc, half, value);
    return arith::ExtUIOp::create(b.builder, b.loc, b.bitsType, value);
  };
  Value upper =
      arith::ShLIOp::create(b.builder, b.loc, bits(high), b.splatBits(16));
  return arith::OrIOp::create(b.builder, b.loc, bits(low), upper);
}

Value QueryLanes::dot(VectorBuilder &b, Value x, Value y, Value sum) {
  auto pairs = VectorType::get({2 * shape.lanes}, b.builder.getBF16Type());
  auto cast = [&](Value value) -> Value {
    return vector::BitCastOp::create(b.builder, b.loc, pairs, value);
  };
  return x86vector::DotBF16Op::create(b.builder, b.loc, b.vectorType, sum,
                                      cast(x), cast(y));
}

Value QueryLanes::unpackWeight(VectorBuilder &b, Value pairs, Value panel,
                               Value k, int64_t v) {
  Value half = arith::DivUIOp::create(b.builder, b.loc, k, b.index(2));
  Value odd = arith::RemUIOp::create(b.builder, b.loc, k, b.index(2));
  Value both = b.load(pairs, {panel, half, b.index(v * shape.lanes)});
  Value low = arith::ShLIOp::create(b.builder, b.loc, both, b.splatBits(16));
  Value high =
      arith::AndIOp::create(b.builder, b.loc, both, b.splatBits(-65536));
  Value isOdd = arith::CmpIOp::create(
      b.builder, b.loc, arith::CmpIPredicate::ne, odd, b.index(0));
  return arith::BitcastOp::create(b.builder, b.loc, b.vectorType,
                                  b.select(isOdd, high, low));
}

Value QueryLanes::packWeights(VectorBuilder &b, attn::AccumulateOp op,
                              Value count) {
  int64_t keys = cast<VectorType>(op.getWeights().getType()).getDimSize(1);
  Value weights = buffers.lookup(op.getWeights());
  Value packed =
      buffers.createTemporary({shape.panels, (keys + 1) / 2, shape.getWidth()},
                              b.bitsType.getElementType());
  forPanels(b, [&](Value panel) {
    b.forLoop(b.index(0), count, 2, [&](Value key) {
      Value next = b.add(key, 1);
      Value exists = arith::CmpIOp::create(
          b.builder, b.loc, arith::CmpIPredicate::slt, next, count);
      Value target = arith::DivUIOp::create(b.builder, b.loc, key, b.index(2));
      for (int64_t v = 0; v < shape.vectors; ++v) {
        Value column = b.index(v * shape.lanes);
        Value second = b.select(exists, b.load(weights, {panel, next, column}),
                                b.splat(0));
        b.store(pair(b, b.load(weights, {panel, key, column}), second), packed,
                {panel, target, column});
      }
    });
  });
  return packed;
}
