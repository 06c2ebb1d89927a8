//===- Configure.cpp - chooses tile sizes for the target ------------------===//

#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Target/CPU/CPUInfo.h"
#include "llvm/Support/MathExtras.h"

namespace fovea::attn {
#define GEN_PASS_DEF_ATTNCONFIGURE
#include "fovea/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace fovea::attn

using namespace mlir;
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
      if (!op.getTiling())
        op.setTilingAttr(choose(*info, op.getQuery().getType()));
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
};

} // namespace
