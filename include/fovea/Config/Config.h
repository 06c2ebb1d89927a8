//===- Config.h - What a config says, as plain structs --------------------===//
//
// A config (YAML or JSON) names one attention kernel: its shapes, masks, score
// changes and outputs. `parseConfig` reads the whole key table, refuses by name
// what this version does not build, and checks every rule that needs no data.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_CONFIG_CONFIG_H
#define FOVEA_CONFIG_CONFIG_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace fovea {

namespace config {
struct Expr;
}

/// A place in the config's text. Lines and columns count from 1, columns in
/// bytes; 0 means no place is known.
struct Place {
  unsigned line = 0;
  unsigned column = 0;
};

/// A size that is either a number or known only at run time (`any`).
struct Dim {
  static constexpr int64_t kAny = -1;
  int64_t size = kAny;

  bool isAny() const { return size == kAny; }
  bool operator==(const Dim &other) const { return size == other.size; }
  bool operator!=(const Dim &other) const { return size != other.size; }
};

enum class Kind { Sdpa, Layer };
enum class DType { F64, F32, F16, BF16 };
enum class Layout { BHSD, BSHD, BSD, THD };
enum class Source { Self, Cross };

/// The multiplier of the raw score; `Default` is 1/sqrt(head_dim.qk).
struct Scale {
  enum Form { Default, Number, Input } form = Default;
  double value = 0.0;
  Place loc;
};

/// Key position of query 0. `End` is kv_length[b] - q_length[b].
struct QueryOffset {
  enum Form { Integer, End, Input } form = Integer;
  int64_t value = 0;
  bool given = false;
  Place loc;
};

/// One entry of `score`, applied in the order written.
struct ScoreEntry {
  enum Form { Softcap, Bias, Alibi, Expr } form;
  Place loc;
  double cap = 0.0;              // softcap
  std::string name;              // bias: name of the input
  std::array<bool, 4> full = {}; // bias: per dim, full (else 1)
  bool slopesAreInput = false;   // alibi
  std::shared_ptr<const config::Expr> expr;
};

/// One entry of `mask`; all entries are and'ed.
struct MaskEntry {
  enum Form {
    Causal,
    Window,
    KvLengths,
    QLengths,
    Prefix,
    Documents,
    Tensor,
    Blocks,
    Expr
  } form;
  Place loc;
  int64_t left = -1, right = -1;       // window; -1 = unbounded
  std::string name;                    // tensor: name of the input
  std::array<bool, 4> full = {};       // tensor, blocks: per dim, full (else 1)
  int64_t blockQuery = 0, blockKv = 0; // blocks
  std::shared_ptr<const config::Expr> expr;
};

/// Rotary embedding of queries and keys.
struct Rope {
  enum Style { Half, Interleaved } style = Half;
  double base = 10000.0;
  int64_t dims = 0; // 0 = head_dim.qk
  bool tablesAreInput = false;
  Place loc;
};

/// Where cached keys and values come from.
struct Cache {
  enum Form { Append, InPlace, Paged } form;
  Dim append;
  int64_t page = 0;
  Place loc;
};

/// A tensor that an `expr` reads.
struct Capture {
  /// A dim by role, or `Number` with its size.
  struct Extent {
    enum Role { Number, Batch, Heads, KvHeads, Query, Kv } role = Number;
    int64_t size = 0;
  };
  std::string name;
  std::string dtype;
  llvm::SmallVector<Extent, 4> shape;
  Place loc;
};

enum class Output { Out, Lse, Weights, Scores, PresentK, PresentV };
inline constexpr unsigned kNumOutputs = 6;
enum class ScoresAfter { QK, Softcap, Mask, Softmax };

/// A whole config, checked.
struct Config {
  std::string name;
  /// What `Place`s are in.
  std::string fileName;
  Kind kind = Kind::Sdpa;
  DType dtype = DType::F32;
  Layout layout = Layout::BHSD;

