//===- CommandLine.cpp - flags, errors and exit codes of fovea ------------===//

#include "CommandLine.h"
#include "fovea/Config/Config.h"
#include "fovea/Support/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"

using namespace fovea;
using namespace fovea::tool;
using llvm::StringRef;
using llvm::opt::Arg;
using llvm::opt::InputArgList;
using llvm::opt::OptTable;

int tool::fail(ExitCode code, const llvm::Twine &message) {
  llvm::outs().flush();
  llvm::WithColor::error() << message << "\n";
  return code;
}

int tool::fail(ExitCode code, llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    for (std::errc user :
         {std::errc::no_such_file_or_directory, std::errc::not_a_directory,
          std::errc::is_a_directory, std::errc::permission_denied,
          std::errc::read_only_file_system})
      if (info.convertToErrorCode() == std::make_error_code(user))
        code = inputFault;
    fail(code, info.message());
  });
  return code;
}

//===-- The table ---------------------------------------------------------===//

#define OPTTABLE_STR_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "Options.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

using llvm::opt::HelpHidden;
static constexpr OptTable::Info optionInfos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "Options.inc"
#undef OPTION
};

namespace {
struct FoveaOptTable : llvm::opt::GenericOptTable {
  FoveaOptTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, optionInfos) {}
};
} // namespace

llvm::ArrayRef<Command> tool::getCommands() {
  static const Command commands[] = {
      {"compile", CompileVis,
       "compile INPUT... -o FILE [flags]\n       fovea compile INPUT... "
       "--emit=mlir|llvm|asm [flags]",
       "Compile configs or modules to an object, library, assembly or IR",
       compile},
      {"run", RunVis,
       "run INPUT --input=NAME=FILE.npy... [--output=NAME=FILE.npy...] "
       "[flags]",
       "Compile a kernel in memory and call it once", run},
      {"bench", BenchVis, "bench INPUT --dim NAME=SIZE... [flags]",
       "Measure a kernel against this machine's peak", bench},
      {"targets", TargetsVis, "targets", "List the processors to compile for",
       targets}};
  return commands;
}

void tool::printHelp(const Command *command) {
  FoveaOptTable table;
  llvm::raw_ostream &os = llvm::outs();
  if (command) {
    table.printHelp(os, (StringRef("fovea ") + command->usage).str().c_str(),
                    command->summary, /*ShowHidden=*/false,
                    /*ShowAllAliases=*/false,
                    llvm::opt::Visibility(command->visibility));
    return;
  }
  os << "OVERVIEW: Fovea compiles attention\n\nUSAGE: fovea COMMAND "
        "...\n\nCOMMANDS:\n";
  for (const Command &known : getCommands())
    os << "  " << llvm::left_justify(known.name, 10) << known.summary << "\n";
  os << "\n'fovea COMMAND --help' shows the flags of a command. 'fovea "
        "--version' shows\nversions. INPUT is a config (.yaml, .json) or a "
        "module (.mlir, - for standard\ninput).\n\nEXIT CODES: 0 fine, 1 the "
        "input is at fault, 2 a failed check, a bug or the\nmachine's fault\n";
}

/// Says what is wrong with a flag that `command` does not take.
static int refuseUnknown(FoveaOptTable &table, StringRef text,
                         const Command *command) {
  std::string flag = text.split('=').first.str();
  const char *pointer = text.data();
  unsigned index = 0, count = 0;
  std::string where = command ? "'fovea " + command->name.str() + "'" : "fovea";
  for (const Command &other : getCommands()) {
    InputArgList parsed =
        table.ParseArgs(llvm::ArrayRef(pointer), index, count,
                        llvm::opt::Visibility(other.visibility));
    if (!parsed.hasArg(OPT_UNKNOWN))
      return fail(inputFault, where + " has no flag '" + flag +
                                  "'; it goes with 'fovea " + other.name + "'");
  }
  std::string nearest;
  unsigned distance = table.findNearest(
      text, nearest,
      llvm::opt::Visibility(command ? command->visibility : DefaultVis));
  std::string hint =
      command ? "; 'fovea " + command->name.str() + " --help' lists all"
              : "; 'fovea --help' says more";
  if (distance <= 3)
    hint =
        "; did you mean '" + StringRef(nearest).split('=').first.str() + "'?";
  return fail(inputFault, where + " has no flag '" + flag + "'" + hint);
}

std::optional<InputArgList>
tool::parseArguments(llvm::ArrayRef<const char *> arguments,
                     const Command *command, int &exitCode) {
  FoveaOptTable table;
  unsigned missingIndex = 0, missingCount = 0;
  InputArgList parsed = table.ParseArgs(
      arguments, missingIndex, missingCount,
      llvm::opt::Visibility(command ? command->visibility : DefaultVis));
  if (parsed.hasArg(OPT_help)) {
    printHelp(command);
    exitCode = success;
    return std::nullopt;
  }
  for (const Arg *unknown : parsed.filtered(OPT_UNKNOWN)) {
    exitCode = refuseUnknown(table, unknown->getSpelling(), command);
    return std::nullopt;
  }
  if (missingCount) {
    exitCode = fail(inputFault, StringRef("'") + arguments[missingIndex] +
                                    "' expects a value after it");
    return std::nullopt;
  }
  for (const Arg *refused : parsed.filtered(OPT_not_built_group)) {
    StringRef name = refused->getSpelling();
    exitCode =
        fail(inputFault, "'" + name.rtrim('=') +
                             "' is known but not built yet in this version");
    return std::nullopt;
  }
  return parsed;
}

