//===- Shared.h - instructions that several groups have a part in ---------===//
//
// `add` and its like exist for integers and for floats, each in a file of its
// own; Instructions.cpp picks by the type.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_SHARED_H
#define FOVEA_PTXSIMULATOR_SHARED_H

#include "../Decoder.h"

namespace fovea::ptx {

/// A result and one, two or three sources of one type.
void addUnaryOperands(Decoder &decoder, Type type);
void addBinaryOperands(Decoder &decoder, Type type);
void addTernaryOperands(Decoder &decoder, Type type);

void decodeIntegerAdd(Decoder &decoder);
void decodeIntegerSubtract(Decoder &decoder);
void decodeIntegerMin(Decoder &decoder);
void decodeIntegerMax(Decoder &decoder);
void decodeIntegerNegate(Decoder &decoder);
void decodeIntegerAbsolute(Decoder &decoder);
void decodeIntegerMultiply(Decoder &decoder);
void decodeIntegerMultiplyAdd(Decoder &decoder);
void decodeIntegerDivide(Decoder &decoder);

void decodeFloatAdd(Decoder &decoder);
void decodeFloatSubtract(Decoder &decoder);
void decodeFloatMin(Decoder &decoder);
void decodeFloatMax(Decoder &decoder);
void decodeFloatNegate(Decoder &decoder);
void decodeFloatAbsolute(Decoder &decoder);
void decodeFloatMultiply(Decoder &decoder);
void decodeFloatMultiplyAdd(Decoder &decoder);
void decodeFloatDivide(Decoder &decoder);

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_SHARED_H
