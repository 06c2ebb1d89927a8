//===- Targets.cpp - fovea targets ----------------------------------------===//

#include "CommandLine.h"
#include "fovea/Target/CPU/CPUInfo.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Host.h"

using namespace fovea;

int tool::targets(const llvm::opt::InputArgList &arguments) {
  if (arguments.hasArg(OPT_INPUT))
    return fail(inputFault, "'fovea targets' expects no input, but got '" +
                                arguments.getLastArgValue(OPT_INPUT) + "'");
  auto print = [](llvm::StringRef name, const llvm::Twine &description) {
    llvm::outs() << llvm::formatv("{0,-16}", name) << description << "\n";
  };
  print("host", "this machine's processor, " + llvm::sys::getHostCPUName());
  for (const cpu::TargetName &target : cpu::getTargetNames())
    print(target.name, target.description);
  return success;
}
