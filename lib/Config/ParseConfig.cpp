//===- ParseConfig.cpp - The key table, row by row ------------------------===//

#include "ConfigParser.h"

#include "llvm/ADT/STLExtras.h"

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;

static constexpr StringRef kKeys[] = {
    "name",      "kind",         "dtype",   "layout", "batch",
    "heads",     "head_dim",     "length",  "scale",  "query_offset",
    "score",     "mask",         "tensors", "sinks",  "rope",
    "cache",     "keys_rotated", "outputs", "source", "scores_after",
    "model_dim", "context_dim",  "out_dim", "biases"};

const Node *ConfigParser::value(StringRef key) {
  const Entry *entry = root.find(key);
  if (!entry || !read.requireBuilt(entry->keyLoc, key))
    return nullptr;
  return &entry->value;
}

Place ConfigParser::at(StringRef key) const {
  const Entry *entry = root.find(key);
  return entry ? entry->keyLoc : root.loc;
}

std::optional<Config> ConfigParser::run() {
  if (root.kind != Node::Map) {
    read.error(root.loc, "expects a config to be a mapping of keys to values, "
                         "but got " +
                             describe(root));
    return std::nullopt;
  }
  read.mapping(root, "", kKeys);
  parseName();
  if (const Node *node = value("kind"))
    if (auto kind = read.choice(*node, "kind", {"sdpa", "layer"}))
      config.kind = Kind(*kind);
  if (const Node *node = value("dtype"))
    if (auto type = read.choice(*node, "dtype", {"f64", "f32", "f16", "bf16"}))
      config.dtype = DType(*type);
  parseSizes();
  parseScale();
  parseQueryOffset();
  parseTensors();
  parseScore();
  parseMask();
  if (const Node *node = value("sinks"))
    config.sinks = read.boolean(*node, "sinks").value_or(false);
  parseRope();
  parseCache();
  if (const Node *node = value("keys_rotated"))
    config.keysRotated = read.boolean(*node, "keys_rotated");
  parseOutputs();
  parseLayer();
  // Rows that could not be read would only cause complaints about themselves.
  if (!read.failed())
    check();
  if (read.failed())
    return std::nullopt;
  return std::move(config);
}

void ConfigParser::parseName() {
  config.fileName = fileName.str();
  config.name = kernelNameFromFile(fileName);
  const Node *node = value("name");
  if (!node)
    return;
  auto name = read.word(*node, "name");
  if (!name)
    return;
  std::string problem = kernelNameProblem(*name);
  if (!problem.empty())
    read.error(node->loc,
               "'name': " + problem + ", but got " + describe(*node));
  config.name = name->str();
}

void ConfigParser::parseSizes() {
  bool isLayer = config.kind == Kind::Layer;
  if (const Node *node = value("layout")) {
    if (isLayer)
      read.error(at("layout"), "a layer takes no 'layout': its x, context and "
                               "out are [batch, length, width]");
    else if (auto layout =
                 read.choice(*node, "layout", {"bhsd", "bshd", "bsd", "thd"}))
      config.layout = Layout(*layout);
  }
  if (const Node *node = value("batch"))
    config.batch = read.dim(*node, "batch", 0, kMaxLength);
  else if (!isLayer)
    read.required(root, "batch", "batch", root.loc,
                  "write a number, or any for a size known at run time");
  parseHeads();
  parseHeadDim();
  parseLength();
}

void ConfigParser::parseHeads() {
  const char *mend = "write heads: {query: 8} or heads: {query: 8, kv: 2}";
  const Entry *entry = read.required(root, "heads", "heads", root.loc, mend);
  if (!entry || !read.mapping(entry->value, "heads", {"query", "kv"}))
    return;
  if (const Entry *query = read.required(entry->value, "query", "heads.query",
                                         entry->keyLoc, mend))
    config.queryHeads =
        read.integer(query->value, "heads.query", 1, kMaxHeads).value_or(0);
  config.kvHeads = config.queryHeads;
  if (const Entry *kv = entry->value.find("kv"))
    config.kvHeads =
        read.integer(kv->value, "heads.kv", 1, kMaxHeads).value_or(0);
}

