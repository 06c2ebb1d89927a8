//===- MachinePeak.h - what this machine can do at best -------------------===//

#ifndef FOVEA_TOOLS_FOVEA_MACHINEPEAK_H
#define FOVEA_TOOLS_FOVEA_MACHINEPEAK_H

#include "fovea/Support/HostTensor.h"
#include "fovea/runtime.h"
#include <cstdint>
#include <vector>

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

/// Measures the rate of reading given memory, wherever it is: what fits a cache
/// is read from there, as by a kernel that has it as inputs.
class ReadPeak {
public:
  /// `tensors` outlive this.
  ReadPeak(llvm::ArrayRef<const HostTensor *> tensors, fovea_pool *pool);
  /// Whether there is anything to read.
  bool isValid() const { return total > 0; }
  /// GB/s of one pass over the memory, of several if it is small.
  double sample() const;

private:
  struct Block {
    const char *data;
    int64_t bytes;
  };
  std::vector<Block> blocks;
  int64_t total = 0;
  fovea_pool *pool;
};

} // namespace fovea::tool

#endif // FOVEA_TOOLS_FOVEA_MACHINEPEAK_H
