//===- ExpandMath.cpp - math on vectors to polynomials or scalar calls ----===//

#include "VectorBuilder.h"
#include "fovea/Support/Remarks.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <limits>
#include <numbers>

namespace fovea::cpu {
#define GEN_PASS_DEF_ATTNEXPANDMATH
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

namespace {

/// Vectors that a register holds; others are split by LLVM.
VectorType getVectorType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable() ||
      !(vector.getElementType().isF32() || vector.getElementType().isF64()))
    return nullptr;
  return vector;
}

LogicalResult refuse(PatternRewriter &rewriter, Operation *op, StringRef what) {
  return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
    diagnostic << "'" << op->getName() << "' expects " << what << ", but got "
               << op->getResult(0).getType();
  });
}

/// exp and exp2 with the range of the full type: overflow to infinity, results
/// below the normal numbers to 0.
template <typename OpTy, bool natural>
struct ExpandExp : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    VectorType type = getVectorType(op.getType());
    if (!type)
      return refuse(rewriter, op, "a rank-1 vector of f32 or f64");
    VectorBuilder b(rewriter, op.getLoc(), type.getDimSize(0),
                    cast<FloatType>(type.getElementType()));
    Value x = op.getOperand();
    double greatest = b.bits == 32 ? 128.0 : 1024.0;
    // 2^x = (2^(x/2))^2 keeps the exponent in range on the way.
    double half = natural ? std::numbers::log2e / 2 : 0.5;
    Value y = b.mulf(x, b.splat(half));
    if (natural) {
      // What the product with log2(e) lost, to first order.
      Value low = b.splat(
          b.bits == 32 ? half - static_cast<double>(static_cast<float>(half))
                       : 0.0);
      Value lost = b.fma(x, b.splat(half), b.mulf(y, b.splat(-1.0)));
      Value rest = b.fma(x, low, lost);
      // NaN - NaN and inf - inf are of no use: only where y is in range.
      Value inRange = b.compare(arith::CmpFPredicate::OLT,
                                math::AbsFOp::create(rewriter, op.getLoc(), y),
                                b.splat(greatest));
      rest = b.select(inRange, rest, b.splat(0));
      Value root = b.exp2(b.select(inRange, y, clamp(b, y, greatest)));
      root = b.fma(root, b.mulf(rest, b.splat(std::numbers::ln2)), root);
      rewriter.replaceOp(op, b.mulf(root, root));
      return success();
    }
    Value root = b.exp2(clamp(b, y, greatest));
    rewriter.replaceOp(op, b.mulf(root, root));
    return success();
  }

  /// Keeps y where VectorBuilder::exp2 is defined; beyond it the square is
  /// infinite all the same.
  static Value clamp(VectorBuilder &b, Value y, double greatest) {
    Value limit = b.splat(greatest - 1);
    return b.select(b.compare(arith::CmpFPredicate::OGT, y, limit), limit, y);
  }
};

/// tanh of f32: an odd polynomial near 0, where 1 - 2 / (e^2x + 1) would
/// cancel. Coefficients: Moshier's Cephes library, tanhf.
struct ExpandTanh : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = getVectorType(op.getType());
    if (!type || !type.getElementType().isF32())
      return refuse(rewriter, op, "a rank-1 vector of f32");
    VectorBuilder b(rewriter, op.getLoc(), type.getDimSize(0),
                    cast<FloatType>(type.getElementType()));
    Value x = op.getOperand();
    Value magnitude = math::AbsFOp::create(rewriter, op.getLoc(), x);
    Value square = b.mulf(x, x);
    Value series = b.splat(-5.70498872745e-3);
    for (double c : {2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1,
                     -3.33332819422e-1})
      series = b.fma(series, square, b.splat(c));
    Value near = b.fma(b.mulf(series, square), x, x);
    // Beyond 9 the result is 1 in f32, and exp2 must not overflow.
    Value limit = b.splat(126.0);
    Value exponent = b.mulf(magnitude, b.splat(2 * std::numbers::log2e));
    exponent = b.select(b.compare(arith::CmpFPredicate::OGT, exponent, limit),
                        limit, exponent);
    Value one = b.splat(1.0);
    Value far =
        b.subf(one, b.divf(b.splat(2.0), b.addf(b.exp2(exponent), one)));
    far = math::CopySignOp::create(rewriter, op.getLoc(), far, x);
    Value isNear =
        b.compare(arith::CmpFPredicate::OLT, magnitude, b.splat(0.625));
    rewriter.replaceOp(op, b.select(isNear, near, far));
    return success();
  }
};

/// bf16 to f64 by way of f32, whose upper half a bf16 is: LLVM would call a
/// helper function that libgcc does not have.
struct WidenBF16ToF64 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(op.getIn()).isBF16() ||
        !getElementTypeOrSelf(type).isF64())
      return rewriter.notifyMatchFailure(op, "is not bf16 to f64");
    Location loc = op.getLoc();
    auto like = [&](Type element) -> Type {
      auto vector = dyn_cast<VectorType>(type);
      return vector ? vector.clone(element) : element;
    };
    Type word = like(rewriter.getI32Type());
    Value bits = arith::BitcastOp::create(
        rewriter, loc, like(rewriter.getI16Type()), op.getIn());
    bits = arith::ExtUIOp::create(rewriter, loc, word, bits);
    Value sixteen = arith::ConstantOp::create(
        rewriter, loc, rewriter.getIntegerAttr(rewriter.getI32Type(), 16));
    if (isa<VectorType>(word))
      sixteen = vector::BroadcastOp::create(rewriter, loc, word, sixteen);
    bits = arith::ShLIOp::create(rewriter, loc, bits, sixteen);
    Value single = arith::BitcastOp::create(rewriter, loc,
                                            like(rewriter.getF32Type()), bits);
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, type, single);
    return success();
  }
};

/// The rest goes element by element to LLVM intrinsics or libm.
struct Unroll : RewritePattern {
  explicit Unroll(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<math::MathDialect>(op->getDialect()) ||
        isa<math::AbsFOp, math::SqrtOp, math::FloorOp, math::CeilOp,
            math::TruncOp, math::RoundEvenOp, math::CopySignOp, math::FmaOp,
            math::AbsIOp>(op))
      return rewriter.notifyMatchFailure(op, "has an instruction of its own");
    if (op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "has not one result");
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!type || type.getRank() != 1)
      return rewriter.notifyMatchFailure(op, "is not on rank-1 vectors");
    Location loc = op->getLoc();
    Value result =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    for (int64_t i = 0; i < type.getDimSize(0); ++i) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(
            vector::ExtractOp::create(rewriter, loc, operand, i));
      OperationState state(loc, op->getName(), operands,
                           {type.getElementType()}, op->getAttrs());
      result = vector::InsertOp::create(
          rewriter, loc, rewriter.create(state)->getResult(0), result, i);
    }
    remark::missed(loc, getRemarkOpts(op, kRemarkVectors, "math-unrolled"))
        << remark::add("'{0}' is computed lane by lane",
                       op->getName().getStringRef())
        << remark::reason("there is no vector code for it in '{0}'", type);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ExpandMath : cpu::impl::AttnExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExp<math::ExpOp, true>, ExpandExp<math::Exp2Op, false>>(
        &getContext(), /*benefit=*/2);
    patterns.add<ExpandTanh>(&getContext(), /*benefit=*/2);
    patterns.add<Unroll, WidenBF16ToF64>(&getContext());
    MatchFailureRemarks listener(getArgument());
    GreedyRewriteConfig config;
    config.setListener(listener.getIfWanted(&getContext()));
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
