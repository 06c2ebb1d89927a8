//===- ConvertTest.cpp - cvt ----------------------------------------------===//

#include "Testing.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace fovea::ptx::testing;
using llvm::APFloat;
using llvm::APInt;

namespace {

const float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

struct RoundingCase {
  const char *name;
  llvm::RoundingMode mode;
};
const RoundingCase roundings[] = {
    {"rn", llvm::RoundingMode::NearestTiesToEven},
    {"rz", llvm::RoundingMode::TowardZero},
    {"rm", llvm::RoundingMode::TowardNegative},
    {"rp", llvm::RoundingMode::TowardPositive},
};

/// Floats around the limits of halves, and ties of both formats.
std::vector<float> makeFloats() {
  std::vector<float> values;
  for (float sign : {1.f, -1.f})
    for (float value :
         {0.f, 1.f, 65504.f, 65519.f, 65520.f, 1e6f, 0x1p-24f, 0x1p-25f,
          0x1.8p-25f, 0x1.ffcp-15f, 1 + 0x1p-11f, 1 + 0x3p-11f, 1 + 0x1p-8f,
          1 + 0x3p-8f, 3.3e38f, infinity})
      values.push_back(sign * value);
  return values;
}

/// `value` in another format by APFloat.
uint64_t convert(APFloat value, const llvm::fltSemantics &semantics,
                 llvm::RoundingMode mode) {
  bool lost;
  value.convert(semantics, mode, &lost);
  return value.bitcastToAPInt().getZExtValue();
}

TEST(Convert, FloatToHalvesEachWay) {
  std::vector<float> values = makeFloats();
  for (const RoundingCase &rounding : roundings) {
    std::vector<uint16_t> halves = evaluate<uint16_t>(
        llvm::formatv("cvt.{0}.f16.f32 %0, %1;", rounding.name).str(), values);
    std::vector<uint16_t> bfloats = evaluate<uint16_t>(
        llvm::formatv("cvt.{0}.bf16.f32 %0, %1;", rounding.name).str(), values);
    for (size_t n = 0; n < values.size(); ++n) {
      EXPECT_EQ(halves[n],
                convert(APFloat(values[n]), APFloat::IEEEhalf(), rounding.mode))
          << rounding.name << " " << values[n];
      EXPECT_EQ(bfloats[n],
                convert(APFloat(values[n]), APFloat::BFloat(), rounding.mode))
          << rounding.name << " " << values[n];
    }
  }
}

TEST(Convert, DoubleToFloatEachWay) {
  std::vector<double> values{1 + 0x1p-24, 1 + 0x3p-24, -1 - 0x1p-30, 1e300,
                             0x1p-150,    0x1.8p-149,  1.0 / 3,      -1e-60};
  for (const RoundingCase &rounding : roundings) {
    std::vector<uint32_t> floats = evaluate<uint32_t>(
        llvm::formatv("cvt.{0}.f32.f64 %0, %1;", rounding.name).str(), values);
    for (size_t n = 0; n < values.size(); ++n)
      EXPECT_EQ(floats[n], convert(APFloat(values[n]), APFloat::IEEEsingle(),
                                   rounding.mode))
          << rounding.name << " " << values[n];
  }
}

TEST(Convert, HalvesWidenExactly) {
  for (uint32_t first = 0; first < 65536; first += 1001 * 32) {
    std::vector<uint16_t> bits;
    for (uint32_t n = 0; n < 32; ++n)
      bits.push_back(first + n * 1001);
    std::vector<uint32_t> halves =
        evaluate<uint32_t>("cvt.f32.f16 %0, %1;", bits);
    std::vector<uint32_t> bfloats =
        evaluate<uint32_t>("cvt.f32.bf16 %0, %1;", bits);
    for (size_t n = 0; n < bits.size(); ++n) {
      APFloat half(APFloat::IEEEhalf(), APInt(16, bits[n]));
      APFloat bfloat(APFloat::BFloat(), APInt(16, bits[n]));
      EXPECT_EQ(halves[n],
                half.isNaN() ? 0x7fffffff : bitsOf(half.convertToFloat()));
      EXPECT_EQ(bfloats[n],
                bfloat.isNaN() ? 0x7fffffff : bitsOf(bfloat.convertToFloat()));
    }
  }
}

TEST(Convert, SubnormalHalvesWidenExactly) {
  EXPECT_EQ(evaluateOne<float>("cvt.f32.f16 %0, %1;", uint16_t(0x0001)),
            0x1p-24f);
  EXPECT_EQ(evaluateOne<float>("cvt.f32.f16 %0, %1;", uint16_t(0x83ff)),
            -0x1.ff8p-15f);
}

TEST(Convert, PairsHaveTheFirstAbove) {
  EXPECT_EQ(evaluateOne<uint32_t>("cvt.rn.f16x2.f32 %0, %1, %2;", 1.f, 2.f),
            0x3c004000u);
  EXPECT_EQ(evaluateOne<uint32_t>("cvt.rn.bf16x2.f32 %0, %1, %2;", 1.f, 2.f),
            0x3f804000u);
}

TEST(Convert, ReluAndSatfinite) {
  EXPECT_EQ(
      evaluateOne<uint32_t>("cvt.rn.relu.f16x2.f32 %0, %1, %2;", -1.f, 2.f),
      0x00004000u);
  EXPECT_EQ(
      evaluateOne<uint32_t>("cvt.rn.relu.bf16x2.f32 %0, %1, %2;", nan, -2.f),
      0x7fff0000u);
  EXPECT_EQ(evaluateOne<uint16_t>("cvt.rn.satfinite.f16.f32 %0, %1;", 1e9f),
            0x7bff);
  EXPECT_EQ(
      evaluateOne<uint16_t>("cvt.rn.satfinite.bf16.f32 %0, %1;", -infinity),
      0xff7f);
}

TEST(Convert, Tf32RoundsTiesAway) {
  // 10 bits are kept; 1 + 2^-11 is a tie.
  EXPECT_EQ(evaluateOne<uint32_t>("cvt.rna.tf32.f32 %0, %1;", 1 + 0x1p-11f),
            bitsOf(1 + 0x1p-10f));
  EXPECT_EQ(evaluateOne<uint32_t>("cvt.rna.tf32.f32 %0, %1;", -(1 + 0x1p-12f)),
            bitsOf(-1));
  EXPECT_EQ(evaluateOne<uint32_t>("cvt.rn.tf32.f32 %0, %1;", 1 + 0x1p-11f),
            bitsOf(1));
}

TEST(Convert, FloatToIntegerEachWay) {
  std::vector<float> values{2.5f, 3.5f, -2.5f, 0.7f, -0.7f};
  EXPECT_EQ(evaluate<int32_t>("cvt.rni.s32.f32 %0, %1;", values),
            (std::vector{2, 4, -2, 1, -1}));
  EXPECT_EQ(evaluate<int32_t>("cvt.rzi.s32.f32 %0, %1;", values),
            (std::vector{2, 3, -2, 0, 0}));
  EXPECT_EQ(evaluate<int32_t>("cvt.rmi.s32.f32 %0, %1;", values),
            (std::vector{2, 3, -3, 0, -1}));
  EXPECT_EQ(evaluate<int32_t>("cvt.rpi.s32.f32 %0, %1;", values),
            (std::vector{3, 4, -2, 1, 0}));
}

TEST(Convert, FloatToIntegerClampsAndKnowsNaN) {
  std::vector<float> values{1e20f, -1e20f, nan};
  EXPECT_EQ(evaluate<int32_t>("cvt.rzi.s32.f32 %0, %1;", values),
            (std::vector{INT32_MAX, INT32_MIN, 0}));
  EXPECT_EQ(evaluate<uint32_t>("cvt.rzi.u32.f32 %0, %1;", values),
            (std::vector{~0u, 0u, 0u}));
  EXPECT_EQ(evaluate<int64_t>("cvt.rzi.s64.f32 %0, %1;", values),
            (std::vector{INT64_MAX, INT64_MIN, INT64_MIN}));
  EXPECT_EQ(evaluate<uint64_t>("cvt.rzi.u64.f32 %0, %1;", values),
            (std::vector{~uint64_t(0), uint64_t(0), uint64_t(1) << 63}));
  // Into a wider register: the type's value, extended.
  EXPECT_EQ(evaluate<int32_t>("cvt.rzi.s8.f32 %0, %1;",
                              std::vector{300.f, -300.f, -5.9f}),
            (std::vector{127, -128, -5}));
}

TEST(Convert, IntegerToFloatEachWay) {
  std::vector<int64_t> values{(int64_t(1) << 24) + 1, -(int64_t(1) << 24) - 1,
                              INT64_MAX, (int64_t(1) << 53) + 1};
  for (const RoundingCase &rounding : roundings) {
    std::vector<uint32_t> floats = evaluate<uint32_t>(
        llvm::formatv("cvt.{0}.f32.s64 %0, %1;", rounding.name).str(), values);
    std::vector<uint64_t> doubles = evaluate<uint64_t>(
        llvm::formatv("cvt.{0}.f64.s64 %0, %1;", rounding.name).str(), values);
    for (size_t n = 0; n < values.size(); ++n) {
      APFloat single(APFloat::IEEEsingle()), twice(APFloat::IEEEdouble());
      single.convertFromAPInt(APInt(64, values[n]), true, rounding.mode);
      twice.convertFromAPInt(APInt(64, values[n]), true, rounding.mode);
      EXPECT_EQ(floats[n], single.bitcastToAPInt().getZExtValue());
      EXPECT_EQ(doubles[n], twice.bitcastToAPInt().getZExtValue());
    }
  }
  EXPECT_EQ(evaluateOne<float>("cvt.rn.f32.u64 %0, %1;", ~uint64_t(0)),
            0x1p64f);
  EXPECT_EQ(evaluateOne<uint16_t>("cvt.rn.f16.s32 %0, %1;", -2049), 0xe800);
}

TEST(Convert, IntegersExtendAndCut) {
  EXPECT_EQ(evaluateOne<int64_t>("cvt.s64.s32 %0, %1;", -5), -5);
  EXPECT_EQ(evaluateOne<uint64_t>("cvt.u64.u32 %0, %1;", ~0u), 0xffffffffu);
  EXPECT_EQ(evaluateOne<uint32_t>("cvt.u32.u64 %0, %1;", uint64_t(0x123456789)),
            0x23456789u);
  // Only 8 bits of the source, and of the result, count.
  EXPECT_EQ(evaluateOne<int32_t>("cvt.s32.s8 %0, %1;", 0x1ffu), -1);
  EXPECT_EQ(evaluateOne<uint32_t>("cvt.u8.u32 %0, %1;", 0x1ffu), 0xffu);
  EXPECT_EQ(evaluateOne<int32_t>("cvt.s8.s32 %0, %1;", 0x1ff), -1);
}

TEST(Convert, IntegersSaturate) {
  std::vector<int32_t> values{300, -300, 5};
  EXPECT_EQ(evaluate<int32_t>("cvt.sat.s8.s32 %0, %1;", values),
            (std::vector{127, -128, 5}));
  EXPECT_EQ(evaluate<int32_t>("cvt.sat.u8.s32 %0, %1;", values),
            (std::vector{255, 0, 5}));
  EXPECT_EQ(evaluateOne<int32_t>("cvt.sat.s32.u32 %0, %1;", 0x80000000u),
            INT32_MAX);
}

TEST(Convert, FloatsRoundToIntegralFloats) {
  std::vector<float> values{2.5f, -0.3f, 1e10f};
  EXPECT_EQ(evaluate<uint32_t>("cvt.rni.f32.f32 %0, %1;", values),
            (std::vector{bitsOf(2), bitsOf(-0.f), bitsOf(1e10f)}));
  EXPECT_EQ(evaluate<uint32_t>("cvt.rpi.f32.f32 %0, %1;", values),
            (std::vector{bitsOf(3), bitsOf(-0.f), bitsOf(1e10f)}));
  EXPECT_EQ(evaluateOne<double>("cvt.rmi.f64.f64 %0, %1;", -0.5), -1.0);
}

TEST(Convert, FloatsSaturateAndFlush) {
  EXPECT_EQ(
      evaluate<float>("cvt.sat.f32.f32 %0, %1;", std::vector{2.f, -1.f, nan}),
      (std::vector{1.f, 0.f, 0.f}));
  EXPECT_EQ(evaluateOne<float>("cvt.rn.ftz.f32.f64 %0, %1;", 1e-40), 0.f);
  EXPECT_NE(evaluateOne<float>("cvt.rn.f32.f64 %0, %1;", 1e-40), 0.f);
}

TEST(Convert, RoundingsThatAreMissingOrTooMany) {
  auto decode = [](llvm::StringRef instruction) {
    return getParseError(makeKernel(instruction));
  };
  EXPECT_NE(decode("cvt.f16.f32 %h, %r;").find("expects a rounding"),
            std::string::npos);
  EXPECT_NE(decode("cvt.rn.s32.f32 %r, %s;").find("'.rni'"), std::string::npos);
  EXPECT_NE(decode("cvt.rn.u32.u64 %r, %d;").find("does not round"),
            std::string::npos);
}

} // namespace
