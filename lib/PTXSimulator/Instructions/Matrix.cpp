//===- Matrix.cpp - ldmatrix, stmatrix and movmatrix ----------------------===//
//
// A matrix is 8 rows of 8 halves, a row in 16 bytes of shared memory. Lane l
// holds of it the elements (l / 4, 2 * (l % 4)) and the next in that row, as
// the halves of a register; `.trans` exchanges rows and columns.
//
//===----------------------------------------------------------------------===//

#include "../Block.h"
#include "../MemoryAccess.h"
#include "Instructions.h"
#include "Lanes.h"
#include "MatrixElement.h"

using namespace fovea::ptx;

static constexpr unsigned rowBytes = 16;

namespace {
using Matrix = std::array<std::array<uint16_t, 8>, 8>;
/// Op::detail.
struct MatrixShape {
  uint8_t count = 1, isTransposed = 0, space = 0, unused = 0;
};
} // namespace

static uint32_t getFragment(const Matrix &matrix, unsigned lane,
                            bool isTransposed) {
  unsigned row = lane / 4, column = lane % 4 * 2;
  if (isTransposed)
    return matrix[column][row] | uint32_t(matrix[column + 1][row]) << 16;
  return matrix[row][column] | uint32_t(matrix[row][column + 1]) << 16;
}

static void setFragment(Matrix &matrix, unsigned lane, bool isTransposed,
                        uint32_t pair) {
  unsigned row = lane / 4, column = lane % 4 * 2;
  (isTransposed ? matrix[column][row] : matrix[row][column]) = pair;
  (isTransposed ? matrix[column + 1][row] : matrix[row][column + 1]) =
      pair >> 16;
}

bool fovea::ptx::hasWholeWarp(Warp &warp, Mask mask) {
  if (!warp.hasConverged(mask, warp.getLiveLanes()))
    return false;
  // A lane that has exited has no value.
  if (mask != allLanes && !warp.isForced())
    warp.report(ReportKind::Divergence, llvm::countr_zero(mask),
                "needs all 32 lanes of the warp");
  return true;
}

/// Lanes 8 n to 8 n + 7 give the addresses of the rows of matrix n.
static Flow loadMatrices(Warp &warp, const Op &op, Mask mask) {
  if (!hasWholeWarp(warp, mask))
    return Flow::Wait;
  auto shape = std::bit_cast<MatrixShape>(op.detail);
  Row<uint64_t> addresses = warp.readWide(op.source());
  Matrix matrices[4] = {};
  {
    MemoryAccess access(warp, AddressedSpace(shape.space), AccessKind::Read);
    forEachLane(mask, [&](unsigned lane) {
      if (lane >= shape.count * 8u)
        return;
      const uint8_t *from =
          access.find(lane, addresses[lane] + op.immediate, rowBytes, rowBytes);
      if (!from)
        return;
      access.checkInitialized(lane, rowBytes);
      std::memcpy(matrices[lane / 8][lane % 8].data(), from, rowBytes);
    });
  }
  for (unsigned n = 0; n < shape.count; ++n) {
    Row<uint32_t> row;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      row[lane] = getFragment(matrices[n], lane, shape.isTransposed);
    warp.write(op.result(n), row, mask);
  }
  return Flow::Next;
}

static Flow storeMatrices(Warp &warp, const Op &op, Mask mask) {
  if (!hasWholeWarp(warp, mask))
    return Flow::Wait;
  auto shape = std::bit_cast<MatrixShape>(op.detail);
  Row<uint64_t> addresses = warp.readWide(op.source());
  Matrix matrices[4] = {};
  for (unsigned n = 0; n < shape.count; ++n) {
    Row<uint32_t> row = warp.read<uint32_t>(op.source(n + 1));
    for (unsigned lane = 0; lane < warpSize; ++lane)
      setFragment(matrices[n], lane, shape.isTransposed, row[lane]);
  }
  MemoryAccess access(warp, AddressedSpace(shape.space), AccessKind::Write);
  forEachLane(mask, [&](unsigned lane) {
    if (lane >= shape.count * 8u)
      return;
    uint8_t *to =
        access.find(lane, addresses[lane] + op.immediate, rowBytes, rowBytes);
    if (!to)
      return;
    access.markInitialized(rowBytes);
    std::memcpy(to, matrices[lane / 8][lane % 8].data(), rowBytes);
  });
  return Flow::Next;
}

static Flow transpose(Warp &warp, const Op &op, Mask mask) {
  if (!hasWholeWarp(warp, mask))
    return Flow::Wait;
  Row<uint32_t> row = warp.read<uint32_t>(op.source());
  Matrix matrix;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    setFragment(matrix, lane, false, row[lane]);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    row[lane] = getFragment(matrix, lane, true);
  warp.write(op.result(), row, mask);
  return Flow::Next;
}

static MatrixShape takeShape(Decoder &decoder) {
  if (!decoder.take("sync") || !decoder.take("aligned") ||
      !decoder.take("m8n8"))
    decoder.fail("expected '.sync.aligned.m8n8'");
  MatrixShape shape;
  shape.count =
      1u << decoder.expectOneOf({"x1", "x2", "x4"}, "a number of matrices");
  shape.isTransposed = decoder.take("trans");
  AddressedSpace space = takeSpace(decoder, AddressedSpace::Generic);
  if (space != AddressedSpace::Shared && space != AddressedSpace::Generic)
    decoder.fail("expected matrices in '.shared'");
  shape.space = uint8_t(space);
  if (decoder.takeType() != Type::B16)
    decoder.failType();
  decoder.op.isConvergent = true;
  return shape;
}

static void decodeLoad(Decoder &decoder) {
  MatrixShape shape = takeShape(decoder);
  decoder.expectOperands(2);
  decoder.addVector(0, Type::B32, shape.count, /*isResult=*/true);
  decoder.op.immediate = decoder.addAddress(1).offset;
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.setHandler(loadMatrices);
}

static void decodeStore(Decoder &decoder) {
  MatrixShape shape = takeShape(decoder);
  decoder.expectOperands(2);
  decoder.op.immediate = decoder.addAddress(0).offset;
  decoder.addVector(1, Type::B32, shape.count, /*isResult=*/false);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.setHandler(storeMatrices);
}

static void decodeTranspose(Decoder &decoder) {
  for (llvm::StringRef word : {"sync", "aligned", "m8n8", "trans"})
    if (!decoder.take(word))
      decoder.fail("expected 'movmatrix.sync.aligned.m8n8.trans'");
  if (decoder.takeType() != Type::B16)
    decoder.failType();
  decoder.expectOperands(2);
  decoder.addResult(0, Type::B32);
  decoder.addSource(1, Type::B32);
  decoder.op.isConvergent = true;
  decoder.setHandler(transpose);
}

void fovea::ptx::addMatrixInstructions(InstructionTable &table) {
  table["ldmatrix"] = decodeLoad;
  table["stmatrix"] = decodeStore;
  table["movmatrix"] = decodeTranspose;
}
