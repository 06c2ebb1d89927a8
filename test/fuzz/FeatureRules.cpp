//===- FeatureRules.cpp - pairs of features that no call can have ---------===//

#include "Features.h"

using namespace fovea;
using namespace fovea::fuzz;
using llvm::StringRef;

namespace {
/// Two features, or an axis with a colon for all of its values.
struct Rule {
  StringRef a, b, reason;
};
} // namespace

static constexpr Rule rules[] = {
    {"layout:", "kind:self-layer", "a layer takes no layout"},
    {"layout:", "kind:cross-layer", "a layer takes no layout"},
    {"layout:", "projection:", "a layer takes no layout"},
    {"layout:", "batch:absent", "a layer takes no layout"},
    {"projection:", "kind:sdpa", "only layers project"},
    {"projection:context_dim", "kind:self-layer", "only cross has a context"},
    {"projection:none", "projection:", "none excludes others"},
    {"batch:absent", "kind:sdpa", "only a layer may lack a batch"},
    {"batch:absent", "batch-size:zero", "without a batch there is one"},
    {"batch:absent", "batch-size:several", "without a batch there is one"},

    {"qk-dim:one", "v-dim:smaller", "no dim is below 1"},
    {"score:none", "score:", "none excludes others"},
    {"score:alibi", "score:alibi-input", "alibi is listed once"},
    {"mask:none", "mask:", "none excludes others"},
    {"special:none", "special:", "none excludes others"},
    {"stride:compact", "stride:", "compact excludes others"},

    {"mask:none", "special:nan-forbidden", "nothing is forbidden"},
    {"mask:none", "special:inf-forbidden", "nothing is forbidden"},
    {"mask:none", "special:nan-bias", "nothing is forbidden"},
    {"mask:none", "special:no-keys", "nothing is forbidden"},
    {"mask:none", "special:lengths", "there is no length"},
    {"score:none", "special:nan-bias", "there is no bias"},
    {"score:none", "special:inf-bias", "there is no bias"},
    {"score:none", "special:min-bias", "there is no bias"},
    {"special:inf-bias", "special:nan-allowed",
     "open whether a NaN counts where all scores of a row are -inf"},
    {"kind:self-layer", "special:inf-forbidden",
     "an infinite token makes an infinite query too"},

    {"batch-size:zero", "special:nan-forbidden", "there are no values"},
    {"batch-size:zero", "special:inf-forbidden", "there are no values"},
    {"batch-size:zero", "special:nan-allowed", "there are no values"},
    {"batch-size:zero", "special:nan-bias", "there are no values"},
    {"batch-size:zero", "special:huge", "there are no values"},
    {"batch-size:zero", "special:tiny", "there are no values"},
    {"batch-size:zero", "special:lengths", "there are no lengths"},
    {"batch-size:zero", "special:no-keys", "there are no rows"},
    {"query:zero", "special:nan-bias", "there are no rows"},
    {"query:zero", "special:nan-allowed", "there are no rows"},
    {"query:zero", "special:no-keys", "there are no rows"},
    {"kv:zero", "special:nan-forbidden", "there are no keys"},
    {"kv:zero", "special:inf-forbidden", "there are no keys"},
    {"kv:zero", "special:nan-allowed", "there are no keys"},
    {"kv:zero", "special:nan-bias", "there are no keys"},
    {"kv:zero", "special:huge", "there are no keys"},
    {"kv:zero", "special:tiny", "there are no keys"},
    {"kv:zero", "special:no-keys", "all rows are without keys"},
};

static StringRef getAxis(StringRef feature) {
  return feature.take_front(feature.find(':') + 1);
}

static bool matches(StringRef pattern, StringRef feature) {
  return pattern.ends_with(":") ? feature.starts_with(pattern)
                                : feature == pattern;
}

StringRef fuzz::whyImpossible(unsigned a, unsigned b) {
  std::string x = getFeatureName(a), y = getFeatureName(b);
  StringRef axis = getAxis(x);
  bool hasManyValues = axis == "projection:" || axis == "score:" ||
                       axis == "mask:" || axis == "output:" ||
                       axis == "stride:" || axis == "special:";
  if (axis == getAxis(y) && !hasManyValues)
    return "one call has one value of the axis";
  for (const Rule &rule : rules)
    if ((matches(rule.a, x) && matches(rule.b, y)) ||
        (matches(rule.a, y) && matches(rule.b, x)))
      return rule.reason;
  return "";
}
