//===- Barrier.cpp - barriers of a block, and fences ----------------------===//

#include "../Block.h"
#include "Instructions.h"
#include "Lanes.h"

using namespace fovea::ptx;

namespace {
enum class BarrierKind : uint8_t { Sync, Arrive, Reduce };
/// Op::detail.
struct BarrierShape {
  BarrierKind kind = BarrierKind::Sync;
  uint8_t isAligned = 0, hasCount = 0, unused = 0;
};
} // namespace

static constexpr unsigned numBarriers = 16;

/// Sources are the barrier's number, if there is one the count of threads, and
/// of a reduction the predicate.
static Flow barrier(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<BarrierShape>(op.detail);
  Block &block = warp.getBlock();
  if (shape.isAligned && !warp.hasConverged(mask, warp.getLiveLanes()))
    return Flow::Wait;
  unsigned lane = llvm::countr_zero(mask);
  Block::Arrival arrival;
  arrival.barrier = warp.readWide(op.source(0))[lane];
  if (arrival.barrier >= numBarriers) {
    warp.report(ReportKind::Trap, lane,
                "barrier " + llvm::Twine(arrival.barrier) +
                    " does not exist; a block has " + llvm::Twine(numBarriers));
    return Flow::Stop;
  }
  if (shape.hasCount) {
    arrival.threads = warp.readWide(op.source(1))[lane];
    if (arrival.threads == 0 || arrival.threads % warpSize) {
      warp.report(ReportKind::Trap, lane,
                  "a barrier of " + llvm::Twine(arrival.threads) +
                      " threads, which is no multiple of 32");
      return Flow::Stop;
    }
  }
  // With a count, warps are counted as whole ones; so are the lanes of a warp
  // that never comes as a whole, which was reported.
  arrival.count = shape.isAligned && shape.hasCount ? warpSize
                  : warp.isForced() ? llvm::popcount(warp.getLiveLanes())
                                    : llvm::popcount(mask);
  arrival.waits = shape.kind != BarrierKind::Arrive;
  if (shape.kind == BarrierKind::Reduce)
    arrival.predicate = warp.readPredicate(op.source(op.numSources() - 1));
  if (!arrival.waits) {
    block.arrive(warp, mask, arrival);
    return Flow::Next;
  }
  Flow flow = warp.waitAtBarrier(mask, arrival.barrier);
  block.arrive(warp, mask, arrival);
  return flow;
}

enum class Reduction { Count, And, Or };

/// What all threads of a barrier brought, once it is released.
template <Reduction kind>
static Flow reduce(Warp &warp, const Op &op, Mask mask) {
  unsigned number = warp.readWide(op.source(0))[llvm::countr_zero(mask)];
  Block::Reduction found = warp.getBlock().getReduction(number % numBarriers);
  if constexpr (kind == Reduction::Count) {
    Row<uint32_t> row;
    row.fill(found.count);
    warp.write(op.result(), row, mask);
  } else {
    bool yes = kind == Reduction::And ? found.count == found.threads
                                      : found.count != 0;
    warp.writePredicate(op.result(), yes ? allLanes : 0, mask);
  }
  return Flow::Next;
}

static Flow synchronizeWarp(Warp &warp, const Op &op, Mask mask) {
  Row<uint32_t> members = warp.read<uint32_t>(op.source());
  Mask needed = 0;
  forEachLane(mask, [&](unsigned lane) { needed |= members[lane]; });
  if (!warp.hasConverged(mask, needed))
    return Flow::Wait;
  if (BlockObserver *observer = warp.getBlock().observer.get())
    observer->synchronizeWarp(warp.getNumber(), mask, warp.getPosition());
  return Flow::Next;
}

static void decodeReduction(Decoder &decoder, BarrierShape shape) {
  unsigned kind =
      decoder.expectOneOf({"popc", "and", "or"}, "a kind of reduction");
  Type type = decoder.takeType();
  if (type != (kind == 0 ? Type::U32 : Type::Pred))
    decoder.failType();
  decoder.expectOperands(3, 4);
  shape.hasCount = decoder.getNumOperands() == 4;
  decoder.addSource(1, Type::U32);
  if (shape.hasCount)
    decoder.addSource(2, Type::U32);
  decoder.addSource(2 + shape.hasCount, Type::Pred);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.op.isConvergent = true;
  decoder.setHandler(barrier);
  decoder.finishSecondary();
  decoder.addResult(0, type);
  decoder.addSource(1, Type::U32);
  decoder.setHandler(kind == 0   ? reduce<Reduction::Count>
                     : kind == 1 ? reduce<Reduction::And>
                                 : reduce<Reduction::Or>);
}

/// `bar` is `barrier.aligned`.
static void decodeBarrier(Decoder &decoder) {
  decoder.take("cta");
  bool isShort = decoder.getOpcode() == "bar";
  if (isShort && decoder.take("warp")) {
    if (!decoder.take("sync"))
      decoder.fail("expected 'bar.warp.sync'");
    decoder.expectOperands(1);
    decoder.addSource(0, Type::B32);
    decoder.op.isConvergent = true;
    return decoder.setHandler(synchronizeWarp);
  }
  BarrierShape shape;
  shape.kind = BarrierKind(decoder.expectOneOf({"sync", "arrive", "red"},
                                               "what to do at the barrier"));
  shape.isAligned = isShort || decoder.take("aligned");
  if (shape.kind == BarrierKind::Reduce)
    return decodeReduction(decoder, shape);
  decoder.expectOperands(shape.kind == BarrierKind::Arrive ? 2 : 1, 2);
  shape.hasCount = decoder.getNumOperands() == 2;
  for (unsigned n = 0; n < decoder.getNumOperands(); ++n)
    decoder.addSource(n, Type::U32);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.op.isConvergent = true;
  decoder.setHandler(barrier);
}

//===-- Fences ------------------------------------------------------------===//

// Memory operations are performed in the order of execution, so that fences
// order nothing more.
static Flow fence(Warp &, const Op &, Mask) { return Flow::Next; }

static void decodeFence(Decoder &decoder) {
  decoder.expectOperands(0);
  decoder.takeOneOf({"sc", "acq_rel", "acquire", "release"});
  decoder.expectOneOf({"cta", "cluster", "gpu", "sys"}, "a scope");
  decoder.setHandler(fence);
}

static void decodeMemoryBarrier(Decoder &decoder) {
  decoder.expectOperands(0);
  decoder.expectOneOf({"cta", "gl", "sys"}, "a level");
  decoder.setHandler(fence);
}

void fovea::ptx::addBarrierInstructions(InstructionTable &table) {
  table["bar"] = table["barrier"] = decodeBarrier;
  table["fence"] = decodeFence;
  table["membar"] = decodeMemoryBarrier;
}
