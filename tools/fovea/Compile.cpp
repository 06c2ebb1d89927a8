//===- Compile.cpp - fovea compile ----------------------------------------===//

#include "Kernel.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Support/File.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace fovea;
using namespace fovea::tool;
using llvm::StringRef;
using llvm::opt::Arg;
using llvm::opt::InputArgList;

namespace {

enum class Emit { MLIR, LLVMIR, Assembly, Object, Shared };

/// What to write, where, and how far to go.
struct Request {
  Emit emit = Emit::Object;
  Stage last = Stage::LLVM;
  /// Empty: standard output.
  std::string path;
};

} // namespace

static std::optional<Emit> parseEmit(StringRef name) {
  return llvm::StringSwitch<std::optional<Emit>>(name)
      .Case("mlir", Emit::MLIR)
      .Case("llvm", Emit::LLVMIR)
      .Case("asm", Emit::Assembly)
      .Case("obj", Emit::Object)
      .Case("shared", Emit::Shared)
      .Default(std::nullopt);
}

static std::optional<Emit> getEmitOfSuffix(StringRef path) {
  return llvm::StringSwitch<std::optional<Emit>>(
             llvm::sys::path::extension(path))
      .Case(".mlir", Emit::MLIR)
      .Case(".ll", Emit::LLVMIR)
      .Case(".s", Emit::Assembly)
      .Case(".o", Emit::Object)
      .Case(".so", Emit::Shared)
      .Default(std::nullopt);
}

/// What `--emit` says, if anything; prints what is wrong with it.
static bool readEmit(const InputArgList &arguments, std::optional<Emit> &emit) {
  const Arg *flag = arguments.getLastArg(OPT_emit);
  if (!flag)
    return true;
  StringRef name = flag->getValue();
  emit = parseEmit(name);
  if (emit)
    return true;
  if (name == "ptx" || name == "cubin" || name == "fatbin") {
    fail(inputFault,
         "'--emit=" + name + "' is known but not built yet in this version");
    return false;
  }
  std::vector<std::string> names = {"mlir", "llvm", "asm", "obj", "shared"};
  std::optional<std::string> nearest = findNearest(name, names);
  fail(inputFault, "'--emit' expects " + quoteList(names) + ", but got '" +
                       name + "'" +
                       (nearest ? "; did you mean '" + *nearest + "'?" : ""));
  return false;
}

static std::optional<Request> parseRequest(const InputArgList &arguments) {
  Request request;
  std::optional<Emit> emit;
  if (!readEmit(arguments, emit))
    return std::nullopt;
  request.path = arguments.getLastArgValue(OPT_output_file).str();
  if (request.path == "-")
    request.path.clear();
  if (const Arg *stop = arguments.getLastArg(OPT_stop_after)) {
    std::optional<Stage> stage = parseStage("--stop-after", stop->getValue());
    if (!stage)
      return std::nullopt;
    request.last = std::min(*stage, Stage::LLVM);
    Emit implied = *stage == Stage::Object ? Emit::Object : Emit::MLIR;
    if (emit && *emit != implied) {
      fail(inputFault, "'--stop-after=" + getStageName(*stage) + "' gives " +
                           (implied == Emit::MLIR ? "mlir" : "obj") +
                           ", but '--emit' asks for '" +
                           arguments.getLastArgValue(OPT_emit) + "'");
      return std::nullopt;
    }
    emit = implied;
  }
  if (!emit)
    emit = getEmitOfSuffix(request.path);
  if (!emit) {
    fail(inputFault,
         request.path.empty()
             ? "expects '-o FILE' or '--emit=KIND' to say what to write"
             : "can't tell from the name '" + request.path +
                   "' what to write; expects a suffix .mlir, .ll, .s, .o or "
                   ".so, or '--emit=KIND'");
    return std::nullopt;
  }
  request.emit = *emit;
  if (request.path.empty() &&
      (*emit == Emit::Object || *emit == Emit::Shared)) {
    fail(inputFault, "machine code is not for standard output; expects '-o "
                     "FILE'");
    return std::nullopt;
  }
  return request;
}

