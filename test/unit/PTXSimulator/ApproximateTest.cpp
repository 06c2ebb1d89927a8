//===- ApproximateTest.cpp - within the bounds that the ISA states --------===//

#include "Testing.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <functional>
#include <limits>

using namespace fovea::ptx::testing;

namespace {

const float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();
const float tiny = std::numeric_limits<float>::denorm_min();

std::vector<float> makeRange(float from, float to) {
  std::vector<float> values;
  for (int n = 0; n < 32; ++n)
    values.push_back(from + (to - from) * n / 31);
  return values;
}

/// The greatest |result - exact| / scale(exact) over a range.
double getError(const char *instruction, float from, float to,
                std::function<double(double)> exact,
                std::function<double(double)> scale) {
  std::vector<float> values = makeRange(from, to);
  std::vector<float> results = evaluate<float>(instruction, values);
  double error = 0;
  for (size_t n = 0; n < values.size(); ++n) {
    double expected = exact(values[n]);
    double scaled = std::abs(results[n] - expected) / scale(expected);
    EXPECT_FALSE(std::isnan(scaled));
    error = std::max(error, scaled);
  }
  return error;
}

double relative(double exact) { return std::abs(exact); }
double absolute(double) { return 1; }

TEST(Approximate, Exp2WithinTwoUlp) {
  EXPECT_LE(getError(
                "ex2.approx.f32 %0, %1;", -100, 100,
                [](double a) { return std::exp2(a); }, relative),
            0x1p-22);
}

TEST(Approximate, Exp2OfSpecialValues) {
  std::vector<float> values{-infinity, -0.f, 0.f, infinity, nan};
  EXPECT_EQ(
      evaluate<uint32_t>("ex2.approx.ftz.f32 %0, %1;", values),
      (std::vector{0u, bitsOf(1), bitsOf(1), bitsOf(infinity), 0x7fffffffu}));
  // A subnormal result, and its flushed one.
  EXPECT_EQ(evaluateOne<float>("ex2.approx.f32 %0, %1;", -140.f), 0x1p-140f);
  EXPECT_EQ(evaluateOne<float>("ex2.approx.ftz.f32 %0, %1;", -140.f), 0.f);
}

TEST(Approximate, Exp2OfHalves) {
  // 2^3 and 2^-1.
  EXPECT_EQ(evaluateOne<uint16_t>("ex2.approx.f16 %0, %1;", uint16_t(0x4200)),
            0x4800);
  EXPECT_EQ(evaluateOne<uint32_t>("ex2.approx.ftz.bf16x2 %0, %1;", 0xbf804040u),
            0x3f004100u);
}

TEST(Approximate, Log2) {
  auto log2 = [](double a) { return std::log2(a); };
  EXPECT_LE(getError("lg2.approx.f32 %0, %1;", .5, 2, log2, absolute), 0x1p-22);
  EXPECT_LE(getError("lg2.approx.f32 %0, %1;", 3, 1e30f, log2, relative),
            0x1p-22);
  EXPECT_EQ(evaluate<uint32_t>("lg2.approx.f32 %0, %1;",
                               std::vector{0.f, -1.f, infinity}),
            (std::vector{bitsOf(-infinity), 0x7fffffffu, bitsOf(infinity)}));
  EXPECT_EQ(evaluateOne<float>("lg2.approx.f32 %0, %1;", tiny), -149.f);
  EXPECT_EQ(evaluateOne<float>("lg2.approx.ftz.f32 %0, %1;", tiny), -infinity);
}

TEST(Approximate, SineAndCosine) {
  EXPECT_LE(getError(
                "sin.approx.f32 %0, %1;", -6.28f, 6.28f,
                [](double a) { return std::sin(a); }, absolute),
            0x1p-20);
  EXPECT_LE(getError(
                "cos.approx.f32 %0, %1;", -6.28f, 6.28f,
                [](double a) { return std::cos(a); }, absolute),
            0x1p-20);
}

TEST(Approximate, TangentWithinItsBound) {
  EXPECT_LE(getError(
                "tanh.approx.f32 %0, %1;", -5, 5.1f,
                [](double a) { return std::tanh(a); }, relative),
            0x1p-11);
  EXPECT_EQ(evaluate<float>("tanh.approx.f32 %0, %1;",
                            std::vector{infinity, -infinity}),
            (std::vector{1.f, -1.f}));
}

TEST(Approximate, ReciprocalAndRoots) {
  EXPECT_LE(getError(
                "rcp.approx.f32 %0, %1;", .1f, 100,
                [](double a) { return 1 / a; }, relative),
            0x1p-23);
  EXPECT_LE(getError(
                "rsqrt.approx.f32 %0, %1;", .1f, 100,
                [](double a) { return 1 / std::sqrt(a); }, relative),
            0x1p-22);
  EXPECT_LE(getError(
                "sqrt.approx.f32 %0, %1;", 0.1f, 100,
                [](double a) { return std::sqrt(a); }, relative),
            0x1p-23);
  EXPECT_EQ(evaluate<float>("rcp.approx.ftz.f32 %0, %1;",
                            std::vector{0.f, -0.f, tiny, infinity}),
            (std::vector{infinity, -infinity, infinity, 0.f}));
  EXPECT_EQ(
      evaluate<uint32_t>("rsqrt.approx.f32 %0, %1;", std::vector{-1.f, 0.f}),
      (std::vector{0x7fffffffu, bitsOf(infinity)}));
}

TEST(Approximate, ReciprocalRoundedEachWay) {
  // 1/3 lies between two floats.
  float below = 0x1.555554p-2f, above = 0x1.555556p-2f;
  EXPECT_EQ(evaluateOne<float>("rcp.rn.f32 %0, %1;", 3.f), above);
  EXPECT_EQ(evaluateOne<float>("rcp.rz.f32 %0, %1;", 3.f), below);
  EXPECT_EQ(evaluateOne<float>("rcp.rm.f32 %0, %1;", -3.f), -above);
  EXPECT_EQ(evaluateOne<float>("rcp.rp.f32 %0, %1;", -3.f), -below);
  EXPECT_EQ(evaluateOne<float>("rcp.rz.f32 %0, %1;", tiny),
            std::numeric_limits<float>::max());
}

TEST(Approximate, RootRoundedEachWay) {
  float nearest = std::sqrt(5.f); // above the exact root
  ASSERT_GT(double(nearest) * nearest, 5);
  float below = std::nextafter(nearest, 0.f);
  EXPECT_EQ(evaluateOne<float>("sqrt.rn.f32 %0, %1;", 5.f), nearest);
  EXPECT_EQ(evaluateOne<float>("sqrt.rz.f32 %0, %1;", 5.f), below);
  EXPECT_EQ(evaluateOne<float>("sqrt.rm.f32 %0, %1;", 5.f), below);
  EXPECT_EQ(evaluateOne<float>("sqrt.rp.f32 %0, %1;", 5.f), nearest);
  EXPECT_EQ(evaluateOne<float>("sqrt.rp.f32 %0, %1;", 4.f), 2.f);
  // The root of the smallest number, where remainders underflow.
  EXPECT_EQ(
      evaluateOne<float>("sqrt.rp.f32 %0, %1;", tiny),
      std::nextafter(float(std::sqrt(double(tiny))),
                     float(std::sqrt(double(tiny))) < std::sqrt(double(tiny))
                         ? 1.f
                         : float(std::sqrt(double(tiny)))));
  EXPECT_EQ(evaluateOne<double>("sqrt.rn.f64 %0, %1;", 2.0), std::sqrt(2.0));
}

TEST(Approximate, DivisionByVeryLargeNumbersGivesZero) {
  EXPECT_EQ(evaluate<uint32_t>("div.approx.f32 %0, %1, %2;",
                               std::vector{3e38f, -3e38f, infinity},
                               std::vector{2e38f, 2e38f, 2e38f}),
            (std::vector{0u, 0x80000000u, 0x7fffffffu}));
  EXPECT_NEAR(evaluateOne<float>("div.full.f32 %0, %1, %2;", 3e38f, 2e38f), 1.5,
              1e-6);
  EXPECT_NEAR(evaluateOne<float>("div.approx.f32 %0, %1, %2;", 1.f, 3.f),
              1. / 3, 1e-7);
}

TEST(Approximate, DoublesWithHalfTheBits) {
  double third = evaluateOne<double>("rcp.approx.ftz.f64 %0, %1;", 3.0);
  EXPECT_NEAR(third, 1. / 3, 1e-6);
  EXPECT_EQ(std::bit_cast<uint64_t>(third) & 0xffffffff, 0u);
  EXPECT_NEAR(evaluateOne<double>("rsqrt.approx.f64 %0, %1;", 4.0), .5, 1e-7);
}

} // namespace
