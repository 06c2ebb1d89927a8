//===- Diagnostics.cpp - errors and remarks with their place --------------===//

#include "mlir/IR/Diagnostics.h"
#include "fovea/Pipeline/Compiler.h"
#include "fovea/Support/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fovea;

static StringRef getSeverityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("all severities are named");
}

/// `file:line:column: `, or nothing.
static std::string formatPlace(Location loc) {
  FileLineColLoc place = findPlace(loc);
  return place ? llvm::formatv("{0}:{1}:{2}: ", place.getFilename().getValue(),
                               place.getLine(), place.getColumn())
                     .str()
               : std::string();
}

static void print(Diagnostic &diagnostic) {
  llvm::raw_ostream &os = llvm::errs();
  os << formatPlace(diagnostic.getLocation());
  os << getSeverityName(diagnostic.getSeverity()) << ": " << diagnostic.str()
     << "\n";
  for (Diagnostic &note : diagnostic.getNotes()) {
    // The whole operation is of use to a compiler's author only, and long.
    std::string text = note.str();
    if (!StringRef(text).starts_with("see current operation"))
      print(note);
  }
}

void fovea::printDiagnostics(MLIRContext &context) {
  context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    print(diagnostic);
    return success();
  });
}

namespace {

/// Prints remarks as diagnostics. Passes meet the same condition several times,
/// in loops that were one and in the output of weights: a sentence about a
/// place is printed once.
class RemarkPrinter : public remark::detail::MLIRRemarkStreamerBase {
public:
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text;
    for (const remark::detail::Remark::Arg &part : remark.getArgs()) {
      if (part.key == "Reason")
        text += ": ";
      else if (part.key == "Suggestion")
        text += "; ";
      text += part.val;
    }
    if (printed.insert(formatPlace(remark.getLocation()) + text).second)
      emitRemark(remark.getLocation()) << text;
  }

private:
  llvm::StringSet<> printed;
};

} // namespace

void fovea::printRemarks(MLIRContext &context,
                         ArrayRef<std::string> categories) {
  std::string names =
      categories.empty() ? ".*" : "^(" + llvm::join(categories, "|") + ")$";
  remark::RemarkCategories asked{std::nullopt, names, names, names, names};
  // Fails only where a streamer can't open its file.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<RemarkPrinter>(),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), asked);
}
