//===- BarrierTest.cpp - barriers of a block ------------------------------===//

#include "Testing.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

LaunchShape makeShape(uint32_t threads) {
  LaunchShape shape;
  shape.block = {threads, 1, 1};
  return shape;
}

const char *const tile = ".shared .align 16 .b8 tile[1024];\n";

TEST(Barrier, WarpsSeeEachOthersWrites) {
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, tile;
    mad.lo.u32 %s, %tid, 4, %r;
    st.shared.u32 [%s], %tid;
    bar.sync 0;
    xor.b32 %t, %tid, 64;
    mad.lo.u32 %s, %t, 4, %r;
    ld.shared.u32 %t, [%s];
    st.global.u32 [%at], %t;)",
                                   4, tile),
                        512, makeShape(128));
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[3], 67u);
  EXPECT_EQ(outcome.as<uint32_t>()[100], 36u);
}

TEST(Barrier, ProducersArriveAndConsumersWait) {
  // Warp 1 arrives without waiting at a barrier of 64 threads.
  Outcome outcome = run(makeKernel(R"(
    setp.ge.u32 %p, %tid, 32;
    @%p bra produce;
    bar.sync 3, 64;
    ld.shared.u32 %r, [tile];
    st.global.u32 [%at], %r;
    ret;
    produce:
    mov.u32 %r, 9;
    st.shared.u32 [tile], %r;
    bar.arrive 3, 64;
    st.global.u32 [%at], %r;)",
                                   4, tile),
                        256, makeShape(64));
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 9u);
}

TEST(Barrier, NumberInARegister) {
  Outcome outcome = run(makeKernel("mov.u32 %r, 5;\nbarrier.cta.sync.aligned "
                                   "%r, 64;\nst.global.u32 [%at], %r;"),
                        256, makeShape(64));
  expectClean(outcome.result);
}

TEST(Barrier, Reductions) {
  Outcome outcome = run(makeKernel(R"(
    setp.lt.u32 %p, %tid, 40;
    bar.red.popc.u32 %r, 0, %p;
    bar.red.or.pred %q, 0, %p;
    selp.u32 %s, 1000, 0, %q;
    add.u32 %r, %r, %s;
    bar.red.and.pred %q, 0, %p;
    selp.u32 %s, 10000, 0, %q;
    add.u32 %r, %r, %s;
    bar.red.and.pred %q, 0, 1;
    selp.u32 %s, 100000, 0, %q;
    add.u32 %r, %r, %s;
    st.global.u32 [%at], %r;)"),
                        256, makeShape(64));
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 101040u);
  EXPECT_EQ(outcome.as<uint32_t>()[63], 101040u);
}

TEST(Barrier, ThreadsThatHaveExitedAreNotWaitedFor) {
  Outcome outcome = run(makeKernel(R"(
    setp.ge.u32 %p, %tid, 32;
    @%p exit;
    bar.sync 0;
    st.global.u32 [%at], %tid;)"),
                        256, makeShape(64));
  expectClean(outcome.result);
}

TEST(Barrier, LastWarpMayBeIncomplete) {
  Outcome outcome = run(makeKernel("bar.sync 0;\nbar.sync 1, 64;\n"
                                   "st.global.u32 [%at], %tid;"),
                        192, makeShape(48));
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[47], 47u);
}

TEST(Barrier, ReachedByPartOfAWarp) {
  Outcome outcome = run(makeKernel(R"(
    setp.lt.u32 %p, %tid, 16;
    @%p bra join;
    bar.sync 0;
    join:
    bar.sync 1;
    st.global.u32 [%at], %tid;)"),
                        128);
  std::vector<Report> reports = outcome.get(ReportKind::Divergence);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].instruction, "bar.sync 0");
  EXPECT_NE(
      reports[0].sentence.find("only lanes 16 to 31 of the warp reach this"),
      std::string::npos)
      << reports[0].sentence;
}

TEST(Barrier, UnalignedOneMayBeReachedInParts) {
  Outcome outcome = run(makeKernel(R"(
    setp.lt.u32 %p, %tid, 16;
    @%p bra first;
    barrier.sync 0;
    bra join;
    first:
    barrier.sync 0;
    join:
    st.global.u32 [%at], %tid;)"),
                        128);
  expectClean(outcome.result);
}

TEST(Barrier, WarpsAtDifferentBarriersNeverGoOn) {
  Outcome outcome = run(makeKernel(R"(
    setp.lt.u32 %p, %tid, 32;
    @%p bra first;
    bar.sync 1;
    first:
    bar.sync 2;)"),
                        256, makeShape(64));
  std::vector<Report> reports = outcome.get(ReportKind::Deadlock);
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].warp, 1u);
  EXPECT_NE(reports[0].sentence.find("barrier 1: 32 of 64 threads"),
            std::string::npos)
      << reports[0].sentence;
}

TEST(Barrier, NumbersThatDoNotExist) {
  EXPECT_EQ(run(makeKernel("bar.sync 16;"), 128).get(ReportKind::Trap).size(),
            1u);
  EXPECT_EQ(
      run(makeKernel("bar.sync 1, 40;"), 128).get(ReportKind::Trap).size(), 1u);
}

TEST(Barrier, OfAWarp) {
  Outcome outcome = run(makeKernel(R"(
    setp.lt.u32 %p, %tid, 16;
    @%p bra join;
    st.shared.u32 [tile], %tid;
    join:
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r, [tile];
    st.global.u32 [%at], %r;)",
                                   4, tile),
                        128);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 31u);
}

TEST(Barrier, FencesAreKnown) {
  Outcome outcome = run(makeKernel("membar.gl;\nmembar.cta;\nfence.sc.gpu;\n"
                                   "fence.acq_rel.cta;\nfence.sys;"),
                        128);
  expectClean(outcome.result);
}

} // namespace
