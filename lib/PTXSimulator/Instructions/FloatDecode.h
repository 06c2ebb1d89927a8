//===- FloatDecode.h - what the files of float instructions share ---------===//

#ifndef FOVEA_PTXSIMULATOR_FLOATDECODE_H
#define FOVEA_PTXSIMULATOR_FLOATDECODE_H

#include "../Decoder.h"
#include "../FloatFormats.h"

namespace fovea::ptx {

struct FloatModifiers {
  Rounding rounding = Rounding::Nearest;
  bool hasRounding = false, ftz = false, sat = false;
  /// `.NaN` of `min` and `max`.
  bool nan = false;
};

/// Takes the rounding, `.ftz` and `.sat`.
FloatModifiers takeFloatModifiers(Decoder &decoder);

/// Floats of 16 bits, alone or in pairs.
inline bool isHalf(Type type) {
  return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 ||
         type == Type::BF16x2;
}

enum class HalfOperation : uint8_t {
  Add,
  Subtract,
  Multiply,
  Min = 8,
  Max,
  Negate,
  Absolute,
};

// Half.cpp. The operands are there already.
void decodeHalfArithmetic(Decoder &decoder, Type type, HalfOperation operation,
                          FloatModifiers modifiers);
void decodeHalfMultiplyAdd(Decoder &decoder, Type type,
                           FloatModifiers modifiers, bool relu);

// Approximate.cpp.
void decodeApproximateDivide(Decoder &decoder);

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_FLOATDECODE_H
