//===- Run.cpp - fovea run ------------------------------------------------===//

#include "Inputs.h"
#include "Kernel.h"
#include "PrintTensor.h"
#include "fovea/Reference/Check.h"
#include "fovea/Support/Npy.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace fovea;
using namespace fovea::tool;
using llvm::StringRef;
using llvm::opt::InputArgList;
using reference::Evaluator;
using reference::Mode;

static constexpr int64_t defaultCheckRows = 256;

namespace {

/// One `fovea run`, step by step; each returns an exit code.
class Runner {
public:
  explicit Runner(const InputArgList &arguments) : arguments(arguments) {}
  int run();

private:
  int load();
  int compute();
  int computeByReference();
  int check();
  int printStats();
  int writeOutputs();

  std::unique_ptr<Evaluator> createEvaluator(Mode mode, int &exitCode);
  bool isReferable(StringRef flag);

  const InputArgList &arguments;
  CompilerOptions options;
  std::string path;
  int64_t checkRows = 0;
  llvm::StringMap<std::string> files;
  Pool pool{nullptr, fovea_pool_destroy};
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  KernelInterface interface;
  std::optional<Inputs> inputs;
  std::vector<HostTensor> outputs;
  double milliseconds = 0;
};

} // namespace

static double measure(llvm::function_ref<void()> work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
      .count();
}

int Runner::load() {
  std::optional<CompilerOptions> parsed = parseCompilerOptions(arguments);
  if (!parsed)
    return inputFault;
  options = *parsed;
  std::optional<std::string> input = getSingleInput(arguments, "run");
  if (!input)
    return inputFault;
  path = *input;
  if (arguments.hasArg(OPT_check))
    checkRows = defaultCheckRows;
  if (const llvm::opt::Arg *flag = arguments.getLastArg(OPT_check_rows)) {
    std::optional<int64_t> rows =
        parseNumber("--check", flag->getValue(), 1, INT64_MAX);
    if (!rows)
      return inputFault;
    checkRows = *rows;
  }
  if (checkRows && arguments.hasArg(OPT_reference))
    return fail(inputFault, "'--check' compares compiled code with the "
                            "reference; expects no '--reference' with it");
  std::optional<Drawing> drawing = parseDrawing(arguments);
  if (!drawing)
    return inputFault;
  std::optional<Pool> threads = createPool(arguments);
  if (!threads)
    return inputFault;
  pool = std::move(*threads);

  context = createContext(options);
  if (!context)
    return inputFault;
  module = loadInput(path, options, *context);
  if (!module || mlir::failed(runEarlyInsertions(*module, options)))
    return inputFault;
  std::optional<KernelInterface> single = getSingleKernel(*module);
  if (!single)
    return inputFault;
  interface = std::move(*single);
  auto outputFiles = parseFiles(arguments.getAllArgValues(OPT_output), "output",
                                interface.outputs);
  if (!outputFiles)
    return inputFault;
  files = std::move(*outputFiles);
  inputs = gatherInputs(arguments, interface, *drawing);
  if (!inputs)
    return inputFault;
  auto made = createOutputs(interface, inputs->sizes);
  if (!made)
    return failure;
  outputs = std::move(*made);
  return success;
}

int Runner::compute() {
  // The module itself stays as it was read, for the reference and the counts.
  mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
  int exitCode = success;
  auto kernel = Kernel::compile(*copy, path, options, exitCode);
  if (!kernel)
    return exitCode;
  Call call(inputs->getPointers(), outputs);
  milliseconds = measure([&] { exitCode = kernel->call(call, pool.get()); });
  return exitCode;
}

bool Runner::isReferable(StringRef flag) {
  Stage stage = getStage(*module);
  if (stage <= Stage::Attention)
    return true;
  fail(inputFault, "'" + flag +
                       "' expects a module at stage attention or "
                       "before, but '" +
                       path + "' is at stage " + getStageName(stage));
  return false;
}

