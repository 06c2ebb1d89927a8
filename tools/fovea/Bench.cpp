//===- Bench.cpp - fovea bench --------------------------------------------===//
//
// The kernel and the machine's peak are measured by turns, so that what slows
// one (the frequency) slows the other: the per cent of the peak is the median
// over pairs of neighbours. With one thread both rates are per second of that
// thread's own time, so that other processes count for neither; times and
// GFLOP/s are by the wall clock.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "Kernel.h"
#include "MachinePeak.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Reference/Reference.h"
#include "fovea/Support/File.h"
#include "fovea/Target/CPU/CPUInfo.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace fovea;
using namespace fovea::tool;
using llvm::opt::InputArgList;

static constexpr int leastRepetitions = 7, mostRepetitions = 1000;
/// Time for the kernel's own repetitions, and the least time of one of them.
static constexpr double totalSeconds = 1, sampleSeconds = 1e-3;
/// Mask elements to evaluate at most for the count of useful work.
static constexpr int64_t countBudget = int64_t(1) << 27;

namespace {

struct Figures {
  double seconds = 0, leastSeconds = 0, compileSeconds = 0;
  /// The kernel's rate over that of its neighbours, and theirs in GFLOP/s.
  double partOfPeak = 0, peak = 0;
  double flops = 0, bytes = 0;
  /// The same for reading the inputs, in GB/s; 0 where there is none.
  double partOfRead = 0, readRate = 0;
  size_t repetitions = 0;
  int threads = 1;
  std::string target, sizes;

  double getGflops() const { return flops / seconds / 1e9; }
  double getByteRate() const { return bytes / seconds / 1e9; }
};

} // namespace

static double getMedian(std::vector<double> values) {
  llvm::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle]
                           : (values[middle - 1] + values[middle]) / 2;
}

/// Times calls of the kernel between samples of the peaks.
static int measure(const Kernel &kernel, const Call &call, fovea_pool *pool,
                   const FmaPeak &fma, const ReadPeak &read, Figures &figures) {
  std::vector<char> workspace;
  int exitCode = success;
  int64_t calls = 1;
  double rateSeconds = 0;
  auto sample = [&] {
    double start = getWallSeconds(), rateStart = getRateSeconds(pool);
    for (int64_t n = 0; n < calls && exitCode == success; ++n)
      exitCode = kernel.call(call, pool, workspace);
    rateSeconds = (getRateSeconds(pool) - rateStart) / double(calls);
    return (getWallSeconds() - start) / double(calls);
  };
  double seconds = 0;
  // Warms up, and finds how many calls a sample needs.
  for (double begin = getWallSeconds(); exitCode == success;) {
    seconds = sample();
    if (seconds * double(calls) >= sampleSeconds &&
        getWallSeconds() - begin > 0.02)
      break;
    if (seconds * double(calls) < sampleSeconds)
      calls *= 2;
  }
  if (exitCode != success)
    return exitCode;

  std::vector<double> times, parts, peaks, readParts, readRates;
  double before = fma.sample(), readBefore = read.isValid() ? read.sample() : 0;
  double spent = 0;
  while (times.size() < leastRepetitions ||
         (spent < totalSeconds && times.size() < mostRepetitions)) {
    seconds = sample();
    double after = fma.sample();
    if (exitCode != success)
      return exitCode;
    spent += seconds * double(calls);
    times.push_back(seconds);
    // A disturbed sample of the peak says less than its neighbour does.
    peaks.push_back(std::max(before, after));
    parts.push_back(figures.flops / rateSeconds / 1e9 / peaks.back());
    before = after;
    if (times.size() <= leastRepetitions && read.isValid()) {
      double readAfter = read.sample();
      readRates.push_back(std::max(readBefore, readAfter));
      readParts.push_back(figures.bytes / rateSeconds / 1e9 / readRates.back());
      readBefore = readAfter;
    }
  }
  figures.seconds = getMedian(times);
  figures.leastSeconds = *llvm::min_element(times);
  figures.partOfPeak = getMedian(parts);
  figures.peak = getMedian(peaks);
  if (!readRates.empty()) {
    figures.partOfRead = getMedian(readParts);
    figures.readRate = getMedian(readRates);
  }
  figures.repetitions = times.size();
  return success;
}

static int writeJson(llvm::StringRef path, llvm::StringRef name,
                     const Figures &figures,
                     const llvm::StringMap<int64_t> &sizes) {
  llvm::json::Object dims;
  for (const auto &size : sizes)
    dims[size.getKey()] = size.getValue();
  llvm::json::Object object{{"name", name},
                            {"target", figures.target},
                            {"threads", figures.threads},
                            {"dims", std::move(dims)},
                            {"time_ms", figures.seconds * 1e3},
                            {"time_min_ms", figures.leastSeconds * 1e3},
                            {"repetitions", int64_t(figures.repetitions)},
                            {"gflops", figures.getGflops()},
                            {"percent_of_peak", figures.partOfPeak * 100},
                            {"peak_gflops", figures.peak},
                            {"gbytes_per_s", figures.getByteRate()},
                            {"percent_of_bandwidth", figures.partOfRead * 100},
                            {"read_gbytes_per_s", figures.readRate},
                            {"compile_ms", figures.compileSeconds * 1e3}};
  llvm::Error error = writeAtomically(path, [&](llvm::raw_ostream &os) {
    os << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
  });
  return error ? fail(failure, std::move(error)) : success;
}

