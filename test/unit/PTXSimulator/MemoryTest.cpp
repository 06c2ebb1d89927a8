//===- MemoryTest.cpp - ld, st and reports of wrong accesses --------------===//

#include "Testing.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

TEST(Memory, LoadsExtendBySign) {
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, 0x80ff;
    st.global.u32 [%at], %r;
    ld.global.s8 %s, [%at];
    ld.global.u8 %t, [%at+1];
    mad.lo.u32 %s, %t, 0x10000, %s;
    st.global.u32 [%at], %s;)"),
                        128);
  expectClean(outcome.result);
  // -1 + 0x80 << 16.
  EXPECT_EQ(outcome.as<uint32_t>()[0], 0x7fffffu);
}

TEST(Memory, StoresCutTheRegister) {
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, 0;
    st.global.u32 [%at], %r;
    mov.u32 %r, 0x12345678;
    st.global.u8 [%at+2], %r;)"),
                        128);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 0x00780000u);
}

TEST(Memory, VectorsGoByRisingAddresses) {
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, 1;
    mov.u32 %s, 2;
    mov.u32 %t, 3;
    st.global.v4.b32 [%at], {%r, %s, %t, %tid};
    ld.global.v2.b32 {%r, %s}, [%at+8];
    st.global.v2.u32 [%at], {%s, %r};)",
                                   16),
                        512);
  expectClean(outcome.result);
  std::vector<uint32_t> values = outcome.as<uint32_t>();
  EXPECT_EQ(std::vector<uint32_t>(values.begin() + 20, values.begin() + 24),
            (std::vector<uint32_t>{5, 3, 3, 5}));
}

TEST(Memory, OutOfBoundsNamesTheAllocation) {
  Outcome outcome = run(makeKernel("st.global.u32 [%at], %tid;"), 120);
  std::vector<Report> reports = outcome.get(ReportKind::OutOfBounds);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].lane, 30u);
  EXPECT_EQ(reports[0].count, 2u);
  EXPECT_NE(reports[0].sentence.find(
                "writes 4 bytes at offset 120 of 'out', which has 120 bytes"),
            std::string::npos)
      << reports[0].sentence;
}

TEST(Memory, NegativeOffsetsAreOutOfBoundsToo) {
  Outcome outcome = run(makeKernel("ld.global.u32 %r, [%out+-4];\n"
                                   "st.global.u32 [%at], %r;"),
                        128);
  EXPECT_EQ(outcome.get(ReportKind::OutOfBounds).size(), 1u);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 0u);
}

TEST(Memory, NullIsNoMemory) {
  Outcome outcome = run(makeKernel("mov.u64 %d, 0;\n"
                                   "ld.global.u32 %r, [%d];"),
                        128);
  std::vector<Report> reports = outcome.get(ReportKind::OutOfBounds);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].sentence.find("nothing is allocated"),
            std::string::npos);
}

TEST(Memory, MisalignedByTheSizeOfTheWholeVector) {
  Outcome outcome = run(makeKernel("mov.u32 %r, 1;\n"
                                   "st.global.v2.u32 [%out+4], {%r, %r};"),
                        128);
  std::vector<Report> reports = outcome.get(ReportKind::Misaligned);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].sentence.find("not at a multiple of 8"),
            std::string::npos);
}

TEST(Memory, UninitializedGlobalMemory) {
  Outcome outcome = run(makeKernel("ld.global.u32 %r, [%at];\n"
                                   "st.global.u32 [%at], %r;"),
                        128);
  std::vector<Report> reports = outcome.get(ReportKind::Uninitialized);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].sentence.find("'out'"), std::string::npos);
}

const char *const sharedDeclaration = ".shared .align 16 .b8 tile[128];\n";

TEST(Memory, SharedMemoryIsThatOfTheBlock) {
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, tile;
    mad.lo.u32 %s, %tid, 4, %r;
    st.shared.u32 [%s], %tid;
    bar.sync 0;
    mov.u32 %t, 31;
    sub.u32 %t, %t, %tid;
    mad.lo.u32 %t, %t, 4, %r;
    ld.shared.u32 %s, [%t];
    st.global.u32 [%at], %s;)",
                                   4, sharedDeclaration),
                        128);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[3], 28u);
}

TEST(Memory, UninitializedSharedMemory) {
  Outcome outcome =
      run(makeKernel("ld.shared.u32 %r, [tile+8];", 4, sharedDeclaration), 128);
  std::vector<Report> reports = outcome.get(ReportKind::Uninitialized);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].sentence.find("offset 8 of shared variable 'tile'"),
            std::string::npos);
}

TEST(Memory, SharedMemoryIsFreshInEachBlock) {
  LaunchShape shape;
  shape.grid = {2, 1, 1};
  shape.options.threads = 1;
  // Block 1 reads what only block 0 writes.
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, %ctaid.x;
    setp.eq.u32 %p, %r, 0;
    @%p st.shared.u32 [tile], %r;
    bar.sync 0;
    ld.shared.u32 %s, [tile];)",
                                   4, sharedDeclaration),
                        128, shape);
  std::vector<Report> reports = outcome.get(ReportKind::Uninitialized);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].block.x, 1u);
}

TEST(Memory, EndOfAVariableIsNotTheNextOne) {
  Outcome outcome = run(makeKernel("mov.u32 %r, 1;\n"
                                   "st.shared.u32 [tile+128], %r;\n"
                                   "st.shared.u32 [other], %r;",
                                   4,
                                   std::string(sharedDeclaration) +
                                       ".shared .align 4 .b8 other[4];\n"),
                        128);
  std::vector<Report> reports = outcome.get(ReportKind::OutOfBounds);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].sentence.find("offset 128 of shared variable 'tile'"),
            std::string::npos);
}

