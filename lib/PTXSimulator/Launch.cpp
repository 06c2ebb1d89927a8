//===- Launch.cpp - running the blocks of a kernel ------------------------===//

#include "fovea/PTXSimulator/Launch.h"
#include "Block.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <thread>

using namespace fovea::ptx;
using llvm::StringRef;

static constexpr uint64_t maxBlockThreads = 1024;
// More static shared memory than this is refused by the assembler.
static constexpr uint64_t maxStaticShared = 48 << 10;

/// Shared memory that a block can have, by target.
static uint64_t getSharedMemoryLimit(StringRef target) {
  unsigned number = 0;
  target.drop_front(std::min<size_t>(target.size(), 3))
      .take_while([](char c) { return c >= '0' && c <= '9'; })
      .getAsInteger(10, number);
  switch (number) {
  case 80:
  case 87:
    return 163 << 10;
  case 86:
  case 89:
  case 120:
  case 121:
    return 99 << 10;
  default:
    return number >= 90 ? 227 << 10 : 64 << 10;
  }
}

static std::string format(Dim3 size) {
  return llvm::formatv("{0},{1},{2}", size.x, size.y, size.z);
}

/// Checks sizes against the kernel and the target.
static llvm::Error checkSizes(const Kernel &kernel, Dim3 grid, Dim3 block,
                              uint64_t dynamicSharedBytes,
                              const LaunchOptions &options) {
  const Program &program = kernel.getProgram();
  auto fail = [&](const llvm::Twine &text) {
    return llvm::createStringError("kernel '" + kernel.getName() + "' " + text);
  };
  if (!grid.x || !grid.y || !grid.z || grid.x > INT32_MAX || grid.y > 65535 ||
      grid.z > 65535)
    return fail("expects a grid of 1 to 2147483647 by 65535 by 65535 blocks, "
                "but got " +
                format(grid));
  if (!block.x || !block.y || !block.z || block.x > maxBlockThreads ||
      block.y > maxBlockThreads || block.z > 64 ||
      block.getVolume() > maxBlockThreads)
    return fail("expects blocks of 1 to 1024 threads, at most 1024 by 1024 by "
                "64, but got " +
                format(block));
  if (kernel.getMaxThreads() && block.getVolume() > kernel.getMaxThreads())
    return fail("has '.maxntid' of " + llvm::Twine(kernel.getMaxThreads()) +
                " threads, but got " + llvm::Twine(block.getVolume()));
  llvm::ArrayRef<uint32_t> required = kernel.getRequiredBlock();
  const uint32_t actual[] = {block.x, block.y, block.z};
  for (size_t n = 0; n < required.size() && n < 3; ++n)
    if (required[n] != actual[n])
      return fail("demands other sizes of a block by '.reqntid' than " +
                  format(block));
  if (program.staticSharedBytes > maxStaticShared)
    return fail("declares " + llvm::Twine(program.staticSharedBytes) +
                " bytes of static shared memory, but at most " +
                llvm::Twine(maxStaticShared) +
                " are possible; make it dynamic");
  uint64_t limit = options.sharedMemoryLimit
                       ? options.sharedMemoryLimit
                       : getSharedMemoryLimit(program.target);
  uint64_t shared = program.staticSharedBytes + dynamicSharedBytes;
  if (dynamicSharedBytes > limit || shared > limit)
    return fail(llvm::Twine("needs ") + llvm::Twine(shared) +
                " bytes of shared memory, but '" + program.target + "' has " +
                llvm::Twine(limit) + " for a block");
  return llvm::Error::success();
}

static llvm::Error fillParameters(const Kernel &kernel,
                                  llvm::ArrayRef<KernelArgument> arguments,
                                  std::vector<uint8_t> &bytes) {
  const Program &program = kernel.getProgram();
  if (arguments.size() != program.parameters.size())
    return llvm::createStringError(
        "kernel '" + kernel.getName() + "' expects " +
        llvm::Twine(program.parameters.size()) + " arguments, but got " +
        llvm::Twine(arguments.size()));
  bytes.resize(program.parameterBytes);
  for (size_t n = 0; n < arguments.size(); ++n) {
    const MemoryRange &range = program.parameters[n];
    llvm::ArrayRef<uint8_t> argument = arguments[n].getBytes();
    if (argument.size() != range.size)
      return llvm::createStringError(
          "parameter '" + range.name + "' of kernel '" + kernel.getName() +
          "' has " + llvm::Twine(range.size) + " bytes, but its argument has " +
          llvm::Twine(argument.size()));
    llvm::copy(argument, bytes.begin() + range.begin);
  }
  return llvm::Error::success();
}

