//===- AtomicTest.cpp - atom and red --------------------------------------===//

#include "Testing.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

/// What 32 threads leave of `start` at the start of `out`.
template <typename T>
T update(llvm::StringRef instruction, llvm::StringRef type, T start) {
  std::string bits = std::to_string(uint64_t(start));
  std::string reg = sizeof(T) == 8 ? "%d" : "%r";
  Outcome outcome =
      run(makeKernel(llvm::formatv("setp.eq.u32 %p, %tid, 0;\n"
                                   "mov.b{0} {1}, {2};\n"
                                   "@%p st.global.b{0} [%out], {1};\n"
                                   "bar.warp.sync 0xffffffff;\n"
                                   "cvt.u64.u32 %d, %tid;\n"
                                   "{3}",
                                   sizeof(T) * 8, reg, bits, instruction)
                         .str()),
          128);
  expectClean(outcome.result);
  return outcome.as<T>()[0];
}

TEST(Atomic, SumsOfAllLanes) {
  EXPECT_EQ(update<uint32_t>("red.global.add.u32 [%out], %tid;", "u32", 5),
            5u + 31 * 16);
  EXPECT_EQ(update<uint64_t>("red.global.add.u64 [%out], %d;", "u64", 5),
            5u + 31 * 16);
  EXPECT_EQ(floatOf(update<uint32_t>("mov.b32 %s, 0f3FC00000;\n"
                                     "red.global.add.f32 [%out], %s;",
                                     "f32", bitsOf(2))),
            50.f);
}

TEST(Atomic, ExtremaAndBits) {
  EXPECT_EQ(update<uint32_t>("red.global.max.s32 [%out], %tid;", "s32", 7),
            31u);
  EXPECT_EQ(update<uint32_t>("red.relaxed.gpu.global.min.u32 [%out], %tid;",
                             "u32", 7),
            0u);
  EXPECT_EQ(update<uint32_t>("red.global.or.b32 [%out], %tid;", "b32", 64),
            95u);
  EXPECT_EQ(update<uint32_t>("red.global.xor.b32 [%out], %tid;", "b32", 3), 3u);
}

TEST(Atomic, CountersWrap) {
  // 0, 1, ..., 5 and again: 32 steps from 0 end at 2.
  EXPECT_EQ(update<uint32_t>("atom.global.inc.u32 %s, [%out], 5;", "u32", 0),
            2u);
  EXPECT_EQ(update<uint32_t>("atom.global.dec.u32 %s, [%out], 5;", "u32", 0),
            4u);
}

TEST(Atomic, ResultIsWhatWasThereBefore) {
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, 0;
    setp.eq.u32 %p, %tid, 0;
    @%p st.shared.u32 [counter], %r;
    bar.sync 0;
    atom.shared.add.u32 %s, [counter], 1;
    st.global.u32 [%at], %s;)",
                                   4, ".shared .align 4 .b8 counter[4];\n"),
                        128);
  expectClean(outcome.result);
  std::vector<uint32_t> values = outcome.as<uint32_t>();
  std::sort(values.begin(), values.end());
  for (uint32_t n = 0; n < 32; ++n)
    EXPECT_EQ(values[n], n);
}

TEST(Atomic, CompareAndSwapSwapsOnce) {
  EXPECT_EQ(update<uint32_t>("add.u32 %t, %tid, 100;\n"
                             "atom.global.cas.b32 %s, [%out], 7, %t;",
                             "b32", 7),
            100u);
  EXPECT_EQ(
      update<uint32_t>("atom.global.exch.b32 %s, [%out], %tid;", "b32", 7),
      31u);
}

TEST(Atomic, PairsOfHalves) {
  // 32 times (1, 2).
  EXPECT_EQ(update<uint32_t>("mov.b32 %s, 0x40003c00;\n"
                             "red.global.add.noftz.f16x2 [%out], %s;",
                             "f16x2", 0),
            0x54005000u);
}

TEST(Atomic, BlocksTakeTurns) {
  LaunchShape shape;
  shape.grid = {50, 1, 1};
  Outcome outcome = run(makeKernel("mov.u32 %r, %ctaid.x;\n"
                                   "setp.eq.u32 %p, %r, 0;\n"
                                   "@%p st.global.u32 [%out], %r;\n"
                                   "red.global.add.u32 [%out], 1;"),
                        4, shape);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 1600u);
}

TEST(Atomic, OperationsThatDoNotExist) {
  EXPECT_NE(getParseError(makeKernel("atom.global.min.f32 %r, [%out], %s;"))
                .find("does not have this type"),
            std::string::npos);
  EXPECT_NE(getParseError(makeKernel("red.global.exch.b32 [%out], %s;"))
                .find("does not have this operation"),
            std::string::npos);
}

} // namespace
