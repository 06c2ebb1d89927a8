//===- RunStages.cpp - runs the stages and writes their files -------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Dialect/Attn/Transforms/Passes.h"
#include "fovea/Pipeline/Compiler.h"
#include "fovea/Support/File.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fovea;

static FailureOr<Stage> getCurrentStage(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(attn::kStageAttr);
  if (!name)
    return Stage::Input;
  if (std::optional<Stage> stage = parseStageName(name.getValue()))
    return *stage;
  return module.emitError("expects ")
         << attn::kStageAttr << " to name a stage, but got '" << name.getValue()
         << "'";
}

/// The text of a stage file: as a user reads and edits it.
static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().printNameLocAsPrefix());
  os << "\n";
  return text;
}

static LogicalResult writeStage(ModuleOp module, Stage stage,
                                const CompilerOptions &options) {
  if (options.stagesDir.empty())
    return success();
  std::string name;
  llvm::raw_string_ostream(name)
      << llvm::format("%02d-", static_cast<int>(stage)) << getStageName(stage)
      << ".mlir";
  SmallString<256> path(options.stagesDir);
  llvm::sys::path::append(path, name);
  std::error_code created =
      llvm::sys::fs::create_directories(options.stagesDir);
  if (created) {
    llvm::errs() << "error: can't make the directory " << options.stagesDir
                 << ": " << created.message() << "\n";
    return failure();
  }
  if (llvm::Error error = writeAtomically(
          path, [&](llvm::raw_ostream &os) { os << print(module); })) {
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
    return failure();
  }
  return success();
}

static LogicalResult countTiles(ModuleOp module) {
  PassManager manager(module.getContext());
  manager.addPass(attn::createAttnCountTiles());
  return manager.run(module);
}

/// A stage file shows the IR after the insertions of its stage, so that going
/// on from it must not run them again; to ignore them silently won't do.
static LogicalResult checkInsertions(ModuleOp module, Stage current,
                                     ArrayRef<Insertion> insertions) {
  for (const Insertion &insertion : insertions)
    if (insertion.stage <= current)
      return emitError(module.getLoc())
             << "'--insert=after:" << getStageName(insertion.stage) << ":"
             << insertion.pipeline << "' expects an input before stage '"
             << getStageName(insertion.stage) << "', but it is at '"
             << getStageName(current)
             << "' already; run these passes with fovea-opt, or leave them out";
  return success();
}

LogicalResult fovea::runStages(ModuleOp module, Stage last,
                               const CompilerOptions &options) {
  FailureOr<Stage> current = getCurrentStage(module);
  if (failed(current) ||
      failed(checkInsertions(module, *current, options.insertions)))
    return failure();
  if (*current > last && last != Stage::Object) {
    module.emitError("is at stage '")
        << getStageName(*current) << "' already, past '" << getStageName(last)
        << "'";
    return failure();
  }
  // A file edited by hand is held to its stage's contract before anything
  // counts on it.
  if (*current != Stage::Input && *current != Stage::Object) {
    PassManager manager(module.getContext());
    addStageVerifier(*current, manager);
    if (failed(manager.run(module)))
      return failure();
  }
  for (Stage stage : getStages()) {
    if (stage <= *current || stage > last || stage == Stage::Object)
      continue;
    PassManager manager(module.getContext());
    // The verifier runs once a stage, below: after every pass it would take a
    // third of the time. fovea-opt has it after every pass.
    manager.enableVerifier(false);
    buildStagePipeline(stage, manager);
    if (failed(manager.run(module)) || failed(verify(module)) ||
        failed(runInsertions(module, stage, options.insertions)))
      return failure();
    if (options.countTiles && stage == Stage::Fused &&
        failed(countTiles(module)))
      return failure();
    if (failed(writeStage(module, stage, options)))
      return failure();
  }
  return success();
}
