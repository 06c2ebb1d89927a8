//===- Operations.cpp - what each operation of a region computes ----------===//

#include "Program.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace fovea;
using namespace fovea::reference;

//===-- Integers ----------------------------------------------------------===//

namespace {

/// Signed and unsigned views of an operand of so many bits.
int64_t asSigned(int64_t value, unsigned bits) {
  return bits == 1 ? -(value & 1) : value;
}

uint64_t asUnsigned(int64_t value, unsigned bits) {
  return bits >= 64 ? uint64_t(value) : uint64_t(value) & ((1ull << bits) - 1);
}

/// Division by zero and the one overflow are undefined in MLIR; here they give
/// 0 and wrap, since an evaluator must not trap.
int64_t divide(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? int64_t(0 - uint64_t(a)) : a / b;
}

int64_t remainder(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t rest = remainder(a, b);
  return divide(a, b) - (rest != 0 && (rest < 0) != (b < 0));
}

int64_t ceilDivide(int64_t a, int64_t b) {
  int64_t rest = remainder(a, b);
  return divide(a, b) + (rest != 0 && (rest < 0) == (b < 0));
}

template <int64_t function(int64_t, int64_t)> void signedOp(const Lanes &x) {
  unsigned bits = x.instruction.operandBits;
  for (int n = 0; n < x.count; ++n)
    x.result[n].i = function(asSigned(x.operands[0][n].i, bits),
                             asSigned(x.operands[1][n].i, bits));
}

template <uint64_t function(uint64_t, uint64_t)>
void unsignedOp(const Lanes &x) {
  unsigned bits = x.instruction.operandBits;
  for (int n = 0; n < x.count; ++n)
    x.result[n].i = int64_t(function(asUnsigned(x.operands[0][n].i, bits),
                                     asUnsigned(x.operands[1][n].i, bits)));
}

uint64_t add(uint64_t a, uint64_t b) { return a + b; }
uint64_t subtract(uint64_t a, uint64_t b) { return a - b; }
uint64_t multiply(uint64_t a, uint64_t b) { return a * b; }
uint64_t bitAnd(uint64_t a, uint64_t b) { return a & b; }
uint64_t bitOr(uint64_t a, uint64_t b) { return a | b; }
uint64_t bitXor(uint64_t a, uint64_t b) { return a ^ b; }
uint64_t shiftLeft(uint64_t a, uint64_t b) { return b < 64 ? a << b : 0; }
uint64_t shiftRight(uint64_t a, uint64_t b) { return b < 64 ? a >> b : 0; }
int64_t shiftRightSigned(int64_t a, int64_t b) {
  return a >> std::clamp<int64_t>(b, 0, 63);
}
uint64_t divideUnsigned(uint64_t a, uint64_t b) { return b ? a / b : 0; }
uint64_t ceilDivideUnsigned(uint64_t a, uint64_t b) {
  return b ? a / b + (a % b != 0) : 0;
}
uint64_t remainderUnsigned(uint64_t a, uint64_t b) { return b ? a % b : 0; }
template <typename T> T larger(T a, T b) { return std::max(a, b); }
template <typename T> T smaller(T a, T b) { return std::min(a, b); }

void compareIntegers(const Lanes &x) {
  // In the order of arith.cmpi's predicates.
  enum { eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge };
  const Scalar *a = x.operands[0], *b = x.operands[1];
  unsigned bits = x.instruction.operandBits;
  auto each = [&](auto view, auto compare) {
    for (int n = 0; n < x.count; ++n)
      x.result[n].i = compare(view(a[n].i, bits), view(b[n].i, bits));
  };
  switch (x.instruction.attribute) {
  case eq:
    return each(asSigned, std::equal_to<>());
  case ne:
    return each(asSigned, std::not_equal_to<>());
  case slt:
    return each(asSigned, std::less<>());
  case sle:
    return each(asSigned, std::less_equal<>());
  case sgt:
    return each(asSigned, std::greater<>());
  case sge:
    return each(asSigned, std::greater_equal<>());
  case ult:
    return each(asUnsigned, std::less<>());
  case ule:
    return each(asUnsigned, std::less_equal<>());
  case ugt:
    return each(asUnsigned, std::greater<>());
  case uge:
    return each(asUnsigned, std::greater_equal<>());
  }
}

void absInteger(const Lanes &x) {
  for (int n = 0; n < x.count; ++n) {
    int64_t value = x.operands[0][n].i;
    x.result[n].i = value < 0 ? int64_t(0 - uint64_t(value)) : value;
  }
}

void extendSigned(const Lanes &x) {
  for (int n = 0; n < x.count; ++n)
    x.result[n].i = asSigned(x.operands[0][n].i, x.instruction.operandBits);
}

void extendUnsigned(const Lanes &x) {
  for (int n = 0; n < x.count; ++n)
    x.result[n].i =
        int64_t(asUnsigned(x.operands[0][n].i, x.instruction.operandBits));
}

//===-- Floats ------------------------------------------------------------===//

void copy(const Lanes &x) {
  for (int n = 0; n < x.count; ++n)
    x.result[n] = x.operands[0][n];
}

void select(const Lanes &x) {
  for (int n = 0; n < x.count; ++n)
    x.result[n] = x.operands[x.operands[0][n].i ? 1 : 2][n];
}

void signedToFloat(const Lanes &x) {
  for (int n = 0; n < x.count; ++n)
    x.result[n].f =
        double(asSigned(x.operands[0][n].i, x.instruction.operandBits));
}

void unsignedToFloat(const Lanes &x) {
  for (int n = 0; n < x.count; ++n)
    x.result[n].f =
        double(asUnsigned(x.operands[0][n].i, x.instruction.operandBits));
}

/// Out of range is undefined in MLIR; here it is the nearest there is.
void floatToInteger(const Lanes &x) {
  for (int n = 0; n < x.count; ++n) {
    double value = x.operands[0][n].f;
    x.result[n].i = std::isnan(value) ? 0
                    : value >= 0x1p63 ? std::numeric_limits<int64_t>::max()
                    : value < -0x1p63 ? std::numeric_limits<int64_t>::min()
                                      : int64_t(value);
  }
}

template <double function(double)> void unary(const Lanes &x) {
  for (int n = 0; n < x.count; ++n)
    x.result[n].f = function(x.operands[0][n].f);
}

template <double function(double, double)> void binary(const Lanes &x) {
  for (int n = 0; n < x.count; ++n)
    x.result[n].f = function(x.operands[0][n].f, x.operands[1][n].f);
}

template <bool function(double)> void predicate(const Lanes &x) {
  for (int n = 0; n < x.count; ++n)
    x.result[n].i = function(x.operands[0][n].f);
}

void fusedMultiplyAdd(const Lanes &x) {
  for (int n = 0; n < x.count; ++n)
    x.result[n].f =
        std::fma(x.operands[0][n].f, x.operands[1][n].f, x.operands[2][n].f);
}

double addFloat(double a, double b) { return a + b; }
double subtractFloat(double a, double b) { return a - b; }
double multiplyFloat(double a, double b) { return a * b; }
double divideFloat(double a, double b) { return a / b; }
double negate(double a) { return -a; }
double reciprocalRoot(double a) { return 1 / std::sqrt(a); }
double roundHalfAway(double a) { return std::round(a); }
double roundHalfEven(double a) { return std::nearbyint(a); }
double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
}
double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
}
bool isNan(double a) { return std::isnan(a); }
bool isInfinite(double a) { return std::isinf(a); }
bool isFinite(double a) { return std::isfinite(a); }

