//===- CPUFeatureTest.cpp - kernels for other CPUs are refused ------------===//

#include "EntryTesting.h"

#include <utility>

using namespace fovea::testing;

namespace {

const std::pair<int64_t, const char *> kFeatures[] = {
#define FEATURE(MASK, NAME, WORD, BIT, STATE) {MASK, NAME},
    FOVEA_CPU_FEATURES(FEATURE)
#undef FEATURE
};

int runWith(int64_t mask, std::string &message) {
  Caller caller;
  Kernel kernel("fast");
  kernel.set(FOVEA_HEADER_CPU_FEATURES, mask);
  int status = caller.run(kernel, {}, {});
  message = caller.message;
  EXPECT_EQ(seen.runs, status == FOVEA_OK ? 1 : 0);
  EXPECT_EQ(fovea_entry_workspace_bytes(kernel.code(), nullptr, 1),
            status == FOVEA_OK ? 0 : -1);
  return status;
}

TEST(CPUFeature, MasksAndNamesAreDistinct) {
  int64_t all = 0;
  for (auto [mask, name] : kFeatures) {
    EXPECT_EQ(mask & (mask - 1), 0) << name;
    EXPECT_EQ(all & mask, 0) << name;
    all |= mask;
  }
}

TEST(CPUFeature, NoneIsNeeded) {
  std::string message;
  EXPECT_EQ(runWith(0, message), FOVEA_OK);
}

#if defined(__x86_64__)

TEST(CPUFeature, EachIsThereOrNamed) {
  for (auto [mask, name] : kFeatures) {
    std::string message;
    if (runWith(mask, message) == FOVEA_OK)
      continue;
    EXPECT_EQ(message,
              "kernel 'fast': expects a CPU with the features it was compiled "
              "for, but this one lacks " +
                  std::string(name) + " (compile for an older target)");
  }
}

TEST(CPUFeature, AgreesWithTheCompiler) {
  __builtin_cpu_init();
  std::string message;
#define AGREES(MASK, NAME)                                                     \
  EXPECT_EQ(runWith(MASK, message) == FOVEA_OK,                                \
            __builtin_cpu_supports(NAME) != 0)                                 \
      << NAME
  AGREES(FOVEA_CPU_SSE3, "sse3");
  AGREES(FOVEA_CPU_SSSE3, "ssse3");
  AGREES(FOVEA_CPU_SSE4_1, "sse4.1");
  AGREES(FOVEA_CPU_SSE4_2, "sse4.2");
  AGREES(FOVEA_CPU_POPCNT, "popcnt");
  AGREES(FOVEA_CPU_AVX, "avx");
  AGREES(FOVEA_CPU_FMA, "fma");
  AGREES(FOVEA_CPU_AVX2, "avx2");
  AGREES(FOVEA_CPU_BMI, "bmi");
  AGREES(FOVEA_CPU_BMI2, "bmi2");
  AGREES(FOVEA_CPU_GFNI, "gfni");
  AGREES(FOVEA_CPU_VPCLMULQDQ, "vpclmulqdq");
  AGREES(FOVEA_CPU_AVX512F, "avx512f");
  AGREES(FOVEA_CPU_AVX512BW, "avx512bw");
  AGREES(FOVEA_CPU_AVX512CD, "avx512cd");
  AGREES(FOVEA_CPU_AVX512DQ, "avx512dq");
  AGREES(FOVEA_CPU_AVX512VL, "avx512vl");
  AGREES(FOVEA_CPU_AVX512_IFMA, "avx512ifma");
  AGREES(FOVEA_CPU_AVX512_VBMI, "avx512vbmi");
  AGREES(FOVEA_CPU_AVX512_VBMI2, "avx512vbmi2");
  AGREES(FOVEA_CPU_AVX512_VNNI, "avx512vnni");
  AGREES(FOVEA_CPU_AVX512_BITALG, "avx512bitalg");
  AGREES(FOVEA_CPU_AVX512_VPOPCNTDQ, "avx512vpopcntdq");
  AGREES(FOVEA_CPU_AVX512_BF16, "avx512bf16");
#undef AGREES
}

TEST(CPUFeature, UnknownBitsAreMissing) {
  std::string message;
  EXPECT_EQ(
      runWith(INT64_C(1) << 62 | INT64_C(1) << 60 | FOVEA_CPU_SSE3, message),
      FOVEA_UNSUPPORTED_CPU);
  EXPECT_EQ(message,
            "kernel 'fast': expects a CPU with the features it was compiled "
            "for, but this one lacks feature bit 60, feature bit 62 (compile "
            "for an older target)");
}

#endif

} // namespace
