//===- LaunchTest.cpp - arguments, sizes, results of launches -------------===//

#include "Testing.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

const char *const kernelText = R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 out, .param .f32 x, .param .align 8 .b8 s[16])
.maxntid 128, 1, 1
{
  .reg .b32 %r, %x;
  .reg .b64 %out, %y;
  ld.param.u64 %out, [out];
  ld.param.f32 %x, [x];
  ld.param.u64 %y, [s+8];
  cvt.u32.u64 %r, %y;
  cvt.rn.f32.u32 %r, %r;
  add.f32 %x, %x, %r;
  st.global.f32 [%out], %x;
  mov.u32 %r, dynamic;
  ret;
}
)";

std::string launchError(Dim3 grid, Dim3 block, uint64_t shared,
                        std::vector<KernelArgument> arguments,
                        LaunchOptions options = {}) {
  Module module = parse(kernelText);
  Device device;
  llvm::Expected<LaunchResult> result = launch(
      *module.findKernel("k"), grid, block, shared, arguments, device, options);
  if (!result)
    return llvm::toString(result.takeError());
  ADD_FAILURE() << "the launch did not fail";
  return "";
}

std::vector<KernelArgument> makeArguments(DevicePointer out = 0) {
  return {KernelArgument::of(out), KernelArgument::of(1.5f),
          KernelArgument::of(std::array<uint64_t, 2>{1, 40})};
}

void expectError(const std::string &message, llvm::StringRef part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Launch, ArgumentsArrive) {
  Module module = parse(kernelText);
  Device device;
  float value = 0;
  DevicePointer out = llvm::cantFail(
      device.map(&value, sizeof value, "out", Device::Content::Uninitialized));
  llvm::Expected<LaunchResult> result =
      launch(*module.findKernel("k"), {}, {}, 0, makeArguments(out), device);
  ASSERT_TRUE(bool(result));
  expectClean(*result);
  EXPECT_EQ(value, 41.5f);
}

TEST(Launch, ArgumentsMustFit) {
  expectError(launchError({}, {}, 0, {}), "expects 3 arguments, but got 0");
  std::vector<KernelArgument> arguments = makeArguments();
  arguments[1] = KernelArgument::of(1.5);
  expectError(launchError({}, {}, 0, arguments),
              "parameter 'x' of kernel 'k' has 4 bytes, but its argument has "
              "8");
}

TEST(Launch, SizesMustFit) {
  expectError(launchError({0, 1, 1}, {}, 0, makeArguments()), "expects a grid");
  expectError(launchError({1, 65536, 1}, {}, 0, makeArguments()),
              "expects a grid");
  expectError(launchError({}, {2048, 1, 1}, 0, makeArguments()),
              "1 to 1024 threads");
  expectError(launchError({}, {129, 1, 1}, 0, makeArguments()),
              "'.maxntid' of 128 threads, but got 129");
}

TEST(Launch, SharedMemoryIsLimitedByTheTarget) {
  expectError(launchError({}, {}, 163 * 1024 + 1, makeArguments()),
              "needs 166913 bytes of shared memory, but 'sm_80' has 166912");
  LaunchOptions options;
  options.sharedMemoryLimit = 1024;
  expectError(launchError({}, {}, 1025, makeArguments(), options),
              "has 1024 for a block");
}

TEST(Launch, StaticSharedMemoryIsLimitedByTheAssembler) {
  Module module = parse(
      makeKernel("mov.u32 %r, big;", 4, ".shared .align 4 .b8 big[49156];\n"));
  Device device;
  llvm::Expected<LaunchResult> result =
      launch(*module.findKernel("k"), {}, {}, 0,
             {KernelArgument::of(DevicePointer(0))}, device);
  ASSERT_FALSE(bool(result));
  expectError(llvm::toString(result.takeError()),
              "49156 bytes of static shared memory");
}