TEST(Memory, ZeroLengthVariableIsNotDynamicMemory) {
  // What LLVM makes of gpu.dynamic_shared_memory: the assembler gives it one
  // byte, so that its address is that of another variable.
  LaunchShape shape;
  shape.sharedBytes = 4096;
  Outcome outcome = run(makeKernel("mov.u32 %r, 1;\n"
                                   "st.shared.u32 [dynamic+16], %r;",
                                   4,
                                   ".shared .align 16 .b8 dynamic[0];\n" +
                                       std::string(sharedDeclaration)),
                        128, shape);
  std::vector<Report> reports = outcome.get(ReportKind::OutOfBounds);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].sentence.find("'dynamic', which has 1 bytes"),
            std::string::npos)
      << reports[0].sentence;
}

TEST(Memory, DynamicSharedMemoryHasTheLaunchesSize) {
  LaunchShape shape;
  shape.sharedBytes = 64;
  Outcome outcome =
      run(makeKernel("mov.u32 %r, 1;\n"
                     "st.shared.u32 [dynamic+60], %r;\n"
                     "st.shared.u32 [dynamic+64], %r;",
                     4, ".extern .shared .align 16 .b8 dynamic[];\n"),
          128, shape);
  ASSERT_EQ(outcome.result.reports.size(), 1u);
  EXPECT_EQ(outcome.result.reports[0].kind, ReportKind::OutOfBounds);
  EXPECT_EQ(outcome.result.reports[0].instruction,
            "st.shared.u32 [dynamic+64], %r");
}

TEST(Memory, SharedAddressZeroIsNeverValid) {
  Outcome outcome = run(makeKernel("mov.u32 %r, 0;\n"
                                   "st.shared.u32 [%r], %tid;",
                                   4, sharedDeclaration),
                        128);
  EXPECT_EQ(outcome.get(ReportKind::OutOfBounds).size(), 1u);
}

TEST(Memory, GenericAddressesReachAllSpaces) {
  Outcome outcome = run(makeKernel(R"(
    .local .align 4 .b8 own[4];
    mov.u64 %d, tile;
    cvta.shared.u64 %d, %d;
    st.u32 [%d], %tid;
    mov.u64 %e, own;
    cvta.local.u64 %e, %e;
    st.u32 [%e], %tid;
    ld.local.u32 %r, [own];
    ld.shared.u32 %s, [tile];
    add.u32 %r, %r, %s;
    isspacep.shared %p, %d;
    isspacep.global %q, %at;
    and.pred %p, %p, %q;
    @%p st.u32 [%at], %r;)",
                                   4, sharedDeclaration),
                        128);
  expectClean(outcome.result);
  // The last lane's write to shared memory stays.
  EXPECT_EQ(outcome.as<uint32_t>()[7], 7u + 31u);
}

TEST(Memory, LocalMemoryIsEachThreadsOwn) {
  Outcome outcome = run(makeKernel(R"(
    .local .align 8 .b8 own[16];
    mov.u64 %d, own;
    st.local.u32 [%d+8], %tid;
    ld.local.u32 %r, [own+8];
    st.global.u32 [%at], %r;
    st.local.u32 [%d+16], %r;)"),
                        128);
  EXPECT_EQ(outcome.as<uint32_t>()[9], 9u);
  std::vector<Report> reports = outcome.get(ReportKind::OutOfBounds);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].sentence.find("local variable 'own'"),
            std::string::npos);
}

TEST(Memory, ConstantsAndGlobalsOfTheModule) {
  Outcome outcome =
      run(makeKernel(R"(
    ld.const.u32 %r, [table+8];
    ld.global.f32 %s, [number];
    cvt.rzi.u32.f32 %s, %s;
    add.u32 %r, %r, %s;
    st.global.u32 [%at], %r;
    mov.u64 %d, table;
    st.global.u32 [%d], %r;)",
                     4,
                     ".const .align 4 .u32 table[3] = {1, 2, 3};\n"
                     ".global .f32 number = 0f40A00000;\n"),
          128);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 8u);
  std::vector<Report> reports = outcome.get(ReportKind::ReadOnly);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_NE(reports[0].sentence.find("'table'"), std::string::npos);
}

TEST(Memory, ParametersBeyondTheirEnd) {
  Outcome outcome = run(makeKernel("mov.u64 %d, out;\n"
                                   "ld.param.u64 %e, [%d+8];"),
                        128);
  EXPECT_EQ(outcome.get(ReportKind::OutOfBounds).size(), 1u);
}

TEST(Memory, ReportsNameTheirSource) {
  Outcome outcome = run(".file 1 \"attention.mlir\"\n" +
                            makeKernel(".loc 1 12 7\n"
                                       "ld.global.u32 %r, [%at];\n"
                                       "mov.u64 %d, 0;\n"
                                       "st.global.u32 [%d], %r; "
                                       "// source: attn.store"),
                        128);
  ASSERT_EQ(outcome.result.reports.size(), 2u);
  EXPECT_EQ(outcome.result.reports[0].source, "attention.mlir:12:7");
  EXPECT_EQ(outcome.result.reports[1].source, "attn.store");
  // Behind the three lines of the header and the one of `.file`.
  EXPECT_EQ(outcome.result.reports[0].line, 15u);
}

} // namespace