/// The constants, with the addresses of the module's variables.
static llvm::Error fillConstants(const Program &program, Device &device,
                                 std::vector<uint8_t> &constants) {
  constants = program.constants;
  for (const Relocation &relocation : program.relocations) {
    const ModuleVariable &variable = program.variables[relocation.variable];
    llvm::Expected<DevicePointer> address = device.getVariable(
        program.module, variable.name, variable.content, variable.readOnly);
    if (!address)
      return address.takeError();
    uint64_t value = *address + relocation.addend;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(&constants[relocation.offset + lane * sizeof value], &value,
                  sizeof value);
  }
  return llvm::Error::success();
}

static std::vector<OpcodeCount>
countOpcodes(const Program &program, llvm::ArrayRef<uint64_t> executions,
             uint64_t &total) {
  std::vector<OpcodeCount> counts;
  for (const std::string &opcode : program.opcodes)
    counts.push_back({opcode, 0});
  for (size_t n = 0; n < executions.size(); ++n)
    if (!program.infos[n].isSecondary) {
      counts[program.infos[n].opcode].count += executions[n];
      total += executions[n];
    }
  llvm::erase_if(counts,
                 [](const OpcodeCount &entry) { return entry.count == 0; });
  llvm::sort(counts, [](const OpcodeCount &a, const OpcodeCount &b) {
    return a.opcode < b.opcode;
  });
  return counts;
}

llvm::Expected<LaunchResult>
fovea::ptx::launch(const Kernel &kernel, Dim3 grid, Dim3 block,
                   uint64_t dynamicSharedBytes,
                   llvm::ArrayRef<KernelArgument> arguments, Device &device,
                   const LaunchOptions &options) {
  const Program &program = kernel.getProgram();
  if (llvm::Error error =
          checkSizes(kernel, grid, block, dynamicSharedBytes, options))
    return error;
  LaunchState state{program, device, options, grid, block, dynamicSharedBytes,
                    {},      {}};
  if (llvm::Error error = fillParameters(kernel, arguments, state.parameters))
    return error;
  if (llvm::Error error = fillConstants(program, device, state.constants))
    return error;

  uint64_t numBlocks = grid.getVolume();
  uint64_t threads =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  // Blocks that talk to each other do so in the same order in every run.
  if (program.hasGlobalAtomics)
    threads = 1;
  threads = std::clamp<uint64_t>(threads, 1, numBlocks);

  std::vector<std::unique_ptr<Block>> blocks;
  for (uint64_t n = 0; n < threads; ++n)
    blocks.push_back(std::make_unique<Block>(state));
  std::atomic<uint64_t> next = 0;
  auto work = [&](Block &runner) {
    for (uint64_t n; (n = next++) < numBlocks;) {
      Dim3 position;
      position.x = n % grid.x;
      position.y = n / grid.x % grid.y;
      position.z = n / grid.x / grid.y;
      runner.run(position);
    }
  };
  std::vector<std::thread> workers;
  for (uint64_t n = 1; n < threads; ++n)
    workers.emplace_back(work, std::ref(*blocks[n]));
  work(*blocks.front());
  for (std::thread &worker : workers)
    worker.join();

  ReportTable reports;
  std::vector<uint64_t> executions(program.ops.size());
  for (auto &runner : blocks) {
    reports.merge(std::move(runner->reports));
    for (size_t n = 0; n < executions.size(); ++n)
      executions[n] += runner->executions[n];
  }
  LaunchResult result;
  result.reports = reports.take(options.maxReports, result.droppedReports);
  result.statistics =
      countOpcodes(program, executions, result.warpInstructions);
  return result;
}
