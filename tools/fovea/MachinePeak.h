//===- MachinePeak.h - what this machine can do at best -------------------===//

#ifndef FOVEA_TOOLS_FOVEA_MACHINEPEAK_H
#define FOVEA_TOOLS_FOVEA_MACHINEPEAK_H

#include "fovea/runtime.h"
#include <cstdint>
#include <memory>

namespace fovea::tool {

/// Seconds of the wall clock.
double getWallSeconds();
/// Seconds to compare rates by. One thread's own time leaves out what other
/// processes take; with several threads it is the wall clock.
double getRateSeconds(fovea_pool *pool);

/// Measures the FMA rate: independent chains of the vectors that a target has,
/// in registers.
class FmaPeak {
public:
  /// `vectorBytes` is 64 for AVX-512, 32 for AVX2; what this machine lacks is
  /// not used.
  FmaPeak(int64_t vectorBytes, bool isDouble, fovea_pool *pool);

  /// GFLOP/s of one sample of about a millisecond.
  double sample() const;

private:
  using Loop = double (*)(int64_t iterations);
  Loop loop;
  double flopsPerIteration;
  int64_t iterations = 1;
  fovea_pool *pool;
};

/// Measures the rate of reading memory that no cache holds.
class ReadPeak {
public:
  explicit ReadPeak(fovea_pool *pool);
  /// Whether there was memory for it.
  bool isValid() const { return data != nullptr; }
  /// GB/s of one pass over the memory.
  double sample() const;

private:
  std::unique_ptr<double[]> data;
  fovea_pool *pool;
};

} // namespace fovea::tool

#endif // FOVEA_TOOLS_FOVEA_MACHINEPEAK_H
