//===- Convert.cpp - cvt --------------------------------------------------===//
//
// A conversion has two steps: the source becomes an integer of 64 bits or a
// double, both exact, and that is rounded or clamped to the result.
//
//===----------------------------------------------------------------------===//

#include "../FloatFormats.h"
#include "Instructions.h"
#include "Lanes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace fovea::ptx;

namespace {
enum ConvertFlags : uint8_t {
  ftz = 1,
  sat = 2,
  relu = 4,
  satfinite = 8,
  /// Rounds to an integer: `.rni` and the like.
  toIntegral = 16,
};
/// Op::detail of a conversion.
struct ConvertShape {
  Type to = Type::B32, from = Type::B32;
  Rounding rounding = Rounding::Nearest;
  uint8_t flags = 0;

  bool has(ConvertFlags flag) const { return flags & flag; }
};
} // namespace

//===-- Sources -----------------------------------------------------------===//

/// Sign- or zero-extended.
static Row<uint64_t> readInteger(Warp &warp, const Operand &source, Type type) {
  Row<uint64_t> row = warp.readWide(source);
  unsigned unused = 64 - getTypeBytes(type) * 8;
  for (uint64_t &value : row)
    value = isSigned(type) ? uint64_t(int64_t(value << unused) >> unused)
                           : value << unused >> unused;
  return row;
}

static Row<double> readFloat(Warp &warp, const Operand &source, Type type,
                             bool flushes) {
  if (type == Type::F64)
    return warp.read<double>(source);
  Row<double> row;
  if (type == Type::F32) {
    Row<float> values = warp.read<float>(source);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      row[lane] = flushes ? flush(values[lane]) : values[lane];
    return row;
  }
  Row<uint64_t> bits = warp.readWide(source);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    row[lane] = type == Type::F16 ? Half::decode(bits[lane])
                                  : BFloat::decode(bits[lane]);
  return row;
}

static double roundToIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  default: {
    // Half to even, whatever the host's mode.
    double below = std::floor(value), rest = value - below;
    if (rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0))
      below += 1;
    return std::copysign(below, value); // -0.3 becomes -0
  }
  }
}

//===-- Results -----------------------------------------------------------===//

/// The bits of a float of 16 or 32 bits. `value` is exact or rounded to odd.
static uint32_t encodeFloat(double value, ConvertShape shape) {
  if (shape.has(sat))
    value = saturate(value);
  // -0 becomes +0; NaN stays.
  if (shape.has(relu) && value <= 0)
    value = 0;
  bool finite = shape.has(satfinite);
  switch (shape.to) {
  case Type::F16:
  case Type::F16x2:
    return Half::encode(value, shape.rounding, finite);
  case Type::BF16:
  case Type::BF16x2:
    return BFloat::encode(value, shape.rounding, finite);
  case Type::TF32:
    return value != value
               ? canonicalNaN
               : roundToFormat<8, 10>(value, shape.rounding, finite) << 13;
  default: {
    float result = toFloat(roundToFormat<8, 23>(value, shape.rounding));
    return toBits(canonical(shape.has(ftz) ? flush(result) : result));
  }
  }
}

static Row<uint64_t> encodeFloats(const Row<double> &values,
                                  ConvertShape shape) {
  Row<uint64_t> row;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (shape.to == Type::F64) {
      double value = shape.has(sat) ? saturate(values[lane]) : values[lane];
      row[lane] = std::bit_cast<uint64_t>(canonical(value));
    } else {
      row[lane] = encodeFloat(values[lane], shape);
    }
  }
  return row;
}