void ConfigParser::parseHeadDim() {
  const char *mend = "write head_dim: {qk: 64} or head_dim: {qk: 64, v: 32}";
  const Entry *entry =
      read.required(root, "head_dim", "head_dim", root.loc, mend);
  if (!entry || !read.mapping(entry->value, "head_dim", {"qk", "v"}))
    return;
  if (const Entry *qk =
          read.required(entry->value, "qk", "head_dim.qk", entry->keyLoc, mend))
    config.qkHeadDim =
        read.integer(qk->value, "head_dim.qk", 1, kMaxWidth).value_or(0);
  config.vHeadDim = config.qkHeadDim;
  if (const Entry *v = entry->value.find("v"))
    config.vHeadDim =
        read.integer(v->value, "head_dim.v", 1, kMaxWidth).value_or(0);
}

void ConfigParser::parseLength() {
  const char *mend = "write length: {query: 16, kv: 16}, or any for a length "
                     "known at run time";
  const Entry *entry = read.required(root, "length", "length", root.loc, mend);
  if (!entry || !read.mapping(entry->value, "length", {"query", "kv"}))
    return;
  if (const Entry *query = read.required(entry->value, "query", "length.query",
                                         entry->keyLoc, mend))
    config.queryLength =
        read.dim(query->value, "length.query", 0, kMaxLength).value_or(Dim{});
  if (const Entry *kv =
          read.required(entry->value, "kv", "length.kv", entry->keyLoc, mend))
    config.kvLength =
        read.dim(kv->value, "length.kv", 0, kMaxLength).value_or(Dim{});
}

void ConfigParser::parseScale() {
  const Node *node = value("scale");
  if (!node)
    return;
  config.scale.loc = node->loc;
  double number = 0.0;
  if (node->kind == Node::Scalar && node->text == "default")
    return;
  if (node->kind == Node::Scalar && node->text == "input") {
    config.scale.form = Scale::Input;
  } else if (node->kind == Node::Scalar && !node->quoted &&
             readNumber(node->text, number) == NumberFault::None) {
    config.scale.form = Scale::Number;
    config.scale.value = number;
  } else {
    read.error(node->loc, "expects 'scale' to be a finite number, default or "
                          "input, but got " +
                              describe(*node));
  }
}

void ConfigParser::parseQueryOffset() {
  const Node *node = value("query_offset");
  if (!node)
    return;
  config.queryOffset.loc = node->loc;
  config.queryOffset.given = true;
  int64_t number = 0;
  if (node->kind == Node::Scalar && node->text == "end") {
    config.queryOffset.form = QueryOffset::End;
  } else if (node->kind == Node::Scalar && node->text == "input") {
    config.queryOffset.form = QueryOffset::Input;
  } else if (node->kind == Node::Scalar && !node->quoted &&
             readInteger(node->text, number) != NumberFault::Syntax) {
    config.queryOffset.value =
        read.integer(*node, "query_offset", -kMaxPosition, kMaxPosition)
            .value_or(0);
  } else {
    read.error(node->loc, "expects 'query_offset' to be an integer, end or "
                          "input, but got " +
                              describe(*node));
  }
}

void ConfigParser::parseRope() {
  const Node *node = value("rope");
  if (!node ||
      !read.mapping(*node, "rope", {"style", "base", "dims", "tables"}))
    return;
  Rope rope;
  rope.loc = node->loc;
  if (const Entry *style = node->find("style"))
    rope.style = Rope::Style(
        read.choice(style->value, "rope.style", {"half", "interleaved"})
            .value_or(0));
  if (const Entry *base = node->find("base")) {
    rope.base = read.number(base->value, "rope.base").value_or(1.0);
    if (rope.base <= 0)
      read.error(base->value.loc,
                 "expects 'rope.base' to be positive, but got " +
                     describe(base->value));
  }
  if (const Entry *dims = node->find("dims"))
    rope.dims =
        read.integer(dims->value, "rope.dims", 2, kMaxWidth).value_or(0);
  if (const Entry *tables = node->find("tables"))
    rope.tablesAreInput =
        read.choice(tables->value, "rope.tables", {"input"}).has_value();
  config.rope = rope;
}

