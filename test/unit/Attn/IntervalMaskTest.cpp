//===- IntervalMaskTest.cpp - tiles of random masks, against each element -===//
//
// With constant bounds the operations that IntervalMask writes fold, so that a
// classification can be asked for and compared with the mask's elements without
// running anything. FOVEA_RANDOM_MASKS sets how many regions are drawn.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Attn/Transforms/IntervalMask.h"
#include "RandomMask.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace mlir;
using namespace fovea;
using namespace fovea::test;

namespace {

/// Rows [row, row + rows) of heads [head, head + heads), keys
/// [key, key + keys).
struct Tile {
  int64_t batch, head, heads, row, rows, offset, key, keys;
};

struct Expected {
  bool any = false, all = true;
};

Expected evaluate(const RandomMask &mask, const Tile &tile) {
  Expected result;
  for (int64_t h = tile.head; h < tile.head + tile.heads; ++h)
    for (int64_t i = tile.row; i < tile.row + tile.rows; ++i)
      for (int64_t j = tile.key; j < tile.key + tile.keys; ++j) {
        bool allowed = mask.allows({tile.batch, h, i, i + tile.offset, j});
        result.any |= allowed;
        result.all &= allowed;
      }
  return result;
}

class IntervalMaskTest : public ::testing::Test {
protected:
  IntervalMaskTest() : loc(UnknownLoc::get(&context)) {
    context.loadDialect<arith::ArithDialect, attn::AttnDialect,
                        func::FuncDialect, math::MathDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
    module = ModuleOp::create(loc);
  }

  /// Draws a mask into the region of a function of its own.
  RandomMask draw(std::mt19937_64 &random, func::FuncOp &holder) {
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    SmallVector<Type> arguments(5, builder.getIndexType());
    holder = func::FuncOp::create(builder, loc, "mask",
                                  builder.getFunctionType(arguments, {}));
    Block *block = holder.addEntryBlock();
    RandomMask mask = drawMask(random, *block, loc);
    builder.setInsertionPointToEnd(block);
    attn::YieldOp::create(builder, loc, mask.value);
    return mask;
  }

  /// The answer for one tile, where it folds.
  std::optional<Expected> classify(Region &region, const Tile &tile) {
    Block scratch;
    OpBuilder builder(&context);
    builder.setInsertionPointToEnd(&scratch);
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    attn::TileRows rows{index(tile.batch),  index(tile.head),
                        index(tile.row),    index(tile.row + tile.rows - 1),
                        index(tile.offset), tile.heads == 1,
                        tile.heads};
    attn::IntervalMask mask(region, rows);
    attn::TileAnswer answer =
        mask.classify(builder, loc, index(tile.key), index(tile.keys));
    auto read = [](Value value) -> std::optional<bool> {
      if (matchPattern(value, m_One()))
        return true;
      if (matchPattern(value, m_Zero()))
        return false;
      return std::nullopt;
    };
    std::optional<bool> any = read(answer.any), all = read(answer.all);
    if (!any || !all)
      return std::nullopt;
    return Expected{*any, *all};
  }

  MLIRContext context;
  Location loc;
  OwningOpRef<ModuleOp> module;
};

Tile drawTile(std::mt19937_64 &random) {
  auto draw = [&](int64_t count) {
    return int64_t(random() % uint64_t(count));
  };
  Tile tile;
  tile.batch = draw(3);
  tile.head = draw(4);
  tile.heads = draw(4) == 0 ? 2 : 1;
  tile.row = 4 * draw(10);
  tile.rows = 1 + draw(6);
  tile.offset = draw(3) == 0 ? 0 : draw(61) - 30;
  tile.key = 8 * draw(8);
  tile.keys = 1 + draw(9);
  return tile;
}

TEST_F(IntervalMaskTest, NeverLosesAKeyNorLetsOneIn) {
  const char *wanted = std::getenv("FOVEA_RANDOM_MASKS");
  int count = wanted ? std::atoi(wanted) : 2000;
  int tiles = 0, folded = 0, empty = 0, foundEmpty = 0, full = 0, foundFull = 0;
  for (int seed = 0; seed < count; ++seed) {
    std::mt19937_64 random(seed);
    func::FuncOp holder;
    RandomMask mask = draw(random, holder);
    for (int n = 0; n < 6; ++n) {
      Tile tile = drawTile(random);
      Expected expected = evaluate(mask, tile);
      std::optional<Expected> found = classify(holder.getBody(), tile);
      ++tiles;
      if (!found)
        continue;
      ++folded;
      empty += !expected.any;
      full += expected.all;
      foundEmpty += !found->any;
      foundFull += found->all;
      ASSERT_TRUE(found->any || !expected.any)
          << "mask " << seed << ", tile " << n << " has an allowed key";
      ASSERT_TRUE(!found->all || expected.all)
          << "mask " << seed << ", tile " << n << " has a forbidden key";
    }
    holder.erase();
  }
  // The answers are of use as well: nearly all of them fold, and most tiles
  // that are empty or full are found to be.
  EXPECT_GT(folded, tiles * 9 / 10);
  EXPECT_GT(foundEmpty, empty / 2);
  EXPECT_GT(foundFull, full / 2);
  RecordProperty("tiles", tiles);
  RecordProperty("folded", folded);
  std::printf("%d regions, %d tiles: %d of %d empty and %d of %d full found\n",
              count, tiles, foundEmpty, empty, foundFull, full);
}

} // namespace
