//===- Tile.cpp - kernels on tensors to loops over row tiles --------------===//
//
// Two steps: the kernel's tensors become memrefs (arguments, results as output
// arguments, intermediate tensors as allocations, captures as loads), and every
// attn operation on tensors becomes an scf.forall around its tile operation.
//
//===----------------------------------------------------------------------===//

#include "KernelBuffers.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNTILE
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea::attn;

namespace {

/// Rows of tokens that one task of a projection takes.
constexpr int64_t kProjectRows = 64;

class Tiler {
public:
  Tiler(KernelBuffers &buffers, Location loc) : buffers(buffers), loc(loc) {}

  LogicalResult tile(Operation *op) {
    OpBuilder atOp(op);
    builder = &atOp;
    loc = op->getLoc();
    if (auto sdpa = dyn_cast<SdpaOp>(op))
      return tileSdpa(sdpa);
    if (auto weights = dyn_cast<SdpaWeightsOp>(op))
      return tileWeights(weights);
    if (auto project = dyn_cast<ProjectOp>(op))
      return tileProject(project);
    if (auto split = dyn_cast<SplitHeadsOp>(op))
      buffers.split(atOp, split);
    return success();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(*builder, loc, value);
  }
  Value dim(Value buffer, int64_t index) {
    return memref::DimOp::create(*builder, loc, buffer, index);
  }

  /// The rank-reduced part of `buffer` at `batch` and, if given, `heads` heads
  /// from `head` on (0 heads: one head without its dimension).
  Value view(Value buffer, Value batch, Value head, int64_t heads) {
    auto type = cast<MemRefType>(buffer.getType());
    OpFoldResult one = builder->getIndexAttr(1),
                 zero = builder->getIndexAttr(0);
    SmallVector<OpFoldResult> offsets{batch, head},
        sizes{one, builder->getIndexAttr(std::max<int64_t>(heads, 1))};
    for (int64_t i = 2; i < type.getRank(); ++i) {
      offsets.push_back(zero);
      sizes.push_back(memref::getMixedSize(*builder, loc, buffer, i));
    }
    return subview(buffer, offsets, sizes, heads > 0 ? 1 : 2);
  }

  /// A view without its first `dropped` dims, of size 1. Said in the type, as
  /// which of several dims of size 1 go is a guess otherwise.
  Value subview(Value buffer, ArrayRef<OpFoldResult> offsets,
                ArrayRef<OpFoldResult> sizes, int64_t dropped) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<OpFoldResult> ones(type.getRank(), builder->getIndexAttr(1));
    auto whole = cast<MemRefType>(
        memref::SubViewOp::inferResultType(type, offsets, sizes, ones));
    auto [strides, offset] = whole.getStridesAndOffset();
    auto viewType = MemRefType::get(
        whole.getShape().drop_front(dropped), whole.getElementType(),
        StridedLayoutAttr::get(builder->getContext(), offset,
                               ArrayRef(strides).drop_front(dropped)));
    return memref::SubViewOp::create(*builder, loc, viewType, buffer, offsets,
                                     sizes, ones);
  }

  /// scf.forall over (batch, head, row) and the insertion point in it.
  scf::ForallOp buildForall(Value batches, int64_t heads, Value rows,
                            int64_t headStep, int64_t rowStep) {
    auto index = [&](int64_t value) -> OpFoldResult {
      return builder->getIndexAttr(value);
    };
    SmallVector<OpFoldResult> lower(3, index(0)),
        upper{batches, index(heads), rows},
        step{index(1), index(headStep), index(rowStep)};
    auto forall = scf::ForallOp::create(*builder, loc, lower, upper, step,
                                        ValueRange{}, std::nullopt);
    builder->setInsertionPointToStart(forall.getBody());
    return forall;
  }

  /// The query offset of `batch`: the offset region, or 0.
  Value buildOffset(Region &region, Value batch) {
    if (region.empty())
      return constant(0);
    IRMapping mapping;
    mapping.map(region.getArgument(0), batch);
    for (Operation &op : region.front().without_terminator())
      builder->clone(op, mapping);
    return mapping.lookupOrDefault(
        cast<YieldOp>(region.front().getTerminator()).getValue());
  }

  /// Checks the tiling of an operation against its head counts.
  template <typename OpTy> LogicalResult checkTiling(OpTy op) {
    if (!op.getTiling())
      return op.emitOpError("has no tiling; run attn-configure first");
    SmallVector<TilingAttr> tilings{*op.getTiling()};
    if (ArrayAttr shorts = op.getShortTilingsAttr())
      llvm::append_range(tilings, shorts.template getAsRange<TilingAttr>());
    int64_t heads = op.getQuery().getType().getDimSize(1);
    int64_t group = heads / op.getKey().getType().getDimSize(1);
    for (TilingAttr tiling : tilings)
      if (group % tiling.getHeads() != 0)
        return op.emitOpError("expects the heads of the tiling to divide the ")
               << group << " query heads of a key head, but got "
               << tiling.getHeads();
    return success();
  }

