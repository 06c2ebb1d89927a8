//===- Canonicalize.cpp - canonical forms of attn operations --------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace fovea::attn;

namespace {

/// A mask that keeps every key is no mask.
struct DropTrueMask : OpRewritePattern<SdpaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SdpaOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getMask().empty())
      return rewriter.notifyMatchFailure(op, "there is no mask");
    auto yield = cast<YieldOp>(op.getMask().front().getTerminator());
    if (!matchPattern(yield.getValue(), m_One()))
      return rewriter.notifyMatchFailure(op, "the mask is not constant true");
    rewriter.modifyOpInPlace(op, [&] { op.getMask().getBlocks().clear(); });
    return success();
  }
};

/// A score region that yields its score is no change.
struct DropIdentityScore : OpRewritePattern<SdpaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SdpaOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getScore().empty())
      return rewriter.notifyMatchFailure(op, "there is no score region");
    auto yield = cast<YieldOp>(op.getScore().front().getTerminator());
    if (yield.getValue() != op.getScore().getArgument(0))
      return rewriter.notifyMatchFailure(op, "the score is changed");
    rewriter.modifyOpInPlace(op, [&] { op.getScore().getBlocks().clear(); });
    return success();
  }
};

/// An LSE that nobody reads need not be computed.
struct DropUnusedLse : OpRewritePattern<SdpaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SdpaOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getLse() || !op.getLse().use_empty())
      return rewriter.notifyMatchFailure(op, "there is no unused lse");
    auto fresh =
        SdpaOp::create(rewriter, op.getLoc(), op.getOut().getType(), Type(),
                       op.getQuery(), op.getKey(), op.getValue(), op.getScale(),
                       op.getTilingAttr(), op.getShortTilingsAttr());
    for (auto [to, from] : llvm::zip(fresh->getRegions(), op->getRegions()))
      to.takeBody(from);
    fresh->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceAllUsesWith(op.getOut(), fresh.getOut());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void SdpaOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropTrueMask, DropIdentityScore, DropUnusedLse>(context);
}
