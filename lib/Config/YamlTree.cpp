//===- YamlTree.cpp - A YAML document as a plain tree ---------------------===//

#include "YamlTree.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;
using llvm::Twine;
namespace yaml = llvm::yaml;

const Entry *Node::find(StringRef key) const {
  for (const Entry &entry : entries)
    if (entry.key == key)
      return &entry;
  return nullptr;
}

namespace {
/// Walks LLVM's nodes exactly once, in order. After the first error nothing is
/// read any more: a failed LLVM stream may only be dropped.
class Walker {
public:
  Walker(StringRef text, const LineTable &lines,
         llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics)
      : text(text), lines(lines), diagnostics(diagnostics) {}

  std::optional<Node> run();

private:
  bool refuse(Place loc, const Twine &message) {
    diagnostics.push_back({ConfigDiagnostic::Error, loc, message.str()});
    return false;
  }

  Place place(const char *pointer, Place fallback) const {
    if (pointer < text.begin() || pointer > text.end())
      return fallback;
    return lines.at(pointer - text.begin());
  }

  /// LLVM places a flow collection at its first content; this finds its
  /// bracket.
  const char *bracketBefore(const char *pointer, char bracket) const {
    if (pointer < text.begin() || pointer > text.end())
      return pointer;
    StringRef before = StringRef(text.begin(), pointer - text.begin()).rtrim();
    if (before.ends_with(StringRef(&bracket, 1)))
      return before.end() - 1;
    return pointer;
  }

  /// LLVM's own complaint, made ours in style.
  bool reportFailure(Place fallback) {
    std::string message = failure.empty() ? "could not be read" : failure;
    while (!message.empty() && (message.back() == '.' || message.back() == '!'))
      message.pop_back();
    if (!message.empty())
      message[0] = llvm::toLower(message[0]);
    return refuse(failureLoc.line ? failureLoc : fallback,
                  "malformed YAML: " + message);
  }

  bool walk(yaml::Node *node, Place fallback, unsigned depth, Node &result);
  bool walkMap(yaml::MappingNode &map, unsigned depth, Node &result);
  bool walkKey(yaml::Node *key, Place fallback, Entry &entry);

  StringRef text;
  const LineTable &lines;
  llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics;
  yaml::Stream *stream = nullptr;
  std::string failure;
  Place failureLoc;
};
} // namespace

bool Walker::walkKey(yaml::Node *key, Place fallback, Entry &entry) {
  // A collection as a key is never walked: `?` nests without indentation.
  auto *scalar = llvm::dyn_cast_or_null<yaml::ScalarNode>(key);
  if (stream->failed())
    return reportFailure(fallback);
  if (!key)
    return refuse(fallback, "expects a key");
  entry.keyLoc = place(key->getSourceRange().Start.getPointer(), fallback);
  if (!scalar)
    return refuse(entry.keyLoc, "expects a plain key, as in 'key: value'");
  llvm::SmallString<32> storage;
  entry.key = scalar->getValue(storage).str();
  if (stream->failed())
    return reportFailure(entry.keyLoc);
  return true;
}

bool Walker::walkMap(yaml::MappingNode &map, unsigned depth, Node &result) {
  llvm::StringMap<Place> seen;
  for (yaml::KeyValueNode &pair : map) {
    Entry entry;
    if (!walkKey(pair.getKey(), result.loc, entry))
      return false;
    auto [first, isNew] = seen.try_emplace(entry.key, entry.keyLoc);
    if (!isNew) {
      refuse(entry.keyLoc,
             "duplicate key '" + entry.key + "'; keep one of the two");
      diagnostics.push_back(
          {ConfigDiagnostic::Note, first->second, "first written here"});
      return false;
    }
    if (!walk(pair.getValue(), entry.keyLoc, depth, entry.value))
      return false;
    result.entries.push_back(std::move(entry));
  }
  return !stream->failed() || reportFailure(result.loc);
}

