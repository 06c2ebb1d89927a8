//===- MmaTest.cpp - mma.sync by the ISA's fragment layouts ---------------===//
//
// Each case states the ISA's formulas for the row and column of element i of a
// fragment, with groupID = laneid / 4 and t = laneid % 4, written out as the
// ISA has them and not as the simulator computes them.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"
#include <functional>

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

struct Place {
  unsigned row = 0, column = 0;
};
using Layout = std::function<Place(unsigned group, unsigned t, unsigned i)>;

enum class Element { F16, BF16, TF32, F64, S8, U8, F32, S32 };

unsigned getBytes(Element element) {
  switch (element) {
  case Element::F16:
  case Element::BF16:
    return 2;
  case Element::F64:
    return 8;
  case Element::S8:
  case Element::U8:
    return 1;
  default:
    return 4;
  }
}

uint64_t encode(Element element, int value) {
  bool lost;
  llvm::APFloat number{float(value)};
  switch (element) {
  case Element::F16:
    number.convert(llvm::APFloat::IEEEhalf(),
                   llvm::APFloat::rmNearestTiesToEven, &lost);
    return number.bitcastToAPInt().getZExtValue();
  case Element::BF16:
    number.convert(llvm::APFloat::BFloat(), llvm::APFloat::rmNearestTiesToEven,
                   &lost);
    return number.bitcastToAPInt().getZExtValue();
  case Element::TF32:
  case Element::F32:
    return bitsOf(value);
  case Element::F64:
    return std::bit_cast<uint64_t>(double(value));
  case Element::S8:
  case Element::U8:
    return uint8_t(value);
  case Element::S32:
    return uint32_t(value);
  }
  return 0;
}

struct Case {
  const char *instruction; // behind `mma.sync.aligned.`
  unsigned rows, depth;
  Element factor, accumulator;
  /// Elements of A, B and C that a lane has.
  unsigned countA, countB, countC;
  Layout a, b, c;
};

/// Bytes of registers in a lane's fragment of `count` elements.
unsigned getFragmentBytes(Element element, unsigned count) {
  return getBytes(element) * count;
}

/// A fragment's registers in all lanes, as bytes.
std::vector<uint8_t> makeFragment(const std::vector<std::vector<int>> &matrix,
                                  Element element, unsigned count,
                                  const Layout &layout) {
  unsigned size = getBytes(element);
  std::vector<uint8_t> bytes(32 * getFragmentBytes(element, count));
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < count; ++i) {
      Place place = layout(lane / 4, lane % 4, i);
      uint64_t bits = encode(element, matrix[place.row][place.column]);
      std::memcpy(&bytes[(lane * count + i) * size], &bits, size);
    }
  return bytes;
}

std::vector<std::vector<int>> makeMatrix(unsigned rows, unsigned columns,
                                         uint32_t seed, int least) {
  std::vector<std::vector<int>> matrix(rows, std::vector<int>(columns));
  for (auto &row : matrix)
    for (int &value : row) {
      seed = seed * 1664525 + 1013904223;
      value = int(seed >> 24) % 7 + least;
    }
  return matrix;
}

std::string makeList(char name, unsigned count) {
  std::string list = "{";
  for (unsigned n = 0; n < count; ++n)
    list += (n ? ", %" : "%") + std::string(1, name) + std::to_string(n);
  return list + "}";
}

