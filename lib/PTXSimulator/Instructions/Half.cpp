//===- Half.cpp - arithmetic of floats of 16 bits -------------------------===//

#include "FloatDecode.h"
#include "Instructions.h"
#include "Lanes.h"

using namespace fovea::ptx;

namespace {
/// How an operation on halves is modified, as Op::detail.
struct HalfShape {
  HalfOperation operation = HalfOperation::Add;
  uint8_t ftz = 0, sat = 0, other = 0; // `.NaN` or `.relu`
};

template <typename Format> struct HalfArithmetic {
  HalfShape shape;

  uint16_t flush(uint16_t bits) const {
    return shape.ftz ? Format::flush(bits) : bits;
  }
  uint16_t finish(double value) const {
    uint16_t bits = flush(Format::encode(value));
    if (!shape.sat)
      return bits;
    return Format::encode(saturate(double(Format::decode(bits))));
  }

  uint16_t operator()(uint16_t a, uint16_t b) const {
    uint16_t fa = flush(a), fb = flush(b);
    float x = Format::decode(fa), y = Format::decode(fb);
    switch (shape.operation) {
    case HalfOperation::Add:
      return finish(x + y);
    case HalfOperation::Subtract:
      return finish(x - y);
    case HalfOperation::Multiply:
      return finish(double(x) * y); // exact, subnormals included
    case HalfOperation::Min:
    case HalfOperation::Max:
      return select(fa, fb, x, y, shape.operation == HalfOperation::Max);
    case HalfOperation::Negate:
      return x != x ? Format::nan : fa ^ 0x8000;
    case HalfOperation::Absolute:
      return x != x ? Format::nan : fa & 0x7fff;
    }
    return 0;
  }

  /// -0 is less than +0.
  uint16_t select(uint16_t a, uint16_t b, float x, float y,
                  bool largest) const {
    if (x != x || y != y) {
      if (shape.other || (x != x && y != y))
        return Format::nan;
      return x != x ? b : a;
    }
    bool firstIsLess = x < y || (x == y && (a & 0x8000));
    return firstIsLess == largest ? b : a;
  }

  /// The product is exact in a double, and the sum is rounded to odd.
  uint16_t multiplyAdd(uint16_t a, uint16_t b, uint16_t c) const {
    double product =
        double(Format::decode(flush(a))) * double(Format::decode(flush(b)));
    double sum = addToOdd(product, Format::decode(flush(c)));
    if (shape.other) // relu, which keeps NaN
      sum = sum < 0 || sum == 0 ? 0 : sum;
    return finish(sum);
  }
};
} // namespace

template <typename Format, typename T>
static Flow compute(Warp &warp, const Op &op, Mask mask) {
  HalfArithmetic<Format> arithmetic{std::bit_cast<HalfShape>(op.detail)};
  Row<T> a = warp.read<T>(op.source(0));
  Row<T> b = op.numSources() > 1 ? warp.read<T>(op.source(1)) : a;
  Row<T> result = {};
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned shift = 0; shift < sizeof(T) * 8; shift += 16)
      result[lane] |= T(arithmetic(a[lane] >> shift, b[lane] >> shift))
                      << shift;
  warp.write(op.result(), result, mask);
  return Flow::Next;
}

template <typename Format, typename T>
static Flow multiplyAdd(Warp &warp, const Op &op, Mask mask) {
  HalfArithmetic<Format> arithmetic{std::bit_cast<HalfShape>(op.detail)};
  Row<T> a = warp.read<T>(op.source(0)), b = warp.read<T>(op.source(1)),
         c = warp.read<T>(op.source(2));
  Row<T> result = {};
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned shift = 0; shift < sizeof(T) * 8; shift += 16)
      result[lane] |= T(arithmetic.multiplyAdd(
                          a[lane] >> shift, b[lane] >> shift, c[lane] >> shift))
                      << shift;
  warp.write(op.result(), result, mask);
  return Flow::Next;
}

static bool isBFloat(Type type) {
  return type == Type::BF16 || type == Type::BF16x2;
}

static void checkHalf(Decoder &decoder, Type type, FloatModifiers modifiers) {
  if (modifiers.rounding != Rounding::Nearest)
    decoder.fail("floats of 16 bits round to nearest only");
  if (isBFloat(type) && (modifiers.ftz || modifiers.sat))
    decoder.failType();
}

void fovea::ptx::decodeHalfArithmetic(Decoder &decoder, Type type,
                                      HalfOperation operation,
                                      FloatModifiers modifiers) {
  checkHalf(decoder, type, modifiers);
  decoder.op.detail = std::bit_cast<uint32_t>(
      HalfShape{operation, modifiers.ftz, modifiers.sat, modifiers.nan});
  switch (type) {
  case Type::F16:
    return decoder.setHandler(compute<Half, uint16_t>);
  case Type::F16x2:
    return decoder.setHandler(compute<Half, uint32_t>);
  case Type::BF16:
    return decoder.setHandler(compute<BFloat, uint16_t>);
  default:
    return decoder.setHandler(compute<BFloat, uint32_t>);
  }
}

void fovea::ptx::decodeHalfMultiplyAdd(Decoder &decoder, Type type,
                                       FloatModifiers modifiers, bool relu) {
  checkHalf(decoder, type, modifiers);
  if (!modifiers.hasRounding)
    decoder.fail("'fma' expects a rounding");
  decoder.op.detail = std::bit_cast<uint32_t>(
      HalfShape{HalfOperation::Add, modifiers.ftz, modifiers.sat, relu});
  switch (type) {
  case Type::F16:
    return decoder.setHandler(multiplyAdd<Half, uint16_t>);
  case Type::F16x2:
    return decoder.setHandler(multiplyAdd<Half, uint32_t>);
  case Type::BF16:
    return decoder.setHandler(multiplyAdd<BFloat, uint16_t>);
  default:
    return decoder.setHandler(multiplyAdd<BFloat, uint32_t>);
  }
}
