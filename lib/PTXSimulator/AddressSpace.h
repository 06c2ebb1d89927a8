//===- AddressSpace.h - windows of generic addresses ----------------------===//

#ifndef FOVEA_PTXSIMULATOR_ADDRESSSPACE_H
#define FOVEA_PTXSIMULATOR_ADDRESSSPACE_H

#include <cstdint>

namespace fovea::ptx {

// A generic address in one of these windows is the window's base and an
// address of that space; all others are global.
constexpr unsigned windowShift = 56;
constexpr uint64_t sharedWindow = uint64_t(1) << windowShift;
constexpr uint64_t localWindow = uint64_t(2) << windowShift;
constexpr uint64_t parameterWindow = uint64_t(3) << windowShift;

/// Between variables in local memory.
constexpr uint64_t localGap = 64;

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_ADDRESSSPACE_H
