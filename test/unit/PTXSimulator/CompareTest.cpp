//===- CompareTest.cpp - setp, set, selp and slct -------------------------===//

#include "Testing.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace fovea::ptx::testing;

namespace {

const float nan = std::numeric_limits<float>::quiet_NaN();

std::vector<bool> compare(llvm::StringRef comparison, std::vector<float> a,
                          std::vector<float> b) {
  return evaluate<bool>(
      llvm::formatv("setp.{0}.f32 %0, %1, %2;", comparison).str(), a, b);
}

TEST(Compare, FloatsInOrder) {
  std::vector<float> a{1, 2, 3, nan, -0.f}, b{2, 2, 2, 2, 0.f};
  using Bools = std::vector<bool>;
  EXPECT_EQ(compare("eq", a, b), (Bools{false, true, false, false, true}));
  EXPECT_EQ(compare("ne", a, b), (Bools{true, false, true, false, false}));
  EXPECT_EQ(compare("lt", a, b), (Bools{true, false, false, false, false}));
  EXPECT_EQ(compare("le", a, b), (Bools{true, true, false, false, true}));
  EXPECT_EQ(compare("gt", a, b), (Bools{false, false, true, false, false}));
  EXPECT_EQ(compare("ge", a, b), (Bools{false, true, true, false, true}));
}

TEST(Compare, FloatsOrUnordered) {
  std::vector<float> a{1, 2, 3, nan}, b{2, 2, 2, 2};
  using Bools = std::vector<bool>;
  EXPECT_EQ(compare("equ", a, b), (Bools{false, true, false, true}));
  EXPECT_EQ(compare("neu", a, b), (Bools{true, false, true, true}));
  EXPECT_EQ(compare("ltu", a, b), (Bools{true, false, false, true}));
  EXPECT_EQ(compare("leu", a, b), (Bools{true, true, false, true}));
  EXPECT_EQ(compare("gtu", a, b), (Bools{false, false, true, true}));
  EXPECT_EQ(compare("geu", a, b), (Bools{false, true, true, true}));
  EXPECT_EQ(compare("num", a, b), (Bools{true, true, true, false}));
  EXPECT_EQ(compare("nan", a, b), (Bools{false, false, false, true}));
}

TEST(Compare, SubnormalsAreZeroWithFtz) {
  float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_FALSE(evaluateOne<bool>("setp.gt.ftz.f32 %0, %1, 0f00000000;", tiny));
  EXPECT_TRUE(evaluateOne<bool>("setp.gt.f32 %0, %1, 0f00000000;", tiny));
}

TEST(Compare, IntegersBySign) {
  EXPECT_TRUE(evaluateOne<bool>("setp.lt.s32 %0, %1, %2;", -1, 1));
  EXPECT_FALSE(evaluateOne<bool>("setp.lt.u32 %0, %1, %2;", ~0u, 1u));
  EXPECT_TRUE(
      evaluateOne<bool>("setp.hi.u64 %0, %1, %2;", ~uint64_t(0), uint64_t(1)));
  EXPECT_TRUE(
      evaluateOne<bool>("setp.ls.u16 %0, %1, %2;", uint16_t(1), uint16_t(1)));
  EXPECT_TRUE(evaluateOne<bool>("setp.ne.b64 %0, %1, %2;", uint64_t(1) << 40,
                                uint64_t(0)));
}

TEST(Compare, CombinesWithAPredicate) {
  std::vector<bool> c{false, true};
  EXPECT_EQ(evaluate<bool>("setp.eq.and.s32 %0, %1, 5, %2;", std::vector{5}, c),
            (std::vector<bool>{false, true}));
  EXPECT_EQ(evaluate<bool>("setp.eq.or.s32 %0, %1, 5, !%2;", std::vector{4}, c),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(evaluate<bool>("setp.eq.xor.s32 %0, %1, 5, %2;", std::vector{5}, c),
            (std::vector<bool>{true, false}));
}

TEST(Compare, SecondResultIsOfTheOppositeComparison) {
  // p = (a < b) and c, q = !(a < b) and c.
  std::vector<uint32_t> both = evaluate<uint32_t>(
      "{.reg .pred p, q; setp.lt.and.s32 p|q, %1, 2, %2; selp.u32 %0, 1, 0, p; "
      "@q add.u32 %0, %0, 2;}",
      std::vector{1, 3, 1, 3}, std::vector<bool>{true, true, false, false});
  EXPECT_EQ(both, (std::vector<uint32_t>{1, 2, 0, 0}));
}

TEST(Compare, HalvesAloneAndInPairs) {
  // 1.0 and 2.0.
  EXPECT_TRUE(evaluateOne<bool>("setp.lt.f16 %0, %1, %2;", uint16_t(0x3c00),
                                uint16_t(0x4000)));
  EXPECT_TRUE(evaluateOne<bool>("setp.gt.bf16 %0, %1, %2;", uint16_t(0x4000),
                                uint16_t(0x3f80)));
  uint32_t both = evaluateOne<uint32_t>(
      "{.reg .pred p, q; setp.lt.f16x2 p|q, %1, %2; selp.u32 %0, 1, 0, p; "
      "@q add.u32 %0, %0, 2;}",
      0x40003c00u, 0x3c004000u);
  EXPECT_EQ(both, 1u);
}

TEST(Compare, SetGivesOnesOrOne) {
  EXPECT_EQ(evaluate<uint32_t>("set.gt.u32.f32 %0, %1, %2;",
                               std::vector{2.f, 1.f}, std::vector{1.f}),
            (std::vector<uint32_t>{~0u, 0}));
  EXPECT_EQ(evaluate<float>("set.gt.f32.s32 %0, %1, %2;", std::vector{2, 1},
                            std::vector{1}),
            (std::vector<float>{1, 0}));
}

TEST(Compare, Select) {
  std::vector<bool> p{true, false};
  EXPECT_EQ(evaluate<uint64_t>("selp.b64 %0, %1, %2, %3;",
                               std::vector<uint64_t>{5},
                               std::vector<uint64_t>{6}, p),
            (std::vector<uint64_t>{5, 6}));
}

TEST(Compare, SelectBySign) {
  EXPECT_EQ(evaluate<uint32_t>("slct.u32.s32 %0, %1, %2, %3;",
                               std::vector<uint32_t>{5},
                               std::vector<uint32_t>{6}, std::vector{0, -1}),
            (std::vector<uint32_t>{5, 6}));
  // -0 is not below 0; NaN selects the second.
  EXPECT_EQ(evaluate<uint32_t>(
                "slct.u32.f32 %0, %1, %2, %3;", std::vector<uint32_t>{5},
                std::vector<uint32_t>{6}, std::vector{-0.f, -1.f, nan}),
            (std::vector<uint32_t>{5, 6, 6}));
}

} // namespace
