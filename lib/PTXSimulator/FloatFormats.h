//===- FloatFormats.h - floats of 16 to 64 bits and their rounding --------===//
//
// Values are computed in a wider type and then rounded once: sums and products
// of halves are exact enough in a float, and those of floats in a double, for
// the two roundings to be one (the wider significand has more than twice the
// bits). Sums that are not are rounded to odd first.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_FLOATFORMATS_H
#define FOVEA_PTXSIMULATOR_FLOATFORMATS_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fovea::ptx {

/// `.rn`, `.rz`, `.rm`, `.rp`; `.rna` rounds ties away from zero.
enum class Rounding : uint8_t { Nearest, Zero, Down, Up, NearestAway };

inline float toFloat(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t toBits(float value) { return std::bit_cast<uint32_t>(value); }

/// What PTX gives for a NaN of 32 bits, whatever went in.
constexpr uint32_t canonicalNaN = 0x7fffffff;
inline float canonical(float value) {
  return value != value ? toFloat(canonicalNaN) : value;
}
inline double canonical(double value) {
  return value != value ? std::numeric_limits<double>::quiet_NaN() : value;
}

/// A subnormal becomes a zero of its sign.
inline float flush(float value) {
  uint32_t bits = toBits(value);
  return bits & 0x7f800000 ? value : toFloat(bits & 0x80000000);
}
template <bool ftz> inline float flushIf(float value) {
  return ftz ? flush(value) : value;
}
/// `.sat`: clamps to [0, 1], and NaN to 0.
template <typename T> inline T saturate(T value) {
  return value > 0 ? std::min(value, T(1)) : T(0);
}

/// `value` rounded to a float with `significandBits` stored bits and
/// `exponentBits`, as its bits. With `finite`, what is too large becomes the
/// largest number, and NaN the canonical one.
template <unsigned exponentBits, unsigned significandBits>
inline uint32_t roundToFormat(double value, Rounding rounding,
                              bool finite = false) {
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr uint32_t infinity = ((1u << exponentBits) - 1) << significandBits;
  constexpr unsigned width = exponentBits + significandBits;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  bool negative = bits >> 63;
  uint32_t sign = uint32_t(negative) << width;
  if (value != value)
    return (1u << width) - 1;
  if (std::isinf(value))
    return sign | (finite ? infinity - 1 : infinity);
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  uint64_t significand = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == -1023)
    exponent = -1022;
  else
    significand |= uint64_t(1) << 52;
  // Bits below the last one kept; more of them for a subnormal.
  constexpr int least = 1 - bias;
  int drop = int(52 - significandBits) + std::max(0, least - exponent);
  uint64_t kept = drop < 64 ? significand >> drop : 0;
  uint64_t rest, half;
  if (drop < 64) {
    rest = significand & ((uint64_t(1) << drop) - 1);
    half = uint64_t(1) << (drop - 1);
  } else {
    rest = significand != 0;
    half = 2;
  }
  bool up = false;
  switch (rounding) {
  case Rounding::Nearest:
    up = rest > half || (rest == half && (kept & 1));
    break;
  case Rounding::NearestAway:
    up = rest >= half && rest != 0;
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    up = negative && rest;
    break;
  case Rounding::Up:
    up = !negative && rest;
    break;
  }
  kept += up;
  // The hidden bit adds one to the exponent, as does a carry.
  uint64_t result =
      exponent < least ? kept
                       : kept + (uint64_t(exponent - least) << significandBits);
  if (result >= infinity) {
    bool toInfinity = rounding == Rounding::Nearest ||
                      rounding == Rounding::NearestAway ||
                      (rounding == Rounding::Up && !negative) ||
                      (rounding == Rounding::Down && negative);
    result = toInfinity && !finite ? infinity : infinity - 1;
  }
  return sign | uint32_t(result);
}

/// The exact sum of two doubles, rounded to odd: the last bit is set if
/// anything was lost, so that a second rounding sees it.
inline double addToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double part = sum - a;
  double error = (a - (sum - part)) + (b - part);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || bits & 1)
    return sum;
  // Towards the error, which lies between sum and its neighbour.
  bool away = (error > 0) == (sum > 0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

struct Half {
  static constexpr uint16_t nan = 0x7fff;

  static float decode(uint16_t bits) {
    // Places the bits as those of a float 2^112 smaller: exact, subnormals
    // included, and without a branch.
    float magnitude = toFloat(uint32_t(bits & 0x7fff) << 13) * 0x1p112f;
    uint32_t special = (bits & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
    return toFloat(toBits(magnitude) | special | uint32_t(bits & 0x8000) << 16);
  }
  static uint16_t encode(double value, Rounding rounding = Rounding::Nearest,
                         bool finite = false) {
    return roundToFormat<5, 10>(value, rounding, finite);
  }
  static uint16_t flush(uint16_t bits) {
    return bits & 0x7c00 ? bits : bits & 0x8000;
  }
};

struct BFloat {
  static constexpr uint16_t nan = 0x7fff;

  static float decode(uint16_t bits) { return toFloat(uint32_t(bits) << 16); }
  static uint16_t encode(double value, Rounding rounding = Rounding::Nearest,
                         bool finite = false) {
    return roundToFormat<8, 7>(value, rounding, finite);
  }
  static uint16_t flush(uint16_t bits) {
    return bits & 0x7f80 ? bits : bits & 0x8000;
  }
};

/// A double as a float in any rounding.
inline float roundToFloat(double value, Rounding rounding) {
  return toFloat(roundToFormat<8, 23>(value, rounding));
}

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_FLOATFORMATS_H
