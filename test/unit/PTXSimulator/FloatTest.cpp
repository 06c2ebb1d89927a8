//===- FloatTest.cpp - arithmetic of floats of 32 and 64 bits -------------===//
//
// Expected values come from APFloat, which the simulator uses for directed
// rounding only, and from values worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace fovea::ptx::testing;
using llvm::APFloat;

namespace {

const float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();
const float tiny = std::numeric_limits<float>::denorm_min();

/// Numbers of all kinds, whose sums and products round.
std::vector<float> makeFloats() {
  std::vector<float> values{0.f,        -0.f,   1.f,      -1.f,
                            1.0000001f, tiny,   -tiny,    1e-38f,
                            3e38f,      -3e38f, infinity, -infinity};
  uint32_t bits = 12345;
  while (values.size() < 32) {
    bits = bits * 1664525 + 1013904223;
    // Exponents near each other, so that sums are inexact.
    values.push_back(floatOf((bits & 0x807fffff) | ((118 + bits % 19) << 23)));
  }
  return values;
}

using Operation = APFloat::opStatus (APFloat::*)(const APFloat &,
                                                 llvm::RoundingMode);

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

void checkBinary(const char *opcode, Operation operation) {
  std::vector<float> a = makeFloats(), b(a.rbegin(), a.rend());
  for (const RoundingCase &rounding : roundings) {
    std::vector<uint32_t> results = evaluate<uint32_t>(
        llvm::formatv("{0}.{1}.f32 %0, %1, %2;", opcode, rounding.name).str(),
        a, b);
    for (size_t n = 0; n < a.size(); ++n) {
      APFloat expected(a[n]);
      (expected.*operation)(APFloat(b[n]), rounding.mode);
      uint32_t bits =
          expected.isNaN() ? 0x7fffffff : bitsOf(expected.convertToFloat());
      EXPECT_EQ(results[n], bits)
          << opcode << "." << rounding.name << " of " << a[n] << ", " << b[n];
    }
  }
}

TEST(Float, AddRoundsEachWay) { checkBinary("add", &APFloat::add); }
TEST(Float, SubtractRoundsEachWay) { checkBinary("sub", &APFloat::subtract); }
TEST(Float, MultiplyRoundsEachWay) { checkBinary("mul", &APFloat::multiply); }
TEST(Float, DivideRoundsEachWay) { checkBinary("div", &APFloat::divide); }

TEST(Float, FusedMultiplyAddRoundsOnceEachWay) {
  std::vector<float> a = makeFloats(), b(a.rbegin(), a.rend()), c = a;
  std::rotate(c.begin(), c.begin() + 7, c.end());
  for (const RoundingCase &rounding : roundings) {
    std::vector<uint32_t> results = evaluate<uint32_t>(
        llvm::formatv("fma.{0}.f32 %0, %1, %2, %3;", rounding.name).str(), a, b,
        c);
    for (size_t n = 0; n < a.size(); ++n) {
      APFloat expected(a[n]);
      expected.fusedMultiplyAdd(APFloat(b[n]), APFloat(c[n]), rounding.mode);
      uint32_t bits =
          expected.isNaN() ? 0x7fffffff : bitsOf(expected.convertToFloat());
      EXPECT_EQ(results[n], bits)
          << rounding.name << " of " << a[n] << ", " << b[n] << ", " << c[n];
    }
  }
}

TEST(Float, DoublesRoundEachWay) {
  EXPECT_EQ(evaluateOne<double>("add.rp.f64 %0, %1, %2;", 1.0, 0x1p-60),
            1.0 + 0x1p-52);
  EXPECT_EQ(evaluateOne<double>("add.rn.f64 %0, %1, %2;", 1.0, 0x1p-60), 1.0);
  EXPECT_EQ(evaluateOne<double>("mul.rz.f64 %0, %1, %2;", 1.0 / 3, 3.0),
            1.0 - 0x1p-53);
  EXPECT_EQ(evaluateOne<double>("fma.rn.f64 %0, %1, %2, %3;", 1 + 0x1p-30,
                                1 - 0x1p-30, -1.0),
            -0x1p-60);
}

TEST(Float, NotFusedWithoutFma) {
  // mul and add round each: (1 + 2^-12)^2 - 1 loses 2^-24.
  float a = 1 + 0x1p-12f;
  EXPECT_EQ(evaluateOne<float>("{.reg .b32 t; mul.rn.f32 t, %1, %1; "
                               "sub.rn.f32 %0, t, 0f3F800000;}",
                               a),
            0x1p-11f);
  EXPECT_EQ(evaluateOne<float>("fma.rn.f32 %0, %1, %1, 0fBF800000;", a),
            0x1p-11f + 0x1p-24f);
}

TEST(Float, FtzFlushesInputsAndResults) {
  EXPECT_EQ(evaluateOne<uint32_t>("add.ftz.f32 %0, %1, %2;", tiny, -0.f), 0u);
  EXPECT_EQ(evaluateOne<uint32_t>("mul.ftz.f32 %0, %1, %2;", -1e-30f, 1e-10f),
            0x80000000u);
  EXPECT_EQ(evaluateOne<float>("mul.f32 %0, %1, %2;", 1e-30f, 1e-10f),
            1e-30f * 1e-10f);
  EXPECT_EQ(
      evaluateOne<float>("fma.rn.ftz.f32 %0, %1, %2, %3;", tiny, 3e38f, 1.f),
      1.f);
}

TEST(Float, SaturateClampsAndDropsNaN) {
  EXPECT_EQ(evaluate<float>("add.sat.f32 %0, %1, %2;",
                            std::vector{2.f, -3.f, .25f, nan},
                            std::vector{0.f}),
            (std::vector{1.f, 0.f, .25f, 0.f}));
}

TEST(Float, MinAndMaxLeaveNaNOut) {
  std::vector<float> a{1, nan, 1, -0.f, 0.f, nan}, b{2, 2, nan, 0.f, -0.f, nan};
  EXPECT_EQ(evaluate<uint32_t>("min.f32 %0, %1, %2;", a, b),
            (std::vector{bitsOf(1), bitsOf(2), bitsOf(1), bitsOf(-0.f),
                         bitsOf(-0.f), 0x7fffffffu}));
  EXPECT_EQ(evaluate<uint32_t>("max.f32 %0, %1, %2;", a, b),
            (std::vector{bitsOf(2), bitsOf(2), bitsOf(1), bitsOf(0), bitsOf(0),
                         0x7fffffffu}));
}

TEST(Float, MinAndMaxWithNaN) {
  EXPECT_EQ(evaluate<uint32_t>("max.NaN.f32 %0, %1, %2;",
                               std::vector{1.f, nan, 1.f},
                               std::vector{2.f, 2.f, nan}),
            (std::vector{bitsOf(2), 0x7fffffffu, 0x7fffffffu}));
}

TEST(Float, MinWithTheSignOfBoth) {
  EXPECT_EQ(evaluateOne<float>("min.xorsign.abs.f32 %0, %1, %2;", -1.f, 2.f),
            -1.f);
  EXPECT_EQ(evaluateOne<float>("max.xorsign.abs.f32 %0, %1, %2;", -1.f, -2.f),
            2.f);
}

TEST(Float, SignsOfZeroAndNaN) {
  EXPECT_EQ(evaluateOne<uint32_t>("neg.f32 %0, %1;", 0.f), 0x80000000u);
  EXPECT_EQ(evaluateOne<float>("abs.f32 %0, %1;", -2.5f), 2.5f);
  EXPECT_EQ(evaluateOne<double>("neg.f64 %0, %1;", 2.5), -2.5);
  EXPECT_EQ(evaluateOne<uint32_t>("neg.ftz.f32 %0, %1;", tiny), 0x80000000u);
  // The sign of the first, the rest of the second.
  EXPECT_EQ(evaluateOne<float>("copysign.f32 %0, %1, %2;", -1.f, 3.f), -3.f);
}

TEST(Float, TestsOfKinds) {
  std::vector<float> values{1, infinity, nan, tiny, 0};
  using Bools = std::vector<bool>;
  EXPECT_EQ(evaluate<bool>("testp.finite.f32 %0, %1;", values),
            (Bools{true, false, false, true, true}));
  EXPECT_EQ(evaluate<bool>("testp.infinite.f32 %0, %1;", values),
            (Bools{false, true, false, false, false}));
  EXPECT_EQ(evaluate<bool>("testp.notanumber.f32 %0, %1;", values),
            (Bools{false, false, true, false, false}));
  EXPECT_EQ(evaluate<bool>("testp.subnormal.f32 %0, %1;", values),
            (Bools{false, false, false, true, false}));
}

} // namespace
