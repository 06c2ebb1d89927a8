//===- ParseEntries.cpp - The lists score and mask ------------------------===//

#include "ConfigParser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;

bool ConfigParser::splitEntry(const Node &item, StringRef key,
                              llvm::ArrayRef<StringRef> known, StringRef &word,
                              const Node *&options, Place &loc) {
  loc = item.loc;
  options = nullptr;
  if (item.kind == Node::Scalar) {
    word = item.text;
  } else if (item.kind == Node::Map && item.entries.size() == 1) {
    const Entry &entry = item.entries.front();
    word = entry.key;
    loc = entry.keyLoc;
    if (entry.value.kind != Node::Null)
      options = &entry.value;
  } else if (item.kind == Node::Map && item.entries.size() > 1) {
    read.error(item.entries[1].keyLoc,
               "expects one entry for each item of '" + key + "', but got '" +
                   printable(item.entries[1].key) + "' beside '" +
                   printable(item.entries[0].key) +
                   "'; start a new item, or indent it as an option");
    return false;
  } else {
    read.error(item.loc, "expects an item of '" + key +
                             "' to be a word or a mapping of one word to its "
                             "options, but got " +
                             (item.kind == Node::Map ? "an empty mapping"
                                                     : describe(item)));
    return false;
  }
  if (!llvm::is_contained(known, word)) {
    StringRef guess = nearest(word, known);
    read.error(loc,
               "unknown entry '" + printable(word) + "' in '" + key + "'; " +
                   (guess.empty() ? "known are " + joinWords(known)
                                  : ("did you mean '" + guess + "'?").str()));
    return false;
  }
  return read.requireBuilt(loc, key, word);
}

void ConfigParser::parseScore() {
  const Node *node = value("score");
  if (!node || !read.list(*node, "score"))
    return;
  const StringRef words[] = {"softcap", "bias", "alibi", "expr"};
  for (const Node &item : node->items) {
    StringRef word;
    const Node *options;
    ScoreEntry entry;
    if (!splitEntry(item, "score", words, word, options, entry.loc))
      continue;
    entry.form = ScoreEntry::Form(llvm::find(words, word) - words);
    parseScoreEntry(word, options, std::move(entry));
  }
}

void ConfigParser::parseScoreEntry(StringRef word, const Node *options,
                                   ScoreEntry entry) {
  switch (entry.form) {
  case ScoreEntry::Softcap: {
    if (!options) {
      read.error(entry.loc, "'softcap' needs its number; write softcap: 50.0");
      return;
    }
    auto cap = read.number(*options, "softcap");
    if (!cap)
      return;
    if (*cap <= 0.0)
      read.error(options->loc, "expects 'softcap' to be greater than 0, but "
                               "got " +
                                   describe(*options) +
                                   "; leave the entry out for no softcap");
    entry.cap = *cap;
    entry.loc = options->loc;
    break;
  }
  case ScoreEntry::Bias:
    if (!parseBroadcast(word, options, entry.loc, "bias", entry.full,
                        entry.name))
      return;
    break;
  case ScoreEntry::Alibi:
    if (options) {
      if (!read.mapping(*options, "alibi", {"slopes"}))
        return;
      if (const Entry *slopes = options->find("slopes"))
        entry.slopesAreInput =
            read.choice(slopes->value, "alibi.slopes", {"input"}).has_value();
    }
    break;
  case ScoreEntry::Expr:
    entry.expr = parseExpr(options, entry.loc, /*isScore=*/true);
    if (!entry.expr)
      return;
    entry.loc = exprPlace(*options, 0);
    break;
  }
  config.score.push_back(std::move(entry));
}

void ConfigParser::parseMask() {
  const Node *node = value("mask");
  if (!node || !read.list(*node, "mask"))
    return;
  const StringRef words[] = {"causal",    "window", "kv_lengths",
                             "q_lengths", "prefix", "documents",
                             "tensor",    "blocks", "expr"};
  for (const Node &item : node->items) {
    StringRef word;
    const Node *options;
    MaskEntry entry;
    if (!splitEntry(item, "mask", words, word, options, entry.loc))
      continue;
    entry.form = MaskEntry::Form(llvm::find(words, word) - words);
    parseMaskEntry(word, options, std::move(entry));
  }
}

void ConfigParser::parseMaskEntry(StringRef word, const Node *options,
                                  MaskEntry entry) {
  bool good = true;
  switch (entry.form) {
  case MaskEntry::Causal:
  case MaskEntry::KvLengths:
  case MaskEntry::QLengths:
  case MaskEntry::Prefix:
  case MaskEntry::Documents:
    good = noOptions(word, options);
    break;
  case MaskEntry::Window:
    good = parseWindow(options, entry);
    break;
  case MaskEntry::Tensor:
    good = parseBroadcast(word, options, entry.loc, "mask", entry.full,
                          entry.name);
    break;
  case MaskEntry::Blocks:
    good = parseBlocks(options, entry);
    break;
  case MaskEntry::Expr:
    entry.expr = parseExpr(options, entry.loc, /*isScore=*/false);
    good = entry.expr != nullptr;
    if (good)
      entry.loc = exprPlace(*options, 0);
    break;
  }
  if (good)
    config.mask.push_back(std::move(entry));
}

