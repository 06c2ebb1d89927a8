//===- Warp.cpp - shfl, vote, match and redux -----------------------------===//

#include "../Block.h"
#include "Instructions.h"
#include "Lanes.h"

using namespace fovea::ptx;

/// Waits for the lanes that any of `mask` names in `members`; reports those
/// that do not name themselves. False if some are missing yet.
static bool synchronize(Warp &warp, const Op &op, Mask mask,
                        const Operand &members) {
  Row<uint32_t> masks = warp.read<uint32_t>(members);
  Mask needed = 0;
  forEachLane(mask, [&](unsigned lane) { needed |= masks[lane]; });
  if (!warp.hasConverged(mask, needed))
    return false;
  forEachLane(mask, [&](unsigned lane) {
    if (!(masks[lane] >> lane & 1))
      warp.report(ReportKind::Divergence, lane,
                  "is not in its own mask of members");
  });
  if (BlockObserver *observer = warp.getBlock().observer.get())
    observer->synchronizeWarp(warp.getNumber(), mask, warp.getPosition());
  return true;
}

//===-- Shuffles ----------------------------------------------------------===//

enum class ShuffleMode { Up, Down, Butterfly, Index };

/// Sources are the value, the lane or distance, the clamp and segment mask,
/// and the members.
template <ShuffleMode mode>
static Flow shuffle(Warp &warp, const Op &op, Mask mask) {
  if (!synchronize(warp, op, mask, op.source(3)))
    return Flow::Wait;
  Row<uint32_t> a = warp.read<uint32_t>(op.source(0)),
                b = warp.read<uint32_t>(op.source(1)),
                c = warp.read<uint32_t>(op.source(2));
  Row<uint32_t> result;
  Mask inRange = 0;
  forEachLane(mask, [&](unsigned lane) {
    int distance = b[lane] & 31;
    int clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
    int least = lane & segment;
    int most = least | (clamp & ~segment);
    int from = 0;
    bool isIn = false;
    switch (mode) {
    case ShuffleMode::Up:
      from = int(lane) - distance;
      isIn = from >= most;
      break;
    case ShuffleMode::Down:
      from = int(lane) + distance;
      isIn = from <= most;
      break;
    case ShuffleMode::Butterfly:
      from = int(lane) ^ distance;
      isIn = from <= most;
      break;
    case ShuffleMode::Index:
      from = least | (distance & ~segment);
      isIn = from <= most;
      break;
    }
    if (!isIn)
      from = lane;
    inRange |= Mask(isIn) << lane;
    if (!(mask >> from & 1))
      warp.report(ReportKind::Divergence, lane,
                  "takes the value of lane " + llvm::Twine(from) +
                      ", which does not take part");
    result[lane] = a[from];
  });
  warp.write(op.result(), result, mask);
  if (op.numResults > 1)
    warp.writePredicate(op.result(1), inRange, mask);
  return Flow::Next;
}

static void decodeShuffle(Decoder &decoder) {
  if (!decoder.take("sync"))
    decoder.fail("'shfl' without '.sync' is gone since sm_70");
  unsigned mode = decoder.expectOneOf({"up", "down", "bfly", "idx"}, "a mode");
  if (decoder.takeType() != Type::B32)
    decoder.failType();
  decoder.expectOperands(5);
  OperandSyntax result = decoder.getOperand(0);
  decoder.addResult(result, Type::B32);
  if (!result.second.empty()) {
    result.name = result.second;
    decoder.addResult(result, Type::Pred);
  }
  for (unsigned n = 1; n <= 4; ++n)
    decoder.addSource(n, Type::B32);
  decoder.op.isConvergent = true;
  static constexpr Handler handlers[] = {
      shuffle<ShuffleMode::Up>, shuffle<ShuffleMode::Down>,
      shuffle<ShuffleMode::Butterfly>, shuffle<ShuffleMode::Index>};
  decoder.setHandler(handlers[mode]);
}

//===-- Votes -------------------------------------------------------------===//

enum class Vote { All, Any, Uniform, Ballot };

template <Vote kind> static Flow vote(Warp &warp, const Op &op, Mask mask) {
  if (!synchronize(warp, op, mask, op.source(1)))
    return Flow::Wait;
  Mask set = warp.readPredicate(op.source(0)) & mask;
  bool all = set == mask;
  switch (kind) {
  case Vote::All:
    warp.writePredicate(op.result(), all ? allLanes : 0, mask);
    break;
  case Vote::Any:
    warp.writePredicate(op.result(), set ? allLanes : 0, mask);
    break;
  case Vote::Uniform:
    warp.writePredicate(op.result(), all || !set ? allLanes : 0, mask);
    break;
  case Vote::Ballot: {
    Row<uint32_t> row;
    row.fill(set);
    warp.write(op.result(), row, mask);
    break;
  }
  }
  return Flow::Next;
}

