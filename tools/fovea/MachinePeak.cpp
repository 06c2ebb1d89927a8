//===- MachinePeak.cpp - what this machine can do at best -----------------===//

#include "MachinePeak.h"
#include <chrono>
#include <ctime>
#include <new>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace fovea::tool;

double fovea::tool::getWallSeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double fovea::tool::getRateSeconds(fovea_pool *pool) {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec time;
  if (fovea_pool_threads(pool) == 1 &&
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
#endif
  return getWallSeconds();
}

//===-- FMA ---------------------------------------------------------------===//

// Both compilers must keep every chain in a register of its own.
#if defined(__clang__)
#define FOVEA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define FOVEA_UNROLL _Pragma("GCC unroll 32")
#endif

/// A loop of `CHAINS` dependent chains, x = x * a + b in each. The sum keeps
/// the compiler from dropping them.
#define FOVEA_FMA_LOOP(NAME, TARGET, VECTOR, SET, FMADD, CHAINS)               \
  TARGET static double NAME(int64_t iterations) {                              \
    VECTOR chains[CHAINS];                                                     \
    FOVEA_UNROLL for (int n = 0; n < CHAINS; ++n) chains[n] = SET(n * 0.125f); \
    VECTOR factor = SET(0.999f), addend = SET(1e-6f);                          \
    for (int64_t i = 0; i < iterations; ++i) {                                 \
      FOVEA_UNROLL for (int n = 0; n < CHAINS; ++n) chains[n] =                \
          FMADD(chains[n], factor, addend);                                    \
    }                                                                          \
    FOVEA_UNROLL for (int n = 1; n < CHAINS; ++n) chains[0] += chains[n];      \
    return double(chains[0][0]);                                               \
  }

#if defined(__x86_64__)
// 12 chains hide a latency of 6 cycles at 2 a cycle, and fit 16 registers with
// the two constants.
#define FOVEA_AVX512 __attribute__((target("avx512f")))
#define FOVEA_AVX2 __attribute__((target("avx2,fma")))
FOVEA_FMA_LOOP(fmaFloat512, FOVEA_AVX512, __m512, _mm512_set1_ps,
               _mm512_fmadd_ps, 12)
FOVEA_FMA_LOOP(fmaDouble512, FOVEA_AVX512, __m512d, _mm512_set1_pd,
               _mm512_fmadd_pd, 12)
FOVEA_FMA_LOOP(fmaFloat256, FOVEA_AVX2, __m256, _mm256_set1_ps, _mm256_fmadd_ps,
               12)
FOVEA_FMA_LOOP(fmaDouble256, FOVEA_AVX2, __m256d, _mm256_set1_pd,
               _mm256_fmadd_pd, 12)
#endif

/// Without known vectors: a product and a sum in vectors of 16 bytes.
template <typename T> static double multiplyAdd(int64_t iterations) {
  constexpr int chains = 12, lanes = 16 / sizeof(T);
  T values[chains][lanes];
  for (auto &chain : values)
    for (T &value : chain)
      value = T(0.125);
  for (int64_t i = 0; i < iterations; ++i)
    for (auto &chain : values)
      for (T &value : chain)
        value = value * T(0.999) + T(1e-6);
  double sum = 0;
  for (auto &chain : values)
    sum += double(chain[0]);
  return sum;
}

/// Keeps `value` alive.
static void consume(double value) { asm volatile("" : : "m"(value)); }

FmaPeak::FmaPeak(int64_t vectorBytes, bool isDouble, fovea_pool *pool)
    : pool(pool) {
  loop = isDouble ? multiplyAdd<double> : multiplyAdd<float>;
  constexpr double chains = 12;
  double bytes = 16;
#if defined(__x86_64__)
  if (vectorBytes >= 64 && __builtin_cpu_supports("avx512f")) {
    loop = isDouble ? fmaDouble512 : fmaFloat512;
    bytes = 64;
  } else if (vectorBytes >= 32 && __builtin_cpu_supports("avx2") &&
             __builtin_cpu_supports("fma")) {
    loop = isDouble ? fmaDouble256 : fmaFloat256;
    bytes = 32;
  }
#endif
  flopsPerIteration = 2 * chains * bytes / (isDouble ? 8 : 4);
  // Doubled until a sample takes a millisecond, which also warms up.
  for (double time = 0; time < 1e-3; iterations *= 2) {
    double start = getWallSeconds();
    consume(loop(iterations));
    time = getWallSeconds() - start;
  }
  iterations /= 2;
}

double FmaPeak::sample() const {
  int threads = fovea_pool_threads(pool);
  struct Task {
    Loop loop;
    int64_t iterations;
  } task = {loop, iterations};
  double start = getRateSeconds(pool);
  fovea_pool_parallel_for(
      pool,
      [](void *argument, int64_t, int32_t) {
        auto *task = static_cast<Task *>(argument);
        consume(task->loop(task->iterations));
      },
      &task, threads);
  return flopsPerIteration * double(iterations) * threads /
         (getRateSeconds(pool) - start) / 1e9;
}

//===-- Reading -----------------------------------------------------------===//

static constexpr int64_t blockBytes = int64_t(1) << 20;
/// A sample reads at least this much, memory that is smaller several times.
static constexpr int64_t sampleBytes = int64_t(32) << 20;

/// Adds up a block, 64 bytes at a time; the last bytes are left out.
static uint64_t sumBlock(const uint64_t *data, int64_t bytes) {
  uint64_t sums[8] = {};
  for (int64_t i = 0; i + 8 <= bytes / 8; i += 8)
    for (int n = 0; n < 8; ++n)
      sums[n] += data[i + n];
  return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] +
         sums[7];
}

ReadPeak::ReadPeak(llvm::ArrayRef<const HostTensor *> tensors, fovea_pool *pool)
    : pool(pool) {
  for (const HostTensor *tensor : tensors) {
    const char *data = static_cast<const char *>(tensor->getData());
    int64_t bytes = tensor->getNumBytes();
    total += bytes;
    for (int64_t at = 0; at < bytes; at += blockBytes)
      blocks.push_back({data + at, std::min(blockBytes, bytes - at)});
  }
}

double ReadPeak::sample() const {
  int64_t passes = std::max<int64_t>(1, sampleBytes / total);
  double start = getRateSeconds(pool);
  for (int64_t pass = 0; pass < passes; ++pass)
    fovea_pool_parallel_for(
        pool,
        [](void *argument, int64_t number, int32_t) {
          const Block &block = static_cast<const Block *>(argument)[number];
          consume(double(sumBlock(
              reinterpret_cast<const uint64_t *>(block.data), block.bytes)));
        },
        const_cast<Block *>(blocks.data()), blocks.size());
  return double(total) * double(passes) / (getRateSeconds(pool) - start) / 1e9;
}
