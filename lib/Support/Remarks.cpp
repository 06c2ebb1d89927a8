//===- Remarks.cpp - what passes say of their decisions -------------------===//

#include "fovea/Support/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace fovea;

ArrayRef<llvm::StringLiteral> fovea::getRemarkCategories() {
  static constexpr llvm::StringLiteral categories[] = {
      kRemarkLayers, kRemarkTiles,   kRemarkMasks,
      kRemarkLoops,  kRemarkVectors, kRemarkPatterns};
  return categories;
}

remark::RemarkOpts fovea::getRemarkOpts(Operation *op, StringRef category,
                                        StringRef name) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return remark::RemarkOpts::name(name).category(category).function(
      function ? function.getName() : StringRef());
}

FileLineColLoc fovea::findPlace(Location loc) {
  FileLineColLoc place;
  loc->walk([&](Location inner) {
    place = dyn_cast<FileLineColLoc>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

RewriterBase::Listener *MatchFailureRemarks::getIfWanted(MLIRContext *context) {
  return context->getRemarkEngine() ? this : nullptr;
}

void MatchFailureRemarks::notifyPatternBegin(const Pattern &pattern,
                                             Operation *op) {
  tried = pattern.getRootKind() ? op : nullptr;
}

void MatchFailureRemarks::notifyMatchFailure(
    Location loc, function_ref<void(Diagnostic &)> reasonCallback) {
  if (!tried)
    return;
  Diagnostic reason(loc, DiagnosticSeverity::Remark);
  reasonCallback(reason);
  std::string text = pass + ": not applied: " + reason.str();
  std::string key;
  llvm::raw_string_ostream(key) << loc << text;
  if (said.insert(key).second)
    remark::missed(loc,
                   getRemarkOpts(tried, kRemarkPatterns, "pattern-not-applied"))
        << text;
}