/// Moves the contents of `from` into `to`. Names must differ.
static int merge(mlir::ModuleOp to, mlir::ModuleOp from, StringRef path) {
  for (StringRef attribute : {attn::kStageAttr, attn::kTargetAttr})
    if (to->getAttr(attribute) != from->getAttr(attribute))
      return fail(inputFault, "'" + path + "' has another " + attribute +
                                  " than the inputs before it");
  mlir::SymbolTable symbols(to);
  for (mlir::Operation &op :
       llvm::make_early_inc_range(from.getBody()->getOperations())) {
    auto name = op.getAttrOfType<mlir::StringAttr>(
        mlir::SymbolTable::getSymbolAttrName());
    if (name && symbols.lookup(name))
      return fail(inputFault, "'" + path + "' has the name '" +
                                  name.getValue() +
                                  "', which an input before it has; give one "
                                  "of them another 'name'");
    op.moveBefore(to.getBody(), to.getBody()->end());
    if (name)
      symbols.insert(&op);
  }
  return success;
}

/// Loads all inputs into one module; null with an exit code where one is wrong.
static mlir::OwningOpRef<mlir::ModuleOp>
loadInputs(llvm::ArrayRef<std::string> paths, const CompilerOptions &options,
           mlir::MLIRContext &context, int &exitCode) {
  exitCode = inputFault;
  if (paths.empty()) {
    fail(inputFault, "'fovea compile' expects an input (a .yaml, .json or "
                     ".mlir file)");
    return nullptr;
  }
  if (paths.size() > 1 && !options.name.empty()) {
    fail(inputFault, "'--name' names one kernel; expects one input, but got " +
                         quoteList(paths));
    return nullptr;
  }
  mlir::OwningOpRef<mlir::ModuleOp> module;
  for (const std::string &path : paths) {
    auto next = loadInput(path, options, context);
    if (!next)
      return nullptr;
    if (!module)
      module = std::move(next);
    else if ((exitCode = merge(*module, *next, path)) != success)
      return nullptr;
  }
  exitCode = success;
  return module;
}

static int writeText(StringRef path, StringRef text) {
  if (path.empty()) {
    llvm::outs() << text;
    return success;
  }
  llvm::Error error =
      writeAtomically(path, [&](llvm::raw_ostream &os) { os << text; });
  return error ? fail(failure, std::move(error)) : success;
}

static int writeModule(mlir::ModuleOp module, StringRef path) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Arguments have the names that configs and stage files give them.
  module->print(os, mlir::OpPrintingFlags().printNameLocAsPrefix());
  os << "\n";
  return writeText(path, text);
}

/// Writes k.h beside k.o.
static int writeHeader(llvm::ArrayRef<KernelInterface> interfaces,
                       StringRef path) {
  llvm::SmallString<128> header(path);
  llvm::sys::path::replace_extension(header, ".h");
  return writeText(header, emitHeader(interfaces, llvm::sys::path::stem(path)));
}

static int emitMachineCode(mlir::ModuleOp module,
                           llvm::ArrayRef<KernelInterface> interfaces,
                           const Request &request) {
  CodeKind kind = request.emit == Emit::LLVMIR     ? CodeKind::LLVMIR
                  : request.emit == Emit::Assembly ? CodeKind::Assembly
                                                   : CodeKind::Object;
  llvm::Expected<std::string> code = emitCode(module, kind);
  if (!code)
    return fail(failure, code.takeError());
  if (request.emit == Emit::Shared) {
    if (llvm::Error error = linkShared(*code, request.path))
      return fail(failure, std::move(error));
  } else if (int exitCode = writeText(request.path, *code)) {
    return exitCode;
  }
  // Of another name, such as /dev/null, there is none to make a header's of.
  StringRef suffix = llvm::sys::path::extension(request.path);
  return suffix == ".o" || suffix == ".so"
             ? writeHeader(interfaces, request.path)
             : success;
}

int tool::compile(const InputArgList &arguments) {
  std::optional<CompilerOptions> options = parseCompilerOptions(arguments);
  if (!options)
    return inputFault;
  std::optional<Request> request = parseRequest(arguments);
  if (!request)
    return inputFault;
  std::vector<std::string> paths = arguments.getAllArgValues(OPT_INPUT);
  std::unique_ptr<mlir::MLIRContext> context = createContext(*options);
  if (!context)
    return inputFault;
  int exitCode = success;
  auto module = loadInputs(paths, *options, *context, exitCode);
  if (!module)
    return exitCode;
  // Asked for early: what comes later takes kernels for granted.
  auto interfaces = getKernelInterfaces(*module);
  if (mlir::failed(interfaces))
    return inputFault;
  if (interfaces->empty())
    return fail(inputFault, "expects a kernel (a public func.func), but the "
                            "input has none");
  if (mlir::failed(runStages(*module, request->last, *options)))
    return options->insertions.empty() && llvm::all_of(paths, isConfig)
               ? failure
               : inputFault;
  return request->emit == Emit::MLIR
             ? writeModule(*module, request->path)
             : emitMachineCode(*module, *interfaces, *request);
}
