//===- Diagnostics.cpp - errors with their place --------------------------===//

#include "mlir/IR/Diagnostics.h"
#include "fovea/Pipeline/Compiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fovea;

/// The file position within `loc`, if it has one.
static FileLineColLoc findPlace(Location loc) {
  FileLineColLoc place;
  loc->walk([&](Location inner) {
    place = dyn_cast<FileLineColLoc>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

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

static void print(Diagnostic &diagnostic) {
  llvm::raw_ostream &os = llvm::errs();
  if (FileLineColLoc place = findPlace(diagnostic.getLocation()))
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
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
