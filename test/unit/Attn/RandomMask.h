//===- RandomMask.h - random mask regions ---------------------------------===//

#ifndef FOVEA_TEST_UNIT_ATTN_RANDOMMASK_H
#define FOVEA_TEST_UNIT_ATTN_RANDOMMASK_H

#include "mlir/IR/Builders.h"
#include <functional>
#include <random>

namespace fovea::test {

/// One element of the scores.
struct Point {
  int64_t b, h, i, p, j;
};

/// A mask twice: as C++ and as operations at the end of a block whose arguments
/// are b, h, i, p and j.
struct RandomMask {
  std::function<bool(const Point &)> allows;
  mlir::Value value;
};

/// Draws a mask of a few operations. `block` gets its operations. With
/// `isNarrow` no integer leaves 32 bits for places below a few thousand, which
/// is what vector code computes them in.
RandomMask drawMask(std::mt19937_64 &random, mlir::Block &block,
                    mlir::Location loc, bool isNarrow = false);

} // namespace fovea::test

#endif // FOVEA_TEST_UNIT_ATTN_RANDOMMASK_H
