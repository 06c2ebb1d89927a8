//===- MoveTest.cpp - mov and packing of registers ------------------------===//

#include "Testing.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

TEST(Move, PacksFromTheLowBitsOn) {
  EXPECT_EQ(evaluateOne<uint32_t>("mov.b32 %0, {%1, %2};", uint16_t(0x1111),
                                  uint16_t(0x2222)),
            0x22221111u);
  EXPECT_EQ(evaluateOne<uint64_t>("mov.b64 %0, {%1, %2};", 1u, 2u),
            0x200000001u);
  EXPECT_EQ(evaluateOne<uint64_t>("mov.b64 %0, {%1, %2, %1, %2};", uint16_t(1),
                                  uint16_t(2)),
            0x0002000100020001u);
}

TEST(Move, UnpacksIntoPlaces) {
  EXPECT_EQ(
      evaluateOne<uint16_t>("{.reg .b16 x; mov.b32 {x, %0}, %1;}", 0x22221111u),
      0x2222);
  EXPECT_EQ(
      evaluateOne<uint32_t>("mov.b64 {%0, _}, %1;", uint64_t(0x200000001)), 1u);
}

TEST(Move, WordsOf128Bits) {
  EXPECT_EQ(evaluateOne<uint64_t>("{.reg .b128 q; .reg .b64 x; "
                                  "mov.b128 q, {%1, %2}; mov.b128 {x, %0}, q;}",
                                  uint64_t(1), uint64_t(2)),
            2u);
}

TEST(Move, NumbersOfAllKinds) {
  EXPECT_EQ(evaluateOne<float>("mov.f32 %0, 0f3FC00000;"), 1.5f);
  EXPECT_EQ(evaluateOne<double>("mov.f64 %0, 0d3FF8000000000000;"), 1.5);
  EXPECT_EQ(evaluateOne<float>("mov.f32 %0, 1.5;"), 1.5f);
  EXPECT_EQ(evaluateOne<int32_t>("mov.b32 %0, -7;"), -7);
  EXPECT_EQ(evaluateOne<uint32_t>("mov.b32 %0, 0xFFFFFFFFU;"), ~0u);
  EXPECT_EQ(evaluateOne<uint32_t>("mov.b32 %0, 0b101;"), 5u);
  EXPECT_EQ(evaluateOne<uint16_t>("mov.b16 %0, 0x3C00;"), 0x3c00);
  // A signalling NaN keeps its bits.
  EXPECT_EQ(evaluateOne<uint32_t>("mov.b32 %0, 0fFF800001;"), 0xff800001u);
}

TEST(Move, UndefinedValuesMoveWithoutAReport) {
  // Only half of the pair is defined, and only that half is used.
  Outcome outcome = run(makeKernel("mov.b64 %d, {%r, %s};\n"
                                   "mov.u32 %t, 5;\n"
                                   "st.global.u32 [%at], %t;"),
                        128);
  expectClean(outcome.result);
}

TEST(Move, UndefinedValuesAreReportedWhereTheyAreUsed) {
  Outcome outcome = run(makeKernel("mov.b32 %r, %s;\n"
                                   "add.u32 %t, %r, 1;\n"
                                   "st.global.u32 [%at], %t;"),
                        128);
  std::vector<Report> reports = outcome.get(ReportKind::Uninitialized);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].instruction, "add.u32 %t, %r, 1");
  EXPECT_NE(reports[0].sentence.find("'%r'"), std::string::npos);
  EXPECT_EQ(reports[0].count, 32u);
}

TEST(Move, UndefinedPredicateOfAGuard) {
  Outcome outcome = run(makeKernel("mov.u32 %t, 5;\n"
                                   "@%p mov.u32 %t, 6;\n"
                                   "st.global.u32 [%at], %t;"),
                        128);
  ASSERT_EQ(outcome.get(ReportKind::Uninitialized).size(), 1u);
}

TEST(Move, SpecialRegistersOfABlock) {
  LaunchShape shape;
  shape.grid = {1, 1, 1};
  shape.block = {8, 4, 2};
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, %tid.y;
    mov.u32 %s, %tid.z;
    mad.lo.u32 %r, %s, 4, %r;
    mad.lo.u32 %r, %r, 8, %tid;
    mad.wide.u32 %at, %r, 4, %out;
    mov.u32 %s, %warpid;
    mad.lo.u32 %s, %s, 100, %laneid;
    st.global.u32 [%at], %s;)"),
                        256, shape);
  expectClean(outcome.result);
  std::vector<uint32_t> values = outcome.as<uint32_t>();
  for (uint32_t n = 0; n < 64; ++n)
    EXPECT_EQ(values[n], n / 32 * 100 + n % 32);
}

TEST(Move, MasksOfLanes) {
  std::vector<uint32_t> values =
      run(makeKernel("mov.u32 %r, %lanemask_lt;\nmov.u32 %s, %lanemask_ge;\n"
                     "sub.u32 %r, %s, %r;\nst.global.u32 [%at], %r;"),
          128)
          .as<uint32_t>();
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(values[lane], (~0u << lane) - ((1u << lane) - 1));
}

} // namespace
