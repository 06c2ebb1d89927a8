//===- Inputs.h - a kernel's inputs, from files or drawn ------------------===//

#ifndef FOVEA_TOOLS_FOVEA_INPUTS_H
#define FOVEA_TOOLS_FOVEA_INPUTS_H

#include "CommandLine.h"
#include "fovea/Support/HostTensor.h"
#include "llvm/ADT/StringMap.h"

namespace fovea::tool {

/// How to draw inputs that have no file.
struct Drawing {
  bool isWanted = false;
  uint64_t seed = 0;
  /// Lengths are those of the tensors rather than drawn.
  bool wantsFullLengths = false;
};

/// `--random`, or prints what is wrong.
std::optional<Drawing> parseDrawing(const llvm::opt::InputArgList &arguments);

/// The inputs in the kernel's order, and the sizes of its open dimensions.
struct Inputs {
  std::vector<HostTensor> tensors;
  llvm::StringMap<int64_t> sizes;

  llvm::SmallVector<const HostTensor *> getPointers() const {
    llvm::SmallVector<const HostTensor *> pointers;
    for (const HostTensor &tensor : tensors)
      pointers.push_back(&tensor);
    return pointers;
  }
};

/// Reads `--input` files, takes open dimensions from them and `--dim`, and
/// draws the rest. Prints what is wrong with any of it.
std::optional<Inputs> gatherInputs(const llvm::opt::InputArgList &arguments,
                                   const KernelInterface &interface,
                                   const Drawing &drawing);

/// Splits `--input` and `--output` values, checking names against `specs`.
/// Prints what is wrong; `what` is `input` or `output`.
std::optional<llvm::StringMap<std::string>>
parseFiles(llvm::ArrayRef<std::string> values, llvm::StringRef what,
           llvm::ArrayRef<TensorSpec> specs);

/// `[batch, 2, kv, 64] of f32`.
std::string formatSpec(const TensorSpec &spec);

/// Draws one input. `keys` and `queries` are the lengths that index inputs
/// speak of. The numbers depend on seed, name and shape only.
void drawInput(const TensorSpec &spec, HostTensor &tensor,
               const Drawing &drawing, int64_t queries, int64_t keys);

} // namespace fovea::tool

#endif // FOVEA_TOOLS_FOVEA_INPUTS_H
