//===- Bits.cpp - shifts, fields and permutations of bits -----------------===//

#include "Instructions.h"
#include "Lanes.h"
#include "Shared.h"
#include "llvm/Support/MathExtras.h"
#include <type_traits>

using namespace fovea::ptx;

namespace {
/// Amounts of the width and more shift everything out.
struct ShiftLeft {
  template <typename T> T operator()(T a, uint32_t by) const {
    return by >= sizeof(T) * 8 ? 0 : T(uint64_t(a) << by);
  }
};
struct ShiftRight {
  template <typename T> T operator()(T a, uint32_t by) const {
    constexpr unsigned width = sizeof(T) * 8;
    if (by >= width)
      return a < 0 ? T(-1) : T(0);
    return T(a >> by);
  }
};
/// The upper (left) or lower (right) half of b:a shifted.
template <bool isLeft, bool wraps> struct FunnelShift {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    unsigned by = wraps ? c & 31 : std::min<uint32_t>(c, 32);
    uint64_t both = uint64_t(b) << 32 | a;
    if (isLeft)
      return by == 32 ? a : uint32_t((both << by) >> 32);
    return uint32_t(both >> by);
  }
};
struct CountOnes {
  template <typename T> uint32_t operator()(T a) const {
    return llvm::popcount(a);
  }
};
struct CountLeadingZeros {
  template <typename T> uint32_t operator()(T a) const {
    return llvm::countl_zero(a);
  }
};
struct Reverse {
  template <typename T> T operator()(T a) const { return llvm::reverseBits(a); }
};
/// The position of the highest bit that differs from the sign, or all ones.
template <bool countsShift> struct FindBit {
  template <typename T> uint32_t operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    constexpr unsigned width = sizeof(T) * 8;
    U bits = a < 0 ? U(~a) : U(a);
    if (!bits)
      return ~0u;
    unsigned position = width - 1 - llvm::countl_zero(bits);
    return countsShift ? width - 1 - position : position;
  }
};
/// Bits [b, b + c) of a, with the sign of the field or, where it reaches
/// beyond a, of a. Only the low 8 bits of b and c count.
struct ExtractField {
  template <typename T> T operator()(T a, uint32_t b, uint32_t c) const {
    using U = std::make_unsigned_t<T>;
    constexpr unsigned width = sizeof(T) * 8;
    unsigned position = b & 0xff, length = c & 0xff;
    if (!length)
      return 0;
    unsigned signAt = std::min(position + length - 1, width - 1);
    bool sign = std::is_signed_v<T> && (U(a) >> signAt & 1);
    U field = position >= width ? 0 : U(a) >> position;
    // What is left of the field, up to the top of `a`.
    unsigned have = position >= width ? 0 : std::min(length, width - position);
    U mask = have >= width ? ~U(0) : (U(1) << have) - 1;
    field &= mask;
    return T(sign ? field | ~mask : field);
  }
};
struct InsertField {
  template <typename T> T operator()(T a, T b, uint32_t c, uint32_t d) const {
    constexpr unsigned width = sizeof(T) * 8;
    unsigned position = c & 0xff, length = d & 0xff;
    if (position >= width || !length)
      return b;
    T mask = length >= width ? ~T(0) : (T(1) << length) - 1;
    mask <<= position;
    return (b & ~mask) | ((a << position) & mask);
  }
};
/// Bits from position a on, b of them.
template <bool wraps> struct MakeMask {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    if (wraps)
      a &= 31, b &= 31;
    if (a > 31 || !b)
      return 0;
    uint32_t ones = b > 31 ? ~0u : (1u << b) - 1;
    return ones << a;
  }
};
/// The low b bits of a, extended to 32.
template <bool wraps, bool isSigned> struct ExtendField {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    if (wraps)
      b &= 31;
    if (!b)
      return 0;
    if (b >= 32)
      return a;
    unsigned unused = 32 - b;
    return isSigned ? uint32_t(int32_t(a << unused) >> unused)
                    : a << unused >> unused;
  }
};
} // namespace

template <typename F> static void decodeShift(Decoder &decoder) {
  Type type = decoder.takeType();
  decoder.expectOperands(3);
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.addSource(2, Type::U32);
  decoder.setHandler(pickInteger(type, [](auto zero) -> Handler {
    using T = decltype(zero);
    return binary<F, T, T, uint32_t>;
  }));
}

