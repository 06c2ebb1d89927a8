//===- ParseExprs.cpp - Tensors and expr entries of a config --------------===//

#include "ConfigParser.h"
#include "Expr.h"

#include "llvm/ADT/STLExtras.h"

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;

//===-- The scope of a config's exprs -------------------------------------===//

/// Positions that no one has reached: sums and differences of a few of them fit
/// 32 bits, in which vector code counts.
static constexpr int64_t kFarPosition = int64_t(1) << 29;

static ExprRange indices(const Dim &dim) {
  return {0, dim.isAny() ? kFarPosition : std::max<int64_t>(dim.size - 1, 0)};
}

static ExprTensor::Dim describeExtent(const Config &config,
                                      const Capture::Extent &extent) {
  using E = Capture::Extent;
  auto whole = [&](const Dim &dim, char place) {
    ExprTensor::Dim described;
    described.isKnown = !dim.isAny();
    described.indices = dim.isAny() ? ExprRange{0, kMaxLength} : indices(dim);
    described.size = dim.isAny() ? "any" : std::to_string(dim.size);
    described.place = place;
    return described;
  };
  switch (extent.role) {
  case E::Number:
    return whole(Dim{extent.size}, 0);
  case E::Batch:
    return whole(config.batch.value_or(Dim{1}), 'b');
  case E::Heads:
    return whole(Dim{config.queryHeads}, 'h');
  case E::KvHeads:
    return whole(Dim{config.kvHeads}, 0);
  case E::Query:
    return whole(config.queryLength, 'i');
  case E::Kv:
    return whole(config.kvLength, 'j');
  }
  llvm_unreachable("all roles are handled");
}

ExprScope config::makeExprScope(const Config &config, bool isScore) {
  ExprScope scope;
  scope.isScore = isScore;
  scope.batch = indices(config.batch.value_or(Dim{1}));
  scope.head = {0, config.queryHeads - 1};
  scope.row = indices(config.queryLength);
  scope.key = indices(config.kvLength);
  scope.position = {-kFarPosition, 2 * kFarPosition};
  if (config.queryOffset.form == QueryOffset::Integer) {
    int64_t first = config.queryOffset.value;
    scope.position = {scope.row.least + first, scope.row.most + first};
  }
  for (const Capture &capture : config.tensors) {
    ExprTensor tensor;
    tensor.name = capture.name;
    tensor.type = capture.dtype == "bool" ? ExprType::Condition
                  : capture.dtype == "i64" || capture.dtype == "i32"
                      ? ExprType::Integer
                      : ExprType::Real;
    for (const Capture::Extent &extent : capture.shape)
      tensor.dims.push_back(describeExtent(config, extent));
    scope.tensors.push_back(std::move(tensor));
  }
  return scope;
}

//===-- Entries -----------------------------------------------------------===//

std::shared_ptr<const Expr> ConfigParser::parseExpr(const Node *options,
                                                    Place loc, bool isScore) {
  if (!options || options->kind != Node::Scalar || options->text.empty()) {
    read.error(options ? options->loc : loc,
               "'expr' needs its text; write expr: \"...\"");
    return nullptr;
  }
  ExprError error;
  std::shared_ptr<const Expr> expr =
      config::parseExpr(options->text, makeExprScope(config, isScore), error);
  if (!expr)
    read.error(exprPlace(*options, error.offset), "expr: " + error.message);
  return expr;
}

Place config::exprPlace(const Node &node, size_t offset) {
  Place place = node.loc;
  // Text of several lines, or with escapes, is not where it was written.
  if (StringRef(node.text).take_front(offset).find_first_of("\n\t\\\"") ==
      StringRef::npos)
    place.column += unsigned(offset) + (node.quoted ? 1 : 0);
  return place;
}

//===-- Tensors -----------------------------------------------------------===//

void ConfigParser::parseTensors() {
  const Node *node = value("tensors");
  if (!node)
    return;
  if (node->kind != Node::Map) {
    read.error(node->loc, "expects 'tensors' to map names to their dtype and "
                          "shape, but got " +
                              describe(*node));
    return;
  }
  for (const Entry &entry : node->entries) {
    Capture capture;
    capture.name = entry.key;
    capture.loc = entry.keyLoc;
    if (checkCaptureName(capture) && parseCapture(entry.value, capture))
      config.tensors.push_back(std::move(capture));
  }
}

bool ConfigParser::checkCaptureName(const Capture &capture) {
  std::string problem = kernelNameProblem(capture.name);
  if (!problem.empty()) {
    read.error(capture.loc, "a name in 'tensors': " + problem + ", but got '" +
                                printable(capture.name) + "'");
    return false;
  }
  if (!llvm::is_contained(exprWords(), capture.name))
    return true;
  read.error(capture.loc, "a tensor can't be called '" + capture.name +
                              "', which means something else in an expr");
  return false;
}

bool ConfigParser::parseCapture(const Node &node, Capture &capture) {
  std::string what = "tensors." + printable(capture.name);
  if (!read.mapping(node, what, {"dtype", "shape"}))
    return false;
  const StringRef types[] = {"f64", "f32", "f16", "bf16", "i64", "i32", "bool"};
  if (const Entry *type = read.required(node, "dtype", what + ".dtype",
                                        capture.loc, "write dtype: f32"))
    if (auto chosen = read.choice(type->value, what + ".dtype", types))
      capture.dtype = types[*chosen].str();
  const Entry *shape = read.required(node, "shape", what + ".shape",
                                     capture.loc, "write shape: [heads]");
  if (!shape || !read.list(shape->value, what + ".shape"))
    return false;
  const std::vector<Node> &items = shape->value.items;
  if (items.empty() || items.size() > kMaxCaptureRank) {
    read.error(shape->value.loc, "expects '" + what + ".shape' to have 1 to " +
                                     llvm::Twine(kMaxCaptureRank) +
                                     " dims, but got " +
                                     llvm::Twine(items.size()));
    return false;
  }
  const StringRef roles[] = {"batch", "heads", "kv_heads", "query", "kv"};
  for (const Node &item : items) {
    Capture::Extent extent;
    const StringRef *role = llvm::find(roles, item.text);
    if (item.kind == Node::Scalar && role != std::end(roles))
      extent.role = Capture::Extent::Role(1 + (role - std::begin(roles)));
    else if (auto size = read.integer(item, what + ".shape", 1, kMaxLength))
      extent.size = *size;
    else
      return false;
    capture.shape.push_back(extent);
  }
  return !capture.dtype.empty();
}
