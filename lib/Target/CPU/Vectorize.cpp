//===- Vectorize.cpp - tile operations to register-sized vector code ------===//

#include "HeadLanes.h"
#include "ProjectTile.h"
#include "QueryLanes.h"

namespace fovea::cpu {
#define GEN_PASS_DEF_ATTNVECTORIZE
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

namespace {

struct Vectorize : cpu::impl::AttnVectorizeBase<Vectorize> {
  void runOnOperation() override {
    FailureOr<CPUInfo> info = getCPUInfo(getOperation());
    if (failed(info))
      return signalPassFailure();
    SmallVector<scf::ForallOp> foralls;
    getOperation().walk([&](scf::ForallOp op) { foralls.push_back(op); });
    for (scf::ForallOp forall : foralls)
      if (failed(vectorize(forall, *info)))
        return signalPassFailure();
  }

private:
  LogicalResult vectorize(scf::ForallOp forall, const CPUInfo &info) {
    SmallVector<attn::LoadQueriesOp> queries;
    SmallVector<attn::StoreOutputOp> stores;
    SmallVector<attn::ProjectTileOp> projections;
    forall.walk([&](Operation *op) {
      if (auto load = dyn_cast<attn::LoadQueriesOp>(op))
        queries.push_back(load);
      if (auto store = dyn_cast<attn::StoreOutputOp>(op))
        stores.push_back(store);
      if (auto project = dyn_cast<attn::ProjectTileOp>(op))
        projections.push_back(project);
    });
    for (attn::ProjectTileOp project : projections) {
      lowerProjectTile(project, info);
      project.erase();
    }
    if (queries.size() > 1)
      return queries[1].emitOpError("expects one query tile in an scf.forall");
    if (!queries.empty())
      return lower(forall, QueryTile(queries[0]), info);
    // A mask that allows no key leaves only the output to write.
    if (!stores.empty())
      return lower(forall, QueryTile(stores[0]), info);
    return success();
  }

  LogicalResult lower(scf::ForallOp forall, const QueryTile &tile,
                      const CPUInfo &info) {
    if (HeadLanes::isBetter(tile.rows,
                            info.getLanes(tile.getAccumulatorBits())))
      return HeadLanes(forall, tile, info).run();
    return QueryLanes(forall, tile, info).run();
  }
};

} // namespace
