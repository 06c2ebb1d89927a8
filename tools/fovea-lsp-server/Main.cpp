//===- Main.cpp - mlir-lsp-server with the attn dialect -------------------===//
//
// Editors show errors, types and definitions of kernels while they are written.
//
//===----------------------------------------------------------------------===//

#include "fovea/Pipeline/Plugins.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/LSP/Protocol.h"
#include "llvm/Support/WithColor.h"

int main(int argc, char **argv) {
  llvm::cl::list<std::string> plugins(
      "load-dialect-plugin", llvm::cl::value_desc("LIB"),
      llvm::cl::desc("Load a library with dialects, as fovea-opt does"));
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  fovea::registerDialects(registry);
  // Asked for first when the flags are known and a file is opened.
  bool loaded = false;
  auto getRegistry =
      [&](const llvm::lsp::URIForFile &) -> mlir::DialectRegistry & {
    if (loaded)
      return registry;
    loaded = true;
    if (llvm::Error error = fovea::loadPlugins({}, plugins, {}, registry))
      llvm::WithColor::error() << llvm::toString(std::move(error)) << "\n";
    return registry;
  };
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, getRegistry));
}
