//===- Integer.cpp - add, sub, min, max and logic on integers -------------===//

#include "Instructions.h"
#include "Lanes.h"
#include "Shared.h"
#include <limits>
#include <type_traits>

using namespace fovea::ptx;

// Arithmetic wraps: it is done without a sign, in 64 bits so that nothing is
// promoted to a signed type.
template <typename T> static T wrap(uint64_t value) {
  return T(std::make_unsigned_t<T>(value));
}

namespace {
struct Add {
  template <typename T> T operator()(T a, T b) const {
    return wrap<T>(uint64_t(a) + uint64_t(b));
  }
};
struct Subtract {
  template <typename T> T operator()(T a, T b) const {
    return wrap<T>(uint64_t(a) - uint64_t(b));
  }
};
/// Clamped to what 32 bits hold.
struct AddSaturated {
  int32_t operator()(int32_t a, int32_t b) const {
    return std::clamp<int64_t>(int64_t(a) + b, INT32_MIN, INT32_MAX);
  }
};
struct SubtractSaturated {
  int32_t operator()(int32_t a, int32_t b) const {
    return std::clamp<int64_t>(int64_t(a) - b, INT32_MIN, INT32_MAX);
  }
};
struct Min {
  template <typename T> T operator()(T a, T b) const { return std::min(a, b); }
};
struct Max {
  template <typename T> T operator()(T a, T b) const { return std::max(a, b); }
};
struct MinRelu {
  int32_t operator()(int32_t a, int32_t b) const {
    return std::max(std::min(a, b), 0);
  }
};
struct MaxRelu {
  int32_t operator()(int32_t a, int32_t b) const {
    return std::max(std::max(a, b), 0);
  }
};
struct Negate {
  template <typename T> T operator()(T a) const {
    return wrap<T>(-uint64_t(a));
  }
};
struct Absolute {
  template <typename T> T operator()(T a) const {
    return a < 0 ? wrap<T>(-uint64_t(a)) : a;
  }
};
struct And {
  template <typename T> T operator()(T a, T b) const { return a & b; }
};
struct Or {
  template <typename T> T operator()(T a, T b) const { return a | b; }
};
struct Xor {
  template <typename T> T operator()(T a, T b) const { return a ^ b; }
};
struct Not {
  template <typename T> T operator()(T a) const { return ~a; }
};
struct LogicalNot {
  template <typename T> T operator()(T a) const { return a == 0; }
};
/// Two values of 16 bits, each by itself.
template <typename F, typename T> struct Packed {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    uint16_t low = F()(T(a), T(b)), high = F()(T(a >> 16), T(b >> 16));
    return low | uint32_t(high) << 16;
  }
};
} // namespace

void fovea::ptx::addBinaryOperands(Decoder &decoder, Type type) {
  decoder.expectOperands(3);
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
}

void fovea::ptx::addUnaryOperands(Decoder &decoder, Type type) {
  decoder.expectOperands(2);
  decoder.addResult(0, type);
  decoder.addSource(1, type);
}

template <typename F> static Handler pickBinary(Type type) {
  return pickInteger(type, [](auto zero) -> Handler {
    using T = decltype(zero);
    return binary<F, T, T>;
  });
}

template <typename F> static void decodeBinary(Decoder &decoder) {
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  decoder.setHandler(pickBinary<F>(type));
}

//===-- Carry -------------------------------------------------------------===//

/// a + b + carry in; a - b is a + ~b + 1. The flag after a subtraction is the
/// borrow.
template <typename T, bool isSubtract, bool readsCarry, bool writesCarry>
static Flow addWithCarry(Warp &warp, const Op &op, Mask mask) {
  Row<T> a = warp.read<T>(op.source(0)), b = warp.read<T>(op.source(1));
  Row<T> result;
  Mask carry = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    unsigned in = readsCarry ? warp.carry >> lane & 1 : 0;
    T other = isSubtract ? T(~b[lane]) : b[lane];
    T extra = isSubtract ? 1 - in : in;
    T partial = T(a[lane] + other);
    result[lane] = T(partial + extra);
    bool out = partial < a[lane] || result[lane] < partial;
    carry |= Mask(isSubtract ? !out : out) << lane;
  }
  warp.write(op.result(), result, mask);
  if (writesCarry)
    warp.carry = (warp.carry & ~mask) | (carry & mask);
  return Flow::Next;
}

template <bool isSubtract, bool readsCarry>
static Handler pickCarry(Type type, bool writesCarry) {
  return pickInteger(type, [&](auto zero) -> Handler {
    using T = std::make_unsigned_t<decltype(zero)>;
    if constexpr (sizeof(T) < 4)
      return nullptr;
    else
      return writesCarry ? addWithCarry<T, isSubtract, readsCarry, true>
                         : addWithCarry<T, isSubtract, readsCarry, false>;
  });
}

