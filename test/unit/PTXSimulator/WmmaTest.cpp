//===- WmmaTest.cpp - wmma.load, wmma.mma and wmma.store ------------------===//
//
// Which elements a lane holds is not stated, so that only whole products can be
// tested: matrices in memory, in either order, with any distance of rows.
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

struct Case {
  const char *size;
  unsigned m, n, k;
  const char *factor, *sum; // types
  unsigned registersA, registersB, registersC;
  bool columnA, columnB, columnD;
  const char *types; // of the product
};

unsigned getBytes(llvm::StringRef type) {
  return type == "f64"                     ? 8
         : type == "f16" || type == "bf16" ? 2
         : type == "s8" || type == "u8"    ? 1
                                           : 4;
}

uint64_t encode(llvm::StringRef type, int value) {
  bool lost;
  llvm::APFloat number{float(value)};
  const llvm::fltSemantics &semantics =
      type == "f16"    ? llvm::APFloat::IEEEhalf()
      : type == "bf16" ? llvm::APFloat::BFloat()
      : type == "f64"  ? llvm::APFloat::IEEEdouble()
                       : llvm::APFloat::IEEEsingle();
  if (type == "s8" || type == "u8" || type == "s32")
    return uint32_t(value);
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
  return number.bitcastToAPInt().getZExtValue();
}

struct Matrix {
  unsigned rows, columns;
  std::vector<int> values;

  Matrix(unsigned rows, unsigned columns, unsigned seed)
      : rows(rows), columns(columns) {
    // No pattern that a mistaken order would keep.
    for (unsigned n = 0; n < rows * columns; ++n) {
      seed = seed * 1664525 + 1013904223;
      values.push_back((seed >> 24) % 5);
    }
  }
  int &at(unsigned row, unsigned column) {
    return values[row * columns + column];
  }
  /// As bytes, with `stride` elements from one row, or column, to the next.
  std::vector<uint8_t> store(llvm::StringRef type, bool byColumns,
                             unsigned stride) {
    unsigned bytes = getBytes(type);
    std::vector<uint8_t> memory(stride * (byColumns ? columns : rows) * bytes);
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned column = 0; column < columns; ++column) {
        uint64_t bits = encode(type, at(row, column));
        unsigned place =
            byColumns ? column * stride + row : row * stride + column;
        std::memcpy(&memory[place * bytes], &bits, bytes);
      }
    return memory;
  }
};

std::string makeList(char name, unsigned count) {
  std::string list = "{";
  for (unsigned n = 0; n < count; ++n)
    list += (n ? ", %" : "%") + std::string(1, name) + std::to_string(n);
  return list + "}";
}

constexpr unsigned stride = 48;

void check(const Case &tested) {
  const char *orders[] = {"row", "col"};
  unsigned wide = llvm::StringRef(tested.factor) == "f64" ? 64 : 32;
  auto list = [&](char name, unsigned count) { return makeList(name, count); };
  std::string text = llvm::formatv(
      ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, "
      ".param .u64 d) {{\n.reg .b64 %p, %q, %r, %s;\n.reg .b{0} %a<{1}>, "
      "%b<{2}>, %c<{3}>, %d<{3}>;\n.reg .b32 %stride;\n"
      "ld.param.u64 %p, [a];\nld.param.u64 %q, [b];\nld.param.u64 %r, [c];\n"
      "ld.param.u64 %s, [d];\nmov.u32 %stride, {4};\n",
      wide, tested.registersA, tested.registersB, tested.registersC, stride);
  text += llvm::formatv("wmma.load.a.sync.aligned.{0}.{1}.global.{2} {3}, [%p],"
                        " %stride;\n",
                        orders[tested.columnA], tested.size, tested.factor,
                        list('a', tested.registersA));
  text += llvm::formatv("wmma.load.b.sync.aligned.{0}.{1}.global.{2} {3}, [%q],"
                        " %stride;\n",
                        orders[tested.columnB], tested.size, tested.factor,
                        list('b', tested.registersB));
  // Without a distance of rows: that of the matrix.
  text += llvm::formatv("wmma.load.c.sync.aligned.row.{0}.global.{1} {2}, "
                        "[%r];\n",
                        tested.size, tested.sum, list('c', tested.registersC));
  text += llvm::formatv(
      "wmma.mma.sync.aligned.{0}.{1}.{2}.{3} {4}, {5}, {6}, "
      "{7};\n",
      orders[tested.columnA], orders[tested.columnB], tested.size, tested.types,
      list('d', tested.registersC), list('a', tested.registersA),
      list('b', tested.registersB), list('c', tested.registersC));
  text += llvm::formatv("wmma.store.d.sync.aligned.{0}.{1}.global.{2} [%s], "
                        "{3}, %stride;\nret;\n}\n",
                        orders[tested.columnD], tested.size, tested.sum,
                        list('d', tested.registersC));

  Matrix a(tested.m, tested.k, 1), b(tested.k, tested.n, 2),
      c(tested.m, tested.n, 3), d = c;
  for (unsigned row = 0; row < tested.m; ++row)
    for (unsigned column = 0; column < tested.n; ++column)
      for (unsigned k = 0; k < tested.k; ++k)
        d.at(row, column) += a.at(row, k) * b.at(k, column);

  Module module = parse(text);
  const Kernel *kernel = module.findKernel("k");
  ASSERT_TRUE(kernel);
  Device device;
  auto map = [&](std::vector<uint8_t> &bytes) {
    return KernelArgument::of(llvm::cantFail(device.map(
        bytes.data(), bytes.size(), "matrix", Device::Content::Initialized)));
  };
  std::vector<uint8_t> as = a.store(tested.factor, tested.columnA, stride),
                       bs = b.store(tested.factor, tested.columnB, stride),
                       cs = c.store(tested.sum, false, tested.n),
                       ds = d.store(tested.sum, tested.columnD, stride),
                       result(ds.size());
  llvm::Expected<LaunchResult> launched =
      launch(*kernel, {}, {32, 1, 1}, 0,
             {map(as), map(bs), map(cs), map(result)}, device);
  ASSERT_TRUE(bool(launched));
  expectClean(*launched);
  EXPECT_EQ(result, ds) << tested.size << " " << tested.types;
}

