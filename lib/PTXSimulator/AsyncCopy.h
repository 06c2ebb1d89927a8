//===- AsyncCopy.h - the asynchronous copies of a warp --------------------===//

#ifndef FOVEA_PTXSIMULATOR_ASYNCCOPY_H
#define FOVEA_PTXSIMULATOR_ASYNCCOPY_H

#include "Op.h"
#include "fovea/PTXSimulator/Launch.h"
#include <array>
#include <deque>

namespace fovea::ptx {

class SharedMemory;

/// A `cp.async` whose addresses were found good.
struct AsyncCopy {
  unsigned lane = 0;
  /// Which group of its lane it belongs to, counted from 0.
  uint64_t group = 0;
  const uint8_t *from = nullptr;
  uint64_t to = 0;
  /// Bytes of `from`, and bytes of the destination; the rest is zeroed.
  uint32_t sourceBytes = 0, bytes = 0;
};

/// Keeps the copies of each lane by their groups, and performs them when
/// AsyncCopyTiming says. It alone writes what a copy brings.
class AsyncCopyEngine {
public:
  void reset(SharedMemory &memory, AsyncCopyTiming timing);

  /// Adds to the open group of its lane.
  void issue(AsyncCopy copy);
  /// Closes the open group of each lane.
  void commit(Mask mask);
  /// Performs all but the `pending` newest closed groups of each lane.
  void wait(Mask mask, uint64_t pending);
  /// Performs all, of the open group too.
  void waitAll(Mask mask);

private:
  void perform(const AsyncCopy &copy);
  template <typename F> void performWhere(F isComplete);

  SharedMemory *memory = nullptr;
  AsyncCopyTiming timing = AsyncCopyTiming::AtWait;
  std::deque<AsyncCopy> copies;
  std::array<uint64_t, warpSize> openGroup = {};
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_ASYNCCOPY_H
