//===- IntegerTest.cpp - arithmetic of integers ---------------------------===//

#include "Testing.h"

using namespace fovea::ptx::testing;

namespace {

TEST(Integer, AddWraps) {
  EXPECT_EQ(evaluateOne<int32_t>("add.s32 %0, %1, %2;", INT32_MAX, 1),
            INT32_MIN);
  EXPECT_EQ(evaluateOne<uint16_t>("add.u16 %0, %1, %2;", uint16_t(65535),
                                  uint16_t(2)),
            1);
  EXPECT_EQ(evaluateOne<int64_t>("add.s64 %0, %1, %2;", INT64_MAX, int64_t(1)),
            INT64_MIN);
}

TEST(Integer, AddSaturates) {
  EXPECT_EQ(evaluate<int32_t>("add.sat.s32 %0, %1, %2;",
                              std::vector{INT32_MAX, INT32_MIN, 5},
                              std::vector{1, -1, -7}),
            (std::vector{INT32_MAX, INT32_MIN, -2}));
}

TEST(Integer, SubtractSaturates) {
  EXPECT_EQ(evaluate<int32_t>("sub.sat.s32 %0, %1, %2;",
                              std::vector{INT32_MAX, INT32_MIN, 5},
                              std::vector{-1, 1, 7}),
            (std::vector{INT32_MAX, INT32_MIN, -2}));
}

TEST(Integer, CarryGoesFromLowToHigh) {
  // 0x1'ffffffff + 0x0'00000001, as two words.
  uint64_t sum = evaluateOne<uint64_t>(
      "{.reg .b32 a, b, c, d, x, y; mov.b64 {a, b}, %1; mov.b64 {c, d}, %2; "
      "add.cc.u32 x, a, c; addc.u32 y, b, d; mov.b64 %0, {x, y};}",
      uint64_t(0x1ffffffff), uint64_t(1));
  EXPECT_EQ(sum, 0x200000000u);
}

TEST(Integer, BorrowGoesFromLowToHigh) {
  uint64_t difference = evaluateOne<uint64_t>(
      "{.reg .b32 a, b, c, d, x, y; mov.b64 {a, b}, %1; mov.b64 {c, d}, %2; "
      "sub.cc.u32 x, a, c; subc.u32 y, b, d; mov.b64 %0, {x, y};}",
      uint64_t(0x200000000), uint64_t(1));
  EXPECT_EQ(difference, 0x1ffffffffu);
}

TEST(Integer, CarryOfMultiplyAdd) {
  // The square of 0xffffffff'ffffffff's low word, plus a carry into the high.
  uint64_t product = evaluateOne<uint64_t>(
      "{.reg .b32 x, y; mad.lo.cc.u32 x, %1, %2, 0xffffffff; "
      "madc.hi.u32 y, %1, %2, 0; mov.b64 %0, {x, y};}",
      uint32_t(0xffffffff), uint32_t(0xffffffff));
  EXPECT_EQ(product, uint64_t(0xffffffff) * 0xffffffff + 0xffffffff);
}

TEST(Integer, MultiplyHigh) {
  EXPECT_EQ(evaluateOne<uint32_t>("mul.hi.u32 %0, %1, %2;",
                                  uint32_t(0x80000000), uint32_t(6)),
            3u);
  EXPECT_EQ(evaluateOne<int32_t>("mul.hi.s32 %0, %1, %2;", INT32_MIN, 6), -3);
  EXPECT_EQ(evaluateOne<uint64_t>("mul.hi.u64 %0, %1, %2;", uint64_t(1) << 63,
                                  uint64_t(10)),
            5u);
  EXPECT_EQ(
      evaluateOne<int64_t>("mul.hi.s64 %0, %1, %2;", int64_t(-1), int64_t(1)),
      -1);
}

TEST(Integer, MultiplyWide) {
  EXPECT_EQ(evaluateOne<uint64_t>("mul.wide.u32 %0, %1, %2;",
                                  uint32_t(0xffffffff), uint32_t(2)),
            0x1fffffffeu);
  EXPECT_EQ(evaluateOne<int64_t>("mul.wide.s32 %0, %1, %2;", -3, 5), -15);
  EXPECT_EQ(evaluateOne<int32_t>("mul.wide.s16 %0, %1, %2;", int16_t(-300),
                                 int16_t(300)),
            -90000);
}

TEST(Integer, MultiplyAdd) {
  EXPECT_EQ(evaluateOne<int32_t>("mad.lo.s32 %0, %1, %2, %3;", 7, -6, 2), -40);
  EXPECT_EQ(evaluateOne<int64_t>("mad.wide.s32 %0, %1, %2, %3;", INT32_MIN, 4,
                                 int64_t(1)),
            int64_t(INT32_MIN) * 4 + 1);
  EXPECT_EQ(evaluateOne<int32_t>("mad.hi.sat.s32 %0, %1, %2, %3;", INT32_MAX,
                                 INT32_MAX, INT32_MAX),
            INT32_MAX);
}

TEST(Integer, Multiply24UsesTheLowBits) {
  EXPECT_EQ(evaluateOne<uint32_t>("mul24.lo.u32 %0, %1, %2;",
                                  uint32_t(0xff000003), uint32_t(5)),
            15u);
  // Bits 16 to 47 of the product of 48 bits.
  EXPECT_EQ(evaluateOne<uint32_t>("mul24.hi.u32 %0, %1, %2;",
                                  uint32_t(0x800000), uint32_t(0x800000)),
            0x40000000u);
  EXPECT_EQ(
      evaluateOne<int32_t>("mad24.lo.s32 %0, %1, %2, %3;", 0x00ffffff, 3, 10),
      7);
}

TEST(Integer, DivisionTruncates) {
  EXPECT_EQ(evaluate<int32_t>("div.s32 %0, %1, %2;", std::vector{7, -7, 7, -7},
                              std::vector{2, 2, -2, -2}),
            (std::vector{3, -3, -3, 3}));
  EXPECT_EQ(evaluate<int32_t>("rem.s32 %0, %1, %2;", std::vector{7, -7, 7, -7},
                              std::vector{2, 2, -2, -2}),
            (std::vector{1, -1, 1, -1}));
}

TEST(Integer, DivisionOfAnyNumbersDoesNotCrash) {
  EXPECT_EQ(evaluateOne<int32_t>("div.s32 %0, %1, %2;", INT32_MIN, -1),
            INT32_MIN);
  EXPECT_EQ(evaluateOne<int32_t>("rem.s32 %0, %1, %2;", INT32_MIN, -1), 0);
  EXPECT_EQ(evaluateOne<uint32_t>("div.u32 %0, %1, %2;", 5u, 0u), ~0u);
  EXPECT_EQ(
      evaluateOne<uint64_t>("rem.u64 %0, %1, %2;", uint64_t(5), uint64_t(0)),
      5u);
}

TEST(Integer, MinAndMaxKnowSigns) {
  EXPECT_EQ(evaluateOne<int32_t>("min.s32 %0, %1, %2;", -1, 1), -1);
  EXPECT_EQ(evaluateOne<uint32_t>("min.u32 %0, %1, %2;", ~0u, 1u), 1u);
  EXPECT_EQ(
      evaluateOne<int64_t>("max.s64 %0, %1, %2;", int64_t(-1), int64_t(1)), 1);
  EXPECT_EQ(evaluateOne<uint16_t>("max.u16 %0, %1, %2;", uint16_t(65535),
                                  uint16_t(1)),
            65535);
}

TEST(Integer, AbsoluteAndNegateOfTheSmallest) {
  EXPECT_EQ(evaluate<int32_t>("abs.s32 %0, %1;", std::vector{-5, INT32_MIN}),
            (std::vector{5, INT32_MIN}));
  EXPECT_EQ(
      evaluate<int16_t>("neg.s16 %0, %1;", std::vector<int16_t>{5, INT16_MIN}),
      (std::vector<int16_t>{-5, INT16_MIN}));
}

TEST(Integer, SumOfDifferences) {
  EXPECT_EQ(evaluateOne<int32_t>("sad.s32 %0, %1, %2, %3;", -3, 4, 10), 17);
  EXPECT_EQ(evaluateOne<uint32_t>("sad.u32 %0, %1, %2, %3;", 3u, 10u, 1u), 8u);
}

TEST(Integer, DotProductOfBytes) {
  // (-1, 2, -3, 4) . (5, 6, 7, 8) = -5 + 12 - 21 + 32
  EXPECT_EQ(evaluateOne<int32_t>("dp4a.s32.s32 %0, %1, %2, %3;",
                                 uint32_t(0x04fd02ff), uint32_t(0x08070605),
                                 100),
            118);
  EXPECT_EQ(evaluateOne<uint32_t>("dp4a.u32.u32 %0, %1, %2, %3;",
                                  uint32_t(0x000000ff), uint32_t(0x00000002),
                                  1u),
            511u);
}

TEST(Integer, DotProductOfWordsAndBytes) {
  // (1000, -2) . the upper bytes (3, 4) of b
  EXPECT_EQ(evaluateOne<int32_t>("dp2a.hi.s32.s32 %0, %1, %2, %3;",
                                 uint32_t(0xfffe03e8), uint32_t(0x04030201), 0),
            2992);
  EXPECT_EQ(evaluateOne<int32_t>("dp2a.lo.s32.s32 %0, %1, %2, %3;",
                                 uint32_t(0xfffe03e8), uint32_t(0x04030201), 0),
            996);
}

TEST(Integer, LogicOfWords) {
  EXPECT_EQ(evaluateOne<uint32_t>("and.b32 %0, %1, %2;", 12u, 10u), 8u);
  EXPECT_EQ(evaluateOne<uint32_t>("or.b32 %0, %1, %2;", 12u, 10u), 14u);
  EXPECT_EQ(
      evaluateOne<uint64_t>("xor.b64 %0, %1, %2;", uint64_t(12), uint64_t(10)),
      6u);
  EXPECT_EQ(evaluateOne<uint16_t>("not.b16 %0, %1;", uint16_t(1)), 0xfffe);
  EXPECT_EQ(evaluate<uint32_t>("cnot.b32 %0, %1;", std::vector{0u, 5u}),
            (std::vector{1u, 0u}));
}

TEST(Integer, LogicOfPredicates) {
  std::vector<bool> a{false, false, true, true}, b{false, true, false, true};
  EXPECT_EQ(evaluate<bool>("and.pred %0, %1, %2;", a, b),
            (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(evaluate<bool>("xor.pred %0, %1, %2;", a, b),
            (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(evaluate<bool>("or.pred %0, %1, !%2;", a, b),
            (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(evaluate<bool>("not.pred %0, %1;", a),
            (std::vector<bool>{true, true, false, false}));
}

} // namespace
