//===- Block.h - a thread block being executed ----------------------------===//

#ifndef FOVEA_PTXSIMULATOR_BLOCK_H
#define FOVEA_PTXSIMULATOR_BLOCK_H

#include "BlockMemory.h"
#include "Reports.h"
#include "Warp.h"
#include "fovea/PTXSimulator/Launch.h"

namespace fovea::ptx {

/// What all blocks of a launch share.
struct LaunchState {
  const Program &program;
  Device &device;
  const LaunchOptions &options;
  Dim3 grid, blockSize;
  uint64_t dynamicSharedBytes = 0;
  std::vector<uint8_t> constants;  // with the addresses of variables
  std::vector<uint8_t> parameters; // the bytes of the arguments
};

class Block : public Reporter {
public:
  explicit Block(LaunchState &launch);

  /// Runs the block at `position` of the grid to its end.
  void run(Dim3 position);

  LaunchState &launch;
  const Program &program;
  SharedMemory shared;
  ShadowedMemory local; // of all threads, one after another
  Dim3 position;
  ReportTable reports;
  /// By op, over all blocks that this object ran.
  std::vector<uint64_t> executions;
  std::unique_ptr<BlockObserver> observer;
  bool stopped = false;

  unsigned getNumThreads() const { return launch.blockSize.getVolume(); }
  unsigned getNumWarps() const { return warps.size(); }
  /// Instructions that the block's warps have executed: a clock.
  uint64_t getSteps() const { return steps; }

  /// Lanes `mask` of `warp` arrive at barrier `barrier`. `threads` is what the
  /// barrier expects, 0 for all threads of the block that are alive. Releases
  /// the barrier if it is complete.
  struct Arrival {
    unsigned barrier = 0;
    uint64_t threads = 0;
    /// How many threads arrive: an aligned barrier counts whole warps.
    unsigned count = 0;
    bool waits = true;
    /// Of the lanes that arrive, for `bar.red`.
    Mask predicate = 0;
  };
  void arrive(Warp &warp, Mask mask, const Arrival &arrival);
  /// Barriers may become complete when threads exit.
  void updateBarriers();

  /// What `bar.red` gives the lanes that were just released.
  struct Reduction {
    uint64_t count = 0, threads = 0;
  };
  Reduction getReduction(unsigned barrier) const {
    return barriers[barrier].last;
  }

  void report(ReportKind kind, uint32_t op, unsigned warp, unsigned lane,
              const llvm::Twine &sentence) override;

private:
  struct Barrier {
    uint64_t arrived = 0, expected = 0;
    bool countsAlive = false;
    Reduction open, last;
  };
  uint64_t countAlive() const;
  void release(unsigned barrier);
  /// Nothing can go on: reports why and lets something go on, or stops.
  void resolveDeadlock();

  std::vector<std::unique_ptr<Warp>> warps;
  std::array<Barrier, 16> barriers;
  uint64_t steps = 0;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_BLOCK_H
