//===- BlockMemory.cpp - shared and local memory of a block ---------------===//

#include "BlockMemory.h"
#include <algorithm>

using namespace fovea::ptx;

void ShadowedMemory::resize(uint64_t base, uint64_t end) {
  this->base = base;
  this->end = end;
  // The content is what a previous block or launch left: not zeros, on which
  // a kernel might come to rely.
  data.assign(end - base, 0xcd);
  states.assign(end - base, Outside);
}

void ShadowedMemory::addRange(uint64_t begin, uint64_t size) {
  std::fill_n(states.begin() + (begin - base), size, Uninitialized);
}
