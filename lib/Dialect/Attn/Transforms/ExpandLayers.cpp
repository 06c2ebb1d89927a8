//===- ExpandLayers.cpp - attn.layer to projections and attn.sdpa ---------===//

#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Support/Remarks.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNEXPANDLAYERS
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

namespace {

struct ExpandLayer : OpRewritePattern<LayerOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LayerOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType input = op.getInput().getType();
    Type element = input.getElementType();
    Value context = op.getSource() ? op.getSource() : op.getInput();
    int64_t heads = op.getQueryHeads(), kvHeads = op.getKvHeads();

    // x W, with the heads apart.
    auto project = [&](Value x, Value weight, Value bias,
                       int64_t splitHeads) -> Value {
      auto tokens = cast<RankedTensorType>(x.getType());
      int64_t width = cast<RankedTensorType>(weight.getType()).getDimSize(1);
      int64_t batch = tokens.getRank() == 3 ? tokens.getDimSize(0) : 1;
      auto type = RankedTensorType::get(
          {batch, splitHeads, tokens.getDimSize(tokens.getRank() - 2),
           width / splitHeads},
          element);
      return ProjectOp::create(rewriter, loc, type, x, weight, bias);
    };
    Value query = project(op.getInput(), op.getWq(), op.getBq(), heads);
    Value key = project(context, op.getWk(), op.getBk(), kvHeads);
    Value value = project(context, op.getWv(), op.getBv(), kvHeads);

    auto queryType = cast<RankedTensorType>(query.getType());
    auto valueType = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(queryType.getShape());
    shape[3] = valueType.getDimSize(3);
    auto outType = RankedTensorType::get(shape, element);
    auto lseType = RankedTensorType::get(ArrayRef(shape).take_front(3),
                                         getAccumulatorType(element));
    bool needsLse = op.getLse() || op.getWeights();
    auto sdpa = SdpaOp::create(rewriter, loc, outType,
                               needsLse ? lseType : Type(), query, key, value,
                               op.getScale(), TilingAttr(), ArrayAttr());
    SmallVector<Value> results;
    Value out;
    if (op.getWo())
      out = ProjectOp::create(rewriter, loc, op.getOut().getType(),
                              sdpa.getOut(), op.getWo(), op.getBo());
    else
      out = MergeHeadsOp::create(rewriter, loc, op.getOut().getType(),
                                 sdpa.getOut());
    results.push_back(out);
    if (op.getLse())
      results.push_back(sdpa.getLse());
    if (op.getWeights()) {
      auto weights = SdpaWeightsOp::create(
          rewriter, loc, op.getWeights().getType(), query, key, sdpa.getLse(),
          op.getScale(), TilingAttr(), ArrayAttr());
      for (auto [to, from] : llvm::zip(weights->getRegions(), op->getRegions()))
        if (!from.empty())
          rewriter.cloneRegionBefore(from, to, to.end());
      results.push_back(weights);
    }
    for (auto [to, from] : llvm::zip(sdpa->getRegions(), op->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.end());
    explain(op);
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static void explain(LayerOp op) {
    remark::passed(op.getLoc(), getRemarkOpts(op, kRemarkLayers, "expanded"))
        << remark::add("the layer becomes projections of {0}, attention of {1} "
                       "query and {2} "
                       "key/value heads{3}, and {4}",
                       op.getSource() ? "input and context" : "its input",
                       op.getQueryHeads(), op.getKvHeads(),
                       op.getWeights()
                           ? ", a pass for the weights (from scores and lse)"
                           : "",
                       op.getWo() ? "an output projection"
                                  : "a copy that merges the heads");
  }
};

struct ExpandLayers : fovea::attn::impl::AttnExpandLayersBase<ExpandLayers> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandLayersPatterns(patterns);
    MatchFailureRemarks listener(getArgument());
    GreedyRewriteConfig config;
    config.setListener(listener.getIfWanted(&getContext()));
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace

void fovea::attn::populateExpandLayersPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandLayer>(patterns.getContext());
}
