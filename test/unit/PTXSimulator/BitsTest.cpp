//===- BitsTest.cpp - shifts, fields and permutations of bits -------------===//

#include "Testing.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fovea::ptx::testing;
using Words = std::vector<uint32_t>;

namespace {

TEST(Bits, ShiftsBeyondTheWidth) {
  Words by{0, 1, 31, 32, 33, 0xffffffff};
  EXPECT_EQ(evaluate<uint32_t>("shl.b32 %0, %1, %2;", Words{3}, by),
            (Words{3, 6, 0x80000000, 0, 0, 0}));
  EXPECT_EQ(evaluate<uint32_t>("shr.u32 %0, %1, %2;", Words{0x80000001}, by),
            (Words{0x80000001, 0x40000000, 1, 0, 0, 0}));
  EXPECT_EQ(evaluate<uint32_t>("shr.s32 %0, %1, %2;", Words{0x80000001}, by),
            (Words{0x80000001, 0xc0000000, ~0u, ~0u, ~0u, ~0u}));
}

TEST(Bits, ShiftsOfOtherWidths) {
  EXPECT_EQ(evaluateOne<uint64_t>("shl.b64 %0, %1, %2;", uint64_t(1), 63u),
            uint64_t(1) << 63);
  EXPECT_EQ(evaluateOne<int16_t>("shr.s16 %0, %1, %2;", int16_t(-4), 1u), -2);
  EXPECT_EQ(evaluateOne<uint64_t>("shr.u64 %0, %1, %2;", uint64_t(5), 64u), 0u);
}

TEST(Bits, FunnelShift) {
  // b:a is 0x1111111122222222.
  Words a{0x22222222}, b{0x11111111}, by{0, 4, 32, 36};
  EXPECT_EQ(evaluate<uint32_t>("shf.l.wrap.b32 %0, %1, %2, %3;", a, b, by),
            (Words{0x11111111, 0x11111112, 0x11111111, 0x11111112}));
  EXPECT_EQ(evaluate<uint32_t>("shf.l.clamp.b32 %0, %1, %2, %3;", a, b, by),
            (Words{0x11111111, 0x11111112, 0x22222222, 0x22222222}));
  EXPECT_EQ(evaluate<uint32_t>("shf.r.wrap.b32 %0, %1, %2, %3;", a, b, by),
            (Words{0x22222222, 0x12222222, 0x22222222, 0x12222222}));
  EXPECT_EQ(evaluate<uint32_t>("shf.r.clamp.b32 %0, %1, %2, %3;", a, b, by),
            (Words{0x22222222, 0x12222222, 0x11111111, 0x11111111}));
}

TEST(Bits, Counts) {
  EXPECT_EQ(evaluate<uint32_t>("popc.b32 %0, %1;", Words{0, 0xf0f, ~0u}),
            (Words{0, 8, 32}));
  EXPECT_EQ(evaluateOne<uint32_t>("popc.b64 %0, %1;", ~uint64_t(0)), 64u);
  EXPECT_EQ(evaluate<uint32_t>("clz.b32 %0, %1;", Words{0, 1, 0x80000000}),
            (Words{32, 31, 0}));
  EXPECT_EQ(evaluateOne<uint32_t>("clz.b64 %0, %1;", uint64_t(0)), 64u);
}

TEST(Bits, Reverse) {
  EXPECT_EQ(evaluateOne<uint32_t>("brev.b32 %0, %1;", 0x00000013u),
            0xc8000000u);
  EXPECT_EQ(evaluateOne<uint64_t>("brev.b64 %0, %1;", uint64_t(1)), uint64_t(1)
                                                                        << 63);
}

TEST(Bits, FindTheHighestBitThatIsNoSign) {
  EXPECT_EQ(evaluate<uint32_t>("bfind.u32 %0, %1;", Words{0, 1, 0x90000000}),
            (Words{~0u, 0, 31}));
  EXPECT_EQ(evaluate<uint32_t>("bfind.s32 %0, %1;", Words{~0u, 0xfffffff0}),
            (Words{~0u, 3}));
  EXPECT_EQ(evaluate<uint32_t>("bfind.shiftamt.u32 %0, %1;", Words{1, 0}),
            (Words{31, ~0u}));
  EXPECT_EQ(evaluateOne<uint32_t>("bfind.u64 %0, %1;", uint64_t(1) << 40), 40u);
}

/// As the ISA writes it, a bit at a time.
template <typename T>
T extractByTheIsa(T a, uint32_t b, uint32_t c, bool isSigned) {
  int top = sizeof(T) * 8 - 1, position = b & 0xff, length = c & 0xff;
  bool sign =
      isSigned && length && (a >> std::min(position + length - 1, top) & 1);
  T result = 0;
  for (int n = 0; n <= top; ++n) {
    bool bit =
        n < length && position + n <= top ? a >> (position + n) & 1 : sign;
    result |= T(bit) << n;
  }
  return result;
}

TEST(Bits, ExtractFieldAsTheIsaWritesIt) {
  for (uint32_t length : {0u, 1u, 5u, 31u, 32u, 33u, 64u, 255u, 256u})
    for (uint32_t position : {0u, 3u, 27u, 31u, 32u, 63u, 64u, 255u})
      for (uint64_t a : {uint64_t(0x8123456789abcdef), ~uint64_t(0)}) {
        EXPECT_EQ(evaluateOne<uint32_t>("bfe.u32 %0, %1, %2, %3;", uint32_t(a),
                                        position, length),
                  extractByTheIsa(uint32_t(a), position, length, false));
        EXPECT_EQ(evaluateOne<uint32_t>("bfe.s32 %0, %1, %2, %3;", uint32_t(a),
                                        position, length),
                  extractByTheIsa(uint32_t(a), position, length, true));
        EXPECT_EQ(evaluateOne<uint64_t>("bfe.s64 %0, %1, %2, %3;", a, position,
                                        length),
                  extractByTheIsa(a, position, length, true));
      }
}

TEST(Bits, InsertFieldAsTheIsaWritesIt) {
  uint32_t a = 0xdeadbeef, b = 0x12345678;
  for (uint32_t length : {0u, 1u, 8u, 32u, 40u, 255u})
    for (uint32_t position : {0u, 4u, 31u, 32u, 200u}) {
      uint32_t expected = b;
      for (uint32_t n = 0; n < length && position + n <= 31; ++n) {
        uint32_t bit = uint32_t(1) << (position + n);
        expected = a >> n & 1 ? expected | bit : expected & ~bit;
      }
      EXPECT_EQ(evaluateOne<uint32_t>("bfi.b32 %0, %1, %2, %3, %4;", a, b,
                                      position, length),
                expected)
          << position << " " << length;
    }
}

TEST(Bits, LookUpOfAllTables) {
  // The ISA: tables of F over a = 0xf0, b = 0xcc, c = 0xaa are F itself.
  for (unsigned table = 0; table < 256; ++table)
    EXPECT_EQ(evaluateOne<uint32_t>(
                  llvm::formatv("lop3.b32 %0, %1, %2, %3, {0};", table).str(),
                  0xf0u, 0xccu, 0xaau) &
                  0xff,
              table);
}

TEST(Bits, PermuteAnyBytes) {
  // Bytes 0 to 7 of b:a are 0x00 0x11 .. 0x66 0xff.
  uint32_t a = 0x33221100, b = 0xff665544;
  EXPECT_EQ(evaluateOne<uint32_t>("prmt.b32 %0, %1, %2, %3;", a, b, 0x7531u),
            0xff553311u);
  // Bit 3 of a selector takes the sign.
  EXPECT_EQ(evaluateOne<uint32_t>("prmt.b32 %0, %1, %2, %3;", a, b, 0x7f90u),
            0xffff0000u);
}

TEST(Bits, PermuteModesByTheTableOfTheIsa) {
  uint32_t a = 0x03020100, b = 0x07060504;
  struct Mode {
    const char *name;
    // Sources of bytes 3 to 0, for c from 0 to 3.
    uint32_t expected[4];
  };
  const Mode modes[] = {
      {"f4e", {0x03020100, 0x04030201, 0x05040302, 0x06050403}},
      {"b4e", {0x05060700, 0x06070001, 0x07000102, 0x00010203}},
      {"rc8", {0x00000000, 0x01010101, 0x02020202, 0x03030303}},
      {"ecl", {0x03020100, 0x03020101, 0x03020202, 0x03030303}},
      {"ecr", {0x00000000, 0x01010100, 0x02020100, 0x03020100}},
      {"rc16", {0x01000100, 0x03020302, 0x01000100, 0x03020302}},
  };
  for (const Mode &mode : modes)
    EXPECT_EQ(
        evaluate<uint32_t>(
            llvm::formatv("prmt.b32.{0} %0, %1, %2, %3;", mode.name).str(),
            Words{a}, Words{b}, Words{0, 1, 2, 3}),
        Words(mode.expected, mode.expected + 4))
        << mode.name;
}

TEST(Bits, MakeMask) {
  Words a{1, 0, 32, 30, 3}, b{2, 32, 4, 4, 0};
  EXPECT_EQ(evaluate<uint32_t>("bmsk.clamp.b32 %0, %1, %2;", a, b),
            (Words{6, ~0u, 0, 0xc0000000, 0}));
  EXPECT_EQ(evaluate<uint32_t>("bmsk.wrap.b32 %0, %1, %2;", a, b),
            (Words{6, 0, 15, 0xc0000000, 0}));
}

TEST(Bits, ExtendField) {
  Words a{0x8f, 0x8f, 0x8f, 0x8f}, b{8, 4, 0, 32};
  EXPECT_EQ(evaluate<uint32_t>("szext.clamp.s32 %0, %1, %2;", a, b),
            (Words{0xffffff8f, 0xffffffff, 0, 0x8f}));
  EXPECT_EQ(evaluate<uint32_t>("szext.clamp.u32 %0, %1, %2;", a, b),
            (Words{0x8f, 0xf, 0, 0x8f}));
  EXPECT_EQ(evaluate<uint32_t>("szext.wrap.u32 %0, %1, %2;", a, b),
            (Words{0x8f, 0xf, 0, 0}));
}

} // namespace
