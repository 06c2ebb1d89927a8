//===- HalfTest.cpp - arithmetic of f16 and bf16 --------------------------===//

#include "Testing.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fovea::ptx::testing;
using llvm::APFloat;
using llvm::APInt;

namespace {

constexpr auto nearest = llvm::RoundingMode::NearestTiesToEven;

APFloat makeHalf(uint16_t bits, bool isBFloat) {
  return APFloat(isBFloat ? APFloat::BFloat() : APFloat::IEEEhalf(),
                 APInt(16, bits));
}

uint16_t getBits(const APFloat &value) {
  return value.isNaN() ? 0x7fff
                       : uint16_t(value.bitcastToAPInt().getZExtValue());
}

/// Bits of all kinds: zeros, subnormals, ties, infinities, NaN and others.
std::vector<uint16_t> makeBits(uint32_t seed) {
  std::vector<uint16_t> bits{0x0000, 0x8000, 0x0001, 0x83ff, 0x3c00, 0x3c01,
                             0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3f80, 0x7f80};
  while (bits.size() < 32) {
    seed = seed * 1664525 + 1013904223;
    bits.push_back(seed >> 13);
  }
  std::rotate(bits.begin(), bits.begin() + seed % 32, bits.end());
  return bits;
}

class HalfArithmetic : public ::testing::TestWithParam<bool> {
protected:
  const char *getType() const { return GetParam() ? "bf16" : "f16"; }
};

TEST_P(HalfArithmetic, AddAndMultiplyRoundOnce) {
  for (uint32_t seed = 1; seed < 6; ++seed) {
    std::vector<uint16_t> a = makeBits(seed), b = makeBits(seed + 100);
    std::vector<uint16_t> sums = evaluate<uint16_t>(
        llvm::formatv("add.rn.{0} %0, %1, %2;", getType()).str(), a, b);
    std::vector<uint16_t> products = evaluate<uint16_t>(
        llvm::formatv("mul.rn.{0} %0, %1, %2;", getType()).str(), a, b);
    for (size_t n = 0; n < a.size(); ++n) {
      APFloat sum = makeHalf(a[n], GetParam()), product = sum;
      sum.add(makeHalf(b[n], GetParam()), nearest);
      product.multiply(makeHalf(b[n], GetParam()), nearest);
      EXPECT_EQ(sums[n], getBits(sum)) << a[n] << " + " << b[n];
      EXPECT_EQ(products[n], getBits(product)) << a[n] << " * " << b[n];
    }
  }
}

TEST_P(HalfArithmetic, FusedMultiplyAddRoundsOnce) {
  for (uint32_t seed = 1; seed < 12; ++seed) {
    std::vector<uint16_t> a = makeBits(seed), b = makeBits(seed + 100),
                          c = makeBits(seed + 200);
    std::vector<uint16_t> results = evaluate<uint16_t>(
        llvm::formatv("fma.rn.{0} %0, %1, %2, %3;", getType()).str(), a, b, c);
    for (size_t n = 0; n < a.size(); ++n) {
      APFloat expected = makeHalf(a[n], GetParam());
      expected.fusedMultiplyAdd(makeHalf(b[n], GetParam()),
                                makeHalf(c[n], GetParam()), nearest);
      EXPECT_EQ(results[n], getBits(expected))
          << a[n] << " * " << b[n] << " + " << c[n];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, HalfArithmetic, ::testing::Bool());

TEST(Half, FusedMultiplyAddBreaksATieByATinyNumber) {
  // bf16: (1 + 2^-7)(1 + 2^-1) = 1.5 + 3 * 2^-8 is a tie; 2^-100 decides.
  EXPECT_EQ(evaluateOne<uint16_t>("fma.rn.bf16 %0, %1, %2, %3;",
                                  uint16_t(0x3f81), uint16_t(0x3fc0),
                                  uint16_t(0x0d80)),
            0x3fc2);
  EXPECT_EQ(evaluateOne<uint16_t>("fma.rn.bf16 %0, %1, %2, %3;",
                                  uint16_t(0x3f81), uint16_t(0x3fc0),
                                  uint16_t(0x8d80)),
            0x3fc1);
}

TEST(Half, PairsAreTwoHalves) {
  // (1, 2) + (3, 4) and (1, 2) * (3, 4), the first in the low bits.
  EXPECT_EQ(
      evaluateOne<uint32_t>("add.f16x2 %0, %1, %2;", 0x40003c00u, 0x44004200u),
      0x46004400u);
  EXPECT_EQ(
      evaluateOne<uint32_t>("mul.bf16x2 %0, %1, %2;", 0x40003f80u, 0x40804040u),
      0x41004040u);
  EXPECT_EQ(evaluateOne<uint32_t>("fma.rn.f16x2 %0, %1, %2, %3;", 0x40003c00u,
                                  0x44004200u, 0x3c003c00u),
            0x48804400u);
}

TEST(Half, MinAndMax) {
  EXPECT_EQ(evaluateOne<uint16_t>("min.f16 %0, %1, %2;", uint16_t(0x0000),
                                  uint16_t(0x8000)),
            0x8000);
  EXPECT_EQ(evaluateOne<uint16_t>("max.f16 %0, %1, %2;", uint16_t(0x7e00),
                                  uint16_t(0x3c00)),
            0x3c00);
  EXPECT_EQ(evaluateOne<uint16_t>("max.NaN.bf16 %0, %1, %2;", uint16_t(0x7fc0),
                                  uint16_t(0x3f80)),
            0x7fff);
  EXPECT_EQ(
      evaluateOne<uint32_t>("max.f16x2 %0, %1, %2;", 0x3c00c000u, 0x40003c00u),
      0x40003c00u);
}

TEST(Half, SignsFlushingAndSaturation) {
  EXPECT_EQ(evaluateOne<uint16_t>("neg.f16 %0, %1;", uint16_t(0x3c00)), 0xbc00);
  EXPECT_EQ(evaluateOne<uint32_t>("abs.bf16x2 %0, %1;", 0xbf80c000u),
            0x3f804000u);
  EXPECT_EQ(evaluateOne<uint16_t>("add.ftz.f16 %0, %1, %2;", uint16_t(0x0001),
                                  uint16_t(0x0000)),
            0);
  EXPECT_EQ(evaluateOne<uint16_t>("add.sat.f16 %0, %1, %2;", uint16_t(0x3c00),
                                  uint16_t(0x3c00)),
            0x3c00);
  EXPECT_EQ(evaluateOne<uint16_t>("fma.rn.relu.bf16 %0, %1, %2, %3;",
                                  uint16_t(0x3f80), uint16_t(0xbf80),
                                  uint16_t(0x0000)),
            0);
}

} // namespace