  /// What sdpa and sdpa_weights tiles share.
  struct Place {
    Value batch, head, row, offset, query, key, keyHead;
  };
  template <typename OpTy>
  Place buildPlace(OpTy op, TilingAttr tiling, Value query, Value key) {

    int64_t heads = cast<MemRefType>(query.getType()).getDimSize(1);
    int64_t group = heads / cast<MemRefType>(key.getType()).getDimSize(1);
    auto forall = buildForall(dim(query, 0), heads, dim(query, 2),
                              tiling.getHeads(), tiling.getQueries());
    Place place;
    place.batch = forall.getInductionVar(0);
    place.head = forall.getInductionVar(1);
    place.row = forall.getInductionVar(2);
    place.keyHead = group == 1
                        ? place.head
                        : arith::DivUIOp::create(*builder, loc, place.head,
                                                 constant(group));
    place.offset = buildOffset(op.getOffset(), place.batch);
    place.query = view(query, place.batch, place.head, tiling.getHeads());
    place.key = view(key, place.batch, place.keyHead, 0);
    return place;
  }

  /// Calls `build` for the tiling of an operation: for each short one under a
  /// branch that `length` takes, for the other where it takes none.
  template <typename OpTy>
  void buildTilings(OpTy op, Value length,
                    llvm::function_ref<void(TilingAttr)> build) {
    OpBuilder::InsertionGuard guard(*builder);
    if (ArrayAttr shorts = op.getShortTilingsAttr())
      for (auto tiling : shorts.template getAsRange<TilingAttr>()) {
        Value isShort =
            arith::CmpIOp::create(*builder, loc, arith::CmpIPredicate::sle,
                                  length, constant(tiling.getQueries()));
        auto branch = scf::IfOp::create(*builder, loc, isShort,
                                        /*withElseRegion=*/true);
        builder->setInsertionPointToStart(branch.thenBlock());
        build(tiling);
        builder->setInsertionPointToStart(branch.elseBlock());
      }
    build(*op.getTiling());
  }

  LogicalResult tileSdpa(SdpaOp op) {
    if (failed(checkTiling(op)))
      return failure();
    Value query = buffers.lookup(op.getQuery()),
          key = buffers.lookup(op.getKey()),
          value = buffers.lookup(op.getValue());
    Value out =
        buffers.create(*builder, op.getOut(),
                       {dim(query, 0), nullptr, dim(query, 2), nullptr});
    Value lse;
    if (op.getLse())
      lse = buffers.create(*builder, op.getLse(),
                           {dim(query, 0), nullptr, dim(query, 2)});
    auto build = [&](TilingAttr tiling) {
      OpBuilder::InsertionGuard guard(*builder);
      Place place = buildPlace(op, tiling, query, key);
      int64_t heads = tiling.getHeads();
      Value lseView;
      if (lse)
        lseView = view(lse, place.batch, place.head, heads);
      auto tile = SdpaTileOp::create(
          *builder, loc, place.query, place.key,
          view(value, place.batch, place.keyHead, 0),
          view(out, place.batch, place.head, heads), lseView, place.batch,
          place.head, place.row, place.offset, op.getScale(), tiling);
      IRMapping mapping;
      op.getScore().cloneInto(&tile.getScore(), mapping);
      op.getMask().cloneInto(&tile.getMask(), mapping);
    };
    buildTilings(op, dim(query, 2), build);
    return success();
  }

  LogicalResult tileWeights(SdpaWeightsOp op) {
    if (failed(checkTiling(op)))
      return failure();
    Value query = buffers.lookup(op.getQuery()),
          key = buffers.lookup(op.getKey()), lse = buffers.lookup(op.getLse());
    Value weights =
        buffers.create(*builder, op.getWeights(),
                       {dim(query, 0), nullptr, dim(query, 2), dim(key, 2)});
    auto build = [&](TilingAttr tiling) {
      OpBuilder::InsertionGuard guard(*builder);
      Place place = buildPlace(op, tiling, query, key);
      int64_t heads = tiling.getHeads();
      auto tile = WeightsTileOp::create(
          *builder, loc, place.query, place.key,
          view(lse, place.batch, place.head, heads),
          view(weights, place.batch, place.head, heads), place.batch,
          place.head, place.row, place.offset, op.getScale(), tiling);
      IRMapping mapping;
      op.getScore().cloneInto(&tile.getScore(), mapping);
      op.getMask().cloneInto(&tile.getMask(), mapping);
    };
    buildTilings(op, dim(query, 2), build);
    return success();
  }

