//===- CommandLine.h - flags, errors and exit codes of fovea --------------===//

#ifndef FOVEA_TOOLS_FOVEA_COMMANDLINE_H
#define FOVEA_TOOLS_FOVEA_COMMANDLINE_H

#include "fovea/Pipeline/Compiler.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

namespace fovea::tool {

/// What the process returns.
enum ExitCode {
  success = 0,
  /// The input is at fault.
  inputFault = 1,
  /// A failed check, a bug, or the machine's fault.
  failure = 2
};

/// Prints `error: message` and gives `code` back.
int fail(ExitCode code, const llvm::Twine &message);
/// The same for an error, which is the user's where a file or folder can't be
/// used, and else counts as `code`.
int fail(ExitCode code, llvm::Error error);

enum OptionId {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

/// Commands as bits of an option's visibility.
enum OptionVisibility {
  DefaultVis = llvm::opt::DefaultVis,
  CompileVis = 1 << 1,
  RunVis = 1 << 2,
  BenchVis = 1 << 3,
  TargetsVis = 1 << 4
};

struct Command {
  llvm::StringLiteral name;
  OptionVisibility visibility;
  const char *usage, *summary;
  int (*run)(const llvm::opt::InputArgList &arguments);
};

llvm::ArrayRef<Command> getCommands();
int compile(const llvm::opt::InputArgList &arguments);
int run(const llvm::opt::InputArgList &arguments);
int bench(const llvm::opt::InputArgList &arguments);
int targets(const llvm::opt::InputArgList &arguments);

/// Parses `arguments` for one command, which DefaultVis stands for none of.
/// Nothing, and an exit code, where help was asked for or a flag is wrong.
std::optional<llvm::opt::InputArgList>
parseArguments(llvm::ArrayRef<const char *> arguments, const Command *command,
               int &exitCode);
void printHelp(const Command *command);

/// The string nearest to `word`, if it is near enough to be meant.
std::optional<std::string> findNearest(llvm::StringRef word,
                                       llvm::ArrayRef<std::string> words);
/// `'a', 'b' and 'c'`.
std::string quoteList(llvm::ArrayRef<std::string> words);

/// Reads a number of a flag in [least, most], or prints what is wrong.
std::optional<int64_t> parseNumber(llvm::StringRef flag, llvm::StringRef text,
                                   int64_t least, int64_t most);

/// Reads the flags that all kernel commands have, or prints what is wrong.
std::optional<CompilerOptions>
parseCompilerOptions(const llvm::opt::InputArgList &arguments);
/// A stage by its name; `flag` is for the message.
std::optional<Stage> parseStage(llvm::StringRef flag, llvm::StringRef name);

/// The one input of a command, or prints what is wrong.
std::optional<std::string>
getSingleInput(const llvm::opt::InputArgList &arguments,
               llvm::StringRef command);

} // namespace fovea::tool

#endif // FOVEA_TOOLS_FOVEA_COMMANDLINE_H
