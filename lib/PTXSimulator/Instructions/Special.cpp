//===- Special.cpp - special registers ------------------------------------===//

#include "../Block.h"
#include "Instructions.h"
#include "Lanes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace fovea::ptx;

std::optional<SpecialRegister>
fovea::ptx::parseSpecialRegister(llvm::StringRef name) {
  using enum SpecialRegister;
  return llvm::StringSwitch<std::optional<SpecialRegister>>(name)
      .Case("%tid.x", TidX)
      .Case("%tid.y", TidY)
      .Case("%tid.z", TidZ)
      .Case("%ntid.x", NtidX)
      .Case("%ntid.y", NtidY)
      .Case("%ntid.z", NtidZ)
      .Case("%ctaid.x", CtaidX)
      .Case("%ctaid.y", CtaidY)
      .Case("%ctaid.z", CtaidZ)
      .Case("%nctaid.x", NctaidX)
      .Case("%nctaid.y", NctaidY)
      .Case("%nctaid.z", NctaidZ)
      .Case("%laneid", LaneId)
      .Case("%warpid", WarpId)
      .Case("%nwarpid", NwarpId)
      .Case("%smid", SmId)
      .Case("%nsmid", NsmId)
      .Case("%gridid", GridId)
      .Case("%lanemask_eq", LanemaskEq)
      .Case("%lanemask_le", LanemaskLe)
      .Case("%lanemask_lt", LanemaskLt)
      .Case("%lanemask_ge", LanemaskGe)
      .Case("%lanemask_gt", LanemaskGt)
      .Cases({"%clock", "%clock64"}, Clock)
      .Case("%clock_hi", ClockHi)
      .Cases({"%globaltimer", "%globaltimer_lo"}, GlobalTimer)
      .Case("%globaltimer_hi", GlobalTimerHi)
      .Case("%total_smem_size", TotalSmemSize)
      .Case("%dynamic_smem_size", DynamicSmemSize)
      .Default(std::nullopt);
}

static uint64_t getSpecial(Warp &warp, SpecialRegister special, unsigned lane) {
  using enum SpecialRegister;
  const Block &block = warp.getBlock();
  const LaunchState &launch = block.launch;
  Dim3 size = launch.blockSize;
  uint32_t thread = warp.getNumber() * warpSize + lane;
  uint32_t bit = uint32_t(1) << lane;
  // Time goes by instructions, so that runs repeat.
  uint64_t time = block.getSteps() + warp.executed;
  switch (special) {
  case TidX:
    return thread % size.x;
  case TidY:
    return thread / size.x % size.y;
  case TidZ:
    return thread / size.x / size.y;
  case NtidX:
    return size.x;
  case NtidY:
    return size.y;
  case NtidZ:
    return size.z;
  case CtaidX:
    return block.position.x;
  case CtaidY:
    return block.position.y;
  case CtaidZ:
    return block.position.z;
  case NctaidX:
    return launch.grid.x;
  case NctaidY:
    return launch.grid.y;
  case NctaidZ:
    return launch.grid.z;
  case LaneId:
    return lane;
  case WarpId:
    return warp.getNumber();
  case NwarpId:
    return block.getNumWarps();
  case SmId:
  case GridId:
    return 0;
  case NsmId:
    return 1;
  case LanemaskEq:
    return bit;
  case LanemaskLe:
    return bit | (bit - 1);
  case LanemaskLt:
    return bit - 1;
  case LanemaskGe:
    return ~(bit - 1);
  case LanemaskGt:
    return ~(bit | (bit - 1));
  case Clock:
  case GlobalTimer:
    return time;
  case ClockHi:
  case GlobalTimerHi:
    return time >> 32;
  case TotalSmemSize:
    return block.program.staticSharedBytes + launch.dynamicSharedBytes;
  case DynamicSmemSize:
    return launch.dynamicSharedBytes;
  }
  return 0;
}

Flow fovea::ptx::readSpecial(Warp &warp, const Op &op, Mask mask) {
  Row<uint64_t> row;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    row[lane] = getSpecial(warp, SpecialRegister(op.immediate), lane);
  warp.writeWide(op.result(), row, mask);
  return Flow::Next;
}
