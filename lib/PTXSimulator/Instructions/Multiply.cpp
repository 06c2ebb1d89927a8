//===- Multiply.cpp - mul, mad, div and dot products of integers ----------===//

#include "Instructions.h"
#include "Lanes.h"
#include "Shared.h"
#include <type_traits>

using namespace fovea::ptx;

// Twice as wide; for 64 bits, 128.
template <typename T> struct WideInteger;
template <> struct WideInteger<uint16_t> {
  using type = uint32_t;
};
template <> struct WideInteger<int16_t> {
  using type = int32_t;
};
template <> struct WideInteger<uint32_t> {
  using type = uint64_t;
};
template <> struct WideInteger<int32_t> {
  using type = int64_t;
};
template <> struct WideInteger<uint64_t> {
  using type = unsigned __int128;
};
template <> struct WideInteger<int64_t> {
  using type = __int128;
};
template <typename T> using Wide = typename WideInteger<T>::type;

namespace {
struct MultiplyLow {
  template <typename T> T operator()(T a, T b) const {
    return T(std::make_unsigned_t<T>(uint64_t(a) * uint64_t(b)));
  }
};
struct MultiplyHigh {
  template <typename T> T operator()(T a, T b) const {
    return T((Wide<T>(a) * Wide<T>(b)) >> (sizeof(T) * 8));
  }
};
struct MultiplyWide {
  template <typename T> Wide<T> operator()(T a, T b) const {
    return Wide<T>(a) * Wide<T>(b);
  }
};
/// A product and a sum, which wraps.
template <typename Product> struct PlusC {
  template <typename T, typename R> R operator()(T a, T b, R c) const {
    return R(std::make_unsigned_t<R>(uint64_t(Product()(a, b)) + uint64_t(c)));
  }
};
struct MultiplyAddHighSaturated {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const {
    return std::clamp<int64_t>(int64_t(MultiplyHigh()(a, b)) + c, INT32_MIN,
                               INT32_MAX);
  }
};
/// Of the low 24 bits.
template <bool high> struct Multiply24 {
  template <typename T> T operator()(T a, T b) const {
    int64_t product = int64_t(narrow(a)) * narrow(b);
    return T(high ? product >> 16 : product);
  }
  static uint32_t narrow(uint32_t a) { return a & 0xffffff; }
  static int32_t narrow(int32_t a) { return int32_t(uint32_t(a) << 8) >> 8; }
};
/// Division by zero gives all ones, and the smallest number by -1 itself.
struct Divide {
  template <typename T> T operator()(T a, T b) const {
    if (b == 0)
      return T(-1);
    if (std::is_signed_v<T> && b == T(-1))
      return T(std::make_unsigned_t<T>(-uint64_t(a)));
    return a / b;
  }
};
struct Remainder {
  template <typename T> T operator()(T a, T b) const {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return a % b;
  }
};
/// |a - b| + c.
struct SumOfDifferences {
  template <typename T> T operator()(T a, T b, T c) const {
    uint64_t difference =
        a < b ? uint64_t(b) - uint64_t(a) : uint64_t(a) - uint64_t(b);
    return T(std::make_unsigned_t<T>(difference + uint64_t(c)));
  }
};
/// Bytes of `a` by bytes of `b`.
template <typename A, typename B> struct DotProduct4 {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    for (unsigned n = 0; n < 4; ++n)
      c += uint32_t(int32_t(A(a >> n * 8)) * int32_t(B(b >> n * 8)));
    return c;
  }
};
/// Words of `a` by two bytes of `b`.
template <typename A, typename B, bool high> struct DotProduct2 {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    for (unsigned n = 0; n < 2; ++n)
      c += uint32_t(int32_t(A(a >> n * 16))) *
           uint32_t(int32_t(B(b >> (n * 8 + high * 16))));
    return c;
  }
};
} // namespace

void fovea::ptx::addTernaryOperands(Decoder &decoder, Type type) {
  decoder.expectOperands(4);
  decoder.addResult(0, type);
  for (unsigned n = 1; n <= 3; ++n)
    decoder.addSource(n, type);
}

static Type getWideType(Type type) {
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  default:
    return Type::S64;
  }
}

