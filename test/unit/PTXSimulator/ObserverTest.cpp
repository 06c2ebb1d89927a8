//===- ObserverTest.cpp - what observers of a block are told --------------===//

#include "Testing.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

/// Writes down what it is told.
class Recorder : public BlockObserver {
public:
  Recorder(std::vector<std::string> &log, Reporter &reporter)
      : log(log), reporter(reporter) {}

  void access(const WarpAccess &access) override {
    static const char *const kinds[] = {"read", "write", "atomic", "from",
                                        "to"};
    static const char *const spaces[] = {"global", "shared", "local",
                                         "parameter", "constant"};
    if (access.space == MemorySpace::Parameter)
      return;
    log.push_back(std::string(kinds[int(access.kind)]) + " " +
                  spaces[int(access.space)] + " " +
                  std::to_string(access.sizes[0]) + " by " +
                  std::to_string(llvm::popcount(access.mask)));
    if (access.kind == AccessKind::Atomic)
      reporter.report(ReportKind::Observed, access.op, access.warp, 3,
                      "seen by the test");
  }
  void arriveAtBarrier(unsigned barrier, unsigned warp, uint32_t mask,
                       uint32_t op, bool waits) override {
    log.push_back("warp " + std::to_string(warp) + " at " +
                  std::to_string(barrier));
  }
  void releaseBarrier(unsigned barrier) override {
    log.push_back("release " + std::to_string(barrier));
  }
  void synchronizeWarp(unsigned warp, uint32_t mask, uint32_t op) override {
    log.push_back("sync");
  }
  void commitCopies(unsigned warp, uint32_t mask, uint32_t op) override {
    log.push_back("commit");
  }
  void waitForCopies(unsigned warp, uint32_t mask, uint32_t op,
                     uint32_t pending) override {
    log.push_back("wait " + std::to_string(pending));
  }
  void exit(unsigned warp, uint32_t mask) override { log.push_back("exit"); }

private:
  std::vector<std::string> &log;
  Reporter &reporter;
};

std::pair<std::vector<std::string>, LaunchResult> observe(llvm::StringRef body,
                                                          uint32_t threads) {
  std::vector<std::string> log;
  LaunchShape shape;
  shape.block = {threads, 1, 1};
  shape.options.makeObserver = [&](Dim3, Reporter &reporter) {
    return std::make_unique<Recorder>(log, reporter);
  };
  Outcome outcome = run(
      makeKernel(body, 16, ".shared .align 16 .b8 tile[2048];\n"), 4096, shape);
  return {log, std::move(outcome.result)};
}

TEST(Observer, SeesAccessesAndBarriers) {
  auto [log, result] = observe("st.global.v4.u32 [%at], {%tid, %tid, %tid, "
                               "%tid};\nbar.sync 2;\n"
                               "setp.lt.u32 %p, %tid, 5;\n"
                               "@%p ld.global.u32 %r, [%at];",
                               64);
  expectClean(result);
  EXPECT_EQ(log, (std::vector<std::string>{
                     "write global 16 by 32", "warp 0 at 2",
                     "write global 16 by 32", "warp 1 at 2", "release 2",
                     "exit", "read global 4 by 5", "exit"}));
}

TEST(Observer, SeesAsynchronousCopiesAndWarpSynchronisation) {
  auto [log, result] = observe("st.global.u32 [%at], %tid;\n"
                               "cp.async.ca.shared.global [tile], [%at], 4;\n"
                               "cp.async.commit_group;\n"
                               "cp.async.wait_group 1;\n"
                               "bar.warp.sync 0xffffffff;",
                               32);
  expectClean(result);
  EXPECT_EQ(
      log, (std::vector<std::string>{"write global 4 by 32",
                                     "to shared 4 by 32", "from global 4 by 32",
                                     "commit", "wait 1", "sync", "exit"}));
}

TEST(Observer, MayReport) {
  auto [log, result] = observe("mov.u32 %r, 0;\nst.shared.u32 [tile], %r;\n"
                               "atom.shared.add.u32 %r, [tile], 1;",
                               32);
  ASSERT_EQ(result.reports.size(), 1u);
  EXPECT_EQ(result.reports[0].kind, ReportKind::Observed);
  EXPECT_EQ(result.reports[0].lane, 3u);
  EXPECT_EQ(result.reports[0].instruction, "atom.shared.add.u32 %r, [tile], 1");
}

} // namespace
