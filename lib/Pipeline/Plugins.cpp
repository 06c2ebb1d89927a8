//===- Plugins.cpp - passes and dialects of others in the stages ----------===//

#include "fovea/Pipeline/Plugins.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace fovea;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===-- Insertions --------------------------------------------------------===//

/// Insertions go where IR is; an object has none.
static SmallVector<Stage> getInsertionStages() {
  SmallVector<Stage> stages(getStages());
  llvm::erase(stages, Stage::Object);
  return stages;
}

llvm::Expected<Insertion> fovea::parseInsertion(StringRef text) {
  auto [when, rest] = text.split(':');
  auto [name, pipeline] = rest.split(':');
  pipeline = pipeline.trim();
  if (when != "after" || name.empty() || pipeline.empty())
    return makeError("'--insert' expects after:STAGE:PIPELINE, but got '" +
                     text + "'");
  std::string names, nearest;
  unsigned least = 3;
  for (Stage stage : getInsertionStages()) {
    StringRef known = getStageName(stage);
    if (known == name)
      return Insertion{stage, pipeline.str(), {}};
    names += (names.empty() ? "'" : ", '") + known.str() + "'";
    unsigned distance = name.edit_distance(known, true, least);
    if (distance >= least)
      continue;
    least = distance;
    nearest = "; did you mean '" + known.str() + "'?";
  }
  return makeError("'--insert' expects one of the stages " + names +
                   ", but got '" + name + "'" + nearest);
}

/// What stands between the parentheses of `builtin.module(...)`, where that is
/// all; pipelines here are for the module anyway.
static StringRef dropModule(StringRef pipeline) {
  StringRef inner = pipeline.trim();
  if (!inner.consume_front("builtin.module(") || !inner.consume_back(")"))
    return pipeline;
  unsigned open = 0;
  for (char c : inner) {
    if (c == ')' && open-- == 0)
      return pipeline;
    open += c == '(';
  }
  return inner;
}

/// The passes and pipelines that a pipeline's text names: words outside of
/// options with no parenthesis behind them.
static SmallVector<StringRef> getPassNames(StringRef pipeline) {
  SmallVector<StringRef> names;
  size_t start = 0;
  unsigned braces = 0;
  auto finish = [&](size_t end) {
    StringRef name = pipeline.slice(start, end).trim();
    if (!name.empty())
      names.push_back(name);
    start = end + 1;
  };
  for (size_t at = 0; at < pipeline.size(); ++at) {
    char c = pipeline[at];
    if (c == '{' && braces++ == 0)
      finish(at);
    else if (c == '}' && braces && --braces == 0)
      start = at + 1;
    else if (!braces && (c == ',' || c == ')'))
      finish(at);
    else if (!braces && c == '(')
      start = at + 1;
  }
  if (!braces)
    finish(pipeline.size());
  return names;
}

static bool isRegistered(StringRef name) {
  return PassInfo::lookup(name) || PassPipelineInfo::lookup(name);
}

/// Calls `visit` with every word one edit away from `word` until it returns
/// true.
static bool forEachEdit(const std::string &word,
                        function_ref<bool(const std::string &)> visit) {
  static constexpr StringLiteral letters =
      "abcdefghijklmnopqrstuvwxyz0123456789-";
  std::string edited = word;
  for (size_t at = 0; at <= word.size(); ++at) {
    if (at < word.size()) {
      edited.erase(at, 1);
      if (visit(edited))
        return true;
      edited.insert(at, 1, word[at]);
      for (char c : letters) {
        edited[at] = c;
        if (visit(edited))
          return true;
      }
      edited[at] = word[at];
    }
    for (char c : letters) {
      edited.insert(at, 1, c);
      if (visit(edited))
        return true;
      edited.erase(at, 1);
    }
  }
  return false;
}

/// MLIR's registry answers for a name but does not list its names: asks it for
/// every word at most two edits away, which takes a fraction of a second.
static std::string findNearestPass(StringRef name) {
  std::string nearest;
  auto isKnown = [&](const std::string &word) {
    if (!isRegistered(word))
      return false;
    nearest = word;
    return true;
  };
  std::string word = name.str();
  if (word.size() < 48 && !forEachEdit(word, isKnown))
    forEachEdit(word, [&](const std::string &edited) {
      return forEachEdit(edited, isKnown);
    });
  return nearest;
}

static LogicalResult addPasses(const Insertion &insertion,
                               OpPassManager &manager, std::string &problem) {
  llvm::raw_string_ostream os(problem);
  return parsePassPipeline(dropModule(insertion.pipeline), manager, os);
}

static llvm::Error checkInsertion(const Insertion &insertion) {
  for (StringRef name : getPassNames(dropModule(insertion.pipeline))) {
    if (isRegistered(name))
      continue;
    std::string nearest = findNearestPass(name);
    return makeError("'--insert=after:" + getStageName(insertion.stage) + ":" +
                     insertion.pipeline + "' names the pass '" + name +
                     "', which no plugin, Fovea or MLIR has" +
                     (nearest.empty()
                          ? "; 'fovea-opt --list-passes "
                            "--load-pass-plugin=LIB' lists those there are"
                          : "; did you mean '" + nearest + "'?"));
  }
  OpPassManager manager(ModuleOp::getOperationName());
  std::string problem;
  if (failed(addPasses(insertion, manager, problem)))
    return makeError("'--insert=after:" + getStageName(insertion.stage) + ":" +
                     insertion.pipeline + "' is no pass pipeline\n" +
                     StringRef(problem).rtrim());
  return llvm::Error::success();
}

