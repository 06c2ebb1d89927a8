//===- RandomRegion.cpp - random masks in a module ------------------------===//

#include "RandomRegion.h"
#include "../unit/Attn/RandomMask.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fovea;

void fuzz::addRandomMask(ModuleOp module, uint64_t seed) {
  module.walk([&](Operation *op) {
    if (!isa<attn::SdpaOp, attn::SdpaWeightsOp, attn::LayerOp>(op))
      return;
    Location loc = op->getLoc();
    Region &region = op->getRegion(2);
    OpBuilder builder(module.getContext());
    Value keep;
    if (region.empty()) {
      Block &block = region.emplaceBlock();
      for (int n = 0; n < 5; ++n) // b, h, i, p, j
        block.addArgument(builder.getIndexType(), loc);
    } else {
      Operation *yield = region.front().getTerminator();
      keep = yield->getOperand(0);
      yield->erase();
    }
    std::mt19937_64 random(seed);
    Value condition = test::drawMask(random, region.front(), loc,
                                     /*isNarrow=*/true)
                          .value;
    builder.setInsertionPointToEnd(&region.front());
    if (keep)
      condition = arith::AndIOp::create(builder, loc, keep, condition);
    attn::YieldOp::create(builder, loc, condition);
  });
}
