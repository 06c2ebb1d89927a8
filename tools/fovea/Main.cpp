//===- Main.cpp - the fovea command ---------------------------------------===//

#include "CommandLine.h"
#include "llvm/Config/llvm-config.h"

using namespace fovea;
using namespace fovea::tool;
using llvm::StringRef;

/// Flags without a command.
static int runPlain(llvm::ArrayRef<const char *> arguments) {
  int exitCode = success;
  auto parsed = parseArguments(arguments, nullptr, exitCode);
  if (!parsed)
    return exitCode;
  if (parsed->hasArg(OPT_version)) {
    llvm::outs() << "fovea " FOVEA_VERSION ", built with LLVM "
                 << LLVM_VERSION_STRING << "\n";
    return success;
  }
  printHelp(nullptr);
  return inputFault;
}

static int dispatch(llvm::ArrayRef<const char *> arguments) {
  if (arguments.empty() || StringRef(arguments[0]).starts_with("-"))
    return runPlain(arguments);
  StringRef name = arguments[0];
  std::vector<std::string> names;
  for (const Command &command : getCommands()) {
    names.push_back(command.name.str());
    if (command.name != name)
      continue;
    int exitCode = success;
    auto parsed = parseArguments(arguments.drop_front(), &command, exitCode);
    return parsed ? command.run(*parsed) : exitCode;
  }
  if (name == "help") {
    printHelp(nullptr);
    return success;
  }
  std::optional<std::string> nearest = findNearest(name, names);
  return fail(inputFault, "there is no command '" + name + "'; " +
                              (nearest ? "did you mean '" + *nearest + "'?"
                                       : "there are " + quoteList(names)));
}

int main(int argc, char **argv) {
  int exitCode = dispatch(llvm::ArrayRef<const char *>(argv + 1, argv + argc));
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    std::string message = llvm::outs().error().message();
    llvm::outs().clear_error();
    return fail(failure, "can't write to standard output: " + message);
  }
  return exitCode;
}