static void decodeVote(Decoder &decoder) {
  if (!decoder.take("sync"))
    decoder.fail("'vote' without '.sync' is gone since sm_70");
  unsigned kind =
      decoder.expectOneOf({"all", "any", "uni", "ballot"}, "a kind of vote");
  bool isBallot = kind == 3;
  Type type = decoder.takeType();
  if (type != (isBallot ? Type::B32 : Type::Pred))
    decoder.failType();
  decoder.expectOperands(3);
  decoder.addResult(0, type);
  decoder.addSource(1, Type::Pred);
  decoder.addSource(2, Type::B32);
  decoder.op.isConvergent = true;
  static constexpr Handler handlers[] = {vote<Vote::All>, vote<Vote::Any>,
                                         vote<Vote::Uniform>,
                                         vote<Vote::Ballot>};
  decoder.setHandler(handlers[kind]);
}

/// The lanes that have the same value or, with `all`, the lanes if all have.
template <typename T, bool all>
static Flow match(Warp &warp, const Op &op, Mask mask) {
  if (!synchronize(warp, op, mask, op.source(1)))
    return Flow::Wait;
  Row<T> values = warp.read<T>(op.source(0));
  Row<uint32_t> result = {};
  Mask same = allLanes;
  forEachLane(mask, [&](unsigned lane) {
    forEachLane(mask, [&](unsigned other) {
      result[lane] |= Mask(values[other] == values[lane]) << other;
    });
    if (result[lane] != mask)
      same = 0;
  });
  if (all)
    result.fill(same ? mask : 0);
  warp.write(op.result(), result, mask);
  if (op.numResults > 1)
    warp.writePredicate(op.result(1), same, mask);
  return Flow::Next;
}

static void decodeMatch(Decoder &decoder) {
  bool all = decoder.expectOneOf({"any", "all"}, "a kind of match") == 1;
  if (!decoder.take("sync"))
    decoder.fail("'match' expects '.sync'");
  Type type = decoder.takeType();
  decoder.expectOperands(3);
  OperandSyntax result = decoder.getOperand(0);
  decoder.addResult(result, Type::B32);
  if (all && !result.second.empty()) {
    result.name = result.second;
    decoder.addResult(result, Type::Pred);
  }
  decoder.addSource(1, type);
  decoder.addSource(2, Type::B32);
  decoder.op.isConvergent = true;
  if (type == Type::B32)
    return decoder.setHandler(all ? match<uint32_t, true>
                                  : match<uint32_t, false>);
  decoder.setHandler(type != Type::B64 ? nullptr
                     : all             ? match<uint64_t, true>
                                       : match<uint64_t, false>);
}

//===-- Reductions --------------------------------------------------------===//

enum class WarpReduction { Add, Min, Max, And, Or, Xor };

template <typename T, WarpReduction kind>
static Flow reduce(Warp &warp, const Op &op, Mask mask) {
  if (!synchronize(warp, op, mask, op.source(1)))
    return Flow::Wait;
  Row<T> values = warp.read<T>(op.source(0));
  T total = values[llvm::countr_zero(mask)];
  forEachLane(mask & (mask - 1), [&](unsigned lane) {
    T value = values[lane];
    switch (kind) {
    case WarpReduction::Add:
      total = T(uint32_t(total) + uint32_t(value));
      break;
    case WarpReduction::Min:
      total = std::min(total, value);
      break;
    case WarpReduction::Max:
      total = std::max(total, value);
      break;
    case WarpReduction::And:
      total &= value;
      break;
    case WarpReduction::Or:
      total |= value;
      break;
    case WarpReduction::Xor:
      total ^= value;
      break;
    }
  });
  Row<T> row;
  row.fill(total);
  warp.write(op.result(), row, mask);
  return Flow::Next;
}

static void decodeReduction(Decoder &decoder) {
  if (!decoder.take("sync"))
    decoder.fail("'redux' expects '.sync'");
  unsigned kind = decoder.expectOneOf({"add", "min", "max", "and", "or", "xor"},
                                      "an operation");
  Type type = decoder.takeType();
  decoder.expectOperands(3);
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.addSource(2, Type::B32);
  decoder.op.isConvergent = true;
  using enum WarpReduction;
  static constexpr Handler signedOnes[] = {
      reduce<int32_t, Add>, reduce<int32_t, Min>, reduce<int32_t, Max>};
  static constexpr Handler unsignedOnes[] = {
      reduce<uint32_t, Add>, reduce<uint32_t, Min>, reduce<uint32_t, Max>};
  static constexpr Handler bitOnes[] = {
      reduce<uint32_t, And>, reduce<uint32_t, Or>, reduce<uint32_t, Xor>};
  if (kind >= 3)
    return decoder.setHandler(type == Type::B32 ? bitOnes[kind - 3] : nullptr);
  decoder.setHandler(type == Type::S32   ? signedOnes[kind]
                     : type == Type::U32 ? unsignedOnes[kind]
                                         : nullptr);
}

static Flow readActive(Warp &warp, const Op &op, Mask mask) {
  Row<uint32_t> row;
  row.fill(mask);
  warp.write(op.result(), row, mask);
  return Flow::Next;
}

static void decodeActiveMask(Decoder &decoder) {
  if (decoder.takeType() != Type::B32)
    decoder.failType();
  decoder.expectOperands(1);
  decoder.addResult(0, Type::B32);
  decoder.setHandler(readActive);
}

void fovea::ptx::addWarpInstructions(InstructionTable &table) {
  table["shfl"] = decodeShuffle;
  table["vote"] = decodeVote;
  table["match"] = decodeMatch;
  table["redux"] = decodeReduction;
  table["activemask"] = decodeActiveMask;
}
