//===- Features.cpp - features of calls -----------------------------------===//

#include "Features.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>

using namespace fovea;
using namespace fovea::fuzz;
using llvm::StringRef;

static constexpr StringRef strideStyles[numStrideStyles] = {
    "padded", "permuted", "zero", "inner", "negative"};
static constexpr StringRef specials[numSpecials] = {
    "nan-forbidden", "inf-forbidden", "nan-allowed", "nan-bias", "inf-bias",
    "min-bias",      "huge",          "tiny",        "lengths",  "no-keys"};

StringRef fuzz::getStrideStyleName(unsigned number) {
  return strideStyles[number];
}
StringRef fuzz::getSpecialName(unsigned number) { return specials[number]; }

namespace {

struct Axis {
  StringRef name;
  std::vector<StringRef> values;
};

/// All features, by name and number. What is not listed here is no feature.
class Table {
public:
  Table() {
    std::vector<StringRef> strides = {"compact"};
    llvm::append_range(strides, strideStyles);
    std::vector<StringRef> values = {"none"};
    llvm::append_range(values, specials);
    const Axis axes[] = {
        {"dtype", {"f32", "f16", "bf16", "f64"}},
        {"layout", {"bhsd", "bshd", "bsd"}},
        {"kind", {"sdpa", "self-layer", "cross-layer"}},
        {"projection", {"none", "out_dim", "biases", "context_dim"}},
        {"target", {"host", "x86-64-v3"}},
        {"batch", {"fixed", "any", "absent"}},
        {"batch-size", {"zero", "one", "several"}},
        {"query-length", {"fixed", "any"}},
        {"query", {"zero", "one", "below-tile", "tile", "above-tile", "other"}},
        {"kv-length", {"fixed", "any"}},
        {"kv", {"zero", "one", "below-tile", "tile", "above-tile", "other"}},
        {"heads", {"one", "equal", "grouped", "shared"}},
        {"qk-dim", {"one", "small", "prime", "multiple-of-8", "other"}},
        {"v-dim", {"as-qk", "smaller", "larger"}},
        {"offset", {"absent", "zero", "positive", "negative", "end", "input"}},
        {"scale", {"default", "positive", "negative", "zero", "input"}},
        {"score",
         {"none", "softcap", "bias", "alibi", "alibi-input", "expr",
          "expr-tensor"}},
        {"mask",
         {"none", "causal", "window", "kv_lengths", "q_lengths", "tensor",
          "expr", "expr-tensor", "documents", "prefix", "region"}},
        {"output", {"out", "lse", "weights"}},
        {"hook", {"none", "pool", "reversed"}},
        {"guard", {"before", "after"}},
        {"workspace", {"own", "given"}},
        {"index", {"i32", "i64"}},
        {"stride", strides},
        {"special", values}};
    for (const Axis &axis : axes)
      for (StringRef value : axis.values) {
        std::string name = (axis.name + ":" + value).str();
        numbers[name] = names.size();
        names.push_back(name);
      }
  }

  unsigned lookup(StringRef axis, StringRef value) const {
    auto entry = numbers.find((axis + ":" + value).str());
    if (entry == numbers.end())
      llvm::report_fatal_error("no feature is named " + axis + ":" + value);
    return entry->second;
  }

  std::vector<std::string> names;

private:
  llvm::StringMap<unsigned> numbers;
};

const Table &getTable() {
  static const Table table;
  return table;
}

bool isPrime(int64_t number) {
  for (int64_t n = 2; n * n <= number; ++n)
    if (number % n == 0)
      return false;
  return number > 1;
}

StringRef classifyLength(int64_t length, int64_t tile) {
  if (length <= 1)
    return length ? "one" : "zero";
  int64_t rest = length % tile;
  return rest == 0          ? "tile"
         : rest == 1        ? "above-tile"
         : rest == tile - 1 ? "below-tile"
                            : "other";
}

class Collector {
public:
  Collector(const Case &drawn, const Call &call) : drawn(drawn), call(call) {}

  llvm::SmallVector<unsigned, 48> collect() {
    addKind();
    addSizes();
    addPosition();
    addScore();
    addMask();
    addCall();
    llvm::sort(features);
    features.erase(std::unique(features.begin(), features.end()),
                   features.end());
    return std::move(features);
  }

private:
  void add(StringRef axis, StringRef value) {
    features.push_back(getTable().lookup(axis, value));
  }

  void addKind() {
    add("dtype", drawn.dtype);
    add("target", drawn.target);
    if (drawn.hasOut)
      add("output", "out");
    if (drawn.hasLse)
      add("output", "lse");
    if (drawn.hasWeights)
      add("output", "weights");
    add("kind", drawn.kind == Kind::Sdpa        ? "sdpa"
                : drawn.kind == Kind::SelfLayer ? "self-layer"
                                                : "cross-layer");
    if (!drawn.isLayer())
      return add("layout", drawn.layout);
    if (drawn.outDim)
      add("projection", "out_dim");
    if (!drawn.biases.empty())
      add("projection", "biases");
    if (drawn.contextDim != drawn.modelDim)
      add("projection", "context_dim");
    if (!drawn.outDim && drawn.biases.empty() &&
        drawn.contextDim == drawn.modelDim)
      add("projection", "none");
  }

