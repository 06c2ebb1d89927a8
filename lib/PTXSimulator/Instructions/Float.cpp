//===- Float.cpp - arithmetic of floats of 32 and 64 bits -----------------===//

#include "../FloatFormats.h"
#include "FloatDecode.h"
#include "Instructions.h"
#include "Lanes.h"
#include "Shared.h"
#include "llvm/ADT/APFloat.h"

using namespace fovea::ptx;

namespace {
struct Add {
  template <typename T> static T apply(T a, T b) { return a + b; }
};
struct Subtract {
  template <typename T> static T apply(T a, T b) { return a - b; }
};
struct Multiply {
  template <typename T> static T apply(T a, T b) { return a * b; }
};
struct Divide {
  template <typename T> static T apply(T a, T b) { return a / b; }
};
/// -0 is less than +0; of two NaNs the canonical one.
struct Min {
  template <typename T> static T apply(T a, T b) {
    if (a != a)
      return b;
    if (b != b)
      return a;
    if (a == b)
      return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
};
struct Max {
  template <typename T> static T apply(T a, T b) {
    if (a != a)
      return b;
    if (b != b)
      return a;
    if (a == b)
      return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
};
/// The NaN of either.
template <typename F> struct WithNaN {
  template <typename T> static T apply(T a, T b) {
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN()
                            : F::apply(a, b);
  }
};
/// The magnitude of F, with the sign of a xor b.
template <typename F> struct XorSign {
  template <typename T> static T apply(T a, T b) {
    T result = std::abs(F::apply(std::abs(a), std::abs(b)));
    return result != result                     ? result
           : std::signbit(a) != std::signbit(b) ? -result
                                                : result;
  }
};

/// `F` of floats with `.ftz` and `.sat`.
template <typename F, bool ftz, bool sat> struct Single {
  float operator()(float a, float b) const {
    float result = flushIf<ftz>(F::apply(flushIf<ftz>(a), flushIf<ftz>(b)));
    return sat ? saturate(result) : canonical(result);
  }
};
template <typename F> struct Double {
  double operator()(double a, double b) const {
    return canonical(F::apply(a, b));
  }
};
template <bool ftz, bool sat> struct SingleMultiplyAdd {
  float operator()(float a, float b, float c) const {
    float result = flushIf<ftz>(
        std::fma(flushIf<ftz>(a), flushIf<ftz>(b), flushIf<ftz>(c)));
    return sat ? saturate(result) : canonical(result);
  }
};
struct DoubleMultiplyAdd {
  double operator()(double a, double b, double c) const {
    return canonical(std::fma(a, b, c));
  }
};
template <bool ftz> struct Negate {
  float operator()(float a) const { return -flushIf<ftz>(a); }
  double operator()(double a) const { return -a; }
};
template <bool ftz> struct Absolute {
  float operator()(float a) const { return std::abs(flushIf<ftz>(a)); }
  double operator()(double a) const { return std::abs(a); }
};
struct CopySign {
  // The sign of a, the rest of b.
  float operator()(float a, float b) const { return std::copysign(b, a); }
  double operator()(double a, double b) const { return std::copysign(b, a); }
};
/// Bits of the kinds that `testp` asks for.
template <int kind> struct Test {
  template <typename T> bool operator()(T a) const {
    switch (kind) {
    case 0:
      return std::isfinite(a);
    case 1:
      return std::isinf(a);
    case 2:
      return !std::isnan(a);
    case 3:
      return std::isnan(a);
    case 4:
      return std::isnormal(a);
    default:
      return std::fpclassify(a) == FP_SUBNORMAL;
    }
  }
};
} // namespace

//===-- Directed rounding -------------------------------------------------===//

static llvm::APFloat::roundingMode getMode(Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return llvm::APFloat::rmTowardZero;
  case Rounding::Down:
    return llvm::APFloat::rmTowardNegative;
  case Rounding::Up:
    return llvm::APFloat::rmTowardPositive;
  default:
    return llvm::APFloat::rmNearestTiesToEven;
  }
}

namespace {
enum DirectedKind : uint8_t { add, subtract, multiply, divide, multiplyAdd };
/// Op::detail of an operation that does not round to nearest.
struct DirectedShape {
  DirectedKind kind = add;
  Rounding rounding = Rounding::Nearest;
  uint8_t ftz = 0, sat = 0;
};
} // namespace

static float getValue(const llvm::APFloat &value, float) {
  return value.convertToFloat();
}
static double getValue(const llvm::APFloat &value, double) {
  return value.convertToDouble();
}

template <typename T>
static Flow computeDirected(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<DirectedShape>(op.detail);
  Row<T> a = warp.read<T>(op.source(0)), b = warp.read<T>(op.source(1));
  Row<T> c = {}, result = {};
  if (shape.kind == multiplyAdd)
    c = warp.read<T>(op.source(2));
  auto prepare = [&](T value) -> T {
    if constexpr (std::is_same_v<T, float>)
      return shape.ftz ? flush(value) : value;
    return value;
  };
  llvm::APFloat::roundingMode mode = getMode(shape.rounding);
  forEachLane(mask, [&](unsigned lane) {
    llvm::APFloat value(prepare(a[lane]));
    llvm::APFloat other(prepare(b[lane]));
    switch (shape.kind) {
    case add:
      value.add(other, mode);
      break;
    case subtract:
      value.subtract(other, mode);
      break;
    case multiply:
      value.multiply(other, mode);
      break;
    case divide:
      value.divide(other, mode);
      break;
    case multiplyAdd:
      value.fusedMultiplyAdd(other, llvm::APFloat(prepare(c[lane])), mode);
      break;
    }
    T rounded = prepare(getValue(value, T()));
    result[lane] = shape.sat ? saturate(rounded) : canonical(rounded);
  });
  warp.write(op.result(), result, mask);
  return Flow::Next;
}

//===-- Decoding ----------------------------------------------------------===//

FloatModifiers fovea::ptx::takeFloatModifiers(Decoder &decoder) {
  FloatModifiers found;
  int rounding = decoder.takeOneOf({"rn", "rz", "rm", "rp"});
  found.hasRounding = rounding >= 0;
  if (rounding >= 0)
    found.rounding = Rounding(rounding);
  found.ftz = decoder.take("ftz");
  found.sat = decoder.take("sat");
  return found;
}

/// The instance of a handler for `.ftz` and `.sat`.
template <typename F> static Handler pickSingle(FloatModifiers modifiers) {
  if (modifiers.ftz)
    return modifiers.sat ? binary<Single<F, true, true>, float, float>
                         : binary<Single<F, true, false>, float, float>;
  return modifiers.sat ? binary<Single<F, false, true>, float, float>
                       : binary<Single<F, false, false>, float, float>;
}

static void setDirected(Decoder &decoder, Type type, DirectedKind kind,
                        FloatModifiers modifiers) {
  decoder.op.detail = std::bit_cast<uint32_t>(
      DirectedShape{kind, modifiers.rounding, modifiers.ftz, modifiers.sat});
  decoder.setHandler(type == Type::F64 ? computeDirected<double>
                                       : computeDirected<float>);
}

template <typename F, DirectedKind kind>
static void decodeArithmetic(Decoder &decoder) {
  FloatModifiers modifiers = takeFloatModifiers(decoder);
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  if (isHalf(type))
    return decodeHalfArithmetic(decoder, type, HalfOperation(kind), modifiers);
  if ((type != Type::F32 && type != Type::F64) ||
      (type == Type::F64 && (modifiers.ftz || modifiers.sat)))
    return decoder.failType();
  if (modifiers.rounding != Rounding::Nearest)
    return setDirected(decoder, type, kind, modifiers);
  decoder.setHandler(type == Type::F64 ? binary<Double<F>, double, double>
                                       : pickSingle<F>(modifiers));
}

void fovea::ptx::decodeFloatAdd(Decoder &decoder) {
  decodeArithmetic<Add, add>(decoder);
}
void fovea::ptx::decodeFloatSubtract(Decoder &decoder) {
  decodeArithmetic<Subtract, subtract>(decoder);
}
void fovea::ptx::decodeFloatMultiply(Decoder &decoder) {
  decodeArithmetic<Multiply, multiply>(decoder);
}

/// `fma`, and `mad` of floats, which is the same.
void fovea::ptx::decodeFloatMultiplyAdd(Decoder &decoder) {
  FloatModifiers modifiers = takeFloatModifiers(decoder);
  bool relu = decoder.take("relu");
  Type type = decoder.takeType();
  addTernaryOperands(decoder, type);
  if (isHalf(type))
    return decodeHalfMultiplyAdd(decoder, type, modifiers, relu);
  if (!modifiers.hasRounding)
    decoder.fail("'" + decoder.getOpcode() + "' expects a rounding");
  if ((type != Type::F32 && type != Type::F64) || relu ||
      (type == Type::F64 && (modifiers.ftz || modifiers.sat)))
    return decoder.failType();
  if (modifiers.rounding != Rounding::Nearest)
    return setDirected(decoder, type, multiplyAdd, modifiers);
  if (type == Type::F64)
    return decoder.setHandler(ternary<DoubleMultiplyAdd, double, double>);
  if (modifiers.ftz)
    decoder.setHandler(
        modifiers.sat ? ternary<SingleMultiplyAdd<true, true>, float, float>
                      : ternary<SingleMultiplyAdd<true, false>, float, float>);
  else
    decoder.setHandler(
        modifiers.sat ? ternary<SingleMultiplyAdd<false, true>, float, float>
                      : ternary<SingleMultiplyAdd<false, false>, float, float>);
}

/// Division rounded as IEEE says; approximate ones are in Approximate.cpp.
void fovea::ptx::decodeFloatDivide(Decoder &decoder) {
  if (decoder.hasModifier("approx") || decoder.hasModifier("full"))
    return decodeApproximateDivide(decoder);
  FloatModifiers modifiers = takeFloatModifiers(decoder);
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  if (!modifiers.hasRounding || modifiers.sat)
    decoder.fail("'div' expects a rounding, 'approx' or 'full'");
  if ((type != Type::F32 && type != Type::F64) ||
      (type == Type::F64 && modifiers.ftz))
    return decoder.failType();
  if (modifiers.rounding != Rounding::Nearest)
    return setDirected(decoder, type, divide, modifiers);
  decoder.setHandler(type == Type::F64 ? binary<Double<Divide>, double, double>
                                       : pickSingle<Divide>(modifiers));
}

template <typename F, HalfOperation half>
static void decodeExtremum(Decoder &decoder) {
  bool ftz = decoder.take("ftz"), nan = decoder.take("NaN");
  bool xorSign = decoder.take("xorsign");
  if (xorSign && !decoder.take("abs"))
    decoder.fail("expected '.xorsign.abs'");
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  if (isHalf(type)) {
    if (xorSign)
      return decoder.failType();
    FloatModifiers modifiers;
    modifiers.ftz = ftz;
    modifiers.nan = nan;
    return decodeHalfArithmetic(decoder, type, half, modifiers);
  }
  if (type == Type::F64 && (ftz || nan || xorSign))
    return decoder.failType();
  if (type == Type::F64)
    return decoder.setHandler(binary<Double<F>, double, double>);
  if (type != Type::F32)
    return decoder.failType();
  FloatModifiers modifiers;
  modifiers.ftz = ftz;
  if (xorSign)
    return decoder.setHandler(nan ? pickSingle<XorSign<WithNaN<F>>>(modifiers)
                                  : pickSingle<XorSign<F>>(modifiers));
  decoder.setHandler(nan ? pickSingle<WithNaN<F>>(modifiers)
                         : pickSingle<F>(modifiers));
}

void fovea::ptx::decodeFloatMin(Decoder &decoder) {
  decodeExtremum<Min, HalfOperation::Min>(decoder);
}
void fovea::ptx::decodeFloatMax(Decoder &decoder) {
  decodeExtremum<Max, HalfOperation::Max>(decoder);
}

template <template <bool> class F, HalfOperation half>
static void decodeSign(Decoder &decoder) {
  bool ftz = decoder.take("ftz");
  Type type = decoder.takeType();
  addUnaryOperands(decoder, type);
  if (isHalf(type)) {
    FloatModifiers modifiers;
    modifiers.ftz = ftz;
    return decodeHalfArithmetic(decoder, type, half, modifiers);
  }
  if (type == Type::F64 && !ftz)
    return decoder.setHandler(unary<F<false>, double, double>);
  if (type != Type::F32)
    return decoder.failType();
  decoder.setHandler(ftz ? unary<F<true>, float, float>
                         : unary<F<false>, float, float>);
}

void fovea::ptx::decodeFloatNegate(Decoder &decoder) {
  decodeSign<Negate, HalfOperation::Negate>(decoder);
}
void fovea::ptx::decodeFloatAbsolute(Decoder &decoder) {
  decodeSign<Absolute, HalfOperation::Absolute>(decoder);
}

static void decodeCopySign(Decoder &decoder) {
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  decoder.setHandler(type == Type::F32   ? binary<CopySign, float, float>
                     : type == Type::F64 ? binary<CopySign, double, double>
                                         : nullptr);
}

template <typename T, int kind>
static Flow test(Warp &warp, const Op &op, Mask mask) {
  Row<T> a = warp.read<T>(op.source());
  Mask result = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result |= Mask(Test<kind>()(a[lane])) << lane;
  warp.writePredicate(op.result(), result, mask);
  return Flow::Next;
}

template <typename T> static Handler pickTest(unsigned kind) {
  static constexpr Handler handlers[] = {test<T, 0>, test<T, 1>, test<T, 2>,
                                         test<T, 3>, test<T, 4>, test<T, 5>};
  return handlers[kind];
}

static void decodeTest(Decoder &decoder) {
  unsigned kind = decoder.expectOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"},
      "a property");
  Type type = decoder.takeType();
  decoder.expectOperands(2);
  decoder.addResult(0, Type::Pred);
  decoder.addSource(1, type);
  decoder.setHandler(type == Type::F32   ? pickTest<float>(kind)
                     : type == Type::F64 ? pickTest<double>(kind)
                                         : nullptr);
}

void fovea::ptx::addFloatInstructions(InstructionTable &table) {
  table["fma"] = decodeFloatMultiplyAdd;
  table["copysign"] = decodeCopySign;
  table["testp"] = decodeTest;
}
