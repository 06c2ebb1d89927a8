//===- WarpTest.cpp - shfl, vote, match and redux -------------------------===//

#include "Testing.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

std::vector<uint32_t> getLanes() {
  std::vector<uint32_t> lanes(32);
  for (uint32_t n = 0; n < 32; ++n)
    lanes[n] = n;
  return lanes;
}

/// The pseudo code of the ISA: the lane that is read, or the lane itself if
/// that is out of range, with bit 8 set if it is in range.
uint32_t shuffleByTheIsa(llvm::StringRef mode, int lane, int b, int c) {
  int bval = b & 31, cval = c & 31, segmask = c >> 8 & 31;
  int maxLane = (lane & segmask) | (cval & ~segmask & 31);
  int minLane = lane & segmask;
  int j = 0;
  bool pval = false;
  if (mode == "up") {
    j = lane - bval;
    pval = j >= maxLane;
  } else if (mode == "down") {
    j = lane + bval;
    pval = j <= maxLane;
  } else if (mode == "bfly") {
    j = lane ^ bval;
    pval = j <= maxLane;
  } else {
    j = minLane | (bval & ~segmask & 31);
    pval = j <= maxLane;
  }
  return pval ? uint32_t(j) | 256 : uint32_t(lane);
}

void checkShuffle(llvm::StringRef mode, int c) {
  for (int b : {0, 1, 2, 5, 16, 31, 33}) {
    std::vector<uint32_t> results = evaluate<uint32_t>(
        llvm::formatv("{{.reg .pred p; shfl.sync.{0}.b32 %0|p, %1, {1}, {2}, "
                      "0xffffffff; @p or.b32 %0, %0, 256;}",
                      mode, b, c)
            .str(),
        getLanes());
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(results[lane], shuffleByTheIsa(mode, lane, b, c))
          << mode.str() << " " << b << " " << c << " lane " << lane;
  }
}

// The whole warp, and segments of 8 lanes: c is the clamp and, in bits 8 to
// 12, the segment mask.
TEST(Warp, ShuffleUp) {
  checkShuffle("up", 0);
  checkShuffle("up", 0x1800);
}
TEST(Warp, ShuffleDown) {
  checkShuffle("down", 31);
  checkShuffle("down", 0x181f);
}
TEST(Warp, ShuffleButterfly) {
  checkShuffle("bfly", 31);
  checkShuffle("bfly", 0x181f);
  checkShuffle("bfly", 0x0f);
}
TEST(Warp, ShuffleIndex) {
  checkShuffle("idx", 31);
  checkShuffle("idx", 0x181f);
}

TEST(Warp, ShuffleOfPartOfAWarpOnly) {
  // Lanes 0 to 15 name themselves only, and lane 15 asks lane 16.
  Outcome outcome = run(makeKernel(R"(
    setp.lt.u32 %p, %tid, 16;
    @%p shfl.sync.down.b32 %r, %tid, 1, 31, 0xffff;
    @%p st.global.u32 [%at], %r;)"),
                        128);
  std::vector<Report> reports = outcome.get(ReportKind::Divergence);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].lane, 15u);
  EXPECT_NE(reports[0].sentence.find("lane 16, which does not take part"),
            std::string::npos);
  EXPECT_EQ(outcome.as<uint32_t>()[3], 4u);
}

TEST(Warp, ShuffleWaitsForLanesThatComeLater) {
  // The halves of the warp reach it by different ways.
  Outcome outcome = run(makeKernel(R"(
    setp.lt.u32 %p, %tid, 16;
    @%p bra first;
    add.u32 %r, %tid, 100;
    bra join;
    first:
    add.u32 %r, %tid, 200;
    join:
    shfl.sync.bfly.b32 %s, %r, 16, 31, 0xffffffff;
    st.global.u32 [%at], %s;)"),
                        128);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 116u);
  EXPECT_EQ(outcome.as<uint32_t>()[16], 200u);
}

