//===- ControlTest.cpp - branches, calls and ends -------------------------===//

#include "Testing.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

std::vector<uint32_t> runLanes(llvm::StringRef body,
                               llvm::StringRef declarations = "") {
  Outcome outcome = run(makeKernel(body, 4, declarations), 128);
  expectClean(outcome.result);
  return outcome.as<uint32_t>();
}

TEST(Control, BranchesDivergeAndMeet) {
  std::vector<uint32_t> values = runLanes(R"(
    and.b32 %r, %tid, 1;
    setp.eq.u32 %p, %r, 0;
    @%p bra even;
    mov.u32 %s, 100;
    bra.uni join;
    even:
    mov.u32 %s, 200;
    join:
    add.u32 %s, %s, %tid;
    st.global.u32 [%at], %s;)");
  EXPECT_EQ(values[6], 206u);
  EXPECT_EQ(values[7], 107u);
}

TEST(Control, LanesMeetAgainBehindABranch) {
  Outcome outcome = run(makeKernel(R"(
    setp.lt.u32 %p, %tid, 16;
    @%p bra join;
    mov.u32 %s, 1;
    join:
    activemask.b32 %s;
    st.global.u32 [%at], %s;)"),
                        128);
  EXPECT_EQ(outcome.as<uint32_t>()[0], ~0u);
}

TEST(Control, LoopsOfDifferentLengths) {
  std::vector<uint32_t> values = runLanes(R"(
    mov.u32 %r, 0;
    mov.u32 %s, 0;
    loop:
    add.u32 %s, %s, %r;
    add.u32 %r, %r, 1;
    setp.le.u32 %p, %r, %tid;
    @%p bra loop;
    activemask.b32 %t;
    popc.b32 %t, %t;
    mad.lo.u32 %s, %t, 1000, %s;
    st.global.u32 [%at], %s;)");
  // Sums of 0 to tid, and all lanes met behind the loop.
  for (uint32_t n = 0; n < 32; ++n)
    EXPECT_EQ(values[n], 32000 + n * (n + 1) / 2);
}

TEST(Control, GuardsOfBothSigns) {
  std::vector<uint32_t> values = runLanes(R"(
    setp.lt.u32 %p, %tid, 16;
    @%p mov.u32 %s, 1;
    @!%p mov.u32 %s, 2;
    st.global.u32 [%at], %s;)");
  EXPECT_EQ(values[15], 1u);
  EXPECT_EQ(values[16], 2u);
}

TEST(Control, IndexedBranch) {
  std::vector<uint32_t> values = runLanes(R"(
    and.b32 %r, %tid, 3;
    targets: .branchtargets a, b, c, a;
    brx.idx %r, targets;
    a: mov.u32 %s, 10; bra join;
    b: mov.u32 %s, 20; bra join;
    c: mov.u32 %s, 30;
    join: st.global.u32 [%at], %s;)");
  EXPECT_EQ(std::vector<uint32_t>(values.begin(), values.begin() + 4),
            (std::vector<uint32_t>{10, 20, 30, 10}));
}

TEST(Control, IndexedBranchBeyondItsTable) {
  Outcome outcome = run(makeKernel(R"(
    targets: .branchtargets a, a;
    brx.idx %tid, targets;
    a: st.global.u32 [%at], %tid;)"),
                        128);
  std::vector<Report> reports = outcome.get(ReportKind::Trap);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].lane, 2u);
}

const char *const functions = R"(
.func (.param .b32 result) add(.param .b32 a, .param .b32 b) {
  .reg .b32 %x, %y;
  ld.param.u32 %x, [a];
  ld.param.u32 %y, [b];
  add.u32 %x, %x, %y;
  st.param.u32 [result], %x;
  ret;
}
.func (.param .align 8 .b8 result[8]) twice(.param .align 8 .b8 v[8]) {
  .reg .b32 %x, %y;
  .param .b32 p, q, r;
  ld.param.v2.u32 {%x, %y}, [v];
  st.param.u32 [p], %x;
  st.param.u32 [q], %x;
  call.uni (r), add, (p, q);
  ld.param.u32 %x, [r];
  st.param.v2.u32 [result], {%x, %y};
  ret;
}
)";

TEST(Control, CallsWithinCalls) {
  std::vector<uint32_t> values = runLanes(R"(
    {
    .param .align 8 .b8 in[8];
    .param .align 8 .b8 back[8];
    mov.u32 %r, 7;
    st.param.v2.u32 [in], {%tid, %r};
    call.uni (back), twice, (in);
    ld.param.v2.u32 {%s, %t}, [back];
    }
    mad.lo.u32 %s, %t, 1000, %s;
    st.global.u32 [%at], %s;)",
                                          functions);
  for (uint32_t n = 0; n < 32; ++n)
    EXPECT_EQ(values[n], 7000 + 2 * n);
}

