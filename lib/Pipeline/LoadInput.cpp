//===- LoadInput.cpp - configs and modules --------------------------------===//

#include "fovea/Config/BuildModule.h"
#include "fovea/Config/Config.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Pipeline/Compiler.h"
#include "fovea/Target/CPU/CPUInfo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fovea;

static bool isConfig(StringRef path) {
  StringRef extension = llvm::sys::path::extension(path);
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

static OwningOpRef<ModuleOp> loadConfig(StringRef path, StringRef name,
                                        MLIRContext &context) {
  std::optional<Config> config = parseConfigFile(path, llvm::errs());
  if (!config)
    return nullptr;
  if (!name.empty())
    config->name = name.str();
  return buildModule(*config, context);
}

static OwningOpRef<ModuleOp> loadModule(StringRef path, StringRef name,
                                        MLIRContext &context) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file) {
    llvm::errs() << "error: " << message << "\n";
    return nullptr;
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return module;
  // Stage files written from it call the arguments what the interface does.
  for (auto function : module->getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments())
      if (auto given = function.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), attn::kNameAttr))
        argument.setLoc(NameLoc::get(given, argument.getLoc()));
  if (name.empty())
    return module;
  // --name renames the one kernel of a module.
  SmallVector<func::FuncOp> kernels;
  for (auto function : module->getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      kernels.push_back(function);
  if (kernels.size() != 1) {
    module->emitError("expects one kernel (a public func.func) to give the "
                      "name '")
        << name << "', but got " << kernels.size();
    return nullptr;
  }
  StringAttr fresh = StringAttr::get(&context, name);
  if (failed(SymbolTable::replaceAllSymbolUses(kernels[0], fresh,
                                               module->getOperation())))
    return nullptr;
  kernels[0].setName(fresh);
  return module;
}

OwningOpRef<ModuleOp> fovea::loadInput(StringRef path,
                                       const CompilerOptions &options,
                                       MLIRContext &context) {
  OwningOpRef<ModuleOp> module = isConfig(path)
                                     ? loadConfig(path, options.name, context)
                                     : loadModule(path, options.name, context);
  if (!module)
    return nullptr;
  auto known = (*module)->getAttrOfType<attn::TargetAttr>(attn::kTargetAttr);
  if (!options.target.empty() || !known) {
    std::string name = options.target.empty() ? "host" : options.target;
    std::optional<attn::TargetAttr> target = cpu::getTarget(name, &context);
    if (!target) {
      llvm::errs() << "error: expects --target to be one of host";
      for (const cpu::TargetName &candidate : cpu::getTargetNames())
        llvm::errs() << ", " << candidate.name;
      llvm::errs() << ", but got '" << name << "'\n";
      return nullptr;
    }
    (*module)->setAttr(attn::kTargetAttr, *target);
  }
  if (options.startFrom && isConfig(path)) {
    llvm::errs() << "error: expects an .mlir file to start from stage '"
                 << getStageName(*options.startFrom) << "', but got the config "
                 << path << "; write the file with --stop-after="
                 << getStageName(*options.startFrom) << " first\n";
    return nullptr;
  }
  auto written = (*module)->getAttrOfType<StringAttr>(attn::kStageAttr);
  if (options.startFrom && written &&
      written.getValue() != getStageName(*options.startFrom)) {
    llvm::errs() << "error: " << path << " is at stage '" << written.getValue()
                 << "' by its " << attn::kStageAttr
                 << ", but --start-from says '"
                 << getStageName(*options.startFrom)
                 << "'; leave the flag out\n";
    return nullptr;
  }
  if (options.startFrom)
    (*module)->setAttr(
        attn::kStageAttr,
        StringAttr::get(&context, getStageName(*options.startFrom)));
  return module;
}
