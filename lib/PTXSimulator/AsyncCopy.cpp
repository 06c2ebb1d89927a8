//===- AsyncCopy.cpp - the asynchronous copies of a warp ------------------===//

#include "AsyncCopy.h"
#include "BlockMemory.h"

using namespace fovea::ptx;

void AsyncCopyEngine::reset(SharedMemory &memory, AsyncCopyTiming timing) {
  this->memory = &memory;
  this->timing = timing;
  copies.clear();
  openGroup.fill(0);
}

void AsyncCopyEngine::perform(const AsyncCopy &copy) {
  uint8_t *to = memory->getData(copy.to);
  if (copy.sourceBytes)
    std::memcpy(to, copy.from, copy.sourceBytes);
  std::memset(to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
  memory->markInitialized(copy.to, copy.bytes);
}

void AsyncCopyEngine::issue(AsyncCopy copy) {
  copy.group = openGroup[copy.lane];
  if (timing == AsyncCopyTiming::AtIssue)
    perform(copy);
  else
    copies.push_back(copy);
}

void AsyncCopyEngine::commit(Mask mask) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    openGroup[lane] += mask >> lane & 1;
}

template <typename F> void AsyncCopyEngine::performWhere(F isComplete) {
  std::erase_if(copies, [&](const AsyncCopy &copy) {
    if (!isComplete(copy))
      return false;
    perform(copy);
    return true;
  });
}

void AsyncCopyEngine::wait(Mask mask, uint64_t pending) {
  performWhere([&](const AsyncCopy &copy) {
    return (mask >> copy.lane & 1) &&
           copy.group + pending < openGroup[copy.lane];
  });
}

void AsyncCopyEngine::waitAll(Mask mask) {
  performWhere([&](const AsyncCopy &copy) { return mask >> copy.lane & 1; });
}
