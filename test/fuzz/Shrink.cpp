//===- Shrink.cpp - smaller cases with the same fault ---------------------===//

#include "Shrink.h"
#include <chrono>

using namespace fovea;
using namespace fovea::fuzz;

namespace {

class Shrinker {
public:
  using Run = llvm::function_ref<std::optional<Finding>(const Case &)>;

  Shrinker(Case drawn, Finding &finding, Run run)
      : best(std::move(drawn)), finding(finding), run(run) {}

  Case shrink() {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    if (finding.call > 0 || best.calls.size() > 1)
      attempt([&](Case &next) {
        Call call = next.calls[std::max(finding.call, 0)];
        next.calls = {call};
      });
    do {
      improved = false;
      dropEntries();
      simplifySettings();
      simplifyShape();
    } while (improved && best.calls.size() == 1 &&
             std::chrono::steady_clock::now() < end);
    return std::move(best);
  }

private:
  template <typename Change> bool attempt(Change change) {
    Case next = best;
    change(next);
    if (next.calls.size() == 1)
      dropImpossible(next, next.calls.front());
    if (toYaml(next) == toYaml(best) && next.target == best.target &&
        describe(next, next.calls.front()) ==
            describe(best, best.calls.front()) &&
        next.calls.size() == best.calls.size())
      return false;
    std::optional<Finding> again = run(next);
    if (!again || again->kind != finding.kind)
      return false;
    // Another config that is refused for another reason is no smaller one.
    if (again->kind == FindingKind::Refused &&
        again->text.substr(0, 24) != finding.text.substr(0, 24))
      return false;
    best = std::move(next);
    finding = *again;
    return improved = true;
  }

  template <typename T> void set(T Case::*member, T value) {
    if (best.*member != value)
      attempt([&](Case &next) { next.*member = value; });
  }
  template <typename T> void setCall(T Call::*member, T value) {
    if (best.calls.front().*member != value)
      attempt([&](Case &next) {
        for (Call &call : next.calls)
          call.*member = value;
      });
  }

  void dropEntries() {
    for (size_t n = best.score.size(); n-- > 0;)
      attempt([&](Case &next) { next.score.erase(next.score.begin() + n); });
    for (size_t n = best.mask.size(); n-- > 0;)
      attempt([&](Case &next) { next.mask.erase(next.mask.begin() + n); });
    for (bool Case::*output : {&Case::hasWeights, &Case::hasLse, &Case::hasOut})
      if (best.hasOut + best.hasLse + best.hasWeights > 1)
        set(output, false);
    for (size_t n = 0; n < best.score.size(); ++n)
      for (int dim = 0; dim < 4; ++dim)
        if (best.score[n].full[dim])
          attempt([&](Case &next) { next.score[n].full[dim] = false; });
    for (size_t n = 0; n < best.mask.size(); ++n)
      for (int dim = 0; dim < 4; ++dim)
        if (best.mask[n].full[dim])
          attempt([&](Case &next) { next.mask[n].full[dim] = false; });
  }

  void simplifySettings() {
    set(&Case::offset, best.isPositional() ? Case::Integer : Case::NoOffset);
    set<int64_t>(&Case::offsetValue, 0);
    set(&Case::scale, Case::DefaultScale);
    set(&Case::biases, std::string());
    set<int64_t>(&Case::outDim, 0);
    if (best.kind == Kind::SelfLayer)
      set(&Case::kind, Kind::CrossLayer);
    attempt([](Case &next) {
      next.kind = Kind::Sdpa;
      next.isFlat = false;
    });
    set(&Case::layout, std::string("bhsd"));
    set(&Case::dtype, std::string("f32"));
    set(&Case::target, std::string("host"));
    for (bool Case::*any :
         {&Case::anyBatch, &Case::anyQuery, &Case::anyKv, &Case::isFlat})
      set(any, false);
    setCall(&Call::hook, Hook::None);
    setCall(&Call::givesWorkspace, false);
    setCall(&Call::isNarrowIndex, false);
    setCall(&Call::isGuardBefore, false);
    for (unsigned n = 0; n < numStrideStyles; ++n)
      setCall(&Call::strides, best.calls.front().strides & ~(1u << n));
    for (unsigned n = 0; n < numSpecials; ++n)
      setCall(&Call::specials, best.calls.front().specials & ~(1u << n));
  }

  /// Towards `least` by halves, then by ones.
  template <typename Get> void reduce(Get get, int64_t least) {
    while (get(best) > least && attempt([&](Case &next) {
             get(next) = std::max(get(next) / 2, least);
           }))
      ;
    while (get(best) > least && attempt([&](Case &next) { --get(next); }))
      ;
  }

  void simplifyShape() {
    attempt([](Case &next) { next.heads = next.kvHeads = 1; });
    attempt([](Case &next) { next.heads = next.kvHeads; });
    attempt([](Case &next) { next.heads /= next.kvHeads, next.kvHeads = 1; });
    reduce([](auto &c) -> auto & { return c.qkDim; }, 1);
    reduce([](auto &c) -> auto & { return c.vDim; }, 1);
    if (best.isLayer()) {
      attempt([](Case &next) { next.contextDim = next.modelDim; });
      reduce([](auto &c) -> auto & { return c.modelDim; }, 1);
      reduce([](auto &c) -> auto & { return c.contextDim; }, 1);
    }
    if (best.calls.size() != 1)
      return;
    reduce([](auto &c) -> auto & { return c.calls.front().batch; }, 1);
    if (best.kind == Kind::SelfLayer)
      return;
    reduce([](auto &c) -> auto & { return c.calls.front().query; }, 1);
    reduce([](auto &c) -> auto & { return c.calls.front().kv; }, 1);
  }

  Case best;
  Finding &finding;
  Run run;
  bool improved = false;
};

} // namespace

Case fuzz::shrink(
    Case drawn, Finding &finding,
    llvm::function_ref<std::optional<Finding>(const Case &)> run) {
  return Shrinker(std::move(drawn), finding, run).shrink();
}
