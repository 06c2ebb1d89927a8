//===- AsyncCopyTest.cpp - cp.async and its groups ------------------------===//

#include "Testing.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

const char *const tile = ".shared .align 16 .b8 tile[1024];\n";

/// Each thread fills its 16 bytes of `out` and has %s at its 16 of `tile`.
std::string makeCopyKernel(llvm::StringRef body) {
  return makeKernel("st.global.v4.u32 [%at], {%tid, %tid, %tid, %tid};\n"
                    "mov.u32 %s, tile;\n"
                    "mad.lo.u32 %s, %tid, 16, %s;\n" +
                        body.str(),
                    16, tile);
}

TEST(AsyncCopy, ArrivesAtTheWait) {
  Outcome outcome = run(makeCopyKernel(R"(
    cp.async.cg.shared.global [%s], [%at], 16;
    cp.async.commit_group;
    cp.async.wait_group 0;
    ld.shared.u32 %r, [%s+12];
    add.u32 %r, %r, 100;
    st.global.u32 [%at], %r;)"),
                        512);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[4 * 5], 105u);
}

TEST(AsyncCopy, IsNotThereBeforeTheWait) {
  Outcome outcome = run(makeCopyKernel(R"(
    cp.async.ca.shared.global [%s], [%at], 4;
    cp.async.commit_group;
    ld.shared.u32 %r, [%s];)"),
                        512);
  EXPECT_EQ(outcome.get(ReportKind::Uninitialized).size(), 1u);
}

TEST(AsyncCopy, IsThereAtOnceIfAsked) {
  LaunchShape shape;
  shape.options.asyncCopyTiming = AsyncCopyTiming::AtIssue;
  Outcome outcome = run(makeCopyKernel(R"(
    cp.async.ca.shared.global [%s], [%at], 4;
    ld.shared.u32 %r, [%s];)"),
                        512, shape);
  expectClean(outcome.result);
}

TEST(AsyncCopy, NewestGroupsMayBePending) {
  Outcome outcome = run(makeCopyKernel(R"(
    cp.async.ca.shared.global [%s], [%at], 8;
    cp.async.commit_group;
    cp.async.ca.shared.global [%s+8], [%at+8], 8;
    cp.async.commit_group;
    cp.async.wait_group 1;
    ld.shared.u32 %r, [%s];
    ld.shared.u32 %r, [%s+8];)"),
                        512);
  std::vector<Report> reports = outcome.get(ReportKind::Uninitialized);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].instruction, "ld.shared.u32 %r, [%s+8]");
}

TEST(AsyncCopy, WaitAllTakesTheOpenGroupToo) {
  Outcome outcome = run(makeCopyKernel(R"(
    cp.async.ca.shared.global [%s], [%at], 4;
    cp.async.wait_all;
    ld.shared.u32 %r, [%s];)"),
                        512);
  expectClean(outcome.result);
}

TEST(AsyncCopy, WaitGroupLeavesTheOpenGroup) {
  Outcome outcome = run(makeCopyKernel(R"(
    cp.async.ca.shared.global [%s], [%at], 4;
    cp.async.wait_group 0;
    ld.shared.u32 %r, [%s];)"),
                        512);
  EXPECT_EQ(outcome.get(ReportKind::Uninitialized).size(), 1u);
}

TEST(AsyncCopy, ShortSourcesAreFilledWithZeros) {
  Outcome outcome = run(makeCopyKernel(R"(
    mov.u32 %r, 4;
    cp.async.cg.shared.global [%s], [%at], 16, %r;
    cp.async.wait_all;
    ld.shared.u32 %r, [%s];
    ld.shared.u32 %t, [%s+4];
    st.global.v2.u32 [%at], {%r, %t};)"),
                        512);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[4 * 5], 5u);
  EXPECT_EQ(outcome.as<uint32_t>()[4 * 5 + 1], 0u);
}

TEST(AsyncCopy, EmptySourceIsNotRead) {
  // The address is outside of every allocation.
  Outcome outcome = run(makeCopyKernel(R"(
    mov.u64 %d, 0x70000000000;
    cp.async.cg.shared.global [%s], [%d], 16, 0;
    cp.async.wait_all;
    ld.shared.u32 %r, [%s];
    st.global.u32 [%at], %r;)"),
                        512);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[4], 0u);
}

TEST(AsyncCopy, IgnoredSourceGivesZeros) {
  Outcome outcome = run(makeCopyKernel(R"(
    setp.lt.u32 %p, %tid, 16;
    cp.async.ca.shared.global [%s], [%at], 4, %p;
    cp.async.wait_all;
    ld.shared.u32 %r, [%s];
    st.global.u32 [%at], %r;)"),
                        512);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[4 * 15], 0u);
  EXPECT_EQ(outcome.as<uint32_t>()[4 * 16], 16u);
}

TEST(AsyncCopy, BothAddressesAreChecked) {
  Outcome outcome = run(makeCopyKernel(R"(
    cp.async.cg.shared.global [%s+8], [%at], 16;
    cp.async.cg.shared.global [%s], [%at+4], 16;
    cp.async.cg.shared.global [%s+1024], [%at], 16;)"),
                        512);
  std::vector<Report> misaligned = outcome.get(ReportKind::Misaligned);
  ASSERT_EQ(misaligned.size(), 2u);
  EXPECT_NE(misaligned[0].sentence.find("copies to"), std::string::npos);
  EXPECT_NE(misaligned[1].sentence.find("copies from"), std::string::npos);
  // Beyond the tile, and beyond `out` for the last thread.
  EXPECT_EQ(outcome.get(ReportKind::OutOfBounds).size(), 2u);
}

TEST(AsyncCopy, UninitializedSource) {
  Outcome outcome = run(
      makeKernel("cp.async.ca.shared.global [tile], [%at], 4;", 4, tile), 128);
  EXPECT_EQ(outcome.get(ReportKind::Uninitialized).size(), 1u);
}

TEST(AsyncCopy, SizesThatDoNotExist) {
  EXPECT_NE(
      getParseError(makeCopyKernel("cp.async.cg.shared.global [%s], [%at], 8;"))
          .find("to be 16"),
      std::string::npos);
  EXPECT_NE(
      getParseError(makeCopyKernel("cp.async.ca.shared.global [%s], [%at], 5;"))
          .find("4, 8 or 16"),
      std::string::npos);
}

} // namespace