  LogicalResult tileProject(ProjectOp op) {
    if (op.getInput().getType().getRank() == 4 &&
        !buffers.isMerged(op.getInput()))
      return op.emitOpError("expects its input [B,H,S,D] to be made by an attn "
                            "operation whose result is not returned as well");
    // Tokens as [B,S,M]; the result as [B,H,S,N/H], one head if not split.
    Value input = buffers.lookup(op.getInput());
    Value tokens = buffers.asTokens(*builder, loc, input);
    Value weight = buffers.lookup(op.getWeight());
    Value bias = op.getBias() ? buffers.lookup(op.getBias()) : Value();
    RankedTensorType resultType = op.getResult().getType();
    SmallVector<Value> sizes(resultType.getRank());
    if (resultType.getRank() > 2)
      sizes[0] = dim(tokens, 0);
    sizes[resultType.getRank() - 2] = dim(tokens, 1);
    Value result = buffers.create(*builder, op.getResult(), sizes);
    Value split = buffers.asHeads(*builder, loc, result);
    auto splitType = cast<MemRefType>(split.getType());
    int64_t heads = splitType.getDimSize(1), width = splitType.getDimSize(3);

    auto forall =
        buildForall(dim(tokens, 0), heads, dim(tokens, 1), 1, kProjectRows);
    Value batch = forall.getInductionVar(0), head = forall.getInductionVar(1);
    Value column = arith::MulIOp::create(*builder, loc, head, constant(width));
    auto weightType = cast<MemRefType>(weight.getType());
    SmallVector<OpFoldResult> offsets{builder->getIndexAttr(0), column},
        sizesAttr{builder->getIndexAttr(weightType.getDimSize(0)),
                  builder->getIndexAttr(width)},
        ones(2, builder->getIndexAttr(1));
    Value columns = memref::SubViewOp::create(*builder, loc, weight, offsets,
                                              sizesAttr, ones);
    Value biasPart;
    if (bias)
      biasPart = memref::SubViewOp::create(
          *builder, loc, bias, ArrayRef<OpFoldResult>{column},
          ArrayRef<OpFoldResult>{builder->getIndexAttr(width)},
          ArrayRef<OpFoldResult>{builder->getIndexAttr(1)});
    // tokens [B,S,M] at batch: [S,M].
    auto tokensType = cast<MemRefType>(tokens.getType());
    SmallVector<OpFoldResult> at{batch, builder->getIndexAttr(0),
                                 builder->getIndexAttr(0)},
        extent{builder->getIndexAttr(1),
               memref::getMixedSize(*builder, loc, tokens, 1),
               builder->getIndexAttr(tokensType.getDimSize(2))};
    Value rows = subview(tokens, at, extent, 1);
    ProjectTileOp::create(*builder, loc, rows, columns, biasPart,
                          view(split, batch, head, 0),
                          forall.getInductionVar(2), kProjectRows);
    return success();
  }

  KernelBuffers &buffers;
  OpBuilder *builder = nullptr;
  Location loc;
};

struct Tile : fovea::attn::impl::AttnTileBase<Tile> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (failed(tileKernel(function)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult tileKernel(func::FuncOp function) {
    KernelBuffers buffers(function);
    if (failed(buffers.convertSignature()))
      return failure();
    Tiler tiler(buffers, function.getLoc());
    SmallVector<Operation *> tensorOps;
    for (Operation &op : llvm::make_early_inc_range(function.front())) {
      if (isa<SdpaOp, SdpaWeightsOp, ProjectOp, SplitHeadsOp, MergeHeadsOp>(
              op)) {
        for (Value operand : op.getOperands())
          if (isa<RankedTensorType>(operand.getType()) &&
              !buffers.lookup(operand))
            return op.emitOpError("expects tensors that are arguments, "
                                  "constants or results of attn operations");
        if (failed(tiler.tile(&op)))
          return failure();
        if (auto merge = dyn_cast<MergeHeadsOp>(op))
          if (!buffers.lookup(merge.getResult()))
            return merge.emitOpError("expects its input to be made by an attn "
                                     "operation whose result is not returned "
                                     "as well, and to be merged once");
        tensorOps.push_back(&op);
      }
    }
    if (failed(buffers.replaceReads()))
      return failure();
    for (Operation *op : llvm::reverse(tensorOps))
      op->erase();
    return buffers.finish();
  }
};

} // namespace
