//===- VectorBuilder.h - builds register-sized vector code ----------------===//

#ifndef FOVEA_LIB_TARGET_CPU_VECTORBUILDER_H
#define FOVEA_LIB_TARGET_CPU_VECTORBUILDER_H

#include "fovea/Target/CPU/Passes.h"

namespace fovea::cpu {

/// An OpBuilder with a location, a lane count and an element type: the words in
/// which the CPU lowering is written.
class VectorBuilder {
public:
  VectorBuilder(mlir::OpBuilder &builder, mlir::Location loc, int64_t lanes,
                mlir::FloatType element);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// Elements of a vector.
  const int64_t lanes;
  /// f32 or f64: the type of scores, sums and outputs while computing.
  const mlir::FloatType element;
  /// Bits of an element.
  const unsigned bits;
  /// vector<lanes x element>, the integer vector of the same width, and the
  /// vector of lane positions (i32: positions fit, and 32-bit lanes are cheap).
  const mlir::VectorType vectorType, bitsType, positionType, maskType;

  mlir::Value index(int64_t value);
  mlir::Value splat(double value);
  mlir::Value splatBits(int64_t value);
  mlir::Value splatPositions(llvm::ArrayRef<int32_t> values);
  mlir::Value broadcast(mlir::Value scalar);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value minSigned(mlir::Value a, mlir::Value b);
  mlir::Value addf(mlir::Value a, mlir::Value b);
  mlir::Value subf(mlir::Value a, mlir::Value b);
  mlir::Value mulf(mlir::Value a, mlir::Value b);
  mlir::Value divf(mlir::Value a, mlir::Value b);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  /// max(a, b) that keeps a NaN of `a`; one instruction on x86.
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a,
                      mlir::Value b);

  /// A vector of half numbers as one of `element`, and back (nearest even).
  /// Vectors of `element` stay as they are.
  mlir::Value widen(mlir::Value value);
  mlir::Value narrow(mlir::Value value, mlir::Type to);

  mlir::Value load(mlir::Value buffer, mlir::ValueRange indices);
  mlir::Value loadAs(mlir::VectorType type, mlir::Value buffer,
                     mlir::ValueRange indices);
  void store(mlir::Value value, mlir::Value buffer, mlir::ValueRange indices);
  /// Loads or stores the first `count` lanes; other lanes are 0 or untouched.
  mlir::Value loadPart(mlir::Value buffer, mlir::ValueRange indices,
                       int64_t count);
  mlir::Value loadPart(mlir::VectorType type, mlir::Value buffer,
                       mlir::ValueRange indices, int64_t count);
  mlir::Value loadPart(mlir::VectorType type, mlir::Value buffer,
                       mlir::ValueRange indices, mlir::Value count);
  void storePart(mlir::Value value, mlir::Value buffer,
                 mlir::ValueRange indices, int64_t count);
  void storePart(mlir::Value value, mlir::Value buffer,
                 mlir::ValueRange indices, mlir::Value count);

  /// `buffer` as memory of 16-bit integers, if it holds half numbers: LLVM
  /// would round and extend each element of a part of a vector by a helper
  /// function, where moving bits is all there is to do.
  mlir::Value asIntegers(mlir::Value buffer);

  using LoopBody = llvm::function_ref<void(mlir::Value)>;
  using CarryingBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  void forLoop(mlir::Value from, mlir::Value to, int64_t step, LoopBody body);
  llvm::SmallVector<mlir::Value> forLoop(mlir::Value from, mlir::Value to,
                                         int64_t step, mlir::ValueRange carried,
                                         CarryingBody body);

  /// Transposes lanes x lanes elements: result k holds element k of every row.
  /// Vectors of `element` or of the integer of the same width.
  llvm::SmallVector<mlir::Value> transpose(llvm::ArrayRef<mlir::Value> rows);

  /// 2^x: 0 at and below -127 (f64: -1023) and at -inf, NaN at NaN. For x at
  /// most 127 (1023). Relative error below 1e-8 before rounding (f64: 2e-17).
  mlir::Value exp2(mlir::Value x);
  /// e^x for x of at most 0, the same way: 0 at and below -88 (f64: -709) and
  /// at
  /// -inf, NaN at NaN.
  mlir::Value expOfNegative(mlir::Value x);
  /// Natural logarithm of a positive normal number (f32; f64 calls libm).
  mlir::Value log(mlir::Value x);

private:
  /// 2^(n + fraction), with n in the low bits of `shifted`.
  mlir::Value buildPower(mlir::Value shifted, mlir::Value fraction);
  /// 1.5 * 2^mantissa bits: added to a number it leaves its whole part in the
  /// low bits of the sum.
  mlir::Value getMagic();
};

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_VECTORBUILDER_H
