//===- Warp.cpp - executing the ops of a warp -----------------------------===//

#include "Warp.h"
#include "Block.h"

using namespace fovea::ptx;

Warp::Warp(Block &block, const Program &program, unsigned number)
    : block(block), program(program), number(number),
      registers(static_cast<uint8_t *>(::operator new[](
          std::max(program.registerBytes, 64u), std::align_val_t(64)))),
      defined(program.numRegisters) {
  std::memset(registers.get(), 0xcd, program.registerBytes);
}

void Warp::reset(Mask lanes, const uint8_t *constants) {
  this->constants = constants;
  existing = live = lanes;
  forced = turnIsOver = false;
  carry = 0;
  others.clear();
  current = LaneGroup{program.entry, lanes, LaneGroup::Ready, 0};
  meetingPoint = UINT32_MAX;
  std::fill(defined.begin(), defined.end(), 0);
  defined[0] = allLanes; // what constants have
  asyncCopies.reset(block.shared, block.launch.options.asyncCopyTiming);
}

bool Warp::isReady() const {
  if (current.mask)
    return true;
  return llvm::any_of(others, [](const LaneGroup &group) {
    return group.state == LaneGroup::Ready;
  });
}

void Warp::report(ReportKind kind, unsigned lane, const llvm::Twine &sentence) {
  block.report(kind, current.pc, number, lane, sentence);
}

void Warp::reportUndefined(const Operand &operand, Mask lanes) {
  forEachLane(lanes, [&](unsigned lane) {
    report(ReportKind::Uninitialized, lane,
           "reads register '" + program.registerNames[operand.number] +
               "', which was never written");
  });
  // Once is enough.
  defined[operand.number] |= lanes;
}

/// Reports sources that were never written, or gives their lanes if the op
/// only moves them. Returns true in the latter case.
bool Warp::checkDefined(const Op &op, Mask mask, Mask &undefined) {
  for (const Operand &source :
       llvm::ArrayRef(op.operands + op.numResults, op.numSources())) {
    Mask missing = mask & ~defined[source.number];
    if (LLVM_LIKELY(!missing))
      continue;
    if (op.movesUndefined)
      undefined |= missing;
    else
      reportUndefined(source, missing);
  }
  return undefined != 0;
}

bool Warp::run(uint64_t quantum) {
  if (!reschedule(/*rotate=*/turnIsOver))
    return false;
  turnIsOver = false;
  uint64_t end = executed + quantum;
  const Op *ops = program.ops.data();
  while (current.mask && !block.stopped) {
    if (executed >= end) {
      turnIsOver = true;
      break;
    }
    const Op &op = ops[current.pc];
    Mask mask = current.mask;
    if (op.hasGuard) {
      if (Mask missing = mask & ~defined[op.guard.number])
        reportUndefined(op.guard, missing);
      mask &= readPredicate(op.guard);
    }
    ++executed;
    Flow flow = Flow::Next;
    if (mask) {
      ++block.executions[current.pc];
      Mask undefined = 0;
      bool moves = checkDefined(op, mask, undefined);
      flow = op.handler(*this, op, mask);
      for (const Operand &result : llvm::ArrayRef(op.operands, op.numResults))
        defined[result.number] |= mask;
      if (LLVM_UNLIKELY(moves))
        for (const Operand &result : llvm::ArrayRef(op.operands, op.numResults))
          defined[result.number] &= ~undefined;
    }
    switch (flow) {
    case Flow::Next:
      if (op.isConvergent)
        forced = false;
      if (++current.pc == meetingPoint)
        reschedule();
      break;
    case Flow::Wait:
      --block.executions[current.pc]; // it is tried again
      others.push_back({current.pc, mask, LaneGroup::AtSync, 0});
      current.mask &= ~mask;
      ++current.pc;
      reschedule();
      break;
    case Flow::Barrier:
      forced = false;
      ++current.pc;
      reschedule();
      break;
    case Flow::Jump:
      break;
    case Flow::Stop:
      block.stopped = true;
      break;
    }
  }
  return true;
}

