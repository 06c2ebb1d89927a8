//===- CommandLine.h - flags of fovea-ptx-sim -----------------------------===//

#ifndef FOVEA_TOOLS_PTXSIM_COMMANDLINE_H
#define FOVEA_TOOLS_PTXSIM_COMMANDLINE_H

#include "fovea/PTXSimulator/Launch.h"

namespace fovea::ptxsim {

enum ExitCode { success = 0, inputFault = 1, reported = 2 };

struct CommandLine {
  std::string file;
  std::string kernel;
  ptx::Dim3 grid;
  /// The kernel's own if not given.
  std::optional<ptx::Dim3> block;
  uint64_t sharedBytes = 0;
  std::vector<std::string> arguments;
  bool list = false, statistics = false, help = false;
  ptx::LaunchOptions options;
};

llvm::Expected<CommandLine>
parseCommandLine(llvm::ArrayRef<const char *> arguments);

void printHelp(llvm::raw_ostream &os);

} // namespace fovea::ptxsim

#endif // FOVEA_TOOLS_PTXSIM_COMMANDLINE_H
