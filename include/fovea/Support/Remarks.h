//===- Remarks.h - what passes say of their decisions -----------*- C++ -*-===//
//
// Remarks go through upstream's engine (mlir/IR/Remarks.h): fovea --remarks
// prints them, fovea-opt --remarks-filter=CATEGORY as well. A context without
// an engine drops them; what is costly to say is computed only where
// InFlightRemark is true:
//
//   if (auto said = remark::passed(loc, getRemarkOpts(op, kRemarkTiles, name)))
//     said << remark::add("...") << remark::reason("...");
//
// The text is a sentence without a final period; a reason goes after a colon.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_SUPPORT_REMARKS_H
#define FOVEA_SUPPORT_REMARKS_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

namespace fovea {

/// What remarks of Fovea's passes are about. A plugin's have categories of its
/// own.
inline constexpr llvm::StringLiteral kRemarkLayers = "layers";
inline constexpr llvm::StringLiteral kRemarkTiles = "tiles";
inline constexpr llvm::StringLiteral kRemarkMasks = "masks";
inline constexpr llvm::StringLiteral kRemarkLoops = "loops";
inline constexpr llvm::StringLiteral kRemarkVectors = "vectors";
inline constexpr llvm::StringLiteral kRemarkPatterns = "patterns";

/// All of the above, in the order of the passes.
llvm::ArrayRef<llvm::StringLiteral> getRemarkCategories();

/// Names a remark about `op`, with the function that `op` is in. `category` and
/// `name` must outlive the remark.
mlir::remark::RemarkOpts getRemarkOpts(mlir::Operation *op,
                                       llvm::StringRef category,
                                       llvm::StringRef name);

/// The file position within `loc`, null if it has none.
mlir::FileLineColLoc findPlace(mlir::Location loc);

/// Turns the reasons for which rewrite patterns do not apply into remarks of
/// category `patterns`, each once. Reasons of patterns that try any operation
/// are left out: nearly all operations are none of theirs.
class MatchFailureRemarks : public mlir::RewriterBase::Listener {
public:
  /// `pass` is the name of the pass that the patterns run in.
  explicit MatchFailureRemarks(llvm::StringRef pass) : pass(pass) {}

  /// What to give to GreedyRewriteConfig::setListener: this, or null where
  /// nobody asks for remarks.
  mlir::RewriterBase::Listener *getIfWanted(mlir::MLIRContext *context);

  void notifyPatternBegin(const mlir::Pattern &pattern,
                          mlir::Operation *op) override;
  void notifyMatchFailure(
      mlir::Location loc,
      llvm::function_ref<void(mlir::Diagnostic &)> reasonCallback) override;

private:
  std::string pass;
  /// The operation that a pattern tries, null if its failure is of no interest.
  mlir::Operation *tried = nullptr;
  llvm::StringSet<> said;
};

} // namespace fovea

#endif // FOVEA_SUPPORT_REMARKS_H
