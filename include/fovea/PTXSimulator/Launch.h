//===- Launch.h - running a kernel of a PTX module ------------------------===//

#ifndef FOVEA_PTXSIMULATOR_LAUNCH_H
#define FOVEA_PTXSIMULATOR_LAUNCH_H

#include "fovea/PTXSimulator/Device.h"
#include "fovea/PTXSimulator/Module.h"
#include "fovea/PTXSimulator/Observer.h"
#include "fovea/PTXSimulator/Report.h"
#include "llvm/ADT/SmallVector.h"
#include <cstring>
#include <functional>
#include <type_traits>

namespace fovea::ptx {

/// The bytes of one argument; their number must be the parameter's.
class KernelArgument {
public:
  /// A number or a structure as it lies in memory; DevicePointer for a buffer.
  template <typename T> static KernelArgument of(const T &value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return KernelArgument(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&value), sizeof(T)));
  }
  explicit KernelArgument(llvm::ArrayRef<uint8_t> bytes)
      : bytes(bytes.begin(), bytes.end()) {}

  llvm::ArrayRef<uint8_t> getBytes() const { return bytes; }

private:
  llvm::SmallVector<uint8_t, 16> bytes;
};

/// When the bytes of a `cp.async` move.
enum class AsyncCopyTiming {
  /// At the `wait_group` or `wait_all` that completes the copy, else when the
  /// thread exits: before that its destination holds what it held.
  AtWait,
  /// At once.
  AtIssue,
};

struct LaunchOptions {
  /// Threads of the host that run blocks; 0 for one a processor. Results and
  /// reports do not depend on it, unless blocks use each other's memory without
  /// atomic operations. A kernel with atomic operations on global memory runs
  /// its blocks one after another.
  unsigned threads = 0;
  /// Warp instructions of one block before it is given up with a report.
  uint64_t stepLimit = uint64_t(1) << 30;
  /// Distinct reports that are kept; the rest is counted.
  unsigned maxReports = 100;
  /// Greatest shared memory of a block, static and dynamic, in bytes; 0 for
  /// that of the module's target.
  uint64_t sharedMemoryLimit = 0;
  AsyncCopyTiming asyncCopyTiming = AsyncCopyTiming::AtWait;
  /// Makes the observer of a block; none if empty or if it gives null. The
  /// reporter lives as long as the observer.
  std::function<std::unique_ptr<BlockObserver>(Dim3 block, Reporter &reporter)>
      makeObserver;
};

/// How often an instruction was executed, counted once for all lanes of a warp.
struct OpcodeCount {
  std::string opcode;
  uint64_t count = 0;
};

struct LaunchResult {
  /// In the order of their PTX lines.
  std::vector<Report> reports;
  /// Distinct reports beyond LaunchOptions::maxReports.
  uint64_t droppedReports = 0;
  /// By opcode with its modifiers, in alphabetical order.
  std::vector<OpcodeCount> statistics;
  /// Their sum.
  uint64_t warpInstructions = 0;
};

/// Runs `kernel` and returns when all of its blocks are at their end. After a
/// report of a wrong access the kernel goes on: loads give zeros, stores are
/// dropped; after a deadlock, a trap or the step limit the block stops.
/// Fails, without running anything, if arguments, sizes or shared memory do
/// not fit the kernel or the target.
llvm::Expected<LaunchResult> launch(const Kernel &kernel, Dim3 grid, Dim3 block,
                                    uint64_t dynamicSharedBytes,
                                    llvm::ArrayRef<KernelArgument> arguments,
                                    Device &device,
                                    const LaunchOptions &options = {});

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_LAUNCH_H