bool Walker::walk(yaml::Node *node, Place fallback, unsigned depth,
                  Node &result) {
  if (!node || stream->failed())
    return reportFailure(fallback);
  const char *start = node->getSourceRange().Start.getPointer();
  result.loc = place(start, fallback);
  if (depth > kMaxDepth)
    return refuse(result.loc,
                  "nesting is deeper than " + Twine(kMaxDepth) + " levels");
  if (!node->getAnchor().empty())
    return refuse(result.loc, "unexpected anchor '&" + node->getAnchor() +
                                  "'; a config spells each value out");
  if (!node->getRawTag().empty())
    return refuse(result.loc, "unexpected tag '" + node->getRawTag() +
                                  "'; a config's types follow from its keys");

  switch (node->getType()) {
  case yaml::Node::NK_Null:
    result.kind = Node::Null;
    result.loc = fallback;
    return true;
  case yaml::Node::NK_Scalar: {
    auto *scalar = llvm::cast<yaml::ScalarNode>(node);
    llvm::SmallString<64> storage;
    result.kind = Node::Scalar;
    result.text = scalar->getValue(storage).str();
    StringRef raw = scalar->getRawValue();
    result.quoted = raw.starts_with("\"") || raw.starts_with("'");
    if (!result.quoted && (result.text == "~" || result.text == "null"))
      result.kind = Node::Null;
    return !stream->failed() || reportFailure(result.loc);
  }
  case yaml::Node::NK_BlockScalar:
    result.kind = Node::Scalar;
    result.text = llvm::cast<yaml::BlockScalarNode>(node)->getValue().str();
    result.quoted = true;
    return true;
  case yaml::Node::NK_Mapping:
    result.kind = Node::Map;
    result.loc = place(bracketBefore(start, '{'), fallback);
    return walkMap(*llvm::cast<yaml::MappingNode>(node), depth + 1, result);
  case yaml::Node::NK_Sequence:
    result.kind = Node::List;
    result.loc = place(bracketBefore(start, '['), fallback);
    for (yaml::Node &item : *llvm::cast<yaml::SequenceNode>(node)) {
      Node child;
      if (!walk(&item, result.loc, depth + 1, child))
        return false;
      result.items.push_back(std::move(child));
    }
    return !stream->failed() || reportFailure(result.loc);
  case yaml::Node::NK_Alias:
    return refuse(result.loc,
                  "unexpected alias; a config spells each value out");
  default:
    return refuse(result.loc, "expects a value");
  }
}

std::optional<Node> Walker::run() {
  llvm::SourceMgr sources;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *context) {
        auto *self = static_cast<Walker *>(context);
        if (!self->failure.empty())
          return;
        self->failure = diagnostic.getMessage().str();
        self->failureLoc =
            self->place(diagnostic.getLoc().getPointer(), Place());
      },
      this);
  yaml::Stream yamlStream(text, sources, /*ShowColors=*/false);
  stream = &yamlStream;
  Place top{1, 1};
  yaml::document_iterator document = yamlStream.begin();
  Node root;
  if (document == yamlStream.end() ||
      !walk(document->getRoot(), top, 0, root)) {
    if (diagnostics.empty())
      reportFailure(top);
    return std::nullopt;
  }
  // LLVM stops quietly at content it can't attach, such as a stray bracket.
  if (document->skip() && !yamlStream.failed()) {
    yaml::NullNode rest(document.operator->());
    refuse(place(rest.getSourceRange().Start.getPointer(), root.loc),
           "unexpected content after the config; check brackets and "
           "indentation");
    return std::nullopt;
  }
  if (yamlStream.failed()) {
    reportFailure(root.loc);
    return std::nullopt;
  }
  return root;
}

std::optional<Node>
config::parseYaml(StringRef text, const LineTable &lines,
                  llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics) {
  // LLVM's error path steps back from the end, which an empty text has not.
  if (text.trim(" \t\r\n").empty()) {
    diagnostics.push_back(
        {ConfigDiagnostic::Error, {1, 1}, "the config is empty"});
    return std::nullopt;
  }
  return Walker(text, lines, diagnostics).run();
}
