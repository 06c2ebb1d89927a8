//===- CheckConfig.cpp - What the rows of a config say about each other ---===//

#include "ConfigParser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;

void ConfigParser::check() {
  checkKind();
  checkHeads();
  checkLengths();
  checkPositions();
  checkMasks();
  checkConstants();
  checkOutputs();
  checkInputNames();
  checkSizes();
}

void ConfigParser::checkKind() {
  if (config.kind != Kind::Layer) {
    for (StringRef key :
         {"source", "model_dim", "context_dim", "out_dim", "biases"})
      if (root.find(key))
        read.error(at(key), "'" + key +
                                "' belongs to kind layer, but kind is "
                                "sdpa; write kind: layer");
    return;
  }
  if (config.source == Source::Self && root.find("context_dim"))
    read.error(at("context_dim"), "'context_dim' needs source: cross; a self "
                                  "layer's keys and values come from x");
  if (config.biasO && !config.outDim)
    read.error(at("biases"), "bias 'o' needs an output projection; add "
                             "out_dim");
}

void ConfigParser::checkHeads() {
  if (config.queryHeads % config.kvHeads != 0)
    read.error(at("heads"), "expects heads.query to be a multiple of heads.kv, "
                            "but got " +
                                llvm::Twine(config.queryHeads) + " and " +
                                llvm::Twine(config.kvHeads));
  if (config.rope && config.rope->dims > config.qkHeadDim)
    read.error(config.rope->loc, "expects rope.dims to be at most head_dim.qk");
  if (config.rope &&
      (config.rope->dims ? config.rope->dims : config.qkHeadDim) % 2 != 0)
    read.error(config.rope->loc, "expects rope.dims to be even");
}

static std::string spell(const Dim &dim) {
  return dim.isAny() ? "any" : std::to_string(dim.size);
}

void ConfigParser::checkLengths() {
  if (config.kind == Kind::Layer && config.source == Source::Self &&
      !config.cache && config.queryLength != config.kvLength)
    read.error(at("length"),
               "expects length.query and length.kv of a self layer to be the "
               "same, as both come from x, but got " +
                   spell(config.queryLength) + " and " +
                   spell(config.kvLength) + "; use source: cross otherwise");
}

void ConfigParser::checkPositions() {
  if (config.queryOffset.given || config.lengthsAgree())
    return;
  StringRef feature;
  Place loc;
  auto found = [&](StringRef name, Place where) {
    if (!feature.empty())
      return;
    feature = name;
    loc = where;
  };
  for (const MaskEntry &entry : config.mask) {
    if (entry.form == MaskEntry::Causal)
      found("causal", entry.loc);
    if (entry.form == MaskEntry::Window)
      found("window", entry.loc);
    if (entry.form == MaskEntry::Prefix)
      found("prefix", entry.loc);
  }
  for (const ScoreEntry &entry : config.score)
    if (entry.form == ScoreEntry::Alibi)
      found("alibi", entry.loc);
  for (const MaskEntry &entry : config.mask)
    if (entry.expr && usesPosition(*entry.expr))
      found("p", entry.loc);
  for (const ScoreEntry &entry : config.score)
    if (entry.expr && usesPosition(*entry.expr))
      found("p", entry.loc);
  if (config.rope)
    found("rope", config.rope->loc);
  if (feature.empty())
    return;
  read.error(loc, "'" + feature +
                      "' needs 'query_offset' where the query and key lengths "
                      "may differ (" +
                      spell(config.queryLength) + " and " +
                      spell(config.kvLength) +
                      "); write query_offset: 0 to put the first query on the "
                      "first key (top-left) or query_offset: end to put the "
                      "last query on the last key (bottom-right)");
}

void ConfigParser::checkMasks() {
  const StringRef words[] = {"causal",    "window", "kv_lengths",
                             "q_lengths", "prefix", "documents",
                             "tensor",    "blocks", "expr"};
  llvm::StringMap<Place> seen;
  auto once = [&](StringRef list, StringRef word, Place loc) {
    auto [first, isNew] = seen.try_emplace(word, loc);
    if (isNew)
      return;
    read.error(loc, "'" + word + "' is listed twice in '" + list + "'");
    read.note(first->second, "first listed here");
  };
  for (const MaskEntry &entry : config.mask)
    if (entry.form != MaskEntry::Window && entry.form != MaskEntry::Tensor &&
        entry.form != MaskEntry::Expr)
      once("mask", words[entry.form], entry.loc);
  for (const ScoreEntry &entry : config.score)
    if (entry.form == ScoreEntry::Alibi)
      once("score", "alibi", entry.loc);
  if (seen.contains("causal") && seen.contains("prefix")) {
    read.error(seen["prefix"], "'prefix' and 'causal' exclude each other: "
                               "prefix already is causal behind the prefix; "
                               "drop causal");
    read.note(seen["causal"], "causal is listed here");
  }
}

