//===- Observer.h - hooks into a simulated block --------------------------===//
//
// An observer sees the memory accesses, barriers, warp synchronisations and
// asynchronous copies of one block, in the order of its execution, and may file
// reports. Checkers of races or of bank conflicts are observers.
//
// Blocks run on several threads: every block has an observer of its own, made
// by LaunchOptions::makeObserver, which must be safe to call from any of them.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_OBSERVER_H
#define FOVEA_PTXSIMULATOR_OBSERVER_H

#include "fovea/PTXSimulator/Report.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

namespace fovea::ptx {

enum class MemorySpace { Global, Shared, Local, Parameter, Constant };

enum class AccessKind {
  Read,
  Write,
  /// A read and a write as one: `atom`, `red`.
  Atomic,
  /// The source of a copy that was issued, and its destination.
  AsyncRead,
  AsyncWrite,
};

/// Files a report for an instruction of the observed block.
class Reporter {
public:
  virtual ~Reporter() = default;
  /// `op` is the number that the events carry.
  virtual void report(ReportKind kind, uint32_t op, unsigned warp,
                      unsigned lane, const llvm::Twine &sentence) = 0;
};

/// One memory instruction of a warp. Lane `i` takes part if bit `i` of `mask`
/// is set; its bytes are [addresses[i], addresses[i] + sizes[i]), in the
/// address space `space` (for shared memory, offsets in the block's window).
/// Accesses that were out of bounds are left out.
struct WarpAccess {
  MemorySpace space;
  AccessKind kind;
  unsigned warp;
  uint32_t op;
  uint32_t mask;
  llvm::ArrayRef<uint64_t> addresses;
  llvm::ArrayRef<uint32_t> sizes;
};

class BlockObserver {
public:
  virtual ~BlockObserver() = default;

  virtual void access(const WarpAccess &access) {}

  /// Lanes `mask` of `warp` arrive at block barrier `barrier`; `waits` is
  /// false for `bar.arrive`.
  virtual void arriveAtBarrier(unsigned barrier, unsigned warp, uint32_t mask,
                               uint32_t op, bool waits) {}
  /// All that `barrier` expects have arrived, and those that wait go on.
  virtual void releaseBarrier(unsigned barrier) {}
  /// Lanes `mask` of `warp` synchronise with each other: `bar.warp.sync`,
  /// `shfl.sync`, `vote.sync` and the like.
  virtual void synchronizeWarp(unsigned warp, uint32_t mask, uint32_t op) {}

  /// `cp.async.commit_group` and `cp.async.wait_group`; all but `pending`
  /// groups of each lane are complete after the latter.
  virtual void commitCopies(unsigned warp, uint32_t mask, uint32_t op) {}
  virtual void waitForCopies(unsigned warp, uint32_t mask, uint32_t op,
                             uint32_t pending) {}

  /// Lanes `mask` of `warp` are at their end.
  virtual void exit(unsigned warp, uint32_t mask) {}
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_OBSERVER_H
