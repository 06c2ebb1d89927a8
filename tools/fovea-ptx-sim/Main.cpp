//===- Main.cpp - fovea-ptx-sim -------------------------------------------===//

#include "Arguments.h"
#include "CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace fovea;
using namespace fovea::ptxsim;

static int fail(llvm::Error error) {
  llvm::outs().flush();
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &info) {
    llvm::WithColor::error() << info.message() << "\n";
  });
  return inputFault;
}

static void printKernels(const ptx::Module &module) {
  llvm::raw_ostream &os = llvm::outs();
  os << "target " << module.getTarget() << "\n";
  for (const ptx::Kernel &kernel : module.getKernels()) {
    os << "kernel " << kernel.getName() << "\n";
    for (const ptx::KernelParameter &parameter : kernel.getParameters())
      os << "  " << parameter.type << " " << parameter.name << "\n";
    os << "  static shared memory: " << kernel.getStaticSharedBytes()
       << " bytes\n  dynamic shared memory: "
       << (kernel.hasDynamicShared() ? "yes" : "no") << "\n";
    if (kernel.getMaxThreads())
      os << "  threads: at most " << kernel.getMaxThreads() << "\n";
  }
}

/// The kernel to run.
static llvm::Expected<const ptx::Kernel *>
chooseKernel(const ptx::Module &module, const CommandLine &flags) {
  llvm::ArrayRef<ptx::Kernel> kernels = module.getKernels();
  if (flags.kernel.empty() && kernels.size() == 1)
    return &kernels.front();
  if (!flags.kernel.empty())
    if (const ptx::Kernel *kernel = module.findKernel(flags.kernel))
      return kernel;
  std::string names;
  for (const ptx::Kernel &kernel : kernels)
    names += (names.empty() ? "'" : ", '") + kernel.getName().str() + "'";
  if (names.empty())
    return llvm::createStringError("'" + flags.file + "' has no kernel");
  if (flags.kernel.empty())
    return llvm::createStringError("expected '--kernel', one of " + names);
  return llvm::createStringError("'" + flags.file + "' has no kernel '" +
                                 flags.kernel + "', only " + names);
}

static ptx::Dim3 chooseBlock(const ptx::Kernel &kernel,
                             const CommandLine &flags) {
  if (flags.block)
    return *flags.block;
  ptx::Dim3 block;
  llvm::ArrayRef<uint32_t> required = kernel.getRequiredBlock();
  if (required.empty()) {
    block.x = std::max<uint64_t>(kernel.getMaxThreads(), 1);
    return block;
  }
  block.x = required[0];
  block.y = required.size() > 1 ? required[1] : 1;
  block.z = required.size() > 2 ? required[2] : 1;
  return block;
}

static int printResult(const ptx::LaunchResult &result,
                       const CommandLine &flags) {
  llvm::raw_ostream &os = llvm::outs();
  for (const ptx::Report &report : result.reports)
    os << report.format() << "\n";
  if (result.droppedReports)
    os << result.droppedReports << " more reports were left out\n";
  if (flags.statistics)
    for (const ptx::OpcodeCount &entry : result.statistics)
      os << llvm::formatv("{0,12} {1}\n", entry.count, entry.opcode);
  uint64_t reports = result.reports.size() + result.droppedReports;
  os << flags.grid.getVolume() << " blocks, " << result.warpInstructions
     << " warp instructions, " << reports << " reports\n";
  return reports ? reported : success;
}

int main(int count, char **values) {
  llvm::InitLLVM init(count, values);
  llvm::Expected<CommandLine> flags = parseCommandLine(
      llvm::ArrayRef(const_cast<const char **>(values) + 1, count - 1));
  if (!flags)
    return fail(flags.takeError());
  if (flags->help) {
    printHelp(llvm::outs());
    return success;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
      llvm::MemoryBuffer::getFileOrSTDIN(flags->file, /*IsText=*/true);
  if (!text)
    return fail(llvm::createStringError("cannot read '" + flags->file +
                                        "': " + text.getError().message()));
  llvm::Expected<ptx::Module> module =
      ptx::Module::parse((*text)->getBuffer(), flags->file);
  if (!module)
    return fail(module.takeError());
  if (flags->list) {
    printKernels(*module);
    return success;
  }
  llvm::Expected<const ptx::Kernel *> kernel = chooseKernel(*module, *flags);
  if (!kernel)
    return fail(kernel.takeError());

  ptx::Device device;
  Arguments arguments(device);
  for (const std::string &argument : flags->arguments)
    if (llvm::Error error = arguments.add(argument))
      return fail(std::move(error));
  llvm::Expected<ptx::LaunchResult> result =
      ptx::launch(**kernel, flags->grid, chooseBlock(**kernel, *flags),
                  flags->sharedBytes, arguments.get(), device, flags->options);
  if (!result)
    return fail(result.takeError());
  int code = printResult(*result, *flags);
  if (llvm::Error error = arguments.writeFiles(llvm::outs()))
    return fail(std::move(error));
  return code;
}