  void addSizes() {
    add("batch", drawn.isFlat ? "absent" : drawn.anyBatch ? "any" : "fixed");
    add("batch-size", call.batch > 1 ? "several" : call.batch ? "one" : "zero");
    add("query-length", drawn.anyQuery ? "any" : "fixed");
    add("kv-length", drawn.anyKv ? "any" : "fixed");
    add("query", classifyLength(call.query, 48));
    add("kv", classifyLength(call.kv, 128));
    add("heads", drawn.heads == 1               ? "one"
                 : drawn.heads == drawn.kvHeads ? "equal"
                 : drawn.kvHeads == 1           ? "shared"
                                                : "grouped");
    int64_t dim = drawn.qkDim;
    add("qk-dim", dim == 1       ? "one"
                  : dim % 8 == 0 ? "multiple-of-8"
                  : dim < 16     ? "small"
                  : isPrime(dim) ? "prime"
                                 : "other");
    add("v-dim", drawn.vDim == dim  ? "as-qk"
                 : drawn.vDim < dim ? "smaller"
                                    : "larger");
  }

  void addPosition() {
    int64_t value = drawn.offsetValue;
    add("offset", drawn.offset == Case::NoOffset      ? "absent"
                  : drawn.offset == Case::End         ? "end"
                  : drawn.offset == Case::OffsetInput ? "input"
                  : value == 0                        ? "zero"
                  : value > 0                         ? "positive"
                                                      : "negative");
    add("scale", drawn.scale == Case::DefaultScale ? "default"
                 : drawn.scale == Case::ScaleInput ? "input"
                 : drawn.scaleValue == 0           ? "zero"
                 : drawn.scaleValue > 0            ? "positive"
                                                   : "negative");
  }

  void addScore() {
    if (drawn.score.empty())
      add("score", "none");
    static constexpr StringRef names[] = {"softcap", "bias", "alibi",
                                          "alibi-input", "expr"};
    for (const ScoreEntry &entry : drawn.score)
      add("score", entry.captures.empty() ? names[entry.form] : "expr-tensor");
  }

  void addMask() {
    if (drawn.mask.empty())
      add("mask", "none");
    static constexpr StringRef names[] = {"causal",    "window", "kv_lengths",
                                          "q_lengths", "tensor", "expr",
                                          "documents", "prefix", "region"};
    for (const MaskEntry &entry : drawn.mask)
      add("mask", entry.form == MaskEntry::Expr && !entry.captures.empty()
                      ? "expr-tensor"
                      : names[entry.form]);
  }

  void addCall() {
    add("hook", call.hook == Hook::None   ? "none"
                : call.hook == Hook::Pool ? "pool"
                                          : "reversed");
    add("guard", call.isGuardBefore ? "before" : "after");
    add("workspace", call.givesWorkspace ? "given" : "own");
    if (drawn.hasIndexInput())
      add("index", call.isNarrowIndex ? "i32" : "i64");
    if (!call.strides)
      add("stride", "compact");
    for (unsigned n = 0; n < numStrideStyles; ++n)
      if (call.strides >> n & 1)
        add("stride", strideStyles[n]);
    if (!call.specials)
      add("special", "none");
    for (unsigned n = 0; n < numSpecials; ++n)
      if (call.specials >> n & 1)
        add("special", specials[n]);
  }

  const Case &drawn;
  const Call &call;
  llvm::SmallVector<unsigned, 48> features;
};

} // namespace

unsigned fuzz::getNumFeatures() { return getTable().names.size(); }
std::string fuzz::getFeatureName(unsigned feature) {
  return getTable().names[feature];
}

llvm::SmallVector<unsigned, 48> fuzz::getFeatures(const Case &drawn,
                                                  const Call &call) {
  return Collector(drawn, call).collect();
}

//===-- Coverage ----------------------------------------------------------===//

Coverage::Coverage()
    : seen(getNumFeatures() * getNumFeatures()), possible(seen.size()) {
  for (unsigned a = 0; a < getNumFeatures(); ++a)
    for (unsigned b = a + 1; b < getNumFeatures(); ++b)
      if (whyImpossible(a, b).empty())
        possible.set(number(a, b));
}

void Coverage::add(llvm::ArrayRef<unsigned> features) {
  for (size_t a = 0; a < features.size(); ++a)
    for (size_t b = a + 1; b < features.size(); ++b)
      seen.set(number(features[a], features[b]));
}

unsigned Coverage::countNew(llvm::ArrayRef<unsigned> features) const {
  unsigned count = 0;
  for (size_t a = 0; a < features.size(); ++a)
    for (size_t b = a + 1; b < features.size(); ++b) {
      unsigned pair = number(features[a], features[b]);
      count += possible[pair] && !seen[pair];
    }
  return count;
}

unsigned Coverage::getNumCovered() const {
  llvm::BitVector covered = seen;
  covered &= possible;
  return covered.count();
}
