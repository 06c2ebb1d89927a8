//===- MatrixTest.cpp - ldmatrix, stmatrix and movmatrix ------------------===//
//
// The ISA: a matrix is 8x8 elements of 16 bits; threads 8 n to 8 n + 7 give
// the addresses of the rows of matrix n; each thread receives of each matrix
// the two elements of row laneid / 4 from column 2 * (laneid % 4) on, the
// first in the low half.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

/// An element's value in these tests.
uint32_t getElement(uint32_t matrix, uint32_t row, uint32_t column) {
  return matrix * 64 + row * 8 + column;
}

/// Four matrices of rows of 16 bytes, one after another, in `tile`: 256
/// elements whose value is their number. Each lane writes 16 bytes of them, so
/// that it has the address of a row in %s.
const char *const fill = R"(
  mov.u32 %s, tile;
  mad.lo.u32 %s, %tid, 16, %s;
  mad.lo.u32 %r, %tid, 0x00080008, 0x00010000;
  st.shared.u32 [%s], %r;
  add.u32 %r, %r, 0x00020002;
  st.shared.u32 [%s+4], %r;
  add.u32 %r, %r, 0x00020002;
  st.shared.u32 [%s+8], %r;
  add.u32 %r, %r, 0x00020002;
  st.shared.u32 [%s+12], %r;
  bar.sync 0;
)";
const char *const tile = ".shared .align 16 .b8 tile[512];\n";
const char *const registers = ".reg .b32 %m0, %m1, %m2, %m3;\n";

void checkLoad(unsigned count, bool isTransposed) {
  std::string list = "{%m0";
  for (unsigned n = 1; n < count; ++n)
    list += ", %m" + std::to_string(n);
  list += "}";
  std::string stores;
  for (unsigned n = 0; n < count; ++n)
    stores += llvm::formatv("st.global.u32 [%at+{0}], %m{1};\n", n * 4, n);
  Outcome outcome = run(
      makeKernel(registers + std::string(fill) +
                     llvm::formatv("ldmatrix.sync.aligned.m8n8.x{0}{1}.shared."
                                   "b16 {2}, [%s];\n",
                                   count, isTransposed ? ".trans" : "", list)
                         .str() +
                     stores,
                 16, tile),
      512);
  expectClean(outcome.result);
  std::vector<uint32_t> values = outcome.as<uint32_t>();
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t n = 0; n < count; ++n) {
      uint32_t row = lane / 4, column = 2 * (lane % 4);
      uint32_t low = isTransposed ? getElement(n, column, row)
                                  : getElement(n, row, column);
      uint32_t high = isTransposed ? getElement(n, column + 1, row)
                                   : getElement(n, row, column + 1);
      EXPECT_EQ(values[lane * 4 + n], low | high << 16)
          << "lane " << lane << " matrix " << n;
    }
}

TEST(Matrix, LoadOne) { checkLoad(1, false); }
TEST(Matrix, LoadTwo) { checkLoad(2, false); }
TEST(Matrix, LoadFour) { checkLoad(4, false); }
TEST(Matrix, LoadOneTransposed) { checkLoad(1, true); }
TEST(Matrix, LoadTwoTransposed) { checkLoad(2, true); }
TEST(Matrix, LoadFourTransposed) { checkLoad(4, true); }

TEST(Matrix, AddressesOfOtherLanesDoNotMatter) {
  // x1 takes the rows of lanes 0 to 7; the others point nowhere.
  Outcome outcome = run(
      makeKernel(registers + std::string(fill) +
                     "setp.gt.u32 %p, %tid, 7;\n@%p mov.u32 %s, 1;\n"
                     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%m0}, [%s];\n"
                     "st.global.u32 [%at], %m0;",
                 4, tile),
      128);
  expectClean(outcome.result);
}

TEST(Matrix, RowsAreCheckedEach) {
  Outcome outcome =
      run(makeKernel(registers + std::string(fill) +
                         "setp.eq.u32 %p, %tid, 9;\n@%p add.u32 %s, %s, 8;\n"
                         "setp.eq.u32 %p, %tid, 5;\n@%p add.u32 %s, %s, 4096;\n"
                         "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%m0, %m1}, "
                         "[%s];\n",
                     4, tile),
          128);
  ASSERT_EQ(outcome.get(ReportKind::Misaligned).size(), 1u);
  EXPECT_EQ(outcome.get(ReportKind::Misaligned)[0].lane, 9u);
  ASSERT_EQ(outcome.get(ReportKind::OutOfBounds).size(), 1u);
  EXPECT_EQ(outcome.get(ReportKind::OutOfBounds)[0].lane, 5u);
}

TEST(Matrix, UninitializedRow) {
  Outcome outcome =
      run(makeKernel(registers + std::string("mov.u32 %s, tile;\n"
                                             "ldmatrix.sync.aligned.m8n8.x1."
                                             "shared.b16 {%m0}, [%s];"),
                     4, tile),
          128);
  EXPECT_EQ(outcome.get(ReportKind::Uninitialized).size(), 1u);
}

TEST(Matrix, NeedsTheWholeWarp) {
  Outcome outcome =
      run(makeKernel(registers + std::string(fill) +
                         "setp.lt.u32 %p, %tid, 16;\n"
                         "@%p ldmatrix.sync.aligned.m8n8.x1.shared.b16 "
                         "{%m0}, [%s];\n"
                         "bar.sync 0;",
                     4, tile),
          128);
  EXPECT_EQ(outcome.get(ReportKind::Divergence).size(), 1u);
}

TEST(Matrix, StoreIsTheInverseOfLoad) {
  for (const char *transposed : {"", ".trans"}) {
    Outcome outcome = run(
        makeKernel(registers + std::string(fill) +
                       llvm::formatv(
                           "ldmatrix.sync.aligned.m8n8.x4{0}.shared.b16 "
                           "{{%m0, %m1, %m2, %m3}, [%s];\n"
                           "stmatrix.sync.aligned.m8n8.x4{0}.shared.b16 "
                           "[%s+512], {{%m0, %m1, %m2, %m3};\n"
                           "ld.shared.v4.u32 {{%m0, %m1, %m2, %m3}, [%s+512];\n"
                           "st.global.v4.u32 [%at], {{%m0, %m1, %m2, %m3};",
                           transposed)
                           .str(),
                   16, ".shared .align 16 .b8 tile[1024];\n"),
        512);
    expectClean(outcome.result);
    std::vector<uint16_t> values = outcome.as<uint16_t>();
    for (uint32_t n = 0; n < 256; ++n)
      EXPECT_EQ(values[n], n);
  }
}

TEST(Matrix, MoveTransposes) {
  Outcome outcome = run(
      makeKernel(registers + std::string(fill) +
                     "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%m0}, [%s];\n"
                     "movmatrix.sync.aligned.m8n8.trans.b16 %m1, %m0;\n"
                     "st.global.u32 [%at], %m1;",
                 4, tile),
      128);
  expectClean(outcome.result);
  std::vector<uint32_t> values = outcome.as<uint32_t>();
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(values[lane], getElement(0, 2 * (lane % 4), lane / 4) |
                                getElement(0, 2 * (lane % 4) + 1, lane / 4)
                                    << 16);
}

} // namespace
