//===- HostTensorTest.cpp - tensors and 16-bit floats ---------------------===//

#include "fovea/Support/HostTensor.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace fovea;

TEST(HostTensorTest, halfRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = halfToFloat(uint16_t(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(floatToHalf(value), bits);
    }
  }
}

TEST(HostTensorTest, bfloatRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = bfloatToFloat(uint16_t(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(floatToBfloat(value), bits);
    }
  }
}

TEST(HostTensorTest, halfValues) {
  EXPECT_EQ(halfToFloat(0x3c00), 1.0f);
  EXPECT_EQ(halfToFloat(0xc000), -2.0f);
  EXPECT_EQ(halfToFloat(0x7bff), 65504.0f);
  EXPECT_EQ(halfToFloat(0x0001), 0x1p-24f);
  EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(NAN))));
}

TEST(HostTensorTest, roundsToNearestEven) {
  EXPECT_EQ(roundTo(HostType::F16, 2049), 2048.0);
  EXPECT_EQ(roundTo(HostType::F16, 2051), 2052.0);
  EXPECT_EQ(roundTo(HostType::F16, 65519.9), 65504.0);
  EXPECT_EQ(roundTo(HostType::F16, 65520), INFINITY);
  EXPECT_EQ(roundTo(HostType::F16, 0x1p-25), 0.0);
  EXPECT_EQ(roundTo(HostType::F16, 0x1.8p-24), 0x1p-23);
  EXPECT_EQ(roundTo(HostType::BF16, 257), 256.0);
  EXPECT_EQ(roundTo(HostType::BF16, 259), 260.0);
  EXPECT_EQ(roundTo(HostType::BF16, std::numeric_limits<double>::max()),
            INFINITY);
  EXPECT_EQ(roundTo(HostType::F64, 0.1), 0.1);
  EXPECT_EQ(roundTo(HostType::F32, 0.1), double(0.1f));
}

// Through float first, 1 + 2^-11 + 2^-40 would fall on a tie and go down.
TEST(HostTensorTest, roundsOnce) {
  EXPECT_EQ(roundTo(HostType::F16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
}

TEST(HostTensorTest, anyNonzeroByteIsTrue) {
  auto tensor = HostTensor::create(HostType::Bool, {3});
  ASSERT_TRUE(bool(tensor));
  tensor->as<uint8_t>()[0] = 0;
  tensor->as<uint8_t>()[1] = 2;
  tensor->as<uint8_t>()[2] = 255;
  EXPECT_EQ(tensor->getInteger(0), 0);
  EXPECT_EQ(tensor->getInteger(1), 1);
  EXPECT_EQ(tensor->getInteger(2), 1);
}

TEST(HostTensorTest, refusesSizesBeyondMemory) {
  int64_t huge = int64_t(1) << 40;
  auto tensor = HostTensor::create(HostType::F32, {huge, huge});
  ASSERT_FALSE(bool(tensor));
  EXPECT_EQ(llvm::toString(tensor.takeError()),
            "not enough memory for a tensor of shape [1099511627776, "
            "1099511627776] and type f32");
}

TEST(HostTensorTest, numberOfElements) {
  EXPECT_EQ(getNumElements({}, 4), 1);
  EXPECT_EQ(getNumElements({3, 0, 5}, 4), 0);
  EXPECT_EQ(getNumElements({int64_t(1) << 61, 0, 64}, 4), 0);
  EXPECT_EQ(getNumElements({int64_t(1) << 61}, 4), std::nullopt);
}
