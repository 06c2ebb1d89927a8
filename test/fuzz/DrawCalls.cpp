//===- DrawCalls.cpp - draws sizes and settings of calls ------------------===//

#include "Case.h"
#include "llvm/ADT/STLExtras.h"

using namespace fovea;
using namespace fovea::fuzz;

/// What the reference multiplies for one call; it should stay around 10 ms.
static constexpr int64_t mostWork = 5'000'000;

/// Around the tiles of query rows (24, 48) and keys (64, 128), primes, and
/// the smallest.
static int64_t drawLength(Dice &dice) {
  switch (dice.upTo(7)) {
  case 0:
    return dice.pick<int64_t>({0, 1, 1, 2});
  case 1:
    return dice.between(3, 20);
  case 2:
    return 48 * dice.between(1, 3) + dice.between(-1, 1);
  case 3:
  case 4:
    return 128 * dice.pick<int64_t>({1, 1, 1, 2}) + dice.between(-1, 1);
  case 5:
    return dice.pick<int64_t>({23, 24, 25, 63, 64, 65, 16, 32});
  case 6:
    return dice.pick<int64_t>({29, 53, 67, 101, 131, 149, 197, 257});
  default:
    return dice.between(1, 200);
  }
}

static int64_t getWork(const Case &drawn, const Call &call) {
  int64_t work = call.batch * drawn.heads * call.query * call.kv *
                 (drawn.qkDim + drawn.vDim + 16);
  if (drawn.isLayer())
    work += call.batch * (call.query + call.kv) *
            (drawn.modelDim + drawn.contextDim + drawn.outDim) * drawn.heads *
            (drawn.qkDim + drawn.vDim);
  return work;
}

static void drawSizes(Dice &dice, const Case &drawn, Call &call) {
  call.batch =
      drawn.isFlat ? 1 : dice.pick<int64_t>({0, 1, 1, 1, 2, 2, 2, 3, 4});
  for (int attempt = 0; attempt < 20; ++attempt) {
    call.query = drawLength(dice);
    call.kv = drawLength(dice);
    // Lengths that agree by luck are rare, and worth having.
    if (drawn.kind == Kind::SelfLayer || dice.onceIn(4))
      call.kv = call.query;
    if (getWork(drawn, call) <= mostWork)
      return;
    if (attempt == 10)
      call.batch = std::min<int64_t>(call.batch, 1);
  }
  call.query = dice.between(1, 9);
  call.kv = drawn.kind == Kind::SelfLayer ? call.query : dice.between(1, 9);
}

static void drawSettings(Dice &dice, const Case &drawn, Call &call) {
  call.hook = dice.pick({Hook::None, Hook::None, Hook::Pool, Hook::Reversed});
  call.isGuardBefore = dice.onceIn(2);
  call.givesWorkspace = dice.onceIn(2);
  call.isNarrowIndex = dice.onceIn(2);
  if (!dice.onceIn(3))
    for (unsigned n = 0; n < numStrideStyles; ++n)
      call.strides |= dice.onceIn(n == 4 ? 6 : 3) << n;
  if (!dice.onceIn(3))
    for (unsigned n = 0; n < numSpecials; ++n)
      call.specials |= dice.onceIn(5) << n;
  call.seed = dice.next();
  dropImpossible(drawn, call);
}

void fuzz::dropImpossible(const Case &drawn, Call &call) {
  auto drop = [&](unsigned specials, bool isImpossible) {
    if (isImpossible)
      call.specials &= ~specials;
  };
  bool hasKeys = call.batch && call.kv;
  drop(NaNForbidden | InfForbidden | NaNAllowed | HugeValues | TinyValues,
       !hasKeys);
  // An infinity in x makes queries whose products are infinite or NaN by
  // rounding.
  drop(InfForbidden, drawn.kind == Kind::SelfLayer);
  const ScoreEntry *bias = drawn.findScore(ScoreEntry::Bias);
  drop(NaNBias | InfBias | MinBias, !bias);
  drop(NaNForbidden | InfForbidden | NaNBias | NoKeys, drawn.mask.empty());
  drop(NaNBias, !hasKeys || !call.query);
  // What comes after infinite or huge scores must leave them as they are, and
  // their sums must not leave f32's range where f64 has room.
  bool isAfterwardsSum = true;
  for (const ScoreEntry &entry : drawn.score)
    isAfterwardsSum &= entry.form != ScoreEntry::Expr || entry.isSum;
  drop(InfBias | MinBias, !isAfterwardsSum);
  // Whether a NaN counts where all of a row's scores are -inf is left open.
  drop(InfBias, call.specials & NaNAllowed);
  int64_t biases = llvm::count_if(drawn.score, [](const ScoreEntry &entry) {
    return entry.form == ScoreEntry::Bias;
  });
  drop(MinBias, biases > 1);
  bool hasLengths =
      drawn.hasMask(MaskEntry::KvLengths) || drawn.hasMask(MaskEntry::QLengths);
  drop(WildLengths, !hasLengths || !call.batch);
  drop(NoKeys, !call.batch || !call.query || !call.kv ||
                   !(hasLengths || drawn.hasMask(MaskEntry::Tensor)));
}

void fuzz::drawCalls(Dice &dice, Case &drawn) {
  bool isFixed =
      (drawn.isFlat || !drawn.anyBatch) && !drawn.anyQuery && !drawn.anyKv;
  // Compiling takes ten times as long as a call.
  int64_t count = isFixed ? 3 : 5;
  for (int64_t n = 0; n < count; ++n) {
    Call call;
    drawSizes(dice, drawn, call);
    if (n) {
      const Call &first = drawn.calls.front();
      if (!drawn.anyBatch)
        call.batch = first.batch;
      if (!drawn.anyQuery)
        call.query = first.query;
      if (!drawn.anyKv)
        call.kv = first.kv;
      // Another batch or length may be too much beside a fixed one.
      for (int step = 0; step < 9 && getWork(drawn, call) > 2 * mostWork;
           ++step) {
        if (drawn.anyBatch && call.batch > 1)
          call.batch = 1;
        else if (drawn.anyQuery)
          call.query /= 2;
        else if (drawn.anyKv)
          call.kv /= 2;
      }
      if (drawn.kind == Kind::SelfLayer)
        call.kv = call.query;
    }
    drawSettings(dice, drawn, call);
    drawn.calls.push_back(call);
  }
}