static void decodeFunnelShift(Decoder &decoder) {
  bool isLeft = decoder.expectOneOf({"r", "l"}, "a direction") == 1;
  bool wraps = decoder.expectOneOf({"clamp", "wrap"}, "a mode") == 1;
  if (decoder.takeType() != Type::B32)
    decoder.failType();
  addTernaryOperands(decoder, Type::B32);
  using U = uint32_t;
  if (isLeft)
    decoder.setHandler(wraps ? ternary<FunnelShift<true, true>, U, U>
                             : ternary<FunnelShift<true, false>, U, U>);
  else
    decoder.setHandler(wraps ? ternary<FunnelShift<false, true>, U, U>
                             : ternary<FunnelShift<false, false>, U, U>);
}

/// Of 32 and 64 bits, with a result of 32.
template <typename F> static void decodeCount(Decoder &decoder) {
  Type type = decoder.takeType();
  decoder.expectOperands(2);
  decoder.addResult(0, Type::U32);
  decoder.addSource(1, type);
  decoder.setHandler(type == Type::B32   ? unary<F, uint32_t, uint32_t>
                     : type == Type::B64 ? unary<F, uint32_t, uint64_t>
                                         : nullptr);
}

static void decodeReverse(Decoder &decoder) {
  Type type = decoder.takeType();
  addUnaryOperands(decoder, type);
  decoder.setHandler(type == Type::B32   ? unary<Reverse, uint32_t, uint32_t>
                     : type == Type::B64 ? unary<Reverse, uint64_t, uint64_t>
                                         : nullptr);
}

static void decodeFindBit(Decoder &decoder) {
  bool countsShift = decoder.take("shiftamt");
  Type type = decoder.takeType();
  decoder.expectOperands(2);
  decoder.addResult(0, Type::U32);
  decoder.addSource(1, type);
  if (type == Type::U16 || type == Type::S16)
    return decoder.failType();
  decoder.setHandler(pickInteger(type, [&](auto zero) -> Handler {
    using T = decltype(zero);
    return countsShift ? unary<FindBit<true>, uint32_t, T>
                       : unary<FindBit<false>, uint32_t, T>;
  }));
}

static void decodeExtract(Decoder &decoder) {
  Type type = decoder.takeType();
  decoder.expectOperands(4);
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.addSource(2, Type::U32);
  decoder.addSource(3, Type::U32);
  if (getTypeBytes(type) < 4)
    return decoder.failType();
  decoder.setHandler(pickInteger(type, [](auto zero) -> Handler {
    using T = decltype(zero);
    return ternary<ExtractField, T, T, uint32_t, uint32_t>;
  }));
}

template <typename T>
static Flow insertField(Warp &warp, const Op &op, Mask mask) {
  Row<T> a = warp.read<T>(op.source(0)), b = warp.read<T>(op.source(1));
  Row<uint32_t> c = warp.read<uint32_t>(op.source(2)),
                d = warp.read<uint32_t>(op.source(3));
  Row<T> result;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result[lane] = InsertField()(a[lane], b[lane], c[lane], d[lane]);
  warp.write(op.result(), result, mask);
  return Flow::Next;
}

static void decodeInsert(Decoder &decoder) {
  Type type = decoder.takeType();
  decoder.expectOperands(5);
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  decoder.addSource(3, Type::U32);
  decoder.addSource(4, Type::U32);
  decoder.setHandler(type == Type::B32   ? insertField<uint32_t>
                     : type == Type::B64 ? insertField<uint64_t>
                                         : nullptr);
}

static void decodeMakeMask(Decoder &decoder) {
  bool wraps = decoder.expectOneOf({"clamp", "wrap"}, "a mode") == 1;
  if (decoder.takeType() != Type::B32)
    decoder.failType();
  addBinaryOperands(decoder, Type::B32);
  decoder.setHandler(wraps ? binary<MakeMask<true>, uint32_t, uint32_t>
                           : binary<MakeMask<false>, uint32_t, uint32_t>);
}

static void decodeExtend(Decoder &decoder) {
  bool wraps = decoder.expectOneOf({"clamp", "wrap"}, "a mode") == 1;
  Type type = decoder.takeType();
  addBinaryOperands(decoder, type);
  if (type != Type::U32 && type != Type::S32)
    return decoder.failType();
  using U = uint32_t;
  if (type == Type::S32)
    decoder.setHandler(wraps ? binary<ExtendField<true, true>, U, U>
                             : binary<ExtendField<false, true>, U, U>);
  else
    decoder.setHandler(wraps ? binary<ExtendField<true, false>, U, U>
                             : binary<ExtendField<false, false>, U, U>);
}

