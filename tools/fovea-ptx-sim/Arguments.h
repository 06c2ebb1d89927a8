//===- Arguments.h - arguments of a kernel from the command line ----------===//

#ifndef FOVEA_TOOLS_PTXSIM_ARGUMENTS_H
#define FOVEA_TOOLS_PTXSIM_ARGUMENTS_H

#include "fovea/PTXSimulator/Launch.h"
#include "fovea/Support/HostTensor.h"

namespace fovea::ptxsim {

/// The arguments and the memory behind them. Neither may move once added.
class Arguments {
public:
  explicit Arguments(ptx::Device &device) : device(device) {}

  /// Adds what `text`, as in `f32:1.5`, stands for.
  llvm::Error add(llvm::StringRef text);

  llvm::ArrayRef<ptx::KernelArgument> get() const { return arguments; }

  /// Writes the files of `out:` and `inout:`, and says on `os` which elements
  /// of them the kernel left out.
  llvm::Error writeFiles(llvm::raw_ostream &os);

private:
  llvm::Error addInteger(llvm::StringRef kind, llvm::StringRef value);
  llvm::Error addFloat(llvm::StringRef kind, llvm::StringRef value);
  llvm::Error addStructure(llvm::StringRef value);
  llvm::Error addMemory(llvm::StringRef kind, llvm::StringRef value);
  llvm::Error addFile(llvm::StringRef kind, llvm::StringRef value);
  llvm::Error addOutput(llvm::StringRef value);

  struct File {
    std::string path; // empty if it is only read
    HostTensor tensor;
    ptx::DevicePointer pointer = 0;
  };

  ptx::Device &device;
  std::vector<ptx::KernelArgument> arguments;
  std::vector<std::unique_ptr<File>> files;
};

} // namespace fovea::ptxsim

#endif // FOVEA_TOOLS_PTXSIM_ARGUMENTS_H