void compareFloats(const Lanes &x) {
  // Bits 0 to 2: equal, greater, less; bit 3: unordered. arith.cmpf numbers its
  // ordered predicates so, and lets the unordered ones follow ord, with uno and
  // true last.
  static constexpr int codes[] = {0, 1,  2,  3,  4,  5,  6, 7,
                                  9, 10, 11, 12, 13, 14, 8, 15};
  int code = codes[x.instruction.attribute];
  bool unordered = code & 8;
  for (int n = 0; n < x.count; ++n) {
    double a = x.operands[0][n].f, b = x.operands[1][n].f;
    if (std::isnan(a) || std::isnan(b))
      x.result[n].i = unordered;
    else
      x.result[n].i = (a == b ? code : a > b ? code >> 1 : code >> 2) & 1;
  }
}

//===-- Tensors -----------------------------------------------------------===//

void extract(const Lanes &x) {
  const HostTensor &tensor = *x.instruction.tensor;
  llvm::ArrayRef<int64_t> shape = tensor.getShape();
  for (int n = 0; n < x.count; ++n) {
    int64_t index = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t position = x.operands[dim][n].i;
      if (position < 0 || position >= shape[dim]) {
        x.failure = ("tensor.extract reads index " + llvm::Twine(position) +
                     " of a dim of size " + llvm::Twine(shape[dim]))
                        .str();
        x.result[n] = Scalar();
        return;
      }
      index = index * shape[dim] + position;
    }
    if (!x.instruction.resultBits)
      x.result[n].f = tensor.getFloat(index);
    else if (x.instruction.resultBits == 1)
      x.result[n].i = tensor.getInteger(index) != 0;
    else
      x.result[n].i = tensor.getInteger(index);
  }
}

