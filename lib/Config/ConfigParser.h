//===- ConfigParser.h - From a config's tree to a Config --------*- C++ -*-===//

#ifndef FOVEA_LIB_CONFIG_CONFIGPARSER_H
#define FOVEA_LIB_CONFIG_CONFIGPARSER_H

#include "Expr.h"
#include "Reader.h"

namespace fovea::config {

/// Dims of a tensor that an expr reads.
inline constexpr size_t kMaxCaptureRank = 4;

/// What names mean in the exprs of a config whose sizes, offset and tensors are
/// known.
ExprScope makeExprScope(const Config &config, bool isScore);

/// Where the character at `offset` of an expr was written.
Place exprPlace(const Node &node, size_t offset);

/// Reads the key table row by row (ParseConfig.cpp, ParseEntries.cpp,
/// ParseExprs.cpp), then
/// checks what rows say about each other (CheckConfig.cpp).
class ConfigParser {
public:
  ConfigParser(const Node &root, llvm::StringRef fileName,
               llvm::SmallVectorImpl<ConfigDiagnostic> &diagnostics)
      : root(root), fileName(fileName), read(diagnostics) {}

  std::optional<Config> run();

private:
  /// The value of a key, or null; a key not built yet is refused and null.
  const Node *value(llvm::StringRef key);
  Place at(llvm::StringRef key) const;

  void parseName();
  void parseSizes();
  void parseHeads();
  void parseHeadDim();
  void parseLength();
  void parseScale();
  void parseQueryOffset();
  void parseTensors();
  bool checkCaptureName(const Capture &capture);
  bool parseCapture(const Node &node, Capture &capture);
  void parseRope();
  void parseCache();
  void parseOutputs();
  void parseLayer();
  void parseBiases(const Node &node);

  void parseScore();
  void parseMask();
  /// Splits a list item into its word and options (null when it has none).
  bool splitEntry(const Node &item, llvm::StringRef key,
                  llvm::ArrayRef<llvm::StringRef> known, llvm::StringRef &word,
                  const Node *&options, Place &loc);
  void parseScoreEntry(llvm::StringRef word, const Node *options,
                       ScoreEntry entry);
  void parseMaskEntry(llvm::StringRef word, const Node *options,
                      MaskEntry entry);
  bool noOptions(llvm::StringRef word, const Node *options);
  bool parseWindow(const Node *options, MaskEntry &entry);
  bool parseBlocks(const Node *options, MaskEntry &entry);
  /// `{shape: [..], name: ..}` of a bias or mask tensor.
  bool parseBroadcast(llvm::StringRef word, const Node *options, Place loc,
                      llvm::StringRef defaultName, std::array<bool, 4> &full,
                      std::string &name);
  std::shared_ptr<const Expr> parseExpr(const Node *options, Place loc,
                                        bool isScore);

  void check();
  void checkKind();
  void checkHeads();
  void checkLengths();
  void checkPositions();
  void checkMasks();
  void checkConstants();
  void checkOutputs();
  void checkInputNames();
  void checkSizes();

  const Node &root;
  llvm::StringRef fileName;
  Reader read;
  Config config;
};

} // namespace fovea::config

#endif // FOVEA_LIB_CONFIG_CONFIGPARSER_H