TEST(Wmma, HalvesInAllOrders) {
  for (unsigned orders = 0; orders < 8; ++orders)
    check({"m16n16k16", 16, 16, 16, "f16", "f32", 8, 8, 8, bool(orders & 1),
           bool(orders & 2), bool(orders & 4), "f32.f32"});
}

TEST(Wmma, HalvesInAllSizes) {
  check({"m32n8k16", 32, 8, 16, "f16", "f32", 8, 8, 8, false, true, false,
         "f32.f32"});
  check({"m8n32k16", 8, 32, 16, "f16", "f32", 8, 8, 8, true, false, true,
         "f32.f32"});
  check({"m16n16k16", 16, 16, 16, "f16", "f16", 8, 8, 4, false, false, false,
         "f16.f16"});
}

TEST(Wmma, OtherTypes) {
  check({"m16n16k16", 16, 16, 16, "bf16", "f32", 4, 4, 8, false, true, false,
         "f32.bf16.bf16.f32"});
  check({"m32n8k16", 32, 8, 16, "bf16", "f32", 8, 2, 8, false, false, false,
         "f32.bf16.bf16.f32"});
  check({"m16n16k8", 16, 16, 8, "tf32", "f32", 4, 4, 8, false, true, true,
         "f32.tf32.tf32.f32"});
  check({"m8n8k4", 8, 8, 4, "f64", "f64", 1, 1, 2, false, true, false,
         "rn.f64.f64.f64.f64"});
  check({"m16n16k16", 16, 16, 16, "s8", "s32", 2, 2, 8, false, true, false,
         "s32.s8.s8.s32"});
  check({"m8n32k16", 8, 32, 16, "u8", "s32", 1, 4, 8, true, true, false,
         "s32.u8.u8.s32"});
}

TEST(Wmma, RowsAtAnyAddressAreReported) {
  Outcome outcome =
      run(makeKernel(".reg .b32 %c<8>;\n"
                     "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 "
                     "{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, [%out+4], 16;"),
          1024 + 4);
  EXPECT_EQ(outcome.get(ReportKind::Misaligned).size(), 1u);
  // Nothing was written there.
  EXPECT_EQ(outcome.get(ReportKind::Uninitialized).size(), 1u);
}

TEST(Wmma, FormsThatDoNotExist) {
  EXPECT_NE(getParseError(makeKernel("wmma.load.a.sync.aligned.row.m16n16k8."
                                     "global.f16 {%r}, [%out];"))
                .find("does not exist with this size and type"),
            std::string::npos);
  EXPECT_NE(getParseError(makeKernel("wmma.load.a.sync.aligned.row.m16n16k16."
                                     "global.f16 {%r}, [%out];"))
                .find("a list of 8 registers"),
            std::string::npos);
}

} // namespace
