//===- Instructions.cpp - the table of instructions -----------------------===//

#include "Instructions.h"
#include "Shared.h"

using namespace fovea::ptx;

/// Whether the instruction's last type, which all have, is a float.
static bool hasFloatType(Decoder &decoder) {
  for (llvm::StringRef modifier :
       llvm::reverse(decoder.getInstruction().modifiers))
    if (std::optional<Type> type = parseType(modifier))
      return isFloat(*type);
  return false;
}

template <DecodeFunction decodeInteger, DecodeFunction decodeFloat>
static void decodeByType(Decoder &decoder) {
  if (hasFloatType(decoder))
    decodeFloat(decoder);
  else
    decodeInteger(decoder);
}

InstructionTable fovea::ptx::makeInstructionTable() {
  InstructionTable table;
  addIntegerInstructions(table);
  addMultiplyInstructions(table);
  addBitInstructions(table);
  addFloatInstructions(table);
  addApproximateInstructions(table);
  addCompareInstructions(table);
  addConvertInstructions(table);
  addMoveInstructions(table);
  addLoadStoreInstructions(table);
  addAtomicInstructions(table);
  addAsyncCopyInstructions(table);
  addMatrixInstructions(table);
  addMmaInstructions(table);
  addWmmaInstructions(table);
  addWarpInstructions(table);
  addBarrierInstructions(table);
  addControlInstructions(table);

  table["add"] = decodeByType<decodeIntegerAdd, decodeFloatAdd>;
  table["sub"] = decodeByType<decodeIntegerSubtract, decodeFloatSubtract>;
  table["min"] = decodeByType<decodeIntegerMin, decodeFloatMin>;
  table["max"] = decodeByType<decodeIntegerMax, decodeFloatMax>;
  table["neg"] = decodeByType<decodeIntegerNegate, decodeFloatNegate>;
  table["abs"] = decodeByType<decodeIntegerAbsolute, decodeFloatAbsolute>;
  table["mul"] = decodeByType<decodeIntegerMultiply, decodeFloatMultiply>;
  table["mad"] = decodeByType<decodeIntegerMultiplyAdd, decodeFloatMultiplyAdd>;
  table["div"] = decodeByType<decodeIntegerDivide, decodeFloatDivide>;
  return table;
}
