//===- BlockMemory.h - shared and local memory of a block -----------------===//

#ifndef FOVEA_PTXSIMULATOR_BLOCKMEMORY_H
#define FOVEA_PTXSIMULATOR_BLOCKMEMORY_H

#include "Op.h"
#include <cstring>

namespace fovea::ptx {

/// Memory with a byte of state for each byte: outside of every variable,
/// uninitialised, or initialised.
class ShadowedMemory {
public:
  enum State : uint8_t { Outside = 0, Uninitialized = 1, Initialized = 2 };

  /// Memory at addresses from `base` to `end`, of which nothing is inside.
  void resize(uint64_t base, uint64_t end);
  /// Makes [begin, begin + size) a variable without content.
  void addRange(uint64_t begin, uint64_t size);

  /// Whether all bytes lie in variables.
  bool contains(uint64_t address, uint64_t bytes) const {
    if (address < base || bytes > end - base || address > end - bytes)
      return false;
    const uint8_t *from = states.data() + (address - base);
    for (uint64_t n = 0; n < bytes; ++n)
      if (from[n] == Outside)
        return false;
    return true;
  }
  void markInitialized(uint64_t address, uint64_t bytes) {
    std::memset(states.data() + (address - base), Initialized, bytes);
  }
  uint8_t *getData(uint64_t address) { return data.data() + (address - base); }
  uint8_t *getStates(uint64_t address) {
    return states.data() + (address - base);
  }

private:
  uint64_t base = 0, end = 0;
  std::vector<uint8_t> data, states;
};

/// Shared memory of a block.
class SharedMemory : public ShadowedMemory {
public:
  /// Lower addresses are never valid, as on devices that keep them for
  /// themselves, so that a stray 0 is noticed.
  static constexpr uint64_t firstAddress = 0x400;
  /// Between variables, so that the end of one is not the start of the next.
  static constexpr uint64_t gap = 0x400;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_BLOCKMEMORY_H