static bool hasWideType(Type type) {
  return type == Type::U16 || type == Type::S16 || type == Type::U32 ||
         type == Type::S32;
}

enum Part { low, high, wide };
static Part takePart(Decoder &decoder) {
  return Part(
      decoder.expectOneOf({"lo", "hi", "wide"}, "which part of the product"));
}

void fovea::ptx::decodeIntegerMultiply(Decoder &decoder) {
  Part part = takePart(decoder);
  Type type = decoder.takeType();
  decoder.expectOperands(3);
  if (part == wide && !hasWideType(type))
    return decoder.failType();
  decoder.addResult(0, part == wide ? getWideType(type) : type);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  decoder.setHandler(pickInteger(type, [&](auto zero) -> Handler {
    using T = decltype(zero);
    if (part == low)
      return binary<MultiplyLow, T, T>;
    if (part == high)
      return binary<MultiplyHigh, T, T>;
    if constexpr (sizeof(T) < 8)
      return binary<MultiplyWide, Wide<T>, T>;
    else
      return nullptr;
  }));
}

/// `mad.lo.cc`, `madc.hi` and the like: the product's part plus c plus the
/// carry flag.
template <typename T, bool isHigh, bool readsCarry, bool writesCarry>
static Flow multiplyAddWithCarry(Warp &warp, const Op &op, Mask mask) {
  Row<T> a = warp.read<T>(op.source(0)), b = warp.read<T>(op.source(1)),
         c = warp.read<T>(op.source(2));
  using U = std::make_unsigned_t<T>;
  Row<U> result;
  Mask carry = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    U product = isHigh ? MultiplyHigh()(a[lane], b[lane])
                       : MultiplyLow()(a[lane], b[lane]);
    U partial = product + U(c[lane]);
    result[lane] = partial + (readsCarry ? warp.carry >> lane & 1 : 0);
    carry |= Mask(partial < product || result[lane] < partial) << lane;
  }
  warp.write(op.result(), result, mask);
  if (writesCarry)
    warp.carry = (warp.carry & ~mask) | (carry & mask);
  return Flow::Next;
}

template <bool readsCarry>
static Handler pickMultiplyAddWithCarry(Type type, bool isHigh,
                                        bool writesCarry) {
  return pickInteger(type, [&](auto zero) -> Handler {
    using T = decltype(zero);
    if constexpr (sizeof(T) < 4)
      return nullptr;
    else if (isHigh)
      return writesCarry ? multiplyAddWithCarry<T, true, readsCarry, true>
                         : multiplyAddWithCarry<T, true, readsCarry, false>;
    else
      return writesCarry ? multiplyAddWithCarry<T, false, readsCarry, true>
                         : multiplyAddWithCarry<T, false, readsCarry, false>;
  });
}

void fovea::ptx::decodeIntegerMultiplyAdd(Decoder &decoder) {
  Part part = takePart(decoder);
  bool writesCarry = decoder.take("cc");
  bool saturates = decoder.take("sat");
  Type type = decoder.takeType();
  decoder.expectOperands(4);
  if (part == wide && !hasWideType(type))
    return decoder.failType();
  Type wideType = part == wide ? getWideType(type) : type;
  decoder.addResult(0, wideType);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  decoder.addSource(3, wideType);
  if (writesCarry)
    return decoder.setHandler(part == wide ? nullptr
                                           : pickMultiplyAddWithCarry<false>(
                                                 type, part == high, true));
  if (saturates)
    return decoder.setHandler(
        part == high && type == Type::S32
            ? ternary<MultiplyAddHighSaturated, int32_t, int32_t>
            : nullptr);
  decoder.setHandler(pickInteger(type, [&](auto zero) -> Handler {
    using T = decltype(zero);
    if (part == low)
      return ternary<PlusC<MultiplyLow>, T, T>;
    if (part == high)
      return ternary<PlusC<MultiplyHigh>, T, T>;
    if constexpr (sizeof(T) < 8)
      return ternary<PlusC<MultiplyWide>, Wide<T>, T, T, Wide<T>>;
    else
      return nullptr;
  }));
}

