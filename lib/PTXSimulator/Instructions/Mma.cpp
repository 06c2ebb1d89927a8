//===- Mma.cpp - mma.sync: products of matrices held by a warp ------------===//
//
// Elements of a fragment are numbered as PTX does, from the lowest bits of the
// first register on. With the lane's group g = lane / 4 and its place t = lane
// % 4 in it, and registers of `n` elements each, all layouts but that of the
// 8x8x4 product of halves are of one form:
//
//   A: row g, or g + 8 in every second register; column t * n + i % n, and
//      4 * n more from the register on that begins the second half of k
//   B: row t * n + i % n, and 4 * n more in the second register; column g
//   C: row g, or g + 8 in the second half; column 2 * t + i % 2
//
// Products are exact; they are added to C one by one in the order of k, each
// sum rounded to nearest in the accumulator's type, halves as floats that are
// rounded once at the end. Hardware adds several products at once with bits
// cut off, so that its last bits may differ.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"
#include "Lanes.h"
#include "MatrixElement.h"

using namespace fovea::ptx;

namespace {
/// Op::detail: sizes, and the type of the elements and of the results.
struct MmaShape {
  MatrixElement element = MatrixElement::F16;
  uint8_t rows = 16, depth = 16;
  /// Whether C and D are halves.
  uint8_t hasHalves = 0;

  /// Elements that a register of A or B holds.
  unsigned getPerRegister() const {
    return element == MatrixElement::F64 ? 1 : 4 / getElementBytes(element);
  }
  /// Registers of A for each row of a lane, and of B.
  unsigned getSteps() const { return depth / (4 * getPerRegister()); }
};

constexpr unsigned columns = 8, maxRows = 16, maxDepth = 32;
} // namespace

template <typename T> struct Factors {
  T a[maxRows][maxDepth];
  T b[maxDepth][columns];
};

/// Spreads the registers of A and B over the matrices. Operands start at
/// source `first`.
template <typename T>
static unsigned readFactors(Warp &warp, const Op &op, MmaShape shape,
                            Factors<T> &factors) {
  unsigned per = shape.getPerRegister(),
           width = getElementBytes(shape.element) * 8;
  unsigned halves = shape.rows / 8, steps = shape.getSteps();
  unsigned source = 0;
  auto forEachElement = [&](auto function) {
    Row<uint64_t> row = warp.readWide(op.source(source++));
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned n = 0; n < per; ++n)
        function(lane / 4, lane % 4 * per + n,
                 decodeElement<T>(shape.element, width == 64
                                                     ? row[lane]
                                                     : row[lane] >> n * width));
  };
  for (unsigned step = 0; step < steps; ++step)
    for (unsigned half = 0; half < halves; ++half)
      forEachElement([&](unsigned group, unsigned at, T value) {
        factors.a[group + 8 * half][at + 4 * per * step] = value;
      });
  for (unsigned step = 0; step < steps; ++step)
    forEachElement([&](unsigned group, unsigned at, T value) {
      factors.b[at + 4 * per * step][group] = value;
    });
  return source;
}

template <typename T>
static void multiplyAdd(const Factors<T> &factors, MmaShape shape,
                        T (&c)[maxRows][columns]) {
  for (unsigned row = 0; row < shape.rows; ++row)
    for (unsigned k = 0; k < shape.depth; ++k)
      for (unsigned column = 0; column < columns; ++column)
        c[row][column] += factors.a[row][k] * factors.b[k][column];
}

/// Accumulators of 32 or 64 bits: a register for each element.
template <typename T>
static Flow multiplyMatrices(Warp &warp, const Op &op, Mask mask) {
  if (!hasWholeWarp(warp, mask))
    return Flow::Wait;
  auto shape = std::bit_cast<MmaShape>(op.detail);
  Factors<T> factors;
  unsigned source = readFactors(warp, op, shape, factors);
  T c[maxRows][columns];
  unsigned count = shape.rows / 4;
  for (unsigned n = 0; n < count; ++n) {
    Row<T> row = warp.read<T>(op.source(source + n));
    for (unsigned lane = 0; lane < warpSize; ++lane)
      c[lane / 4 + n / 2 * 8][lane % 4 * 2 + n % 2] = row[lane];
  }
  multiplyAdd(factors, shape, c);
  for (unsigned n = 0; n < count; ++n) {
    Row<T> row;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      row[lane] = c[lane / 4 + n / 2 * 8][lane % 4 * 2 + n % 2];
      if constexpr (std::is_floating_point_v<T>)
        row[lane] = canonical(row[lane]);
    }
    warp.write(op.result(n), row, mask);
  }
  return Flow::Next;
}

