//===- Configure.cpp - chooses tile sizes for the target ------------------===//

#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Support/Remarks.h"
#include "fovea/Target/CPU/CPUInfo.h"
#include "llvm/Support/MathExtras.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNCONFIGURE
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
using namespace fovea;
using namespace fovea::attn;

namespace {

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
    auto configure = [&](auto op) {
      if (!op.getTiling()) {
        op.setTilingAttr(choose(*info, op.getQuery().getType()));
        explain(op, *op.getTiling(), op.getQuery().getType(), *info);
      } else {
        remark::analysis(op.getLoc(),
                         getRemarkOpts(op, kRemarkTiles, "tile-sizes-kept"))
            << "tile sizes stay as the input has them";
      }
    };
    getOperation().walk([&](SdpaOp op) { configure(op); });
    getOperation().walk([&](SdpaWeightsOp op) { configure(op); });
  }

private:
  TilingAttr choose(const fovea::cpu::CPUInfo &info, RankedTensorType query) {
    Type accumulator = getAccumulatorType(query.getElementType());
    int64_t lanes = info.getLanes(accumulator.getIntOrFloatBitWidth());
    int64_t vectors = info.getTileVectors();
    // Lanes past a short query length would compute the same row again.
    if (!query.isDynamicDim(2))
      vectors = std::clamp<int64_t>(
          llvm::divideCeil(query.getDimSize(2), lanes), 1, vectors);
    return TilingAttr::get(&getContext(), /*heads=*/1,
                           queries ? queries : lanes * vectors,
                           keys ? keys : 128);
  }

  void explain(Operation *op, TilingAttr tiling, RankedTensorType query,
               const fovea::cpu::CPUInfo &info) {
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
    if (queries || keys)
      os << "as the pass options say; ";
    else if (!query.isDynamicDim(2) && query.getDimSize(2) <= rows)
      os << "the query length is " << query.getDimSize(2) << "; ";
    os << "the rows fill " << count(llvm::divideCeil(rows, lanes), "vector")
       << " of " << lanes << " " << accumulator << " ('" << target.getCpu()
       << "' has vectors of " << info.vectorBytes
       << " bytes), their scores take "
       << llvm::divideCeil(rows * tiling.getKeys() * bits / 8, 1024)
       << " KiB of scratch";
    said << text << remark::reason("{0}", reason);
  }
};

} // namespace
