//===- YamlTree.h - A YAML document as a plain tree -------------*- C++ -*-===//
//
// LLVM's YAML nodes are read once, in order, and parse as they are walked. The
// tree here is what is left after that walk: owned text, places, no duplicate
// keys, bounded depth.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_LIB_CONFIG_YAMLTREE_H
#define FOVEA_LIB_CONFIG_YAMLTREE_H

#include "fovea/Config/Config.h"

#include <memory>
#include <vector>

namespace fovea::config {

inline constexpr size_t kMaxBytes = size_t(1) << 20;
inline constexpr unsigned kMaxDepth = 64;

/// Finds the line and column of a byte offset.
class LineTable {
public:
  explicit LineTable(llvm::StringRef text);
  Place at(size_t offset) const;
  /// The line's text without its line break; lines count from 1.
  llvm::StringRef line(unsigned number) const;

private:
  llvm::StringRef text;
  std::vector<size_t> starts;
};

/// A key of a mapping and its value.
struct Entry;

/// A scalar, list, mapping, or nothing (`key:` without a value).
struct Node {
  enum Kind { Null, Scalar, List, Map } kind = Null;
  Place loc;
  std::string text;    // Scalar
  bool quoted = false; // Scalar: written as a string, never a number
  std::vector<Node> items;
  std::vector<Entry> entries;

  /// The entry of a key, or null.
  const Entry *find(llvm::StringRef key) const;
};

struct Entry {
  std::string key;
  Place keyLoc;
  Node value;
};

/// Refuses what must not reach LLVM's YAML parser: it reads bytes that are no
/// text, and recurses without bound on runs of commas and document ends.
/// `text` has no byte order mark.
bool guardYaml(llvm::StringRef text, const LineTable &lines,
               llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics);

/// Parses guarded text into a tree.
std::optional<Node>
parseYaml(llvm::StringRef text, const LineTable &lines,
          llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics);

} // namespace fovea::config

#endif // FOVEA_LIB_CONFIG_YAMLTREE_H