bool Warp::reschedule(bool rotate) {
  uint32_t last = current.pc;
  if (current.mask)
    others.push_back(current);
  current.mask = 0;
  meetingPoint = UINT32_MAX;

  // Lanes at one op go on together; those that wait for each other there try
  // again.
  for (size_t n = 0; n < others.size(); ++n)
    for (size_t m = others.size() - 1; m > n; --m) {
      LaneGroup &group = others[n], &other = others[m];
      if (group.pc != other.pc || (group.state == LaneGroup::AtBarrier) !=
                                      (other.state == LaneGroup::AtBarrier))
        continue;
      if (group.state == LaneGroup::AtBarrier) {
        if (group.barrier != other.barrier)
          continue;
      } else {
        group.state = LaneGroup::Ready;
      }
      group.mask |= other.mask;
      others.erase(&other);
    }

  // The first op in order goes first, so that lanes meet again at the end of a
  // branch or a loop; in a rotation another group has its turn.
  auto getOrder = [&](const LaneGroup &group) {
    return std::pair(rotate && group.pc <= last, group.pc);
  };
  LaneGroup *chosen = nullptr;
  for (LaneGroup &group : others)
    if (group.state == LaneGroup::Ready &&
        (!chosen || getOrder(group) < getOrder(*chosen)))
      chosen = &group;
  if (!chosen)
    return false;
  current = *chosen;
  others.erase(chosen);
  for (const LaneGroup &group : others)
    if (group.state != LaneGroup::AtBarrier && group.pc > current.pc)
      meetingPoint = std::min(meetingPoint, group.pc);
  return true;
}

Flow Warp::branch(Mask taken, uint32_t target) {
  if (taken == current.mask) {
    current.pc = target;
    if (!others.empty())
      reschedule();
    return Flow::Jump;
  }
  others.push_back({target, taken, LaneGroup::Ready, 0});
  current.mask &= ~taken;
  ++current.pc;
  reschedule();
  return Flow::Jump;
}

Flow Warp::branchEach(Mask mask, const Row<uint32_t> &targets) {
  current.mask &= ~mask;
  ++current.pc;
  forEachLane(mask, [&](unsigned lane) {
    others.push_back({targets[lane], Mask(1) << lane, LaneGroup::Ready, 0});
  });
  reschedule();
  return Flow::Jump;
}

Flow Warp::exit(Mask mask) {
  live &= ~mask;
  asyncCopies.waitAll(mask);
  if (block.observer)
    block.observer->exit(number, mask);
  current.mask &= ~mask;
  ++current.pc;
  // Those that waited for these lanes may have all they need now.
  for (LaneGroup &group : others)
    if (group.state == LaneGroup::AtSync)
      group.state = LaneGroup::Ready;
  block.updateBarriers();
  reschedule();
  return Flow::Jump;
}

bool Warp::hasConverged(Mask mask, Mask needed) {
  return forced || !(needed & live & ~mask);
}

Flow Warp::waitAtBarrier(Mask mask, unsigned barrier) {
  others.push_back({current.pc + 1, mask, LaneGroup::AtBarrier, barrier});
  current.mask &= ~mask;
  return Flow::Barrier;
}

void Warp::releaseBarrier(unsigned barrier) {
  for (LaneGroup &group : others)
    if (group.state == LaneGroup::AtBarrier && group.barrier == barrier)
      group.state = LaneGroup::Ready;
}

const LaneGroup *Warp::findStuckGroup() const {
  const LaneGroup *found = nullptr;
  for (const LaneGroup &group : others)
    if (group.state == LaneGroup::AtSync && (!found || group.pc < found->pc))
      found = &group;
  return found;
}

void Warp::forceStuckGroup() {
  const LaneGroup *stuck = findStuckGroup();
  for (LaneGroup &group : others)
    if (&group == stuck)
      group.state = LaneGroup::Ready;
  forced = true;
}

Row<uint64_t> Warp::readWide(const Operand &operand) const {
  Row<uint64_t> wide;
  auto widen = [&](auto zero) {
    auto row = read<decltype(zero)>(operand);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      wide[lane] = row[lane];
  };
  switch (operand.bytes) {
  case 2:
    widen(uint16_t());
    break;
  case 4:
    widen(uint32_t());
    break;
  default:
    widen(uint64_t());
    break;
  }
  return wide;
}

void Warp::writeWide(const Operand &operand, const Row<uint64_t> &row,
                     Mask mask) {
  auto narrow = [&](auto zero) {
    Row<decltype(zero)> values;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      values[lane] = row[lane];
    write(operand, values, mask);
  };
  switch (operand.bytes) {
  case 2:
    narrow(uint16_t());
    break;
  case 4:
    narrow(uint32_t());
    break;
  default:
    narrow(uint64_t());
    break;
  }
}
