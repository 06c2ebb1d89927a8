//===- Approximate.cpp - roots, exponentials and the like -----------------===//
//
// PTX bounds the error of these; here they are computed in double and rounded
// once, which is within every bound. What PTX says of special values holds.
//
//===----------------------------------------------------------------------===//

#include "FloatDecode.h"
#include "Instructions.h"
#include "Lanes.h"
#include "Shared.h"

using namespace fovea::ptx;

namespace {
struct Exp2 {
  static double apply(double a) { return std::exp2(a); }
};
struct Log2 {
  static double apply(double a) { return std::log2(a); }
};
struct Sine {
  static double apply(double a) { return std::sin(a); }
};
struct Cosine {
  static double apply(double a) { return std::cos(a); }
};
struct Tangent {
  static double apply(double a) { return std::tanh(a); }
};
struct Reciprocal {
  static double apply(double a) { return 1 / a; }
};
struct ReciprocalRoot {
  static double apply(double a) { return 1 / std::sqrt(a); }
};
struct Root {
  static double apply(double a) { return std::sqrt(a); }
};

template <typename F, bool ftz> struct Single {
  float operator()(float a) const {
    return canonical(flushIf<ftz>(float(F::apply(flushIf<ftz>(a)))));
  }
};
template <typename F> struct Double {
  double operator()(double a) const { return canonical(F::apply(a)); }
};
/// `rcp` and `rsqrt.approx.ftz.f64`: the upper half of the result only, and
/// subnormals flushed.
template <typename F> struct DoubleUpper {
  double operator()(double a) const {
    auto flushed = [](double value) {
      return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0., value)
                                                    : value;
    };
    uint64_t bits = std::bit_cast<uint64_t>(flushed(F::apply(flushed(a))));
    return canonical(std::bit_cast<double>(bits & 0xffffffff00000000));
  }
};
/// Of halves, one or two in a register.
template <typename Format, typename F, bool ftz, typename T> struct Halves {
  T operator()(T a) const {
    T result = 0;
    for (unsigned shift = 0; shift < sizeof(T) * 8; shift += 16) {
      uint16_t bits = a >> shift;
      bits = ftz ? Format::flush(bits) : bits;
      bits = Format::encode(F::apply(Format::decode(bits)));
      result |= T(ftz ? Format::flush(bits) : bits) << shift;
    }
    return result;
  }
};
/// a times the reciprocal of b, which is 0 for a very large b.
template <bool ftz> struct ApproximateDivide {
  float operator()(float a, float b) const {
    a = flushIf<ftz>(a);
    b = flushIf<ftz>(b);
    if (std::abs(b) > 0x1p126f && std::isfinite(b))
      return canonical(a * std::copysign(0.f, b));
    return canonical(flushIf<ftz>(a / b));
  }
};
template <bool ftz> struct FullDivide {
  float operator()(float a, float b) const {
    return canonical(flushIf<ftz>(flushIf<ftz>(a) / flushIf<ftz>(b)));
  }
};
} // namespace

template <typename F> static Handler pickSingle(bool ftz) {
  return ftz ? unary<Single<F, true>, float, float>
             : unary<Single<F, false>, float, float>;
}

template <typename F> static Handler pickHalf(Type type, bool ftz) {
  switch (type) {
  case Type::F16:
    return ftz ? unary<Halves<Half, F, true, uint16_t>, uint16_t, uint16_t>
               : unary<Halves<Half, F, false, uint16_t>, uint16_t, uint16_t>;
  case Type::F16x2:
    return ftz ? unary<Halves<Half, F, true, uint32_t>, uint32_t, uint32_t>
               : unary<Halves<Half, F, false, uint32_t>, uint32_t, uint32_t>;
  case Type::BF16:
    return unary<Halves<BFloat, F, true, uint16_t>, uint16_t, uint16_t>;
  case Type::BF16x2:
    return unary<Halves<BFloat, F, true, uint32_t>, uint32_t, uint32_t>;
  default:
    return nullptr;
  }
}

/// `ex2`, `lg2`, `sin`, `cos` and `tanh`, which are approximate only.
template <typename F, bool hasHalf>
static void decodeTranscendental(Decoder &decoder) {
  if (!decoder.take("approx"))
    decoder.fail("'" + decoder.getOpcode() + "' expects '.approx'");
  bool ftz = decoder.take("ftz");
  Type type = decoder.takeType();
  addUnaryOperands(decoder, type);
  if (type == Type::F32)
    return decoder.setHandler(pickSingle<F>(ftz));
  decoder.setHandler(hasHalf ? pickHalf<F>(type, ftz) : nullptr);
}

//===-- Roots and reciprocals, which may be rounded exactly ---------------===//

namespace {
/// Op::detail.
struct RoundedShape {
  Rounding rounding = Rounding::Nearest;
  uint8_t ftz = 0;
  uint8_t isRoot = 0;
  uint8_t unused = 0;
};
} // namespace