/// Clamped to the type; NaN becomes 0 or, where 64 bits take part, the value
/// of the top bit.
static uint64_t floatToInteger(double value, ConvertShape shape) {
  unsigned width = getTypeBytes(shape.to) * 8;
  if (value != value)
    return shape.from == Type::F64 || width == 64 ? uint64_t(1) << (width - 1)
                                                  : 0;
  value = roundToIntegral(value, shape.rounding);
  double limit = std::ldexp(1, isSigned(shape.to) ? width - 1 : width);
  if (isSigned(shape.to)) {
    if (value >= limit)
      return (uint64_t(1) << (width - 1)) - 1;
    return uint64_t(int64_t(std::max(value, -limit)));
  }
  if (value >= limit)
    return ~uint64_t(0) >> (64 - width);
  return value > 0 ? uint64_t(value) : 0;
}

static uint64_t clampInteger(uint64_t value, ConvertShape shape) {
  unsigned width = getTypeBytes(shape.to) * 8;
  bool isNegative = isSigned(shape.from) && int64_t(value) < 0;
  if (isSigned(shape.to)) {
    int64_t most = int64_t(~uint64_t(0) >> (65 - width));
    if (isNegative)
      return std::max(int64_t(value), -most - 1);
    return std::min(value, uint64_t(most));
  }
  return isNegative ? 0 : std::min(value, ~uint64_t(0) >> (64 - width));
}

/// Cut to the type and extended again, to the register's size.
static uint64_t extend(uint64_t value, Type type) {
  unsigned unused = 64 - getTypeBytes(type) * 8;
  return isSigned(type) ? uint64_t(int64_t(value << unused) >> unused)
                        : value << unused >> unused;
}

/// An integer of 64 bits as a double, exact or rounded to odd.
static double toOdd(uint64_t value, bool isNegativeIfTop) {
  double high = isNegativeIfTop ? double(int32_t(value >> 32))
                                : double(uint32_t(value >> 32));
  return addToOdd(high * 0x1p32, double(uint32_t(value)));
}

static double toDouble(uint64_t value, bool isSignedValue, Rounding rounding) {
  if (rounding == Rounding::Nearest)
    return isSignedValue ? double(int64_t(value)) : double(value);
  llvm::APFloat result(0.0);
  result.convertFromAPInt(
      llvm::APInt(64, value), isSignedValue,
      rounding == Rounding::Zero   ? llvm::APFloat::rmTowardZero
      : rounding == Rounding::Down ? llvm::APFloat::rmTowardNegative
                                   : llvm::APFloat::rmTowardPositive);
  return result.convertToDouble();
}

//===-- Handlers ----------------------------------------------------------===//

static Flow integerToInteger(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<ConvertShape>(op.detail);
  Row<uint64_t> row = readInteger(warp, op.source(), shape.from);
  if (shape.has(sat))
    for (uint64_t &value : row)
      value = clampInteger(value, shape);
  for (uint64_t &value : row)
    value = extend(value, shape.to);
  warp.writeWide(op.result(), row, mask);
  return Flow::Next;
}

static Flow integerToFloat(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<ConvertShape>(op.detail);
  Row<uint64_t> row = readInteger(warp, op.source(), shape.from);
  Row<double> values;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    values[lane] =
        shape.to == Type::F64
            ? toDouble(row[lane], isSigned(shape.from), shape.rounding)
            : toOdd(row[lane], isSigned(shape.from));
  warp.writeWide(op.result(), encodeFloats(values, shape), mask);
  return Flow::Next;
}

static Flow floatToInteger(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<ConvertShape>(op.detail);
  Row<double> values = readFloat(warp, op.source(), shape.from, shape.has(ftz));
  Row<uint64_t> row;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    row[lane] = extend(floatToInteger(values[lane], shape), shape.to);
  warp.writeWide(op.result(), row, mask);
  return Flow::Next;
}

static Flow floatToFloat(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<ConvertShape>(op.detail);
  Row<double> values = readFloat(warp, op.source(), shape.from, shape.has(ftz));
  if (shape.has(toIntegral))
    for (double &value : values)
      value = roundToIntegral(value, shape.rounding);
  warp.writeWide(op.result(), encodeFloats(values, shape), mask);
  return Flow::Next;
}

