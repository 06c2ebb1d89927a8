//===- Interface.cpp - The tensors a config's kernel takes and gives ------===//
//
// The order of these lists is the order of the kernel's arguments.
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace fovea;
using llvm::StringRef;

bool Config::hasOutput(Output output) const {
  return llvm::is_contained(outputs, output);
}

bool Config::hasMask(MaskEntry::Form form) const {
  return llvm::any_of(
      mask, [=](const MaskEntry &entry) { return entry.form == form; });
}

bool Config::hasScore(ScoreEntry::Form form) const {
  return llvm::any_of(
      score, [=](const ScoreEntry &entry) { return entry.form == form; });
}

template <typename EntryType>
static bool readsPosition(const EntryType &entry) {
  return entry.expr && config::usesPosition(*entry.expr);
}

bool Config::isPositional() const {
  return rope || hasMask(MaskEntry::Causal) || hasMask(MaskEntry::Window) ||
         hasMask(MaskEntry::Prefix) || hasScore(ScoreEntry::Alibi) ||
         llvm::any_of(mask, readsPosition<MaskEntry>) ||
         llvm::any_of(score, readsPosition<ScoreEntry>);
}

bool Config::lengthsAgree() const {
  // In a self layer keys and queries are projections of the same tokens.
  if (kind == Kind::Layer && source == Source::Self && !cache)
    return true;
  return !queryLength.isAny() && queryLength == kvLength;
}

StringRef fovea::toString(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return "f64";
  case DType::F32:
    return "f32";
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  }
  return "";
}

StringRef fovea::toString(Output output) {
  switch (output) {
  case Output::Out:
    return "out";
  case Output::Lse:
    return "lse";
  case Output::Weights:
    return "weights";
  case Output::Scores:
    return "scores";
  case Output::PresentK:
    return "present_k";
  case Output::PresentV:
    return "present_v";
  }
  return "";
}

namespace {
/// A dim with its name.
struct Extent {
  Dim dim;
  StringRef name;
};

class Interface {
public:
  explicit Interface(const Config &config)
      : config(config), batch{config.batch.value_or(Dim{1}), "batch"},
        query{config.queryLength, "query"}, kv{config.kvLength, "kv"} {
    // Equal names are equal sizes, and a self layer has one length.
    if (config.kind == Kind::Layer && config.source == Source::Self &&
        !config.cache)
      kv.name = "query";
  }

  llvm::SmallVector<ConfigTensor> inputs();
  llvm::SmallVector<ConfigTensor> outputs();

private:
  static Extent fixed(int64_t size) { return {Dim{size}, ""}; }

  void add(StringRef name, ConfigElement element,
           llvm::ArrayRef<Extent> shape) {
    ConfigTensor spec;
    spec.name = name.str();
    spec.element = element;
    for (const Extent &extent : shape) {
      spec.shape.push_back(extent.dim);
      spec.dimNames.push_back(extent.name.str());
    }
    specs.push_back(std::move(spec));
  }

  /// A layer's tokens: rank 2 where the config has no batch.
  void addTokens(StringRef name, Extent length, int64_t width) {
    if (config.batch)
      add(name, ConfigElement::Data, {batch, length, fixed(width)});
    else
      add(name, ConfigElement::Data, {length, fixed(width)});
  }

  /// Queries, keys, values or the output of a kernel, by layout.
  void addHeads(StringRef name, int64_t heads, Extent length, int64_t dim) {
    switch (config.layout) {
    case Layout::BSHD:
      return add(name, ConfigElement::Data,
                 {batch, length, fixed(heads), fixed(dim)});
    case Layout::BSD:
      return add(name, ConfigElement::Data,
                 {batch, length, fixed(heads * dim)});
    default:
      return add(name, ConfigElement::Data,
                 {batch, fixed(heads), length, fixed(dim)});
    }
  }

  void addBroadcast(StringRef name, ConfigElement element,
                    const std::array<bool, 4> &full) {
    auto extent = [&](unsigned i, Extent whole) {
      return full[i] ? whole : fixed(1);
    };
    add(name, element,
        {extent(0, batch), extent(1, fixed(config.queryHeads)),
         extent(2, query), extent(3, kv)});
  }

  void addLayerInputs();
  void addCapture(const Capture &capture);

  const Config &config;
  Extent batch, query, kv;
  llvm::SmallVector<ConfigTensor> specs;
};
} // namespace