TEST(Warp, ShuffleThatPartOfTheLanesNeverReaches) {
  Outcome outcome = run(makeKernel(R"(
    setp.lt.u32 %p, %tid, 16;
    @!%p bra other;
    shfl.sync.bfly.b32 %s, %tid, 1, 31, 0xffffffff;
    bra join;
    other:
    shfl.sync.bfly.b32 %s, %tid, 2, 31, 0xffffffff;
    join:
    st.global.u32 [%at], %s;)"),
                        128);
  std::vector<Report> reports = outcome.get(ReportKind::Divergence);
  ASSERT_GE(reports.size(), 1u);
  EXPECT_NE(reports[0].sentence.find("only lanes 0 to 15 of the warp"),
            std::string::npos)
      << reports[0].sentence;
  // It goes on all the same.
  EXPECT_EQ(outcome.as<uint32_t>()[0], 1u);
}

TEST(Warp, LaneOutsideOfItsOwnMask) {
  Outcome outcome =
      run(makeKernel("shfl.sync.idx.b32 %r, %tid, 0, 31, 0x1;"), 128);
  std::vector<Report> reports = outcome.get(ReportKind::Divergence);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].count, 31u);
}

TEST(Warp, Votes) {
  std::vector<bool> odd(32), none(32, false), all(32, true);
  for (int n = 0; n < 32; ++n)
    odd[n] = n % 2;
  auto vote = [](const char *kind, const std::vector<bool> &values) {
    return bool(evaluate<bool>(
        llvm::formatv("vote.sync.{0}.pred %0, %1, 0xffffffff;", kind).str(),
        values)[0]);
  };
  EXPECT_FALSE(vote("all", odd));
  EXPECT_TRUE(vote("all", all));
  EXPECT_TRUE(vote("any", odd));
  EXPECT_FALSE(vote("any", none));
  EXPECT_FALSE(vote("uni", odd));
  EXPECT_TRUE(vote("uni", none));
  EXPECT_TRUE(vote("uni", all));
  EXPECT_EQ(
      evaluate<uint32_t>("vote.sync.ballot.b32 %0, %1, 0xffffffff;", odd)[0],
      0xaaaaaaaau);
  EXPECT_EQ(
      evaluate<uint32_t>("vote.sync.ballot.b32 %0, !%1, 0xffffffff;", odd)[0],
      0x55555555u);
}

TEST(Warp, MatchAny) {
  std::vector<uint32_t> values(32), expected(32);
  for (uint32_t n = 0; n < 32; ++n) {
    values[n] = n % 3;
    for (uint32_t m = n % 3; m < 32; m += 3)
      expected[n] |= 1u << m;
  }
  EXPECT_EQ(
      evaluate<uint32_t>("match.any.sync.b32 %0, %1, 0xffffffff;", values),
      expected);
}

TEST(Warp, MatchAll) {
  const char *instruction = "{.reg .pred p; match.all.sync.b64 %0|p, %1, "
                            "0xffffffff; @!p or.b32 %0, %0, 7;}";
  EXPECT_EQ(evaluate<uint32_t>(instruction, std::vector<uint64_t>(32, 5))[3],
            ~0u);
  std::vector<uint64_t> other(32, 5);
  other[9] = 6;
  EXPECT_EQ(evaluate<uint32_t>(instruction, other)[3], 7u);
}

TEST(Warp, Reductions) {
  std::vector<int32_t> values(32);
  for (int n = 0; n < 32; ++n)
    values[n] = n - 10;
  auto reduce = [&](const char *operation) {
    return evaluate<int32_t>(
        llvm::formatv("redux.sync.{0} %0, %1, 0xffffffff;", operation).str(),
        values)[0];
  };
  EXPECT_EQ(reduce("add.s32"), 31 * 16 - 320);
  EXPECT_EQ(reduce("min.s32"), -10);
  EXPECT_EQ(reduce("max.s32"), 21);
  EXPECT_EQ(reduce("max.u32"), -1);
  EXPECT_EQ(reduce("min.u32"), 0);
  EXPECT_EQ(reduce("and.b32"), 0);
  EXPECT_EQ(reduce("or.b32"), -1);
}

TEST(Warp, ActiveMask) {
  std::vector<uint32_t> values = run(makeKernel(R"(
    mov.u32 %r, 0;
    setp.lt.u32 %p, %tid, 4;
    @%p activemask.b32 %r;
    st.global.u32 [%at], %r;)"),
                                     128)
                                     .as<uint32_t>();
  EXPECT_EQ(values[0], 15u);
  EXPECT_EQ(values[4], 0u);
}

} // namespace