/// `nearest` or its neighbour, given the sign of the exact value less it.
template <typename T>
static T direct(T nearest, T difference, Rounding rounding) {
  if (difference == 0 || nearest != nearest || nearest == 0)
    return nearest;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  bool isAbove = difference > 0;
  if (rounding == Rounding::Up && isAbove)
    return std::nextafter(nearest, infinity);
  if (rounding == Rounding::Down && !isAbove)
    return std::nextafter(nearest, -infinity);
  if (rounding == Rounding::Zero && isAbove != (nearest > 0))
    return std::nextafter(nearest, T(0));
  return nearest;
}

/// A number of the sign of the exact root of `a` less `root`.
template <typename T> static T getRootRemainder(T a, T root) {
  if (!std::isfinite(root))
    return 0;
  // Away from where the remainder is too small to be told from 0.
  if (a < T(0x1p-100)) {
    a *= T(0x1p100);
    a *= T(0x1p100);
    root *= T(0x1p100);
  }
  return -std::fma(root, root, -a);
}

/// The same for the reciprocal.
template <typename T> static T getReciprocalRemainder(T a, T reciprocal) {
  if (a == 0 || !std::isfinite(a))
    return 0;
  if (std::isinf(reciprocal)) // it overflowed
    return -reciprocal;
  return -std::fma(reciprocal, a, T(-1)) * std::copysign(T(1), a);
}

template <typename T> static T flushValue(T value, bool ftz) {
  if constexpr (std::is_same_v<T, float>)
    return ftz ? flush(value) : value;
  return value;
}

template <typename T>
static Flow computeRounded(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<RoundedShape>(op.detail);
  Row<T> a = warp.read<T>(op.source()), result = {};
  forEachLane(mask, [&](unsigned lane) {
    T value = flushValue(a[lane], shape.ftz);
    T nearest = shape.isRoot ? std::sqrt(value) : 1 / value;
    T difference = shape.isRoot ? getRootRemainder(value, nearest)
                                : getReciprocalRemainder(value, nearest);
    T rounded = direct(nearest, difference, shape.rounding);
    result[lane] = canonical(flushValue(rounded, shape.ftz));
  });
  warp.write(op.result(), result, mask);
  return Flow::Next;
}

/// `rcp` and `sqrt`; `rsqrt` is approximate only.
template <typename F, bool isRoot, bool hasRounded>
static void decodeRoot(Decoder &decoder) {
  bool isApproximate = decoder.take("approx");
  FloatModifiers modifiers = takeFloatModifiers(decoder);
  Type type = decoder.takeType();
  addUnaryOperands(decoder, type);
  if (modifiers.sat || isApproximate == modifiers.hasRounding)
    return decoder.fail("'" + decoder.getOpcode() +
                        "' expects '.approx' or a rounding");
  if (isApproximate) {
    if (type == Type::F32)
      return decoder.setHandler(pickSingle<F>(modifiers.ftz));
    if (type != Type::F64 || (isRoot && hasRounded))
      return decoder.failType();
    return decoder.setHandler(modifiers.ftz
                                  ? unary<DoubleUpper<F>, double, double>
                                  : unary<Double<F>, double, double>);
  }
  if (!hasRounded || (type == Type::F64 && modifiers.ftz))
    return decoder.failType();
  decoder.op.detail = std::bit_cast<uint32_t>(
      RoundedShape{modifiers.rounding, modifiers.ftz, isRoot, 0});
  decoder.setHandler(type == Type::F32   ? computeRounded<float>
                     : type == Type::F64 ? computeRounded<double>
                                         : nullptr);
}

void fovea::ptx::decodeApproximateDivide(Decoder &decoder) {
  bool isFull = decoder.expectOneOf({"approx", "full"}, "a precision") == 1;
  bool ftz = decoder.take("ftz");
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  if (type != Type::F32)
    return decoder.failType();
  if (isFull)
    decoder.setHandler(ftz ? binary<FullDivide<true>, float, float>
                           : binary<FullDivide<false>, float, float>);
  else
    decoder.setHandler(ftz ? binary<ApproximateDivide<true>, float, float>
                           : binary<ApproximateDivide<false>, float, float>);
}

void fovea::ptx::addApproximateInstructions(InstructionTable &table) {
  table["ex2"] = decodeTranscendental<Exp2, true>;
  table["lg2"] = decodeTranscendental<Log2, false>;
  table["sin"] = decodeTranscendental<Sine, false>;
  table["cos"] = decodeTranscendental<Cosine, false>;
  table["tanh"] = decodeTranscendental<Tangent, true>;
  table["rcp"] = decodeRoot<Reciprocal, false, true>;
  table["sqrt"] = decodeRoot<Root, true, true>;
  table["rsqrt"] = decodeRoot<ReciprocalRoot, true, false>;
}