void Interface::addLayerInputs() {
  int64_t qWidth = config.queryHeads * config.qkHeadDim;
  int64_t kWidth = config.kvHeads * config.qkHeadDim;
  int64_t vWidth = config.kvHeads * config.vHeadDim;
  int64_t merged = config.queryHeads * config.vHeadDim;
  bool cross = config.source == Source::Cross;
  int64_t contextDim = cross ? config.contextDim : config.modelDim;

  addTokens("x", query, config.modelDim);
  if (cross)
    addTokens("context", kv, contextDim);
  add("wq", ConfigElement::Data, {fixed(config.modelDim), fixed(qWidth)});
  add("wk", ConfigElement::Data, {fixed(contextDim), fixed(kWidth)});
  add("wv", ConfigElement::Data, {fixed(contextDim), fixed(vWidth)});
  if (config.outDim)
    add("wo", ConfigElement::Data, {fixed(merged), fixed(*config.outDim)});
  if (config.biasQ)
    add("bq", ConfigElement::Data, {fixed(qWidth)});
  if (config.biasK)
    add("bk", ConfigElement::Data, {fixed(kWidth)});
  if (config.biasV)
    add("bv", ConfigElement::Data, {fixed(vWidth)});
  if (config.biasO)
    add("bo", ConfigElement::Data, {fixed(*config.outDim)});
}

void Interface::addCapture(const Capture &capture) {
  auto element = llvm::StringSwitch<ConfigElement>(capture.dtype)
                     .Case("f64", ConfigElement::F64)
                     .Case("f32", ConfigElement::F32)
                     .Case("f16", ConfigElement::F16)
                     .Case("bf16", ConfigElement::BF16)
                     .Case("bool", ConfigElement::Bool)
                     .Default(ConfigElement::Index);
  llvm::SmallVector<Extent> shape;
  for (const Capture::Extent &extent : capture.shape) {
    const Extent whole[] = {
        fixed(extent.size),    batch, fixed(config.queryHeads),
        fixed(config.kvHeads), query, kv};
    shape.push_back(whole[extent.role]);
  }
  add(capture.name, element, shape);
}

llvm::SmallVector<ConfigTensor> Interface::inputs() {
  if (config.kind == Kind::Layer) {
    addLayerInputs();
  } else {
    addHeads("q", config.queryHeads, query, config.qkHeadDim);
    addHeads("k", config.kvHeads, kv, config.qkHeadDim);
    addHeads("v", config.kvHeads, kv, config.vHeadDim);
  }
  for (const ScoreEntry &entry : config.score)
    if (entry.form == ScoreEntry::Bias)
      addBroadcast(entry.name, ConfigElement::Data, entry.full);
  for (const MaskEntry &entry : config.mask)
    if (entry.form == MaskEntry::Tensor)
      addBroadcast(entry.name, ConfigElement::Bool, entry.full);
  if (config.hasMask(MaskEntry::KvLengths))
    add("kv_lengths", ConfigElement::Index, {batch});
  if (config.hasMask(MaskEntry::QLengths))
    add("q_lengths", ConfigElement::Index, {batch});
  if (config.queryOffset.form == QueryOffset::Input)
    add("query_offset", ConfigElement::Index, {batch});
  if (llvm::any_of(config.score, [](const ScoreEntry &entry) {
        return entry.form == ScoreEntry::Alibi && entry.slopesAreInput;
      }))
    add("slopes", ConfigElement::Stat, {fixed(config.queryHeads)});
  if (config.scale.form == Scale::Input)
    add("scale", ConfigElement::Stat, {});
  for (const Capture &capture : config.tensors)
    addCapture(capture);
  return std::move(specs);
}

llvm::SmallVector<ConfigTensor> Interface::outputs() {
  Extent heads = fixed(config.queryHeads);
  for (Output output : config.outputs) {
    switch (output) {
    case Output::Out:
      if (config.kind == Kind::Layer)
        addTokens("out", query,
                  config.outDim.value_or(config.queryHeads * config.vHeadDim));
      else
        addHeads("out", config.queryHeads, query, config.vHeadDim);
      break;
    case Output::Lse:
      add("lse", ConfigElement::Stat, {batch, heads, query});
      break;
    case Output::Weights:
    case Output::Scores:
      add(toString(output), ConfigElement::Data, {batch, heads, query, kv});
      break;
    case Output::PresentK:
      add("present_k", ConfigElement::Data,
          {batch, fixed(config.kvHeads), kv, fixed(config.qkHeadDim)});
      break;
    case Output::PresentV:
      add("present_v", ConfigElement::Data,
          {batch, fixed(config.kvHeads), kv, fixed(config.vHeadDim)});
      break;
    }
  }
  return std::move(specs);
}

llvm::SmallVector<ConfigTensor> fovea::kernelInputs(const Config &config) {
  return Interface(config).inputs();
}

llvm::SmallVector<ConfigTensor> fovea::kernelOutputs(const Config &config) {
  return Interface(config).outputs();
}
