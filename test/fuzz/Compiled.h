//===- Compiled.h - the kernel of a case and its reference ----------------===//

#ifndef FOVEA_TEST_FUZZ_COMPILED_H
#define FOVEA_TEST_FUZZ_COMPILED_H

#include "Case.h"
#include "fovea/Pipeline/LoadedKernel.h"
#include "fovea/Reference/Reference.h"
#include "mlir/IR/MLIRContext.h"

namespace fovea::fuzz {

/// A context that keeps what is reported on it rather than printing it.
class Compiler {
public:
  Compiler();
  /// The module of a case, as a front end makes it.
  llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> build(const Case &drawn);
  /// Takes a copy of `module` to machine code.
  llvm::Expected<LoadedKernel> compile(mlir::ModuleOp module);

private:
  llvm::Error takeError(const llvm::Twine &what);

  mlir::MLIRContext context;
  std::string messages;
};

/// The module's one kernel.
mlir::func::FuncOp getKernel(mlir::ModuleOp module);

} // namespace fovea::fuzz

#endif // FOVEA_TEST_FUZZ_COMPILED_H