static void decodeMultiplyAddCarry(Decoder &decoder) {
  unsigned part =
      decoder.expectOneOf({"lo", "hi"}, "which part of the product");
  bool writesCarry = decoder.take("cc");
  Type type = decoder.takeType();
  addTernaryOperands(decoder, type);
  decoder.setHandler(
      pickMultiplyAddWithCarry<true>(type, part == 1, writesCarry));
}

template <bool isMad> static void decodeMultiply24(Decoder &decoder) {
  bool isHigh = decoder.expectOneOf({"lo", "hi"}, "which part") == 1;
  Type type = decoder.takeType();
  if (type != Type::U32 && type != Type::S32)
    return decoder.failType();
  auto pick = [&](auto zero) -> Handler {
    using T = decltype(zero);
    if constexpr (isMad)
      return isHigh ? ternary<PlusC<Multiply24<true>>, T, T>
                    : ternary<PlusC<Multiply24<false>>, T, T>;
    else
      return isHigh ? binary<Multiply24<true>, T, T>
                    : binary<Multiply24<false>, T, T>;
  };
  if (isMad)
    addTernaryOperands(decoder, type);
  else
    addBinaryOperands(decoder, type);
  decoder.setHandler(type == Type::U32 ? pick(uint32_t()) : pick(int32_t()));
}

template <typename F> static void decodeDivision(Decoder &decoder) {
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  decoder.setHandler(pickInteger(type, [](auto zero) -> Handler {
    using T = decltype(zero);
    return binary<F, T, T>;
  }));
}

void fovea::ptx::decodeIntegerDivide(Decoder &decoder) {
  decodeDivision<Divide>(decoder);
}

static void decodeDifferences(Decoder &decoder) {
  Type type = decoder.takeType();
  addTernaryOperands(decoder, type);
  decoder.setHandler(pickInteger(type, [](auto zero) -> Handler {
    using T = decltype(zero);
    return ternary<SumOfDifferences, T, T>;
  }));
}

template <template <typename, typename> class F>
static Handler pickSigns(Type a, Type b) {
  bool signedA = isSigned(a), signedB = isSigned(b);
  if (signedA)
    return signedB ? ternary<F<int8_t, int8_t>, uint32_t, uint32_t>
                   : ternary<F<int8_t, uint8_t>, uint32_t, uint32_t>;
  return signedB ? ternary<F<uint8_t, int8_t>, uint32_t, uint32_t>
                 : ternary<F<uint8_t, uint8_t>, uint32_t, uint32_t>;
}

// The words of `a` in DotProduct2 are of the sign that its bytes would have.
template <typename A, typename B>
using DotProduct2Low =
    DotProduct2<std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>, B,
                false>;
template <typename A, typename B>
using DotProduct2High =
    DotProduct2<std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>, B,
                true>;

static void addDotOperands(Decoder &decoder, Type a, Type b) {
  if ((a != Type::U32 && a != Type::S32) || (b != Type::U32 && b != Type::S32))
    decoder.failType();
  addTernaryOperands(decoder, Type::B32);
}

static void decodeDotProduct4(Decoder &decoder) {
  Type a = decoder.takeType(), b = decoder.takeType();
  addDotOperands(decoder, a, b);
  decoder.setHandler(pickSigns<DotProduct4>(a, b));
}

static void decodeDotProduct2(Decoder &decoder) {
  bool isHigh = decoder.expectOneOf({"lo", "hi"}, "which bytes") == 1;
  Type a = decoder.takeType(), b = decoder.takeType();
  addDotOperands(decoder, a, b);
  decoder.setHandler(isHigh ? pickSigns<DotProduct2High>(a, b)
                            : pickSigns<DotProduct2Low>(a, b));
}

void fovea::ptx::addMultiplyInstructions(InstructionTable &table) {
  table["madc"] = decodeMultiplyAddCarry;
  table["mul24"] = decodeMultiply24<false>;
  table["mad24"] = decodeMultiply24<true>;
  table["rem"] = decodeDivision<Remainder>;
  table["sad"] = decodeDifferences;
  table["dp4a"] = decodeDotProduct4;
  table["dp2a"] = decodeDotProduct2;
}