/// Accumulators of 16 bits: two elements in a register.
static Flow multiplyIntoHalves(Warp &warp, const Op &op, Mask mask) {
  if (!hasWholeWarp(warp, mask))
    return Flow::Wait;
  auto shape = std::bit_cast<MmaShape>(op.detail);
  Factors<float> factors;
  unsigned source = readFactors(warp, op, shape, factors);
  float c[maxRows][columns];
  unsigned count = shape.rows / 8;
  for (unsigned n = 0; n < count; ++n) {
    Row<uint32_t> row = warp.read<uint32_t>(op.source(source + n));
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned half = 0; half < 2; ++half)
        c[lane / 4 + n * 8][lane % 4 * 2 + half] =
            Half::decode(row[lane] >> half * 16);
  }
  multiplyAdd(factors, shape, c);
  for (unsigned n = 0; n < count; ++n) {
    Row<uint32_t> row = {};
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned half = 0; half < 2; ++half)
        row[lane] |=
            uint32_t(Half::encode(c[lane / 4 + n * 8][lane % 4 * 2 + half]))
            << half * 16;
    warp.write(op.result(n), row, mask);
  }
  return Flow::Next;
}

/// The products that exist, by the types of D, A, B and C.
static std::optional<MmaShape> findShape(llvm::StringRef size, Type d, Type a,
                                         Type b, Type c) {
  struct Known {
    llvm::StringLiteral size;
    Type accumulator, factor;
    MmaShape shape;
  };
  static constexpr Known known[] = {
      {"m16n8k16", Type::F32, Type::F16, {MatrixElement::F16, 16, 16, 0}},
      {"m16n8k16", Type::F16, Type::F16, {MatrixElement::F16, 16, 16, 1}},
      {"m16n8k16", Type::F32, Type::BF16, {MatrixElement::BF16, 16, 16, 0}},
      {"m16n8k8", Type::F32, Type::F16, {MatrixElement::F16, 16, 8, 0}},
      {"m16n8k8", Type::F16, Type::F16, {MatrixElement::F16, 16, 8, 1}},
      {"m16n8k8", Type::F32, Type::BF16, {MatrixElement::BF16, 16, 8, 0}},
      {"m16n8k8", Type::F32, Type::TF32, {MatrixElement::TF32, 16, 8, 0}},
      {"m16n8k4", Type::F32, Type::TF32, {MatrixElement::TF32, 16, 4, 0}},
      {"m8n8k4", Type::F64, Type::F64, {MatrixElement::F64, 8, 4, 0}},
      {"m8n8k16", Type::S32, Type::S8, {MatrixElement::S8, 8, 16, 0}},
      {"m8n8k16", Type::S32, Type::U8, {MatrixElement::U8, 8, 16, 0}},
      {"m16n8k16", Type::S32, Type::S8, {MatrixElement::S8, 16, 16, 0}},
      {"m16n8k16", Type::S32, Type::U8, {MatrixElement::U8, 16, 16, 0}},
      {"m16n8k32", Type::S32, Type::S8, {MatrixElement::S8, 16, 32, 0}},
      {"m16n8k32", Type::S32, Type::U8, {MatrixElement::U8, 16, 32, 0}},
  };
  for (const Known &entry : known)
    if (entry.size == size && d == entry.accumulator && c == d &&
        a == entry.factor && b == a)
      return entry.shape;
  return std::nullopt;
}

static void decodeMma(Decoder &decoder) {
  if (!decoder.take("sync") || !decoder.take("aligned"))
    decoder.fail("expected 'mma.sync.aligned'");
  static constexpr llvm::StringLiteral sizes[] = {
      "m16n8k16", "m16n8k8", "m16n8k4", "m16n8k32", "m8n8k4", "m8n8k16"};
  llvm::StringRef size;
  for (llvm::StringRef known : sizes)
    if (decoder.take(known))
      size = known;
  if (!decoder.take("row") || !decoder.take("col"))
    decoder.fail("expected '.row.col'");
  Type d = decoder.takeType(), a = decoder.takeType(), b = decoder.takeType(),
       c = decoder.takeType();
  decoder.expectOperands(4);
  std::optional<MmaShape> shape = findShape(size, d, a, b, c);
  if (!shape)
    return decoder.fail("'mma' does not exist with this size and these types");
  if (d == Type::S32 && decoder.take("satfinite"))
    return decoder.fail("'mma' with '.satfinite' is not supported");

  Type factor = d == Type::F64 ? Type::F64 : Type::B32;
  Type accumulator = shape->hasHalves ? Type::B32 : d;
  unsigned steps = shape->getSteps();
  unsigned count = shape->hasHalves ? shape->rows / 8 : shape->rows / 4;
  decoder.addVector(0, accumulator, count, /*isResult=*/true);
  decoder.addVector(1, factor, steps * (shape->rows / 8), /*isResult=*/false);
  decoder.addVector(2, factor, steps, /*isResult=*/false);
  decoder.addVector(3, accumulator, count, /*isResult=*/false);
  decoder.op.detail = std::bit_cast<uint32_t>(*shape);
  decoder.op.isConvergent = true;
  if (shape->hasHalves)
    return decoder.setHandler(multiplyIntoHalves);
  decoder.setHandler(d == Type::F64   ? multiplyMatrices<double>
                     : d == Type::S32 ? multiplyMatrices<uint32_t>
                                      : multiplyMatrices<float>);
}

void fovea::ptx::addMmaInstructions(InstructionTable &table) {
  table["mma"] = decodeMma;
}
