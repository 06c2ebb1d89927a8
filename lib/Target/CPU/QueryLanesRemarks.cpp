//===- QueryLanesRemarks.cpp - what is said of vector code ----------------===//

#include "QueryLanes.h"
#include "fovea/Support/Remarks.h"

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

/// Operations of a region that compute for each key.
static int64_t countOperations(Region &region) {
  return llvm::count_if(region.front().without_terminator(), [](Operation &op) {
    return !op.hasTrait<OpTrait::ConstantLike>();
  });
}

void QueryLanes::sayMissed(Operation *op, StringRef name, StringRef text,
                           StringRef reason) {
  remark::missed(op->getLoc(), getRemarkOpts(op, kRemarkVectors, name))
      << text << remark::reason("{0}", reason);
}

void QueryLanes::explain() {
  auto say = [](Operation *op, StringRef name) {
    return remark::passed(op->getLoc(),
                          getRemarkOpts(op, kRemarkVectors, name));
  };
  say(tile.op, "register-tile")
      << remark::add("products in register tiles of {0} rows by "
                     "{1} x {2} queries",
                     tileRows, shape.vectors, shape.lanes)
      << remark::reason("of {0} vector registers {1} hold sums", info.registers,
                        tileRows * shape.vectors);
  Type stored = tile.stored;
  switch (product) {
  case Product::Direct:
    say(tile.op, "direct")
        << "keys and values are read where the caller has them";
    break;
  case Product::Dot:
    say(tile.op, "pairs") << remark::add(
        "products of bf16 pairs, summed in {0} by one "
        "instruction (AVX512_BF16)",
        element);
    break;
  case Product::Widened:
    say(tile.op, "widened")
        << remark::add("keys and values are widened from {0} to "
                       "{1}, one key tile at a time",
                       stored, element)
        << remark::reason("{0}",
                          !stored.isBF16()  ? "only bf16 has a product of pairs"
                          : info.hasBF16Dot ? "pairs need an even head dim"
                                            : "the target has no AVX512_BF16");
    break;
  }
  // The loops of a row tile have the same regions: each is told of once.
  attn::ScoresOp score, mask;
  attn::AccumulateOp guarded;
  forall.walk([&](Operation *op) {
    if (auto scores = dyn_cast<attn::ScoresOp>(op)) {
      if (!score && !scores.getScore().empty())
        score = scores;
      if (!mask && !scores.getMask().empty())
        mask = scores;
    }
    auto accumulate = dyn_cast<attn::AccumulateOp>(op);
    if (!guarded && accumulate && accumulate.getKeep())
      guarded = accumulate;
  });
  if (score)
    explainReads(score, score.getScore(), "score");
  if (mask)
    explainReads(mask, mask.getMask(), "mask");
  if (guarded)
    say(guarded, "guard")
        << "partial key tiles whose values hold NaN or infinity leave "
           "forbidden keys out one by one; full ones are not looked at";
}

/// Says how `region` is computed and where it gets what it reads.
void QueryLanes::explainReads(attn::ScoresOp op, Region &region,
                              StringRef what) {
  Block &block = region.front();
  remark::analysis(op.getLoc(), getRemarkOpts(op, kRemarkVectors, "region"))
      << remark::add("the {0} region runs in vectors of {1} queries; "
                     "operations for each key: {2}",
                     what, shape.lanes, countOperations(region));
  for (auto read : block.getOps<memref::LoadOp>()) {
    auto name = [&](StringRef name) {
      return getRemarkOpts(op, kRemarkVectors, name);
    };
    StringRef whyNot;
    if (!isReadByRow(read, &block, shape.heads))
      remark::analysis(read.getLoc(), name("read-broadcast"))
          << "one element is read for all queries of a tile";
    else if (shape.heads == 1 && isStageable(read, &block, element, &whyNot))
      remark::passed(read.getLoc(), name("read-staged"))
          << "what is read by query is copied to scratch, queries side by "
             "side, "
             "once for a key tile";
    else
      remark::missed(read.getLoc(), name("read-gathered"))
          << "what is read by query is gathered element by element for each key"
          << remark::reason(
                 "{0}", shape.heads == 1 ? whyNot : "a tile has several heads");
  }
}