/// Two floats to two halves; the first is the upper one.
static Flow floatsToPair(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<ConvertShape>(op.detail);
  Row<double> high = readFloat(warp, op.source(0), Type::F32, false),
              low = readFloat(warp, op.source(1), Type::F32, false);
  Row<uint32_t> row;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    row[lane] = encodeFloat(low[lane], shape) | encodeFloat(high[lane], shape)
                                                    << 16;
  warp.write(op.result(), row, mask);
  return Flow::Next;
}

//===-- Decoding ----------------------------------------------------------===//

static bool isConvertible(Type type) {
  return isInteger(type) || type == Type::F16 || type == Type::BF16 ||
         type == Type::F32 || type == Type::F64;
}

/// Whether every value of `from` is one of `to`.
static bool isWidening(Type to, Type from) {
  if (to == from || to == Type::F64)
    return true;
  return to == Type::F32 && (from == Type::F16 || from == Type::BF16);
}

static void decodeToPair(Decoder &decoder, ConvertShape shape) {
  decoder.expectOperands(3);
  if (shape.from != Type::F32)
    return decoder.failType();
  decoder.addResult(0, shape.to);
  decoder.addSource(1, Type::F32);
  decoder.addSource(2, Type::F32);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.setHandler(floatsToPair);
}

static void decodeConvert(Decoder &decoder) {
  ConvertShape shape;
  int rounding = decoder.takeOneOf({"rn", "rz", "rm", "rp", "rna"});
  int integral = decoder.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  bool hasRounding = rounding >= 0, isIntegral = integral >= 0;
  if (hasRounding || isIntegral)
    shape.rounding = Rounding(hasRounding ? rounding : integral);
  shape.flags = (decoder.take("ftz") ? ftz : 0) |
                (decoder.take("sat") ? sat : 0) |
                (decoder.take("relu") ? relu : 0) |
                (decoder.take("satfinite") ? satfinite : 0) |
                (isIntegral ? toIntegral : 0);
  shape.to = decoder.takeType();
  shape.from = decoder.takeType();
  Type to = shape.to, from = shape.from;
  if (hasRounding && isIntegral)
    return decoder.fail("expected one rounding");
  bool isNarrow = to == Type::F16x2 || to == Type::BF16x2 || to == Type::TF32;
  if (isNarrow && !hasRounding)
    return decoder.fail("'cvt' expects a rounding");
  if (to == Type::F16x2 || to == Type::BF16x2)
    return decodeToPair(decoder, shape);
  decoder.expectOperands(2);
  if ((!isConvertible(to) && to != Type::TF32) || !isConvertible(from) ||
      (to == Type::TF32 && from != Type::F32))
    return decoder.failType();
  if (rounding == 4 && to != Type::TF32)
    return decoder.fail("'.rna' is for '.tf32' only");

  decoder.addWideResult(decoder.getOperand(0), to);
  decoder.addWideSource(decoder.getOperand(1), from);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  if (isInteger(to) && isInteger(from)) {
    if (hasRounding || isIntegral)
      decoder.fail("a conversion between integers does not round");
    return decoder.setHandler(integerToInteger);
  }
  if (isInteger(to)) {
    if (!isIntegral)
      decoder.fail("'cvt' to an integer expects '.rni', '.rzi', '.rmi' or "
                   "'.rpi'");
    return decoder.setHandler(floatToInteger);
  }
  if (isInteger(from)) {
    if (!hasRounding)
      decoder.fail("'cvt' expects a rounding");
    return decoder.setHandler(integerToFloat);
  }
  if (isIntegral && to != from)
    decoder.fail("rounding to an integer keeps the type");
  if (!isWidening(to, from) && !hasRounding)
    decoder.fail("'cvt' expects a rounding");
  decoder.setHandler(floatToFloat);
}

void fovea::ptx::addConvertInstructions(InstructionTable &table) {
  table["cvt"] = decodeConvert;
}