void dim(const Lanes &x) {
  llvm::ArrayRef<int64_t> shape = x.instruction.tensor->getShape();
  for (int n = 0; n < x.count; ++n) {
    uint64_t number = uint64_t(x.operands[0][n].i);
    if (number >= shape.size())
      x.failure = "tensor.dim asks for a dim that the tensor does not have";
    x.result[n].i = number < shape.size() ? shape[number] : 0;
  }
}

} // namespace

Kernel fovea::reference::lookupKernel(llvm::StringRef name) {
  static const llvm::StringMap<Kernel> kernels = {
      {"arith.addi", unsignedOp<add>},
      {"arith.subi", unsignedOp<subtract>},
      {"arith.muli", unsignedOp<multiply>},
      {"arith.andi", unsignedOp<bitAnd>},
      {"arith.ori", unsignedOp<bitOr>},
      {"arith.xori", unsignedOp<bitXor>},
      {"arith.shli", unsignedOp<shiftLeft>},
      {"arith.shrui", unsignedOp<shiftRight>},
      {"arith.shrsi", signedOp<shiftRightSigned>},
      {"arith.divsi", signedOp<divide>},
      {"arith.floordivsi", signedOp<floorDivide>},
      {"arith.ceildivsi", signedOp<ceilDivide>},
      {"arith.remsi", signedOp<remainder>},
      {"arith.divui", unsignedOp<divideUnsigned>},
      {"arith.ceildivui", unsignedOp<ceilDivideUnsigned>},
      {"arith.remui", unsignedOp<remainderUnsigned>},
      {"arith.maxsi", signedOp<larger<int64_t>>},
      {"arith.minsi", signedOp<smaller<int64_t>>},
      {"arith.maxui", unsignedOp<larger<uint64_t>>},
      {"arith.minui", unsignedOp<smaller<uint64_t>>},
      {"arith.cmpi", compareIntegers},
      {"arith.select", select},
      {"arith.extsi", extendSigned},
      {"arith.extui", extendUnsigned},
      {"arith.trunci", copy},
      {"arith.index_cast", extendSigned},
      {"arith.index_castui", extendUnsigned},
      {"arith.sitofp", signedToFloat},
      {"arith.uitofp", unsignedToFloat},
      {"arith.fptosi", floatToInteger},
      {"arith.fptoui", floatToInteger},
      {"arith.extf", copy},
      {"arith.truncf", copy},
      {"arith.addf", binary<addFloat>},
      {"arith.subf", binary<subtractFloat>},
      {"arith.mulf", binary<multiplyFloat>},
      {"arith.divf", binary<divideFloat>},
      {"arith.remf", binary<std::fmod>},
      {"arith.negf", unary<negate>},
      {"arith.maximumf", binary<maximum>},
      {"arith.minimumf", binary<minimum>},
      {"arith.maxnumf", binary<std::fmax>},
      {"arith.minnumf", binary<std::fmin>},
      {"arith.cmpf", compareFloats},
      {"math.absf", unary<std::fabs>},
      {"math.absi", absInteger},
      {"math.acos", unary<std::acos>},
      {"math.acosh", unary<std::acosh>},
      {"math.asin", unary<std::asin>},
      {"math.asinh", unary<std::asinh>},
      {"math.atan", unary<std::atan>},
      {"math.atan2", binary<std::atan2>},
      {"math.atanh", unary<std::atanh>},
      {"math.cbrt", unary<std::cbrt>},
      {"math.ceil", unary<std::ceil>},
      {"math.copysign", binary<std::copysign>},
      {"math.cos", unary<std::cos>},
      {"math.cosh", unary<std::cosh>},
      {"math.erf", unary<std::erf>},
      {"math.erfc", unary<std::erfc>},
      {"math.exp", unary<std::exp>},
      {"math.exp2", unary<std::exp2>},
      {"math.expm1", unary<std::expm1>},
      {"math.floor", unary<std::floor>},
      {"math.fma", fusedMultiplyAdd},
      {"math.isfinite", predicate<isFinite>},
      {"math.isinf", predicate<isInfinite>},
      {"math.isnan", predicate<isNan>},
      {"math.log", unary<std::log>},
      {"math.log10", unary<std::log10>},
      {"math.log1p", unary<std::log1p>},
      {"math.log2", unary<std::log2>},
      {"math.powf", binary<std::pow>},
      {"math.round", unary<roundHalfAway>},
      {"math.roundeven", unary<roundHalfEven>},
      {"math.rsqrt", unary<reciprocalRoot>},
      {"math.sin", unary<std::sin>},
      {"math.sinh", unary<std::sinh>},
      {"math.sqrt", unary<std::sqrt>},
      {"math.tan", unary<std::tan>},
      {"math.tanh", unary<std::tanh>},
      {"math.trunc", unary<std::trunc>},
      {"tensor.dim", dim},
      {"tensor.extract", extract}};
  return kernels.lookup(name);
}
