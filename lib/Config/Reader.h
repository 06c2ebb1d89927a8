//===- Reader.h - Typed reading of a config's tree --------------*- C++ -*-===//

#ifndef FOVEA_LIB_CONFIG_READER_H
#define FOVEA_LIB_CONFIG_READER_H

#include "YamlTree.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

namespace fovea::config {

/// Bounds on what a config may ask for. Far beyond real attention; they keep
/// every product of sizes a kernel computes inside 64 bits.
inline constexpr int64_t kMaxHeads = 1 << 16;
inline constexpr int64_t kMaxWidth = 1 << 20;             // head, model dims
inline constexpr int64_t kMaxLength = int64_t(1) << 40;   // batch, lengths
inline constexpr int64_t kMaxPosition = int64_t(1) << 48; // offsets, windows

/// Reads values, reporting what is wrong at the place of the value. `what`
/// names the value in messages ('heads.query').
class Reader {
public:
  explicit Reader(llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics)
      : diagnostics(diagnostics) {}

  void error(Place loc, const llvm::Twine &message);
  void note(Place loc, const llvm::Twine &message);
  bool failed() const { return hasErrors; }

  /// Checks that `node` is a mapping whose keys are all in `known`.
  bool mapping(const Node &node, llvm::StringRef what,
               llvm::ArrayRef<llvm::StringRef> known);

  /// The entry of a required key; an error at `loc` when absent, unless the key
  /// was there under a misspelt name.
  const Entry *required(const Node &map, llvm::StringRef key,
                        llvm::StringRef what, Place loc,
                        const llvm::Twine &mend);

  bool list(const Node &node, llvm::StringRef what);

  std::optional<int64_t> integer(const Node &node, llvm::StringRef what,
                                 int64_t least, int64_t most);
  std::optional<double> number(const Node &node, llvm::StringRef what);
  std::optional<bool> boolean(const Node &node, llvm::StringRef what);
  std::optional<llvm::StringRef> word(const Node &node, llvm::StringRef what);

  /// An integer of at least `least`, or the word `any`.
  std::optional<Dim> dim(const Node &node, llvm::StringRef what, int64_t least,
                         int64_t most);

  /// One of `allowed`, as its index there. Words that this version does not
  /// build are refused by name.
  std::optional<unsigned> choice(const Node &node, llvm::StringRef what,
                                 llvm::ArrayRef<llvm::StringRef> allowed);

  /// False, with an error, where this version does not build `key` (or `key`
  /// with `value`).
  bool requireBuilt(Place loc, llvm::StringRef key, llvm::StringRef value = "");

private:
  llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics;
  llvm::StringSet<> guessed; // keys that a misspelt one was taken for
  bool hasErrors = false;
};

/// True where the key table's row (`value` empty) or word is built.
bool isBuilt(llvm::StringRef key, llvm::StringRef value);

/// A node as an error message names it, short and printable.
std::string describe(const Node &node);

/// `text` without control characters, cut to a readable length.
std::string printable(llvm::StringRef text);

/// The candidate nearest to `word` by edit distance, or the empty string.
llvm::StringRef nearest(llvm::StringRef word,
                        llvm::ArrayRef<llvm::StringRef> candidates);

/// "a, b or c".
std::string joinWords(llvm::ArrayRef<llvm::StringRef> words);

/// Reads text as a decimal integer or a finite number, whole or not at all.
enum class NumberFault { None, Syntax, Range };
NumberFault readInteger(llvm::StringRef text, int64_t &value);
NumberFault readNumber(llvm::StringRef text, double &value);

} // namespace fovea::config

#endif // FOVEA_LIB_CONFIG_READER_H