TEST(Launch, BlocksKnowTheirPlace) {
  LaunchShape shape;
  shape.grid = {3, 2, 2};
  shape.block = {1, 1, 1};
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, %ctaid.z;
    mov.u32 %s, %nctaid.y;
    mov.u32 %t, %ctaid.y;
    mad.lo.u32 %r, %r, %s, %t;
    mov.u32 %s, %nctaid.x;
    mov.u32 %t, %ctaid.x;
    mad.lo.u32 %r, %r, %s, %t;
    mad.wide.u32 %at, %r, 4, %out;
    st.global.u32 [%at], %r;)"),
                        48, shape);
  expectClean(outcome.result);
  std::vector<uint32_t> values = outcome.as<uint32_t>();
  for (uint32_t n = 0; n < 12; ++n)
    EXPECT_EQ(values[n], n);
}

/// Faults in some lanes of some blocks, each with bytes of its own, and a loop
/// of some length.
Outcome runFaulty(unsigned threads) {
  LaunchShape shape;
  shape.grid = {37, 1, 1};
  shape.options.threads = threads;
  return run(makeKernel(R"(
    mov.u32 %r, %ctaid.x;
    mul.wide.u32 %d, %r, 256;
    add.u64 %at, %at, %d;
    ld.global.u32 %s, [%at];
    setp.gt.u32 %p, %r, 20;
    @%p st.global.u32 [%at+1], %r;
    loop:
    sub.u32 %r, %r, 1;
    setp.gt.s32 %p, %r, 0;
    @%p bra loop;)"),
             30 * 256, shape);
}

TEST(Launch, ReportsDoNotDependOnTheNumberOfThreads) {
  Outcome one = runFaulty(1), four = runFaulty(4);
  ASSERT_EQ(one.result.reports.size(), 4u);
  ASSERT_EQ(four.result.reports.size(), one.result.reports.size());
  for (size_t n = 0; n < one.result.reports.size(); ++n) {
    EXPECT_EQ(one.result.reports[n].format(), four.result.reports[n].format());
    EXPECT_EQ(one.result.reports[n].count, four.result.reports[n].count);
  }
  EXPECT_EQ(one.result.warpInstructions, four.result.warpInstructions);
}

TEST(Launch, StatisticsCountInstructionsOnce) {
  LaunchShape shape;
  shape.grid = {2, 1, 1};
  shape.block = {64, 1, 1};
  Outcome outcome = run(makeKernel("mov.u32 %r, 3;\n"
                                   "loop:\n"
                                   "sub.u32 %r, %r, 1;\n"
                                   "setp.gt.s32 %p, %r, 0;\n"
                                   "@%p bra loop;\n"
                                   "setp.lt.u32 %q, %tid, 0;\n"
                                   "@%q add.u32 %r, %r, 1;"),
                        256, shape);
  auto count = [&](llvm::StringRef opcode) -> uint64_t {
    for (const OpcodeCount &entry : outcome.result.statistics)
      if (entry.opcode == opcode)
        return entry.count;
    return 0;
  };
  EXPECT_EQ(count("sub.u32"), 4u * 3);
  EXPECT_EQ(count("bra"), 4u * 2); // where a lane took it
  EXPECT_EQ(count("add.u32"), 0u); // no lane had its predicate
  // %tid.x is read by an op of its own, which is not counted.
  EXPECT_EQ(count("mov.u32"), 4u * 2);
}

TEST(Launch, ReportsAreLimited) {
  LaunchShape shape;
  shape.options.maxReports = 2;
  Outcome outcome = run(makeKernel("st.global.u32 [%out+128], %tid;\n"
                                   "st.global.u32 [%out+132], %tid;\n"
                                   "st.global.u32 [%out+136], %tid;"),
                        128, shape);
  EXPECT_EQ(outcome.result.reports.size(), 2u);
  EXPECT_EQ(outcome.result.droppedReports, 1u);
}

TEST(Launch, ReportAsText) {
  Outcome outcome = run(makeKernel("st.global.u32 [%out+128], %tid;"), 128);
  ASSERT_EQ(outcome.result.reports.size(), 1u);
  EXPECT_EQ(outcome.result.reports[0].format(),
            "line 13: out-of-bounds: writes 4 bytes at offset 128 of 'out', "
            "which has 128 bytes\n"
            "  st.global.u32 [%out+128], %tid\n"
            "  in block (0,0,0) warp 0 lane 0, 32 times in all");
}

} // namespace