//===-- Words -------------------------------------------------------------===//

std::optional<std::string>
tool::findNearest(StringRef word, llvm::ArrayRef<std::string> words) {
  std::optional<std::string> nearest;
  unsigned best = std::max<size_t>(word.size() / 3, 1) + 1;
  for (const std::string &candidate : words) {
    unsigned distance = word.edit_distance(candidate, true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string tool::quoteList(llvm::ArrayRef<std::string> words) {
  std::string text;
  for (auto [n, word] : llvm::enumerate(words)) {
    if (n > 0)
      text += n + 1 == words.size() ? " and " : ", ";
    text += "'" + word + "'";
  }
  return text;
}

std::optional<int64_t> tool::parseNumber(StringRef flag, StringRef text,
                                         int64_t least, int64_t most) {
  int64_t number;
  if (!text.getAsInteger(10, number) && number >= least && number <= most)
    return number;
  fail(inputFault, "'" + flag + "' expects an integer from " +
                       llvm::Twine(least) + " to " + llvm::Twine(most) +
                       ", but got '" + text + "'");
  return std::nullopt;
}

std::optional<Stage> tool::parseStage(StringRef flag, StringRef name) {
  if (std::optional<Stage> stage = parseStageName(name))
    return stage;
  std::vector<std::string> names;
  for (Stage stage : getStages())
    names.push_back(getStageName(stage).str());
  std::string text = "'" + flag.str() + "' expects a stage, " +
                     quoteList(names) + ", but got '" + name.str() + "'";
  if (std::optional<std::string> nearest = findNearest(name, names))
    text += "; did you mean '" + *nearest + "'?";
  fail(inputFault, text);
  return std::nullopt;
}

/// Reads `--remarks` and its categories, or prints what is wrong with them.
static bool parseRemarks(const InputArgList &arguments,
                         CompilerOptions &options) {
  std::vector<std::string> names, asked;
  for (StringRef name : getRemarkCategories())
    names.push_back(name.str());
  for (StringRef list : arguments.getAllArgValues(OPT_remarks_list)) {
    for (StringRef name : llvm::split(list, ',')) {
      if (llvm::is_contained(names, name)) {
        asked.push_back(name.str());
        continue;
      }
      std::optional<std::string> nearest = findNearest(name, names);
      fail(inputFault,
           "'--remarks=' expects categories among " + quoteList(names) +
               ", but got '" + name + "'" +
               (nearest ? "; did you mean '" + *nearest + "'?" : ""));
      return false;
    }
  }
  if (arguments.hasArg(OPT_remarks))
    options.remarks.emplace();
  else if (!asked.empty())
    options.remarks = std::move(asked);
  return true;
}

std::optional<CompilerOptions>
tool::parseCompilerOptions(const InputArgList &arguments) {
  CompilerOptions options;
  options.target = arguments.getLastArgValue(OPT_target).str();
  options.name = arguments.getLastArgValue(OPT_name).str();
  options.stagesDir = arguments.getLastArgValue(OPT_stages_dir).str();
  if (arguments.hasArg(OPT_name)) {
    std::string problem = kernelNameProblem(options.name);
    if (!problem.empty()) {
      fail(inputFault, "'--name' " + problem);
      return std::nullopt;
    }
  }
  if (const Arg *start = arguments.getLastArg(OPT_start_from)) {
    options.startFrom = parseStage("--start-from", start->getValue());
    if (!options.startFrom)
      return std::nullopt;
  }
  if (!parseRemarks(arguments, options))
    return std::nullopt;
  options.passPlugins = arguments.getAllArgValues(OPT_pass_plugin);
  options.dialectPlugins = arguments.getAllArgValues(OPT_dialect_plugin);
  for (const std::string &text : arguments.getAllArgValues(OPT_insert)) {
    llvm::Expected<Insertion> insertion = parseInsertion(text);
    if (!insertion) {
      fail(inputFault, insertion.takeError());
      return std::nullopt;
    }
    options.insertions.push_back(std::move(*insertion));
  }
  return options;
}

std::optional<std::string> tool::getSingleInput(const InputArgList &arguments,
                                                StringRef command) {
  std::vector<std::string> inputs = arguments.getAllArgValues(OPT_INPUT);
  if (inputs.size() == 1)
    return inputs.front();
  fail(inputFault,
       "'fovea " + command +
           "' expects one input (a .yaml, .json or .mlir "
           "file), but got " +
           (inputs.empty() ? std::string("none") : quoteList(inputs)));
  return std::nullopt;
}
