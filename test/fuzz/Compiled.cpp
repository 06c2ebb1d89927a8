//===- Compiled.cpp - the kernel of a case and its reference --------------===//

#include "Compiled.h"
#include "RandomRegion.h"
#include "fovea/Config/BuildModule.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Target/CPU/CPUInfo.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace fovea;
using namespace fovea::fuzz;
using namespace mlir;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

Compiler::Compiler()
    : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadDialect<attn::AttnDialect>();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(messages) << diagnostic << "\n";
  });
}

llvm::Error Compiler::takeError(const llvm::Twine &what) {
  return llvm::createStringError(what + ": " + std::exchange(messages, {}));
}

llvm::Expected<OwningOpRef<ModuleOp>> Compiler::build(const Case &drawn) {
  llvm::SmallVector<ConfigDiagnostic> diagnostics;
  std::string text = toYaml(drawn);
  std::optional<Config> config = parseConfig(text, "fuzz.yaml", diagnostics);
  if (!config) {
    std::string said;
    llvm::raw_string_ostream os(said);
    fovea::printDiagnostics(os, text, "fuzz.yaml", diagnostics);
    return llvm::createStringError("the config is refused: " + said);
  }
  OwningOpRef<ModuleOp> module = buildModule(*config, context);
  if (!module)
    return takeError("the config's module does not verify");
  (*module)->setAttr(attn::kTargetAttr,
                     *cpu::getTarget(drawn.target, &context));
  for (const MaskEntry &entry : drawn.mask)
    if (entry.form == MaskEntry::Region)
      addRandomMask(*module, entry.regionSeed);
  if (failed(verify(*module)))
    return takeError("the module does not verify");
  return module;
}

llvm::Expected<LoadedKernel> Compiler::compile(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(runStages(*copy, Stage::LLVM, CompilerOptions())))
    return takeError("does not compile");
  auto interfaces = getKernelInterfaces(*copy);
  if (failed(interfaces) || interfaces->size() != 1)
    return takeError("has no kernel");
  return LoadedKernel::load(*copy, interfaces->front());
}

func::FuncOp fuzz::getKernel(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      return function;
  return nullptr;
}