std::unique_ptr<Evaluator> Runner::createEvaluator(Mode mode, int &exitCode) {
  mlir::func::FuncOp function;
  for (auto candidate : module->getOps<mlir::func::FuncOp>())
    if (candidate.isPublic() && !candidate.isExternal())
      function = candidate;
  auto evaluator = Evaluator::create(function, inputs->getPointers(), mode);
  if (evaluator)
    return std::move(*evaluator);
  exitCode = fail(inputFault, evaluator.takeError());
  return nullptr;
}

int Runner::computeByReference() {
  int exitCode = success;
  auto evaluator = createEvaluator(Mode::Exact, exitCode);
  if (!evaluator)
    return exitCode;
  milliseconds = measure([&] {
    for (auto [n, output] : llvm::enumerate(outputs)) {
      llvm::Expected<HostTensor> tensor = evaluator->evaluate(n);
      if (!tensor) {
        exitCode = fail(inputFault, tensor.takeError());
        return;
      }
      output = std::move(*tensor);
    }
  });
  return exitCode;
}

int Runner::check() {
  int exitCode = success;
  auto exact = createEvaluator(Mode::Exact, exitCode);
  if (!exact)
    return exitCode;
  auto emulated = createEvaluator(Mode::Emulated, exitCode);
  if (!emulated)
    return exitCode;
  for (auto [n, output] : llvm::enumerate(outputs)) {
    auto result = reference::check(*exact, *emulated, n, output, checkRows);
    const std::string &name = interface.outputs[n].name;
    if (!result) {
      exitCode = fail(failure, "output '" + name +
                                   "': " + llvm::toString(result.takeError()));
      continue;
    }
    llvm::outs() << llvm::format("check: max error %.3g (limit %.3g), rms "
                                 "error %.3g (limit %.3g)",
                                 result->maxError, result->maxLimit,
                                 result->rmsError, result->rmsLimit)
                 << " over " << result->rows << " rows of " << name << "\n";
    if (result->isRight)
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << "output '" << name << "' is wrong: at "
        << formatShape(result->position) << " expects "
        << llvm::format("%.9g, but got %.9g", result->expected, result->found);
    exitCode = fail(failure, text);
  }
  return exitCode;
}

int Runner::printStats() {
  Stage stage = getStage(*module);
  if (stage >= Stage::Fused)
    return fail(inputFault, "'--stats' expects a module before stage fused, "
                            "but '" +
                                path + "' is at stage " + getStageName(stage));
  mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
  CompilerOptions counting = options;
  counting.countTiles = true;
  counting.stagesDir.clear();
  int exitCode = success;
  auto kernel = Kernel::compile(*copy, path, counting, exitCode);
  if (!kernel)
    return exitCode;
  auto made = createOutputs(kernel->getInterface(), inputs->sizes);
  if (!made)
    return failure;
  Call call(inputs->getPointers(), *made);
  exitCode = kernel->call(call, pool.get());
  if (exitCode != success)
    return exitCode;
  llvm::ArrayRef<int64_t> counts = made->back().as<int64_t>();
  llvm::outs() << "tiles: " << counts[0] << " skipped, " << counts[1]
               << " full, " << counts[2] << " partial\n";
  return success;
}

int Runner::writeOutputs() {
  if (files.empty()) {
    for (auto [spec, output] : llvm::zip(interface.outputs, outputs))
      printTensor(llvm::outs(), spec.name, output);
    llvm::outs() << llvm::format("time: %.3f ms\n", milliseconds);
    return success;
  }
  for (auto [spec, output] : llvm::zip(interface.outputs, outputs)) {
    auto file = files.find(spec.name);
    if (file == files.end())
      continue;
    if (llvm::Error error = writeNpy(file->second, output))
      return fail(failure, std::move(error));
  }
  return success;
}

int Runner::run() {
  if (int exitCode = load())
    return exitCode;
  bool byReference = arguments.hasArg(OPT_reference);
  if ((byReference && !isReferable("--reference")) ||
      (checkRows && !isReferable("--check")))
    return inputFault;
  if (int exitCode = byReference ? computeByReference() : compute())
    return exitCode;
  if (int exitCode = writeOutputs())
    return exitCode;
  if (arguments.hasArg(OPT_stats))
    if (int exitCode = printStats())
      return exitCode;
  return checkRows ? check() : success;
}

int tool::run(const InputArgList &arguments) { return Runner(arguments).run(); }