void ConfigParser::parseCache() {
  const Node *node = value("cache");
  if (!node || !read.mapping(*node, "cache", {"append", "in_place", "paged"}))
    return;
  if (node->entries.size() != 1) {
    read.error(node->loc, "expects 'cache' to be one of append, in_place or "
                          "paged");
    return;
  }
  const Entry &entry = node->entries.front();
  Cache cache{Cache::InPlace, Dim{0}, 0, node->loc};
  if (entry.key == "append") {
    cache.form = Cache::Append;
    cache.append =
        read.dim(entry.value, "cache.append", 0, kMaxLength).value_or(Dim{});
  } else if (entry.key == "paged") {
    cache.form = Cache::Paged;
    if (!read.mapping(entry.value, "cache.paged", {"page"}))
      return;
    if (const Entry *page =
            read.required(entry.value, "page", "cache.paged.page", entry.keyLoc,
                          "write paged: {page: 16}"))
      cache.page = read.integer(page->value, "cache.paged.page", 1, kMaxWidth)
                       .value_or(1);
  } else if (!read.boolean(entry.value, "cache.in_place").value_or(true)) {
    return;
  }
  config.cache = cache;
}

void ConfigParser::parseOutputs() {
  const StringRef names[kNumOutputs] = {"out",    "lse",       "weights",
                                        "scores", "present_k", "present_v"};
  std::optional<Place> seen[kNumOutputs];
  const Node *node = value("outputs");
  if (!node) {
    config.outputs = {Output::Out};
  } else if (read.list(*node, "outputs")) {
    if (node->items.empty())
      read.error(node->loc, "expects 'outputs' to name at least one of " +
                                joinWords(names));
    for (const Node &item : node->items) {
      auto index = read.choice(item, "outputs", names);
      if (!index)
        continue;
      if (seen[*index]) {
        read.error(item.loc, "output '" + names[*index] + "' is listed twice");
        read.note(*seen[*index], "first listed here");
      }
      seen[*index] = item.loc;
    }
    for (unsigned i = 0; i != kNumOutputs; ++i)
      if (seen[i])
        config.outputs.push_back(Output(i));
  }
  if (const Node *after = value("scores_after"))
    config.scoresAfter =
        ScoresAfter(read.choice(*after, "scores_after",
                                {"qk", "softcap", "mask", "softmax"})
                        .value_or(0));
}

void ConfigParser::parseLayer() {
  if (config.kind != Kind::Layer)
    return;
  if (const Node *node = value("source"))
    config.source =
        Source(read.choice(*node, "source", {"self", "cross"}).value_or(0));
  if (const Entry *entry =
          read.required(root, "model_dim", "model_dim", root.loc,
                        "a layer needs the width of x: write model_dim: 512"))
    config.modelDim =
        read.integer(entry->value, "model_dim", 1, kMaxWidth).value_or(0);
  config.contextDim = config.modelDim;
  if (const Node *node = value("context_dim"))
    config.contextDim =
        read.integer(*node, "context_dim", 1, kMaxWidth).value_or(0);
  if (const Node *node = value("out_dim"))
    config.outDim = read.integer(*node, "out_dim", 1, kMaxWidth);
  if (const Node *node = value("biases"))
    if (read.list(*node, "biases"))
      parseBiases(*node);
}

void ConfigParser::parseBiases(const Node &node) {
  const StringRef names[] = {"q", "k", "v", "o"};
  bool *flags[] = {&config.biasQ, &config.biasK, &config.biasV, &config.biasO};
  std::optional<Place> seen[4];
  for (const Node &item : node.items) {
    // The inputs are called bq, bk, bv, bo; either spelling is meant.
    Node plain = item;
    if (plain.kind == Node::Scalar && plain.text.size() == 2 &&
        plain.text[0] == 'b')
      plain.text.erase(0, 1);
    auto index = read.choice(plain, "biases", names);
    if (!index)
      continue;
    if (seen[*index]) {
      read.error(item.loc, "bias '" + names[*index] + "' is listed twice");
      read.note(*seen[*index], "first listed here");
    }
    seen[*index] = item.loc;
    *flags[*index] = true;
  }
}