/// f32 arithmetic must hold the constants of all but f64 kernels.
static bool fitsFloat(double value, bool mayBeZero) {
  float rounded = static_cast<float>(value);
  return rounded <= std::numeric_limits<float>::max() &&
         rounded >= std::numeric_limits<float>::lowest() &&
         (mayBeZero || rounded != 0.0f);
}

void ConfigParser::checkConstants() {
  if (config.dtype == DType::F64)
    return;
  if (config.scale.form == Scale::Number &&
      !fitsFloat(config.scale.value, config.scale.value == 0.0))
    read.error(config.scale.loc,
               "expects 'scale' to be in the range of f32, in which " +
                   toString(config.dtype) + " kernels compute");
  for (const ScoreEntry &entry : config.score)
    if (entry.form == ScoreEntry::Softcap &&
        !fitsFloat(entry.cap, /*mayBeZero=*/false))
      read.error(entry.loc,
                 "expects 'softcap' to be in the range of f32, in which " +
                     toString(config.dtype) + " kernels compute");
}

void ConfigParser::checkOutputs() {
  bool appends = config.cache && config.cache->form == Cache::Append;
  for (Output output : {Output::PresentK, Output::PresentV})
    if (config.hasOutput(output) && !appends)
      read.error(at("outputs"),
                 "output '" + toString(output) + "' needs cache: {append: n}");
  if (root.find("scores_after") && !config.hasOutput(Output::Scores))
    read.error(at("scores_after"),
               "'scores_after' needs 'scores' among the outputs");
  if (config.rope && config.cache && !config.keysRotated)
    read.error(config.rope->loc, "missing key 'keys_rotated'; with rope and "
                                 "cache, say whether the cache holds rotated "
                                 "keys");
  if (config.keysRotated && !(config.rope && config.cache))
    read.error(at("keys_rotated"), "'keys_rotated' needs both rope and cache");
}

void ConfigParser::checkInputNames() {
  // The names that are taken whatever biases and mask tensors are called.
  Config bare = config;
  llvm::erase_if(bare.score, [](const ScoreEntry &entry) {
    return entry.form == ScoreEntry::Bias;
  });
  llvm::erase_if(bare.mask, [](const MaskEntry &entry) {
    return entry.form == MaskEntry::Tensor;
  });
  bare.tensors.clear();
  llvm::StringMap<Place> seen;
  for (const ConfigTensor &spec : kernelInputs(bare))
    seen.try_emplace(spec.name, Place());
  for (const ConfigTensor &spec : kernelOutputs(bare))
    seen.try_emplace(spec.name, Place());

  auto add = [&](StringRef name, Place loc, StringRef key) {
    auto [first, isNew] = seen.try_emplace(name, loc);
    if (isNew)
      return;
    read.error(loc, "the name '" + name + "' is taken; give this " + key +
                        " another with name: ...");
    if (first->second.line)
      read.note(first->second, "first used here");
  };
  for (const ScoreEntry &entry : config.score)
    if (entry.form == ScoreEntry::Bias)
      add(entry.name, entry.loc, "bias");
  for (const MaskEntry &entry : config.mask)
    if (entry.form == MaskEntry::Tensor)
      add(entry.name, entry.loc, "tensor");
  for (const Capture &capture : config.tensors) {
    auto [first, isNew] = seen.try_emplace(capture.name, capture.loc);
    if (isNew)
      continue;
    read.error(capture.loc,
               "the name '" + capture.name + "' is taken; choose another");
    if (first->second.line)
      read.note(first->second, "first used here");
  }
}

void ConfigParser::checkSizes() {
  auto check = [&](const ConfigTensor &spec) {
    int64_t bytes = 8;
    for (const Dim &dim : spec.shape) {
      // A size of 0 elsewhere must not hide an overflow of the strides.
      int64_t size = dim.isAny() || dim.size == 0 ? 1 : dim.size;
      if (llvm::MulOverflow(bytes, size, bytes)) {
        read.error(root.loc, "tensor '" + spec.name +
                                 "' has more bytes than "
                                 "64 bits can count");
        return;
      }
    }
  };
  for (const ConfigTensor &spec : kernelInputs(config))
    check(spec);
  for (const ConfigTensor &spec : kernelOutputs(config))
    check(spec);
}
