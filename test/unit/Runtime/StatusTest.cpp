//===- StatusTest.cpp - names of codes; the embedded bitcode --------------===//

#include "EntryBitcode.h"
#include "fovea/runtime.h"

#include <gtest/gtest.h>
#include <string>

namespace {

TEST(Status, EveryCodeHasAName) {
  EXPECT_STREQ(fovea_status_string(FOVEA_OK), "ok");
  EXPECT_STREQ(fovea_status_string(FOVEA_INVALID_ARGUMENT), "invalid argument");
  EXPECT_STREQ(fovea_status_string(FOVEA_OUT_OF_MEMORY), "out of memory");
  EXPECT_STREQ(fovea_status_string(FOVEA_UNSUPPORTED_CPU), "unsupported CPU");
  EXPECT_STREQ(fovea_status_string(FOVEA_WORKSPACE_TOO_SMALL),
               "workspace too small");
  EXPECT_STREQ(fovea_status_string(FOVEA_DEVICE_ERROR), "device error");
}

TEST(Status, NumbersAreFixed) {
  EXPECT_EQ(FOVEA_OK, 0);
  EXPECT_EQ(FOVEA_INVALID_ARGUMENT, 1);
  EXPECT_EQ(FOVEA_OUT_OF_MEMORY, 2);
  EXPECT_EQ(FOVEA_UNSUPPORTED_CPU, 3);
  EXPECT_EQ(FOVEA_WORKSPACE_TOO_SMALL, 4);
  EXPECT_EQ(FOVEA_DEVICE_ERROR, 5);
}

TEST(Status, OtherNumbers) {
  EXPECT_STREQ(fovea_status_string(-1), "unknown status");
  EXPECT_STREQ(fovea_status_string(6), "unknown status");
}

TEST(EntryBitcode, IsBitcode) {
  ASSERT_GT(fovea_entry_bitcode_size, 4u);
  EXPECT_EQ(fovea_entry_bitcode_size % 4, 0u);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(fovea_entry_bitcode), 4),
            "BC\xC0\xDE");
}

} // namespace
