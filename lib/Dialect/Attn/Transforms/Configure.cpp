//===- Configure.cpp - chooses tile sizes for the target ------------------===//

#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Support/Remarks.h"
#include "fovea/Target/CPU/CPUInfo.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNCONFIGURE
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

namespace {

/// Chooses the tilings of one operation.
class Chooser {
public:
  Chooser(const fovea::cpu::CPUInfo &info, RankedTensorType query,
          RankedTensorType key, ArrayRef<Region *> regions, int64_t queries,
          int64_t keys)
      : context(query.getContext()), queries(queries), keys(keys),
        lanes(info.getLanes(getAccumulatorType(query.getElementType())
                                .getIntOrFloatBitWidth())),
        vectors(info.getTileVectors()),
        group(query.getDimSize(1) / key.getDimSize(1)),
        length(query.getDimSize(2)) {
    for (Region *region : regions)
      region->walk([&](tensor::ExtractOp) { readsTensors = true; });
  }

  /// The tiling, and those for run-time lengths that turn out to be short.
  TilingAttr choose(SmallVectorImpl<Attribute> &shorts) const {
    if (queries)
      return get(1, queries);
    if (!ShapedType::isDynamic(length)) {
      if (isShort(length))
        return get(group, std::max<int64_t>(length, 1));
      // Lanes past a short query length would compute the same row again.
      return get(1, lanes * std::clamp<int64_t>(llvm::divideCeil(length, lanes),
                                                1, vectors));
    }
    if (isShort(1))
      shorts.push_back(get(group, 1));
    int64_t most = group == 1 ? lanes / 2 : lanes * vectors / group;
    if (most > 1 && isShort(most))
      shorts.push_back(get(group, most));
    return get(1, lanes * vectors);
  }

private:
  TilingAttr get(int64_t heads, int64_t count) const {
    // Scores of few rows are small, and so is the work between two tiles.
    int64_t most = isFew(heads * count) ? 512 : 128;
    return TilingAttr::get(context, heads, count, keys ? keys : most);
  }

  /// Whether rows would leave half of a vector's lanes unused.
  bool isFew(int64_t rows) const { return 2 * rows <= lanes; }

  /// Whether `count` queries are better off with the heads of a group in one
  /// tile: then its keys and values are read once. Rows few enough have the
  /// head dim in lanes; else rows lie in lanes, where reads by head would be
  /// gathers.
  bool isShort(int64_t count) const {
    int64_t rows = group * count;
    return isFew(rows) ||
           (group > 1 && rows <= lanes * vectors && !readsTensors);
  }

  MLIRContext *context;
  int64_t queries, keys, lanes, vectors, group, length;
  bool readsTensors = false;
};

struct Configure : fovea::attn::impl::AttnConfigureBase<Configure> {
  using Base::Base;

  void runOnOperation() override {
    if (queries < 0 || queries > 4096 || keys < 0 || keys > 65536) {
      getOperation().emitError("attn-configure expects queries up to 4096 and "
                               "keys up to 65536, or 0 for the target's, but "
                               "got ")
          << queries << " and " << keys;
      return signalPassFailure();
    }
    FailureOr<fovea::cpu::CPUInfo> info =
        fovea::cpu::getCPUInfo(getOperation());
    if (failed(info))
      return signalPassFailure();
    getOperation().walk([&](SdpaOp op) { configure(op, *info); });
    getOperation().walk([&](SdpaWeightsOp op) { configure(op, *info); });
  }

private:
  template <typename OpTy>
  void configure(OpTy op, const fovea::cpu::CPUInfo &info) {
    if (op.getTiling()) {
      remark::analysis(op.getLoc(),
                       getRemarkOpts(op, kRemarkTiles, "tile-sizes-kept"))
          << "tile sizes stay as the input has them";
      return;
    }
    RankedTensorType query = op.getQuery().getType();
    Chooser chooser(info, query, op.getKey().getType(),
                    {&op.getScore(), &op.getMask()}, queries, keys);
    SmallVector<Attribute> shorts;
    op.setTilingAttr(chooser.choose(shorts));
    explain(op, *op.getTiling(), query, info, /*isShort=*/false);
    if (!shorts.empty())
      op.setShortTilingsAttr(ArrayAttr::get(&getContext(), shorts));
    for (Attribute tiling : shorts)
      explain(op, cast<TilingAttr>(tiling), query, info, /*isShort=*/true);
  }

  void explain(Operation *op, TilingAttr tiling, RankedTensorType query,
               const fovea::cpu::CPUInfo &info, bool isShort) {
    auto said = remark::passed(op->getLoc(),
                               getRemarkOpts(op, kRemarkTiles, "tile-sizes"));
    if (!said)
      return;
    Type accumulator = getAccumulatorType(query.getElementType());
    unsigned bits = accumulator.getIntOrFloatBitWidth();
    int64_t lanes = info.getLanes(bits), rows = tiling.getRows();
    auto target = getOperation()->getAttrOfType<TargetAttr>(kTargetAttr);
    std::string text, reason;
    auto count = [](int64_t n, StringRef what) {
      return (Twine(n) + " " + what + (n == 1 ? "" : "s")).str();
    };
    text = "a tile is " + count(tiling.getQueries(), "query row") + " of " +
           count(tiling.getHeads(), "head") + " by " +
           count(tiling.getKeys(), "key");
    llvm::raw_string_ostream os(reason);
    if (isShort)
      text =
          "for up to " + count(tiling.getQueries(), "query row") + " " + text;
    if (tiling.getHeads() > 1)
      os << "heads of a group share its keys and values; ";
    if (queries || keys)
      os << "as the pass options say; ";
    else if (!query.isDynamicDim(2) && query.getDimSize(2) <= rows)
      os << "the query length is " << query.getDimSize(2) << "; ";
    if (2 * rows <= lanes)
      os << "the rows would fill at most half a vector";
    else
      os << "the rows fill " << count(llvm::divideCeil(rows, lanes), "vector");
    os << " of " << lanes << " " << accumulator << " ('" << target.getCpu()
       << "' has vectors of " << info.vectorBytes
       << " bytes), their scores take "
       << llvm::divideCeil(rows * tiling.getKeys() * bits / 8, 1024)
       << " KiB of scratch";
    said << text << remark::reason("{0}", reason);
  }
};

} // namespace