TEST(Control, CallsByPartOfTheLanes) {
  std::vector<uint32_t> values = runLanes(R"(
    .param .b32 x, y, z;
    mov.u32 %s, 5;
    setp.ge.u32 %p, %tid, 16;
    @%p bra join;
    st.param.u32 [x], %tid;
    st.param.u32 [y], %tid;
    call (z), add, (x, y);
    ld.param.u32 %s, [z];
    join:
    shfl.sync.bfly.b32 %s, %s, 16, 31, 0xffffffff;
    st.global.u32 [%at], %s;)",
                                          functions);
  EXPECT_EQ(values[20], 8u);
  EXPECT_EQ(values[4], 5u);
}

TEST(Control, ReturnFromTheMiddleOfAFunction) {
  std::vector<uint32_t> values = runLanes(R"(
    .param .b32 x, y;
    st.param.u32 [x], %tid;
    call (y), choose, (x);
    ld.param.u32 %s, [y];
    st.global.u32 [%at], %s;)",
                                          R"(
.func (.param .b32 result) choose(.param .b32 a) {
  .reg .b32 %x;
  .reg .pred %p;
  ld.param.u32 %x, [a];
  setp.lt.u32 %p, %x, 8;
  @%p st.param.u32 [result], 1;
  @%p ret;
  st.param.u32 [result], 2;
  ret;
}
)");
  EXPECT_EQ(values[7], 1u);
  EXPECT_EQ(values[8], 2u);
}

TEST(Control, CallsThatCannotBe) {
  EXPECT_NE(getParseError(makeKernel("call missing;"))
                .find("calls 'missing', which the text does not define"),
            std::string::npos);
  EXPECT_NE(
      getParseError(".func f() { call f; ret; }\n" + makeKernel("call f;"))
          .find("'f' calls itself"),
      std::string::npos);
  EXPECT_NE(getParseError(functions + makeKernel(".param .b32 x;\n"
                                                 "call (x), add, (x);"))
                .find("'add' has 2 parameters, but got 1"),
            std::string::npos);
}

TEST(Control, ExitOfSomeLanes) {
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, 0;
    st.global.u32 [%at], %r;
    setp.ge.u32 %p, %tid, 4;
    @%p exit;
    vote.sync.ballot.b32 %s, %p, 0xffffffff;
    activemask.b32 %s;
    st.global.u32 [%at], %s;)"),
                        128);
  // Lanes that have exited are not waited for.
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[3], 15u);
  EXPECT_EQ(outcome.as<uint32_t>()[4], 0u);
}

TEST(Control, TrapStopsTheBlock) {
  Outcome outcome = run(makeKernel("trap;\nst.global.u32 [%at], %tid;"), 128);
  std::vector<Report> reports = outcome.get(ReportKind::Trap);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].count, 32u);
  EXPECT_EQ(outcome.as<uint8_t>()[0], 0xcd);
}

TEST(Control, EndlessLoopMeetsTheStepLimit) {
  LaunchShape shape;
  shape.options.stepLimit = 1000;
  Outcome outcome = run(makeKernel("loop:\nbra loop;"), 128, shape);
  EXPECT_EQ(outcome.get(ReportKind::StepLimit).size(), 1u);
}

TEST(Control, WarpsThatWaitForEachOtherTakeTurns) {
  LaunchShape shape;
  shape.block = {64, 1, 1};
  shape.options.stepLimit = 1 << 22;
  // Warp 0 spins until warp 1 has set the flag.
  Outcome outcome = run(makeKernel(R"(
    setp.ge.u32 %p, %tid, 32;
    mov.u32 %r, 0;
    st.shared.u32 [flag], %r;
    bar.sync 0;
    @%p bra set;
    spin:
    ld.volatile.shared.u32 %r, [flag];
    setp.eq.u32 %q, %r, 0;
    @%q bra spin;
    bra end;
    set:
    mov.u32 %r, 1;
    st.volatile.shared.u32 [flag], %r;
    end:
    st.global.u32 [%at], %r;)",
                                   4, ".shared .align 4 .b8 flag[4];\n"),
                        256, shape);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 1u);
}

TEST(Control, LanesThatWaitForEachOtherTakeTurns) {
  LaunchShape shape;
  shape.options.stepLimit = 1 << 22;
  // Lane 0 spins, first in the text, until lane 1 has set the flag.
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, 0;
    st.shared.u32 [flag], %r;
    setp.eq.u32 %p, %tid, 1;
    @%p bra set;
    spin:
    ld.volatile.shared.u32 %r, [flag];
    setp.eq.u32 %q, %r, 0;
    @%q bra spin;
    bra end;
    set:
    mov.u32 %r, 1;
    st.volatile.shared.u32 [flag], %r;
    end:
    st.global.u32 [%at], %r;)",
                                   4, ".shared .align 4 .b8 flag[4];\n"),
                        128, shape);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 1u);
}

} // namespace