  /// Absent in a layer on rank-2 `x`; then the batch is 1.
  std::optional<Dim> batch;
  int64_t queryHeads = 0, kvHeads = 0;
  int64_t qkHeadDim = 0, vHeadDim = 0;
  Dim queryLength, kvLength;

  Scale scale;
  QueryOffset queryOffset;
  llvm::SmallVector<ScoreEntry, 2> score;
  llvm::SmallVector<MaskEntry, 2> mask;
  llvm::SmallVector<Capture, 2> tensors;
  bool sinks = false;
  std::optional<Rope> rope;
  std::optional<Cache> cache;
  std::optional<bool> keysRotated;

  /// The outputs asked for, in the order of the kernel's interface.
  llvm::SmallVector<Output, 2> outputs;
  ScoresAfter scoresAfter = ScoresAfter::QK;

  // Layers only.
  Source source = Source::Self;
  int64_t modelDim = 0, contextDim = 0;
  std::optional<int64_t> outDim;
  bool biasQ = false, biasK = false, biasV = false, biasO = false;

  bool hasOutput(Output output) const;
  bool hasMask(MaskEntry::Form form) const;
  bool hasScore(ScoreEntry::Form form) const;

  /// True where query positions matter: causal, window, prefix, alibi, rope, or
  /// an expr that reads p.
  bool isPositional() const;

  /// True where the lengths of query and key can never differ.
  bool lengthsAgree() const;
};

/// The word a config uses for each.
llvm::StringRef toString(DType dtype);
llvm::StringRef toString(Output output);

/// What an input or output holds. `Data` is the config's dtype, `Stat` f32 (f64
/// in f64 kernels), `Index` i32 or i64, `Bool` one byte; a tensor that an expr
/// reads may be of any float type.
enum class ConfigElement { Data, Stat, Index, Bool, F64, F32, F16, BF16 };

/// One tensor of the kernel's interface. Each dim has a name that is the same
/// wherever the same size is meant (`batch`, `query`, `kv`, ...); broadcast and
/// fixed dims have the empty name.
struct ConfigTensor {
  std::string name;
  ConfigElement element = ConfigElement::Data;
  llvm::SmallVector<Dim, 4> shape;
  llvm::SmallVector<std::string, 4> dimNames;
};

/// The tensors the kernel takes and gives, in the order of its interface.
llvm::SmallVector<ConfigTensor> kernelInputs(const Config &config);
llvm::SmallVector<ConfigTensor> kernelOutputs(const Config &config);

/// One thing said about a config. `Note` follows the error it explains.
struct ConfigDiagnostic {
  enum Severity { Error, Note } severity = Error;
  Place loc;
  std::string message;
};

/// Reads a config. Every problem found is appended to `diagnostics`; the result
/// is absent exactly when one of them is an error. `fileName` only supplies the
/// default of `name`.
std::optional<Config>
parseConfig(llvm::StringRef text, llvm::StringRef fileName,
            llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics);

/// The same, printing problems as `file:line:col: error: message` with the line
/// and a caret.
std::optional<Config> parseConfig(llvm::StringRef text,
                                  llvm::StringRef fileName,
                                  llvm::raw_ostream &diagnostics);

/// Reads the file at `path` (never more than the largest config) and parses it.
std::optional<Config> parseConfigFile(llvm::StringRef path,
                                      llvm::raw_ostream &diagnostics);

/// Prints diagnostics against the text they speak of.
void printDiagnostics(llvm::raw_ostream &os, llvm::StringRef text,
                      llvm::StringRef fileName,
                      llvm::ArrayRef<ConfigDiagnostic> diagnostics);

/// Makes a kernel name of a file name: its stem with every other character an
/// underscore, moved out of the way of keywords and the C library.
std::string kernelNameFromFile(llvm::StringRef fileName);

/// Why `name` cannot name a kernel, or the empty string when it can.
std::string kernelNameProblem(llvm::StringRef name);

} // namespace fovea

#endif // FOVEA_CONFIG_CONFIG_H
