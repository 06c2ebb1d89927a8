//===- SampleRowsTest.cpp - which rows a check looks at -------------------===//

#include "fovea/Reference/Check.h"
#include "gtest/gtest.h"

using fovea::reference::sampleRows;

TEST(SampleRowsTest, takesAllOfFewRows) {
  EXPECT_TRUE(sampleRows(0, 5).empty());
  auto rows = sampleRows(3, 5);
  ASSERT_EQ(rows.size(), 3u);
  for (int64_t n = 0; n < 3; ++n)
    EXPECT_EQ(rows[n], n);
}

TEST(SampleRowsTest, takesFirstAndLastOfMany) {
  for (int64_t count : {2, 3, 4, 17, 99}) {
    auto rows = sampleRows(100, count);
    ASSERT_EQ(int64_t(rows.size()), count);
    EXPECT_EQ(rows.front(), 0);
    EXPECT_EQ(rows.back(), 99);
    for (size_t n = 1; n < rows.size(); ++n)
      EXPECT_LT(rows[n - 1], rows[n]);
  }
}

TEST(SampleRowsTest, takesOneRow) {
  auto rows = sampleRows(100, 1);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0], 0);
}

// Rows at one place of a tile would miss a fault at another.
TEST(SampleRowsTest, fallsOnAllPlacesOfATile) {
  bool seen[64] = {};
  for (int64_t row : sampleRows(64 * 1024, 1024))
    seen[row % 64] = true;
  for (bool place : seen)
    EXPECT_TRUE(place);
}

TEST(SampleRowsTest, countsBeyond32Bits) {
  int64_t many = int64_t(1) << 60;
  auto rows = sampleRows(many, 1000);
  ASSERT_EQ(rows.size(), 1000u);
  for (size_t n = 1; n < rows.size(); ++n)
    EXPECT_LT(rows[n - 1], rows[n]);
  EXPECT_EQ(rows.back(), many - 1);
}
