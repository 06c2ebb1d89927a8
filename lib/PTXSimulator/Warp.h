//===- Warp.h - 32 lanes and their registers ------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_WARP_H
#define FOVEA_PTXSIMULATOR_WARP_H

#include "AsyncCopy.h"
#include "Op.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <bit>
#include <cstring>
#include <memory>

namespace fovea::ptx {

class Block;

/// The values of one operand in all lanes.
template <typename T> using Row = std::array<T, warpSize>;

/// Calls `function(lane)` for each lane of `mask`.
template <typename F> inline void forEachLane(Mask mask, F function) {
  for (; mask; mask &= mask - 1)
    function(unsigned(llvm::countr_zero(mask)));
}

/// Lanes of a warp that are at the same op.
struct LaneGroup {
  enum State {
    Ready,
    /// Waits until other lanes reach the same op.
    AtSync,
    /// Waits for a barrier.
    AtBarrier,
  };
  uint32_t pc = 0;
  Mask mask = 0;
  State state = Ready;
  unsigned barrier = 0;
};

class Warp {
public:
  Warp(Block &block, const Program &program, unsigned number);

  /// Makes it ready to run from the start with the lanes `lanes`.
  void reset(Mask lanes, const uint8_t *constants);

  /// Runs until no lane can go on, the block is given up, or `quantum`
  /// instructions have passed. Returns whether anything was executed.
  bool run(uint64_t quantum);

  bool isDone() const { return live == 0; }
  bool isReady() const;
  Mask getLiveLanes() const { return live; }
  Mask getExistingLanes() const { return existing; }
  unsigned getNumber() const { return number; }
  Block &getBlock() { return block; }
  /// The op being executed.
  uint32_t getPosition() const { return current.pc; }
  Mask getActiveLanes() const { return current.mask; }

  //===-- Registers -------------------------------------------------------===//

  template <typename T> Row<T> read(const Operand &operand) const {
    Row<T> row;
    std::memcpy(row.data(), getPlace(operand), sizeof row);
    return row;
  }
  template <typename T>
  void write(const Operand &operand, const Row<T> &row, Mask mask) {
    uint8_t *place = registers.get() + operand.offset;
    if (mask == allLanes) {
      std::memcpy(place, row.data(), sizeof row);
      return;
    }
    forEachLane(mask, [&](unsigned lane) {
      std::memcpy(place + lane * sizeof(T), &row[lane], sizeof(T));
    });
  }
  Mask readPredicate(const Operand &operand) const {
    Mask value;
    std::memcpy(&value, getPlace(operand), sizeof value);
    return operand.isNegated ? ~value : value;
  }
  void writePredicate(const Operand &operand, Mask value, Mask mask) {
    uint8_t *place = registers.get() + operand.offset;
    Mask old;
    std::memcpy(&old, place, sizeof old);
    value = (old & ~mask) | (value & mask);
    std::memcpy(place, &value, sizeof value);
  }
  /// Values of 2, 4 or 8 bytes, zero-extended.
  Row<uint64_t> readWide(const Operand &operand) const;
  /// Writes the low bytes of `row`.
  void writeWide(const Operand &operand, const Row<uint64_t> &row, Mask mask);
  void define(const Operand &operand, Mask mask) {
    defined[operand.number] |= mask;
  }

  //===-- Control ---------------------------------------------------------===//

  /// Lanes `taken` of the current ones go to `target`, the rest go on.
  Flow branch(Mask taken, uint32_t target);
  /// Each lane of `mask`, all that are active, goes to its own target.
  Flow branchEach(Mask mask, const Row<uint32_t> &targets);
  /// Ends the lanes of `mask`.
  Flow exit(Mask mask);
  /// Whether the lanes `needed` that are alive are all in `mask`. If not, the
  /// op is to return Flow::Wait.
  bool hasConverged(Mask mask, Mask needed);
  /// Parks lanes of the current group until releaseBarrier.
  Flow waitAtBarrier(Mask mask, unsigned barrier);
  void releaseBarrier(unsigned barrier);
  /// When no lane of the block can go on: the lanes of a group that waits for
  /// others, which then executes without them. Null if there is none.
  const LaneGroup *findStuckGroup() const;
  void forceStuckGroup();
  /// Once `run` gave false: all groups, none of which can go on.
  llvm::ArrayRef<LaneGroup> getWaitingGroups() const { return others; }
  bool isForced() const { return forced; }

  void report(ReportKind kind, unsigned lane, const llvm::Twine &sentence);

  AsyncCopyEngine asyncCopies;
  /// The carry flag of `add.cc` and the like.
  Mask carry = 0;
  uint64_t executed = 0;

private:
  const uint8_t *getPlace(const Operand &operand) const {
    return (operand.isConstant ? constants : registers.get()) + operand.offset;
  }
  bool checkDefined(const Op &op, Mask mask, Mask &undefined);
  void reportUndefined(const Operand &operand, Mask lanes);
  /// After a change of the groups: merges those at one place and picks the one
  /// to go on; false if none can.
  bool reschedule(bool rotate = false);

  Block &block;
  const Program &program;
  unsigned number;
  Mask existing = 0, live = 0;
  bool forced = false;
  /// The last run ended by its quantum: another group has its turn.
  bool turnIsOver = false;

  LaneGroup current;
  llvm::SmallVector<LaneGroup, 4> others;
  /// The next op at which another group waits.
  uint32_t meetingPoint = UINT32_MAX;

  struct Free {
    void operator()(uint8_t *pointer) const {
      ::operator delete[](pointer, std::align_val_t(64));
    }
  };
  std::unique_ptr<uint8_t[], Free> registers;
  const uint8_t *constants = nullptr;
  std::vector<Mask> defined;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_WARP_H
