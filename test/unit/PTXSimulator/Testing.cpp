//===- Testing.cpp - running single instructions and small kernels --------===//

#include "Testing.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;
using llvm::StringRef;

const char *const fovea::ptx::testing::header =
    ".version 8.0\n.target sm_80\n.address_size 64\n";

Module fovea::ptx::testing::parse(StringRef text) {
  llvm::Expected<Module> module =
      Module::parse(header + text.str(), "test.ptx");
  if (module)
    return std::move(*module);
  ADD_FAILURE() << llvm::toString(module.takeError());
  return llvm::cantFail(Module::parse(header, "test.ptx"));
}

std::string fovea::ptx::testing::getParseError(StringRef text) {
  llvm::Expected<Module> module =
      Module::parse(header + text.str(), "test.ptx");
  if (!module)
    return llvm::toString(module.takeError());
  ADD_FAILURE() << "parsed: " << text.str();
  return "";
}

std::string fovea::ptx::testing::makeKernel(StringRef body,
                                            unsigned bytesPerThread,
                                            StringRef declarations) {
  return declarations.str() + llvm::formatv(R"(
.visible .entry k(.param .u64 out) {{
  .reg .pred %p, %q;
  .reg .b16 %h, %i;
  .reg .b32 %r, %s, %t, %tid;
  .reg .b64 %d, %e, %out, %at;
  ld.param.u64 %out, [out];
  mov.u32 %tid, %tid.x;
  mad.wide.u32 %at, %tid, {0}, %out;
{1}
  ret;
}
)",
                                            bytesPerThread, body)
                                  .str();
}

std::vector<Report> Outcome::get(ReportKind kind) const {
  std::vector<Report> found;
  for (const Report &report : result.reports)
    if (report.kind == kind)
      found.push_back(report);
  return found;
}

void fovea::ptx::testing::expectClean(const LaunchResult &result) {
  for (const Report &report : result.reports)
    ADD_FAILURE() << report.format();
}

Outcome fovea::ptx::testing::run(StringRef text, uint64_t outBytes,
                                 LaunchShape shape) {
  Module module = parse(text);
  Outcome outcome;
  const Kernel *kernel = module.findKernel("k");
  if (!kernel) {
    ADD_FAILURE() << "no kernel 'k'";
    return outcome;
  }
  Device device;
  DevicePointer out = llvm::cantFail(device.allocate(outBytes, "out"));
  llvm::Expected<LaunchResult> result =
      launch(*kernel, shape.grid, shape.block, shape.sharedBytes,
             {KernelArgument::of(out)}, device, shape.options);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return outcome;
  }
  outcome.result = std::move(*result);
  outcome.bytes.resize(outBytes);
  llvm::cantFail(device.read(outcome.bytes.data(), out, outBytes));
  return outcome;
}

/// A register of an operand, its type and how it comes from and to memory.
static std::string getTypeName(unsigned size) {
  return size == 0 ? ".pred" : ".b" + std::to_string(size * 8);
}

std::vector<uint8_t>
fovea::ptx::testing::evaluateBytes(StringRef instruction, unsigned resultSize,
                                   std::vector<LaneBytes> inputs) {
  std::string text = ".visible .entry k(.param .u64 p0";
  for (size_t n = 1; n <= inputs.size(); ++n)
    text += llvm::formatv(", .param .u64 p{0}", n);
  text += ") {\n.reg .b64 %address;\n.reg .b32 %tid;\n.reg .b16 %byte;\n"
          "mov.u32 %tid, %tid.x;\n";
  for (size_t n = 0; n <= inputs.size(); ++n)
    text += llvm::formatv(".reg {0} %{1};\n",
                          getTypeName(n ? inputs[n - 1].size : resultSize), n);
  auto address = [&](size_t n, unsigned size) {
    text += llvm::formatv("ld.param.u64 %address, [p{0}];\n"
                          "mad.wide.u32 %address, %tid, {1}, %address;\n",
                          n, std::max(size, 1u));
  };
  for (size_t n = 1; n <= inputs.size(); ++n) {
    unsigned size = inputs[n - 1].size;
    address(n, size);
    if (size == 0)
      text += llvm::formatv("ld.global.u8 %byte, [%address];\n"
                            "setp.ne.b16 %{0}, %byte, 0;\n",
                            n);
    else
      text += llvm::formatv("ld.global.b{0} %{1}, [%address];\n", size * 8, n);
  }
  text += instruction.str() + "\n";
  address(0, resultSize);
  if (resultSize == 0)
    text += "selp.b16 %byte, 1, 0, %0;\nst.global.u8 [%address], %byte;\n";
  else
    text += llvm::formatv("st.global.b{0} [%address], %0;\n", resultSize * 8);
  text += "ret;\n}\n";

  std::vector<uint8_t> bytes(32 * std::max(resultSize, 1u));
  Module module = parse(text);
  const Kernel *kernel = module.findKernel("k");
  if (!kernel)
    return bytes;
  Device device;
  std::vector<KernelArgument> arguments;
  arguments.push_back(KernelArgument::of(llvm::cantFail(device.map(
      bytes.data(), bytes.size(), "result", Device::Content::Uninitialized))));
  for (LaneBytes &input : inputs)
    arguments.push_back(KernelArgument::of(llvm::cantFail(
        device.mapReadOnly(input.bytes.data(), input.bytes.size(), "input"))));
  llvm::Expected<LaunchResult> result =
      launch(*kernel, {}, {32, 1, 1}, 0, arguments, device);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return bytes;
  }
  expectClean(*result);
  return bytes;
}