/// Bit i of the result is the bit of the table `detail` that the bits i of a,
/// b and c select.
static Flow lookUp3(Warp &warp, const Op &op, Mask mask) {
  Row<uint32_t> a = warp.read<uint32_t>(op.source(0)),
                b = warp.read<uint32_t>(op.source(1)),
                c = warp.read<uint32_t>(op.source(2));
  Row<uint32_t> result = {};
  for (unsigned n = 0; n < 8; ++n) {
    if (!(op.detail >> n & 1))
      continue;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      result[lane] |= (n & 4 ? a[lane] : ~a[lane]) &
                      (n & 2 ? b[lane] : ~b[lane]) &
                      (n & 1 ? c[lane] : ~c[lane]);
  }
  warp.write(op.result(), result, mask);
  return Flow::Next;
}

static void decodeLookUp3(Decoder &decoder) {
  if (decoder.takeType() != Type::B32)
    decoder.failType();
  decoder.expectOperands(5);
  decoder.addResult(0, Type::B32);
  for (unsigned n = 1; n <= 3; ++n)
    decoder.addSource(n, Type::B32);
  uint64_t table = decoder.takeInteger(4, "the table of 'lop3'");
  if (table > 255)
    decoder.fail("expected the table of 'lop3' to be at most 255");
  decoder.op.detail = table;
  decoder.setHandler(lookUp3);
}

namespace {
enum PermuteMode { general, f4e, b4e, rc8, ecl, ecr, rc16 };
} // namespace

/// Which of the eight bytes of b:a goes to byte `n`, with bit 3 set to take
/// the sign instead.
static unsigned getPermutation(PermuteMode mode, uint32_t c, unsigned n) {
  unsigned control = c & 3;
  switch (mode) {
  case general:
    return c >> n * 4 & 15;
  case f4e: // forward from byte `control` on
    return control + n;
  case b4e: // backward from byte `control` on
    return (control + 8 - n) & 7;
  case rc8: // one byte everywhere
    return control;
  case ecl: // a byte, and its own place everywhere to its left
    return std::max(n, control);
  case ecr:
    return std::min(n, control);
  case rc16: // one half word twice
    return (control & 1) * 2 + (n & 1);
  }
  return 0;
}

static Flow permute(Warp &warp, const Op &op, Mask mask) {
  Row<uint32_t> a = warp.read<uint32_t>(op.source(0)),
                b = warp.read<uint32_t>(op.source(1)),
                c = warp.read<uint32_t>(op.source(2));
  Row<uint32_t> result = {};
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint64_t bytes = uint64_t(b[lane]) << 32 | a[lane];
    for (unsigned n = 0; n < 4; ++n) {
      unsigned selected = getPermutation(PermuteMode(op.detail), c[lane], n);
      uint8_t byte = bytes >> (selected & 7) * 8;
      if (selected & 8)
        byte = byte & 0x80 ? 0xff : 0;
      result[lane] |= uint32_t(byte) << n * 8;
    }
  }
  warp.write(op.result(), result, mask);
  return Flow::Next;
}

static void decodePermute(Decoder &decoder) {
  if (decoder.takeType() != Type::B32)
    decoder.failType();
  int mode = decoder.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  decoder.op.detail = mode + 1;
  addTernaryOperands(decoder, Type::B32);
  decoder.setHandler(permute);
}

void fovea::ptx::addBitInstructions(InstructionTable &table) {
  table["shl"] = decodeShift<ShiftLeft>;
  table["shr"] = decodeShift<ShiftRight>;
  table["shf"] = decodeFunnelShift;
  table["popc"] = decodeCount<CountOnes>;
  table["clz"] = decodeCount<CountLeadingZeros>;
  table["brev"] = decodeReverse;
  table["bfind"] = decodeFindBit;
  table["bfe"] = decodeExtract;
  table["bfi"] = decodeInsert;
  table["bmsk"] = decodeMakeMask;
  table["szext"] = decodeExtend;
  table["lop3"] = decodeLookUp3;
  table["prmt"] = decodePermute;
}