static void print(llvm::StringRef name, const Figures &figures) {
  llvm::outs()
      << llvm::formatv("{0}: {1}, {2} thread{3}{4}{5}\n", name, figures.target,
                       figures.threads, figures.threads == 1 ? "" : "s",
                       figures.sizes.empty() ? "" : ", ", figures.sizes)
      << llvm::formatv("time     {0,10:F3} ms       median of {1}, least "
                       "{2:F3} ms; compiled in {3:F0} ms\n",
                       figures.seconds * 1e3, figures.repetitions,
                       figures.leastSeconds * 1e3, figures.compileSeconds * 1e3)
      << llvm::formatv("work     {0,10:F1} GFLOP/s  {1:F1}% of the FMA peak, "
                       "{2:F1}\n",
                       figures.getGflops(), figures.partOfPeak * 100,
                       figures.peak)
      << llvm::formatv("memory   {0,10:F1} GB/s     {1:F1}% of the read "
                       "bandwidth, {2:F1}\n",
                       figures.getByteRate(), figures.partOfRead * 100,
                       figures.readRate);
}

/// The work that the outputs take, counted on the module as it was read.
static std::optional<double> countFlops(mlir::ModuleOp module,
                                        const Inputs &inputs) {
  mlir::func::FuncOp function;
  for (auto candidate : module.getOps<mlir::func::FuncOp>())
    if (candidate.isPublic() && !candidate.isExternal())
      function = candidate;
  auto evaluator = reference::Evaluator::create(function, inputs.getPointers());
  if (!evaluator) {
    fail(inputFault, evaluator.takeError());
    return std::nullopt;
  }
  auto work = (*evaluator)->measureWork(countBudget);
  if (!work) {
    fail(inputFault, work.takeError());
    return std::nullopt;
  }
  return work->flops;
}

int tool::bench(const InputArgList &arguments) {
  std::optional<CompilerOptions> options = parseCompilerOptions(arguments);
  std::optional<std::string> path;
  if (options)
    path = getSingleInput(arguments, "bench");
  std::optional<Drawing> drawing;
  if (path)
    drawing = parseDrawing(arguments);
  std::optional<Pool> pool;
  if (drawing)
    pool = createPool(arguments);
  if (!pool)
    return inputFault;
  drawing->isWanted = drawing->wantsFullLengths = true;

  Figures figures;
  double start = getWallSeconds();
  std::unique_ptr<mlir::MLIRContext> context = createContext(*options);
  if (!context)
    return inputFault;
  auto module = loadInput(*path, *options, *context);
  if (!module || mlir::failed(runEarlyInsertions(*module, *options)))
    return inputFault;
  figures.compileSeconds = getWallSeconds() - start;
  if (getStage(*module) > Stage::Attention)
    return fail(inputFault, "'fovea bench' counts work at stage attention or "
                            "before, but '" +
                                *path + "' is at stage " +
                                getStageName(getStage(*module)));
  std::optional<KernelInterface> interface = getSingleKernel(*module);
  if (!interface)
    return inputFault;
  std::optional<Inputs> inputs = gatherInputs(arguments, *interface, *drawing);
  if (!inputs)
    return inputFault;
  auto outputs = createOutputs(*interface, inputs->sizes);
  if (!outputs)
    return failure;
  std::optional<double> flops = countFlops(*module, *inputs);
  if (!flops)
    return inputFault;
  figures.flops = *flops;
  for (const HostTensor &input : inputs->tensors)
    figures.bytes += double(input.getNumBytes());
  for (const HostTensor &output : *outputs)
    figures.bytes += double(output.getNumBytes());

  start = getWallSeconds();
  int exitCode = success;
  auto kernel = Kernel::compile(*module, *path, *options, exitCode);
  if (!kernel)
    return exitCode;
  figures.compileSeconds += getWallSeconds() - start;
  auto target = (*module)->getAttrOfType<attn::TargetAttr>(attn::kTargetAttr);
  auto info = cpu::getCPUInfo(*module);
  if (!target || mlir::failed(info))
    return inputFault;
  figures.target = target.getCpu().str();
  figures.threads = fovea_pool_threads(pool->get());
  // In the order that the interface first names them.
  for (const TensorSpec &spec : interface->inputs)
    for (const DimSpec &dim : spec.dims) {
      std::string text = llvm::formatv("{0}={1}", dim.symbol,
                                       inputs->sizes.lookup(dim.symbol));
      if (!dim.isStatic() && !llvm::StringRef(figures.sizes).contains(text))
        figures.sizes += (figures.sizes.empty() ? "" : " ") + text;
    }
  bool isDouble = llvm::any_of(interface->outputs, [](const TensorSpec &spec) {
    return spec.element == ElementKind::F64;
  });
  FmaPeak fma(info->vectorBytes, isDouble, pool->get());
  ReadPeak read(inputs->getPointers(), pool->get());
  Call call(inputs->getPointers(), *outputs);
  exitCode = measure(*kernel, call, pool->get(), fma, read, figures);
  if (exitCode != success)
    return exitCode;
  print(interface->name, figures);
  if (const llvm::opt::Arg *json = arguments.getLastArg(OPT_json))
    return writeJson(json->getValue(), interface->name, figures, inputs->sizes);
  return success;
}