/// Runs the product with the fragments in memory, and gives D's.
std::vector<uint8_t> multiply(const Case &tested, std::vector<uint8_t> a,
                              std::vector<uint8_t> b, std::vector<uint8_t> c) {
  unsigned wideA = tested.factor == Element::F64 ? 8 : 4;
  unsigned wideC = tested.accumulator == Element::F64 ? 8 : 4;
  unsigned numA = a.size() / 32 / wideA, numB = b.size() / 32 / wideA,
           numC = c.size() / 32 / wideC;
  std::string text = llvm::formatv(
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {{\n"
      ".reg .b32 %tid;\n.reg .b64 %p;\n.reg .b{0} %a<{1}>, %b<{2}>;\n"
      ".reg .b{3} %c<{4}>, %d<{4}>;\nmov.u32 %tid, %tid.x;\n",
      wideA * 8, numA, numB, wideC * 8, numC);
  auto move = [&](char name, const char *parameter, unsigned count,
                  unsigned bytes, bool isStore) {
    text += llvm::formatv("ld.param.u64 %p, [{0}];\n"
                          "mad.wide.u32 %p, %tid, {1}, %p;\n",
                          parameter, count * bytes);
    for (unsigned n = 0; n < count; ++n) {
      std::string place = llvm::formatv("[%p+{0}]", n * bytes);
      std::string value = llvm::formatv("%{0}{1}", std::string(1, name), n);
      text += llvm::formatv("{0}.global.b{1} {2}, {3};\n",
                            isStore ? "st" : "ld", bytes * 8,
                            isStore ? place : value, isStore ? value : place);
    }
  };
  move('a', "a", numA, wideA, false);
  move('b', "b", numB, wideA, false);
  move('c', "c", numC, wideC, false);
  text += "mma.sync.aligned." + std::string(tested.instruction) + " " +
          makeList('d', numC) + ", " + makeList('a', numA) + ", " +
          makeList('b', numB) + ", " + makeList('c', numC) + ";\n";
  move('d', "c", numC, wideC, true);
  text += "ret;\n}\n";

  Module module = parse(text);
  const Kernel *kernel = module.findKernel("k");
  if (!kernel)
    return c;
  Device device;
  auto map = [&](std::vector<uint8_t> &bytes) {
    return KernelArgument::of(llvm::cantFail(device.map(
        bytes.data(), bytes.size(), "fragment", Device::Content::Initialized)));
  };
  std::vector<KernelArgument> arguments{map(a), map(b), map(c)};
  llvm::Expected<LaunchResult> result =
      launch(*kernel, {}, {32, 1, 1}, 0, arguments, device);
  if (result)
    expectClean(*result);
  else
    ADD_FAILURE() << llvm::toString(result.takeError());
  return c;
}

/// Numbers so small that every sum is exact.
void check(const Case &tested) {
  int least = tested.factor == Element::U8 ? 0 : -3;
  auto a = makeMatrix(tested.rows, tested.depth, 1, least);
  auto b = makeMatrix(tested.depth, 8, 2, least);
  auto c = makeMatrix(tested.rows, 8, 3, -3), d = c;
  for (unsigned row = 0; row < tested.rows; ++row)
    for (unsigned column = 0; column < 8; ++column)
      for (unsigned k = 0; k < tested.depth; ++k)
        d[row][column] += a[row][k] * b[k][column];
  std::vector<uint8_t> result =
      multiply(tested, makeFragment(a, tested.factor, tested.countA, tested.a),
               makeFragment(b, tested.factor, tested.countB, tested.b),
               makeFragment(c, tested.accumulator, tested.countC, tested.c));
  EXPECT_EQ(result,
            makeFragment(d, tested.accumulator, tested.countC, tested.c))
      << tested.instruction;
}

//===-- The ISA's formulas ------------------------------------------------===//

// C and D of all m16n8: row groupID for i < 2, groupID + 8 else.
Place c16x8(unsigned group, unsigned t, unsigned i) {
  return {i < 2 ? group : group + 8, (t * 2) + (i & 1)};
}
// A of m16n8k16 with .f16 and .bf16: row groupID for 0 <= i < 2 and 4 <= i < 6.
Place a16x16(unsigned group, unsigned t, unsigned i) {
  bool upper = i < 2 || (i >= 4 && i < 6);
  return {upper ? group : group + 8,
          i < 4 ? (t * 2) + (i & 1) : (t * 2) + (i & 1) + 8};
}
Place b16x8(unsigned group, unsigned t, unsigned i) {
  return {i < 2 ? (t * 2) + (i & 1) : (t * 2) + (i & 1) + 8, group};
}
// m16n8k8 with .f16 and .bf16.
Place a16x8(unsigned group, unsigned t, unsigned i) {
  return {i < 2 ? group : group + 8, t * 2 + (i & 1)};
}
Place b8x8(unsigned group, unsigned t, unsigned i) {
  return {(t * 2) + i, group};
}
// m16n8k8 with .tf32.
Place a16x8Tf32(unsigned group, unsigned t, unsigned i) {
  return {i == 0 || i == 2 ? group : group + 8, i < 2 ? t : t + 4};
}
Place b8x8Tf32(unsigned group, unsigned t, unsigned i) {
  return {i == 0 ? t : t + 4, group};
}
// m16n8k4 with .tf32.
Place a16x4Tf32(unsigned group, unsigned t, unsigned i) {
  return {i == 0 ? group : group + 8, t};
}
Place b4x8(unsigned group, unsigned t, unsigned) { return {t, group}; }
// m8n8k4 with .f64.
Place a8x4(unsigned group, unsigned t, unsigned) { return {group, t}; }
Place c8x8(unsigned group, unsigned t, unsigned i) {
  return {group, (t * 2) + (i & 1)};
}
// Integers of 8 bits.
Place a8x16(unsigned group, unsigned t, unsigned i) {
  return {group, (t * 4) + i};
}
Place b16x8Bytes(unsigned group, unsigned t, unsigned i) {
  return {(t * 4) + i, group};
}
Place a16x16Bytes(unsigned group, unsigned t, unsigned i) {
  return {i < 4 ? group : group + 8, (t * 4) + (i & 3)};
}
Place a16x32Bytes(unsigned group, unsigned t, unsigned i) {
  bool upper = i < 4 || (i >= 8 && i < 12);
  return {upper ? group : group + 8,
          i < 8 ? (t * 4) + (i & 3) : (t * 4) + (i & 3) + 16};
}
Place b32x8Bytes(unsigned group, unsigned t, unsigned i) {
  return {i < 4 ? (t * 4) + (i & 3) : (t * 4) + (i & 3) + 16, group};
}

TEST(Mma, M16n8k16OfHalves) {
  check({"m16n8k16.row.col.f32.f16.f16.f32", 16, 16, Element::F16, Element::F32,
         8, 4, 4, a16x16, b16x8, c16x8});
  check({"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, Element::BF16,
         Element::F32, 8, 4, 4, a16x16, b16x8, c16x8});
}

TEST(Mma, M16n8k16IntoHalves) {
  check({"m16n8k16.row.col.f16.f16.f16.f16", 16, 16, Element::F16, Element::F16,
         8, 4, 4, a16x16, b16x8, c16x8});
}

TEST(Mma, M16n8k8OfHalves) {
  check({"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, Element::F16, Element::F32,
         4, 2, 4, a16x8, b8x8, c16x8});
  check({"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, Element::BF16,
         Element::F32, 4, 2, 4, a16x8, b8x8, c16x8});
  check({"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, Element::F16, Element::F16,
         4, 2, 4, a16x8, b8x8, c16x8});
}

TEST(Mma, Tf32) {
  check({"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, Element::TF32,
         Element::F32, 4, 2, 4, a16x8Tf32, b8x8Tf32, c16x8});
  check({"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, Element::TF32,
         Element::F32, 2, 1, 4, a16x4Tf32, b4x8, c16x8});
}

TEST(Mma, Doubles) {
  check({"m8n8k4.row.col.f64.f64.f64.f64", 8, 4, Element::F64, Element::F64, 1,
         1, 2, a8x4, b4x8, c8x8});
}

TEST(Mma, Bytes) {
  check({"m8n8k16.row.col.s32.s8.s8.s32", 8, 16, Element::S8, Element::S32, 4,
         4, 2, a8x16, b16x8Bytes, c8x8});
  check({"m16n8k16.row.col.s32.s8.s8.s32", 16, 16, Element::S8, Element::S32, 8,
         4, 4, a16x16Bytes, b16x8Bytes, c16x8});
  check({"m16n8k32.row.col.s32.s8.s8.s32", 16, 32, Element::S8, Element::S32,
         16, 8, 4, a16x32Bytes, b32x8Bytes, c16x8});
  check({"m16n8k32.row.col.s32.u8.u8.s32", 16, 32, Element::U8, Element::S32,
         16, 8, 4, a16x32Bytes, b32x8Bytes, c16x8});
}

TEST(Mma, Tf32DropsTheLowBitsOfItsFactors) {
  Case tested{"m16n8k4.row.col.f32.tf32.tf32.f32",
              16,
              4,
              Element::TF32,
              Element::F32,
              2,
              1,
              4,
              a16x4Tf32,
              b4x8,
              c16x8};
  std::vector<uint8_t> a(32 * 8), b(32 * 4), c(32 * 16);
  uint32_t factor = bitsOf(1) | 0x1fff, one = bitsOf(1);
  for (unsigned n = 0; n < 64; ++n)
    std::memcpy(&a[n * 4], &factor, 4);
  for (unsigned n = 0; n < 32; ++n)
    std::memcpy(&b[n * 4], &one, 4);
  std::vector<uint8_t> result = multiply(tested, a, b, c);
  float first;
  std::memcpy(&first, result.data(), 4);
  EXPECT_EQ(first, 4.f);
}

TEST(Mma, AccumulatesFloatsNotHalves) {
  // CASES A25: sums of ones in f16 stop at 2048.
  Case tested{"m16n8k16.row.col.f32.f16.f16.f32",
              16,
              16,
              Element::F16,
              Element::F32,
              8,
              4,
              4,
              a16x16,
              b16x8,
              c16x8};
  std::vector<std::vector<int>> ones(16, std::vector<int>(16, 1));
  std::vector<std::vector<int>> c(16, std::vector<int>(8, 2048));
  std::vector<uint8_t> result =
      multiply(tested, makeFragment(ones, Element::F16, 8, a16x16),
               makeFragment(ones, Element::F16, 4, b16x8),
               makeFragment(c, Element::F32, 4, c16x8));
  float first;
  std::memcpy(&first, result.data(), 4);
  EXPECT_EQ(first, 2064.f);
}

TEST(Mma, NeedsTheWholeWarp) {
  LaunchShape shape;
  shape.block = {16, 1, 1};
  Outcome outcome = run(
      makeKernel("mov.u32 %r, 0;\n"
                 "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s, %s, "
                 "%s, %s}, {%r, %r, %r, %r}, {%r, %r}, {%r, %r, %r, %r};"),
      128, shape);
  EXPECT_EQ(outcome.get(ReportKind::Divergence).size(), 1u);
}

TEST(Mma, ShapesThatDoNotExist) {
  EXPECT_NE(getParseError(
                makeKernel("mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16."
                           "f16 {%r, %r}, {%r, %r, %r, %r}, {%r, %r}, "
                           "{%r, %r};"))
                .find("does not exist with this size and these types"),
            std::string::npos);
  EXPECT_NE(getParseError(
                makeKernel("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                           "{%r, %r, %r, %r}, {%r, %r, %r}, {%r}, "
                           "{%r, %r, %r, %r};"))
                .find("operand 2 to be a list of 2 registers"),
            std::string::npos);
}

} // namespace