/// `addc` and `subc`.
template <bool isSubtract> static void decodeCarry(Decoder &decoder) {
  bool writesCarry = decoder.take("cc");
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  decoder.setHandler(pickCarry<isSubtract, true>(type, writesCarry));
}

//===-- Add, subtract, min, max -------------------------------------------===//

template <typename F, typename Saturated, bool isSubtract>
static void decodeSum(Decoder &decoder) {
  bool writesCarry = decoder.take("cc");
  bool saturates = decoder.take("sat");
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  if (writesCarry)
    return decoder.setHandler(pickCarry<isSubtract, false>(type, true));
  if (saturates)
    return decoder.setHandler(
        type == Type::S32 ? binary<Saturated, int32_t, int32_t> : nullptr);
  decoder.setHandler(pickBinary<F>(type));
}

/// Of the types `u16x2` and `s16x2`, which only these have.
template <typename F> static bool decodePacked(Decoder &decoder) {
  int type = decoder.takeOneOf({"u16x2", "s16x2"});
  if (type < 0)
    return false;
  addBinaryOperands(decoder, Type::B32);
  decoder.setHandler(type ? binary<Packed<F, int16_t>, uint32_t, uint32_t>
                          : binary<Packed<F, uint16_t>, uint32_t, uint32_t>);
  return true;
}

void fovea::ptx::decodeIntegerAdd(Decoder &decoder) {
  if (!decodePacked<Add>(decoder))
    decodeSum<Add, AddSaturated, false>(decoder);
}

void fovea::ptx::decodeIntegerSubtract(Decoder &decoder) {
  decodeSum<Subtract, SubtractSaturated, true>(decoder);
}

template <typename F, typename Relu>
static void decodeExtremum(Decoder &decoder) {
  if (decodePacked<F>(decoder))
    return;
  bool relu = decoder.take("relu");
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  if (relu)
    return decoder.setHandler(type == Type::S32 ? binary<Relu, int32_t, int32_t>
                                                : nullptr);
  decoder.setHandler(pickBinary<F>(type));
}

void fovea::ptx::decodeIntegerMin(Decoder &decoder) {
  decodeExtremum<Min, MinRelu>(decoder);
}

void fovea::ptx::decodeIntegerMax(Decoder &decoder) {
  decodeExtremum<Max, MaxRelu>(decoder);
}

template <typename F> static void decodeSignedUnary(Decoder &decoder) {
  Type type = decoder.takeType();
  addUnaryOperands(decoder, type);
  if (!isSigned(type))
    return decoder.failType();
  decoder.setHandler(pickInteger(type, [](auto zero) -> Handler {
    using T = decltype(zero);
    return unary<F, T, T>;
  }));
}

void fovea::ptx::decodeIntegerNegate(Decoder &decoder) {
  decodeSignedUnary<Negate>(decoder);
}

void fovea::ptx::decodeIntegerAbsolute(Decoder &decoder) {
  decodeSignedUnary<Absolute>(decoder);
}

//===-- Logic -------------------------------------------------------------===//

template <typename F>
static Flow binaryPredicate(Warp &warp, const Op &op, Mask mask) {
  Mask a = warp.readPredicate(op.source(0)),
       b = warp.readPredicate(op.source(1));
  warp.writePredicate(op.result(), F()(a, b), mask);
  return Flow::Next;
}

static Flow notPredicate(Warp &warp, const Op &op, Mask mask) {
  warp.writePredicate(op.result(), ~warp.readPredicate(op.source()), mask);
  return Flow::Next;
}

template <typename F> static void decodeLogic(Decoder &decoder) {
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  if (type == Type::Pred)
    return decoder.setHandler(binaryPredicate<F>);
  decoder.setHandler(pickBits(type, [](auto zero) -> Handler {
    using T = decltype(zero);
    return binary<F, T, T>;
  }));
}

template <typename F> static Handler pickUnaryBits(Type type) {
  return pickBits(type, [](auto zero) -> Handler {
    using T = decltype(zero);
    return unary<F, T, T>;
  });
}

static void decodeNot(Decoder &decoder) {
  Type type = decoder.takeType();
  addUnaryOperands(decoder, type);
  decoder.setHandler(type == Type::Pred ? notPredicate
                                        : pickUnaryBits<Not>(type));
}

static void decodeLogicalNot(Decoder &decoder) {
  Type type = decoder.takeType();
  addUnaryOperands(decoder, type);
  decoder.setHandler(pickUnaryBits<LogicalNot>(type));
}

void fovea::ptx::addIntegerInstructions(InstructionTable &table) {
  table["addc"] = decodeCarry<false>;
  table["subc"] = decodeCarry<true>;
  table["and"] = decodeLogic<And>;
  table["or"] = decodeLogic<Or>;
  table["xor"] = decodeLogic<Xor>;
  table["not"] = decodeNot;
  table["cnot"] = decodeLogicalNot;
}