bool ConfigParser::noOptions(StringRef word, const Node *options) {
  if (!options || (options->kind == Node::Map && options->entries.empty()))
    return true;
  read.error(options->loc,
             "'" + word + "' takes no options, but got " + describe(*options));
  return false;
}

bool ConfigParser::parseWindow(const Node *options, MaskEntry &entry) {
  if (!options || (options->kind == Node::Map && options->entries.empty())) {
    read.error(entry.loc, "'window' needs its sides; write window: {left: 3, "
                          "right: -1}, with -1 for unbounded");
    return false;
  }
  if (!read.mapping(*options, "window", {"left", "right"}))
    return false;
  auto side = [&](StringRef key, StringRef what) {
    const Entry *given = options->find(key);
    return given ? read.integer(given->value, what, -1, kMaxPosition)
                 : std::optional<int64_t>(-1);
  };
  auto left = side("left", "window.left");
  auto right = side("right", "window.right");
  if (!left || !right)
    return false;
  entry.left = *left;
  entry.right = *right;
  return true;
}

bool ConfigParser::parseBlocks(const Node *options, MaskEntry &entry) {
  if (!options) {
    read.error(entry.loc,
               "'blocks' needs its sizes; write blocks: {query: 64, kv: 64}");
    return false;
  }
  if (!read.mapping(*options, "blocks", {"query", "kv"}))
    return false;
  auto side = [&](StringRef key, StringRef what) -> int64_t {
    const Entry *given = read.required(*options, key, what, entry.loc,
                                       "write blocks: {query: 64, kv: 64}");
    return given ? read.integer(given->value, what, 1, kMaxWidth).value_or(0)
                 : 0;
  };
  entry.blockQuery = side("query", "blocks.query");
  entry.blockKv = side("kv", "blocks.kv");
  return entry.blockQuery && entry.blockKv;
}

bool ConfigParser::parseBroadcast(StringRef word, const Node *options,
                                  Place loc, StringRef defaultName,
                                  std::array<bool, 4> &full,
                                  std::string &name) {
  std::string mend =
      ("write " + word + ": {shape: [1, heads, query, kv]}").str();
  if (!options) {
    read.error(loc, "'" + word + "' needs its shape; " + mend);
    return false;
  }
  if (!read.mapping(*options, word, {"shape", "name"}))
    return false;
  name = defaultName.str();
  if (const Entry *given = options->find("name")) {
    auto text = read.word(given->value, (word + ".name").str());
    if (!text)
      return false;
    std::string problem = kernelNameProblem(*text);
    if (!problem.empty()) {
      read.error(given->value.loc, "'" + word + ".name': " + problem +
                                       ", but got " + describe(given->value));
      return false;
    }
    name = text->str();
  }
  const Entry *shape =
      read.required(*options, "shape", (word + ".shape").str(), loc, mend);
  if (!shape || !read.list(shape->value, (word + ".shape").str()))
    return false;
  const std::vector<Node> &items = shape->value.items;
  if (items.size() != 4) {
    read.error(shape->value.loc, "expects '" + word +
                                     ".shape' to have 4 dims [batch, heads, "
                                     "query, kv], but got " +
                                     llvm::Twine(items.size()));
    return false;
  }
  const StringRef roles[] = {"batch", "heads", "query", "kv"};
  const Dim whole[] = {config.batch.value_or(Dim{1}), Dim{config.queryHeads},
                       config.queryLength, config.kvLength};
  bool good = true;
  for (unsigned i = 0; i != 4; ++i) {
    const Node &item = items[i];
    std::string size = whole[i].isAny() ? "any" : std::to_string(whole[i].size);
    if (item.kind == Node::Scalar &&
        (item.text == roles[i] || (item.text == "any" && whole[i].isAny()))) {
      full[i] = true;
      continue;
    }
    int64_t number = 0;
    if (item.kind == Node::Scalar && !item.quoted &&
        readInteger(item.text, number) == NumberFault::None &&
        (number == 1 || (!whole[i].isAny() && number == whole[i].size))) {
      full[i] = number != 1;
      continue;
    }
    read.error(item.loc, "expects dim " + llvm::Twine(i) + " of '" + word +
                             ".shape' to be 1 or " + roles[i] + " (" + size +
                             "), but got " + describe(item));
    good = false;
  }
  return good;
}
