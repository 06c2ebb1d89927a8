//===- AsyncCopy.cpp - cp.async and its groups ----------------------------===//

#include "../AsyncCopy.h"
#include "../Block.h"
#include "../MemoryAccess.h"
#include "Instructions.h"
#include "Lanes.h"

using namespace fovea::ptx;

/// Sources are the destination's address, the source's, and what follows the
/// size: the number of bytes to read, or a predicate to read none. Op::detail
/// is the size, and the offsets are the halves of the immediate.
enum class CopyKind { Whole, Sized, Ignorable };

template <CopyKind kind>
static Flow copyAsync(Warp &warp, const Op &op, Mask mask) {
  Row<uint64_t> to = warp.readWide(op.source(0)),
                from = warp.readWide(op.source(1));
  int64_t toOffset = int32_t(op.immediate);
  int64_t fromOffset = op.immediate >> 32;
  uint32_t bytes = op.detail;
  Row<uint32_t> sizes;
  sizes.fill(bytes);
  if constexpr (kind == CopyKind::Sized)
    sizes = warp.read<uint32_t>(op.source(2));
  if constexpr (kind == CopyKind::Ignorable) {
    Mask ignored = warp.readPredicate(op.source(2));
    forEachLane(ignored, [&](unsigned lane) { sizes[lane] = 0; });
  }

  MemoryAccess reads(warp, AddressedSpace::Global, AccessKind::AsyncRead);
  MemoryAccess writes(warp, AddressedSpace::Shared, AccessKind::AsyncWrite);
  forEachLane(mask, [&](unsigned lane) {
    AsyncCopy copy;
    copy.lane = lane;
    copy.bytes = bytes;
    copy.sourceBytes = std::min(sizes[lane], bytes);
    if (sizes[lane] > bytes)
      warp.report(ReportKind::OutOfBounds, lane,
                  "is to read " + llvm::Twine(sizes[lane]) +
                      " bytes for a copy of " + llvm::Twine(bytes));
    if (copy.sourceBytes) {
      copy.from =
          reads.find(lane, from[lane] + fromOffset, copy.sourceBytes, bytes);
      if (copy.from)
        reads.checkInitialized(lane, copy.sourceBytes);
      else
        copy.sourceBytes = 0;
    } else if ((from[lane] + fromOffset) % bytes) {
      // The hardware checks the address even if it reads nothing.
      warp.report(ReportKind::Misaligned, lane,
                  "its source, of which it reads nothing, is not at a "
                  "multiple of " +
                      llvm::Twine(bytes));
    }
    if (!writes.find(lane, to[lane] + toOffset, bytes, bytes))
      return;
    copy.to = writes.getAddress();
    warp.asyncCopies.issue(copy);
  });
  return Flow::Next;
}

static void decodeCopy(Decoder &decoder) {
  unsigned cache = decoder.expectOneOf({"ca", "cg"}, "a cache operation");
  if (!decoder.take("shared") && !decoder.take("shared::cta"))
    decoder.fail("expected a destination in '.shared'");
  if (!decoder.take("global"))
    decoder.fail("expected a source in '.global'");
  bool hasPolicy = decoder.take("L2::cache_hint");
  decoder.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  decoder.expectOperands(3 + hasPolicy, 4 + hasPolicy);
  int64_t toOffset = decoder.addAddress(0).offset;
  int64_t fromOffset = decoder.addAddress(1).offset;
  if (toOffset != int32_t(toOffset) || fromOffset != int32_t(fromOffset))
    decoder.fail("an offset does not fit into 32 bits");
  decoder.op.immediate =
      int64_t(uint64_t(fromOffset) << 32 | uint32_t(toOffset));
  uint64_t bytes = decoder.takeInteger(2, "the size of a copy");
  if (bytes != 16 && (cache == 1 || (bytes != 4 && bytes != 8)))
    decoder.fail(cache == 1 ? "expected the size of a copy to be 16"
                            : "expected the size of a copy to be 4, 8 or 16");
  decoder.op.detail = bytes;
  if (decoder.getNumOperands() == 3u + hasPolicy)
    return decoder.setHandler(copyAsync<CopyKind::Whole>);
  if (decoder.isPredicate(3)) {
    decoder.addSource(3, Type::Pred);
    return decoder.setHandler(copyAsync<CopyKind::Ignorable>);
  }
  decoder.addSource(3, Type::U32);
  decoder.setHandler(copyAsync<CopyKind::Sized>);
}

static Flow commitGroup(Warp &warp, const Op &op, Mask mask) {
  warp.asyncCopies.commit(mask);
  if (BlockObserver *observer = warp.getBlock().observer.get())
    observer->commitCopies(warp.getNumber(), mask, warp.getPosition());
  return Flow::Next;
}

/// Op::immediate is the number of groups that may be pending.
template <bool waitsForAll>
static Flow waitGroup(Warp &warp, const Op &op, Mask mask) {
  if (waitsForAll)
    warp.asyncCopies.waitAll(mask);
  else
    warp.asyncCopies.wait(mask, op.immediate);
  if (BlockObserver *observer = warp.getBlock().observer.get())
    observer->waitForCopies(warp.getNumber(), mask, warp.getPosition(),
                            waitsForAll ? 0 : op.immediate);
  return Flow::Next;
}

static void decodeCopyInstruction(Decoder &decoder) {
  if (!decoder.take("async") || decoder.hasModifier("bulk") ||
      decoder.hasModifier("mbarrier"))
    return decoder.fail("unknown instruction '" + decoder.getOpcode() + "'");
  if (decoder.take("commit_group")) {
    decoder.expectOperands(0);
    return decoder.setHandler(commitGroup);
  }
  if (decoder.take("wait_group")) {
    decoder.expectOperands(1);
    decoder.op.immediate =
        decoder.takeInteger(0, "the number of groups that may be pending");
    return decoder.setHandler(waitGroup<false>);
  }
  if (decoder.take("wait_all")) {
    decoder.expectOperands(0);
    return decoder.setHandler(waitGroup<true>);
  }
  decodeCopy(decoder);
}

void fovea::ptx::addAsyncCopyInstructions(InstructionTable &table) {
  table["cp"] = decodeCopyInstruction;
}
