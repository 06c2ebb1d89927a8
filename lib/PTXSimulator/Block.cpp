//===- Block.cpp - warps, barriers and the end of a block -----------------===//

#include "Block.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fovea::ptx;

// Instructions of one warp before another has its turn. Barriers come far
// sooner in kernels that do not spin.
static constexpr uint64_t quantum = 1 << 16;

Block::Block(LaunchState &launch)
    : launch(launch), program(launch.program),
      executions(launch.program.ops.size()) {
  unsigned count = llvm::divideCeil(getNumThreads(), warpSize);
  for (unsigned n = 0; n < count; ++n)
    warps.push_back(std::make_unique<Warp>(*this, program, n));
}

void Block::report(ReportKind kind, uint32_t op, unsigned warp, unsigned lane,
                   const llvm::Twine &sentence) {
  uint64_t number =
      position.x + uint64_t(launch.grid.x) *
                       (position.y + uint64_t(launch.grid.y) * position.z);
  reports.add(kind, program.infos[op], number, position, warp, lane, sentence);
}

void Block::run(Dim3 at) {
  position = at;
  stopped = false;
  steps = 0;
  barriers.fill({});
  shared.resize(SharedMemory::firstAddress,
                std::max(program.sharedEnd,
                         program.dynamicBase + launch.dynamicSharedBytes));
  for (const MemoryRange &range : program.shared)
    shared.addRange(range.begin, range.size);
  if (!program.dynamicNames.empty())
    shared.addRange(program.dynamicBase, launch.dynamicSharedBytes);
  if (program.localBytes) {
    local.resize(0, program.localBytes * getNumThreads());
    for (unsigned thread = 0; thread < getNumThreads(); ++thread)
      for (const MemoryRange &range : program.local)
        local.addRange(thread * program.localBytes + range.begin, range.size);
  }
  observer = launch.options.makeObserver
                 ? launch.options.makeObserver(position, *this)
                 : nullptr;
  for (auto &warp : warps) {
    unsigned lanes =
        std::min(getNumThreads() - warp->getNumber() * warpSize, warpSize);
    warp->reset(lanes == warpSize ? allLanes : (Mask(1) << lanes) - 1,
                launch.constants.data());
  }

  while (!stopped) {
    bool progress = false;
    for (auto &warp : warps) {
      if (warp->isDone() || stopped)
        continue;
      uint64_t before = warp->executed;
      progress |=
          warp->run(std::min(quantum, launch.options.stepLimit - steps));
      steps += warp->executed - before;
      if (steps >= launch.options.stepLimit && !warp->isDone()) {
        report(ReportKind::StepLimit, warp->getPosition(), warp->getNumber(), 0,
               llvm::formatv("the block executed {0} instructions and is not "
                             "at its end",
                             steps)
                   .str());
        stopped = true;
      }
    }
    if (countAlive() == 0)
      break;
    if (!progress && !stopped)
      resolveDeadlock();
  }
  observer.reset();
}

uint64_t Block::countAlive() const {
  uint64_t count = 0;
  for (const auto &warp : warps)
    count += llvm::popcount(warp->getLiveLanes());
  return count;
}

//===-- Barriers ----------------------------------------------------------===//

void Block::arrive(Warp &warp, Mask mask, const Arrival &arrival) {
  Barrier &barrier = barriers[arrival.barrier];
  if (observer)
    observer->arriveAtBarrier(arrival.barrier, warp.getNumber(), mask,
                              warp.getPosition(), arrival.waits);
  barrier.countsAlive = arrival.threads == 0;
  barrier.expected = arrival.threads;
  barrier.arrived += arrival.count;
  barrier.open.threads += llvm::popcount(mask);
  barrier.open.count += llvm::popcount(mask & arrival.predicate);
  updateBarriers();
}

void Block::updateBarriers() {
  for (unsigned n = 0; n < barriers.size(); ++n) {
    Barrier &barrier = barriers[n];
    if (!barrier.arrived)
      continue;
    uint64_t expected = barrier.countsAlive ? countAlive() : barrier.expected;
    if (barrier.arrived >= expected)
      release(n);
  }
}

void Block::release(unsigned n) {
  Barrier &barrier = barriers[n];
  if (observer)
    observer->releaseBarrier(n);
  Reduction reduction = barrier.open;
  barrier = Barrier();
  barrier.last = reduction;
  for (auto &warp : warps)
    warp->releaseBarrier(n);
}

static std::string describeLanes(Mask mask) {
  std::string text;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    unsigned last = lane;
    while (last + 1 < warpSize && (mask >> (last + 1) & 1))
      ++last;
    if (!text.empty())
      text += ", ";
    text += std::to_string(lane);
    if (last > lane)
      text += " to " + std::to_string(last);
    lane = last;
  }
  return text;
}

void Block::resolveDeadlock() {
  // Lanes that wait for the rest of their warp go on without it: what follows
  // may show more faults.
  for (auto &warp : warps) {
    const LaneGroup *group = warp->findStuckGroup();
    if (!group)
      continue;
    std::string elsewhere;
    for (const LaneGroup &other : warp->getWaitingGroups())
      if (&other != group)
        elsewhere += llvm::formatv(
            "; lanes {0} wait at line {1}", describeLanes(other.mask),
            program
                .infos[other.state == LaneGroup::AtBarrier ? other.pc - 1
                                                           : other.pc]
                .line);
    report(ReportKind::Divergence, group->pc, warp->getNumber(),
           llvm::countr_zero(group->mask),
           "only lanes " + describeLanes(group->mask) +
               " of the warp reach this" + elsewhere);
    warp->forceStuckGroup();
    return;
  }

  for (auto &warp : warps)
    for (const LaneGroup &group : warp->getWaitingGroups()) {
      const Barrier &barrier = barriers[group.barrier];
      report(
          ReportKind::Deadlock, group.pc - 1, warp->getNumber(),
          llvm::countr_zero(group.mask),
          llvm::formatv("waits forever at barrier {0}: {1} of {2} threads "
                        "have arrived",
                        group.barrier, barrier.arrived,
                        barrier.countsAlive ? countAlive() : barrier.expected)
              .str());
    }
  stopped = true;
}
