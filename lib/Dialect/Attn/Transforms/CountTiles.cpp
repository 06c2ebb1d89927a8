//===- CountTiles.cpp - kernels that count their key tiles ----------------===//

#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNCOUNTTILES
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea::attn;

namespace {

enum Counter { skipped = 0, full = 1, partial = 2 };

struct CountTiles : fovea::attn::impl::AttnCountTilesBase<CountTiles> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        count(function);
  }

private:
  void count(func::FuncOp function) {
    MLIRContext *context = &getContext();
    Builder attributes(context);
    auto type = MemRefType::get({3}, attributes.getI64Type(),
                                StridedLayoutAttr::get(context, 0, {1}));
    NamedAttrList names;
    names.set(kNameAttr, attributes.getStringAttr("tile_counts"));
    names.set(kDimsAttr, attributes.getI64ArrayAttr({3}));
    names.set(kOutputAttr, attributes.getUnitAttr());
    if (failed(function.insertArgument(function.getNumArguments(), type,
                                       names.getDictionary(context),
                                       function.getLoc())))
      return signalPassFailure();
    counts = function.getArguments().back();
    OpBuilder builder(&function.front().front());
    for (int64_t i = 0; i < 3; ++i)
      memref::StoreOp::create(
          builder, function.getLoc(),
          arith::ConstantOp::create(builder, function.getLoc(),
                                    builder.getI64IntegerAttr(0)),
          counts,
          ValueRange{
              arith::ConstantIndexOp::create(builder, function.getLoc(), i)});
    function.walk([&](scf::ForallOp forall) { countIn(forall); });
  }

  void add(OpBuilder &builder, Location loc, Counter counter, Value amount) {
    Value index = arith::ConstantIndexOp::create(builder, loc, counter);
    memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::addi,
                                amount, counts, ValueRange{index});
  }

  void countIn(scf::ForallOp forall) {
    SmallVector<scf::ForOp> loops;
    SmallVector<Operation *> tileOps;
    forall.walk([&](Operation *op) {
      if (isa<ScoresOp>(op))
        if (auto loop = op->getParentOfType<scf::ForOp>())
          if (!llvm::is_contained(loops, loop))
            loops.push_back(loop);
      if (isa<AttnDialect>(op->getDialect()) && !isa<YieldOp>(op))
        tileOps.push_back(op);
    });
    if (!loops.empty())
      countLoops(loops);
    // Loops lose their results before the operations that made them go.
    for (scf::ForOp loop : loops) {
      OpBuilder builder(loop);
      auto bare =
          scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                             loop.getUpperBound(), loop.getStep());
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), bare.getInductionVar());
      builder.setInsertionPointToStart(bare.getBody());
      countBlock(*loop.getBody(), builder, mapping);
    }
    for (Operation *op : tileOps)
      op->dropAllUses();
    for (scf::ForOp loop : llvm::reverse(loops)) {
      loop->dropAllUses();
      loop.erase();
    }
    // What a plugin has put between tile operations goes with them: it has lost
    // an operand.
    SmallVector<Operation *> dead;
    for (Operation &op : *forall.getBody())
      if (isa<AttnDialect>(op.getDialect()) ||
          llvm::is_contained(op.getOperands(), Value())) {
        op.dropAllUses();
        dead.push_back(&op);
      }
    for (Operation *op : dead)
      op->erase();
  }

  /// Copies what decides which tiles are taken, and counts in their place.
  void countBlock(Block &block, OpBuilder &builder, IRMapping &mapping) {
    auto addOne = [&](Location loc, Counter counter) {
      add(builder, loc, counter,
          arith::ConstantOp::create(builder, loc,
                                    builder.getI64IntegerAttr(1)));
    };
    for (Operation &op : block.without_terminator()) {
      if (auto scores = dyn_cast<ScoresOp>(op)) {
        addOne(op.getLoc(), scores.getMask().empty() ? full : partial);
        continue;
      }
      auto branch = dyn_cast<scf::IfOp>(op);
      if (branch && hasScores(branch)) {
        Value condition = mapping.lookupOrDefault(branch.getCondition());
        auto bare = scf::IfOp::create(builder, op.getLoc(), condition,
                                      /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(builder);
        for (auto [from, to] :
             llvm::zip(branch->getRegions(), bare->getRegions())) {
          builder.setInsertionPointToStart(&to.front());
          if (from.empty() || !hasScores(from))
            addOne(op.getLoc(), skipped);
          else
            countBlock(from.front(), builder, mapping);
        }
        continue;
      }
      // Tiles, and what was made of them, are not computed.
      auto isScalar = [](Type type) { return !isa<VectorType>(type); };
      bool isKnown = llvm::all_of(op.getOperands(), [&](Value operand) {
        Operation *source = operand.getDefiningOp();
        bool isInside = source && source->getBlock() == &block;
        return isScalar(operand.getType()) &&
               (!isInside || mapping.contains(operand));
      });
      if (isKnown && llvm::all_of(op.getResultTypes(), isScalar) &&
          !isa<AttnDialect>(op.getDialect()))
        builder.clone(op, mapping);
    }
  }

  template <typename Holder> static bool hasScores(Holder &&holder) {
    return holder.walk([](ScoresOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  /// Key tiles that no loop visits: those wholly before the first loop's start
  /// or after the last one's end.
  void countLoops(ArrayRef<scf::ForOp> loops) {
    scf::ForOp first = loops.front(), last = loops.back();
    ScoresOp scores;
    first.walk([&](ScoresOp op) { scores = op; });
    OpBuilder builder(last);
    builder.setInsertionPointAfter(last);
    Location loc = last.getLoc();
    Value keys = memref::DimOp::create(builder, loc, scores.getKey(), 0);
    Value step = last.getStep();
    auto ceil = [&](Value value) -> Value {
      return arith::CeilDivSIOp::create(builder, loc, value, step);
    };
    Value before =
        arith::DivSIOp::create(builder, loc, first.getLowerBound(), step);
    Value after = arith::SubIOp::create(builder, loc, ceil(keys),
                                        ceil(last.getUpperBound()));
    Value sum = arith::AddIOp::create(builder, loc, before, after);
    add(builder, loc, skipped,
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), sum));
  }

  Value counts;
};

} // namespace
