//===- FuzzConfig.cpp - the config reader under libFuzzer -----------------===//
//
// Any text either becomes a config or an explained error; a config becomes a
// module that verifies, and that its printed form gives back.
//
//===----------------------------------------------------------------------===//

#include "Expect.h"
#include "fovea/Config/BuildModule.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace fovea;
using namespace fovea::fuzz;

/// Types and attributes live as long as their context: a new one now and then
/// keeps the memory of a long run bounded.
static mlir::MLIRContext &getContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned uses = 0;
  if (!context || ++uses % 256 == 0)
    context = std::make_unique<mlir::MLIRContext>(
        mlir::MLIRContext::Threading::DISABLED);
  return *context;
}

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

static void checkModule(const Config &config) {
  mlir::MLIRContext &context = getContext();
  mlir::OwningOpRef<mlir::ModuleOp> module = buildModule(config, context);
  expect(bool(module), "a config that was accepted becomes a module");
  expect(succeeded(mlir::verify(*module)), "the module verifies");
  std::string text = print(*module);
  mlir::OwningOpRef<mlir::ModuleOp> again =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  expect(bool(again), "the printed module can be read");
  expect(print(*again) == text, "the module read is the one printed");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::SmallVector<ConfigDiagnostic> diagnostics;
  std::optional<Config> config = parseConfig(text, "fuzz.yaml", diagnostics);
  bool failed = llvm::any_of(diagnostics, [](const ConfigDiagnostic &found) {
    return found.severity == ConfigDiagnostic::Error;
  });
  expect(failed == !config, "a config is absent exactly after an error");
  for (const ConfigDiagnostic &found : diagnostics)
    expect(!found.message.empty(), "a diagnostic has a text");
  std::string printed;
  llvm::raw_string_ostream os(printed);
  printDiagnostics(os, text, "fuzz.yaml", diagnostics);
  expect(printed.empty() == diagnostics.empty(), "diagnostics are printed");
  if (config)
    checkModule(*config);
  return 0;
}