//===-- Libraries ---------------------------------------------------------===//

namespace {
/// The two kinds of plugins.
struct PluginKind {
  StringLiteral flag, what, entry;
};
constexpr PluginKind passKind{"--pass-plugin", "pass plugin",
                              "mlirGetPassPluginInfo"};
constexpr PluginKind dialectKind{"--dialect-plugin", "dialect plugin",
                                 "mlirGetDialectPluginInfo"};
} // namespace

/// Checks that `path` is a library with the entry point of `kind` and gives its
/// absolute path: the system looks for a bare name elsewhere than here.
static llvm::Expected<std::string>
checkLibrary(StringRef path, const PluginKind &kind, const PluginKind &other) {
  SmallString<256> full(path);
  std::error_code code = llvm::sys::fs::make_absolute(full);
  if (code || !llvm::sys::fs::exists(full))
    return makeError("'" + kind.flag +
                     "' expects a shared library, but there "
                     "is no file '" +
                     path + "'");
  std::string message;
  auto library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(full.c_str(), &message);
  if (!library.isValid())
    return makeError("'" + kind.flag + "' can't load '" + path +
                     "': " + message);
  if (library.getAddressOfSymbol(kind.entry.data()))
    return full.str().str();
  if (library.getAddressOfSymbol(other.entry.data()))
    return makeError("'" + path + "' is no " + kind.what + " but a " +
                     other.what + "; use '" + other.flag + "'");
  return makeError("'" + path + "' is no " + kind.what +
                   ": it has no entry point '" + kind.entry + "'");
}

/// Hundreds: only where they may be asked for.
static void registerKnownPasses() {
  static const bool once = (registerAllPasses(), registerPasses(), true);
  (void)once;
}

llvm::Error fovea::loadPlugins(ArrayRef<std::string> passPlugins,
                               ArrayRef<std::string> dialectPlugins,
                               MutableArrayRef<Insertion> insertions,
                               DialectRegistry &registry) {
  for (const std::string &path : dialectPlugins) {
    auto full = checkLibrary(path, dialectKind, passKind);
    if (!full)
      return full.takeError();
    auto plugin = DialectPlugin::load(*full);
    if (!plugin)
      return plugin.takeError();
    plugin->registerDialectRegistryCallbacks(registry);
  }
  if (!insertions.empty())
    registerKnownPasses();
  for (const std::string &path : passPlugins) {
    auto full = checkLibrary(path, passKind, dialectKind);
    if (!full)
      return full.takeError();
    auto plugin = PassPlugin::load(*full);
    if (!plugin)
      return plugin.takeError();
    // A pass belongs to the plugin that made its name known.
    SmallVector<std::pair<Insertion *, StringRef>> unknown;
    for (Insertion &insertion : insertions)
      for (StringRef name : getPassNames(dropModule(insertion.pipeline)))
        if (!isRegistered(name))
          unknown.emplace_back(&insertion, name);
    plugin->registerPassRegistryCallbacks();
    std::string title =
        ("'" + plugin->getPluginName() + "' (" + path + ")").str();
    for (auto [insertion, name] : unknown)
      if (isRegistered(name) && !llvm::is_contained(insertion->plugins, title))
        insertion->plugins.push_back(title);
  }
  for (const Insertion &insertion : insertions)
    if (llvm::Error error = checkInsertion(insertion))
      return error;
  return llvm::Error::success();
}

//===-- Running -----------------------------------------------------------===//

static std::string describe(const Insertion &insertion) {
  std::string text = "the pipeline '" + insertion.pipeline +
                     "' inserted after stage '" +
                     getStageName(insertion.stage).str() + "'";
  if (!insertion.plugins.empty())
    text += ", of the plugin " + llvm::join(insertion.plugins, " and ");
  return text;
}

LogicalResult fovea::runInsertions(ModuleOp module, Stage stage,
                                   ArrayRef<Insertion> insertions) {
  for (const Insertion &insertion : insertions) {
    if (insertion.stage != stage)
      continue;
    PassManager manager(module.getContext(), ModuleOp::getOperationName());
    std::string problem;
    if (failed(addPasses(insertion, manager, problem)))
      return emitError(module.getLoc())
             << describe(insertion) << " is no pass pipeline: " << problem;
    if (failed(manager.run(module)))
      return emitError(module.getLoc()) << describe(insertion) << " failed";
    PassManager verifier(module.getContext());
    addStageVerifier(stage, verifier);
    if (failed(verifier.run(module)))
      return emitError(module.getLoc())
             << "the contract of stage '" << getStageName(stage)
             << "' is broken, most likely by " << describe(insertion)
             << ": the IR kept it before that ran";
  }
  return success();
}
