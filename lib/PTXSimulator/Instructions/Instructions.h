//===- Instructions.h - the groups of instructions ------------------------===//
//
// A group is a file that decodes and executes some instructions. It adds them
// to the table that the decoder looks them up in; another target's come as
// more groups.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_INSTRUCTIONS_H
#define FOVEA_PTXSIMULATOR_INSTRUCTIONS_H

#include "../Decoder.h"

namespace fovea::ptx {

InstructionTable makeInstructionTable();

void addIntegerInstructions(InstructionTable &table);
void addMultiplyInstructions(InstructionTable &table);
void addBitInstructions(InstructionTable &table);
void addFloatInstructions(InstructionTable &table);
void addApproximateInstructions(InstructionTable &table);
void addCompareInstructions(InstructionTable &table);
void addConvertInstructions(InstructionTable &table);
void addMoveInstructions(InstructionTable &table);
void addLoadStoreInstructions(InstructionTable &table);
void addAtomicInstructions(InstructionTable &table);
void addAsyncCopyInstructions(InstructionTable &table);
void addMatrixInstructions(InstructionTable &table);
void addMmaInstructions(InstructionTable &table);
void addWmmaInstructions(InstructionTable &table);
void addWarpInstructions(InstructionTable &table);
void addBarrierInstructions(InstructionTable &table);
void addControlInstructions(InstructionTable &table);

//===-- Special registers -------------------------------------------------===//

enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Clock,
  ClockHi,
  GlobalTimer,
  GlobalTimerHi,
  TotalSmemSize,
  DynamicSmemSize,
};

std::optional<SpecialRegister> parseSpecialRegister(llvm::StringRef name);
/// Writes the register numbered `immediate`.
Flow readSpecial(Warp &warp, const Op &op, Mask mask);

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_INSTRUCTIONS_H
