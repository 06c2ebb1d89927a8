//===- CPUInfo.cpp - what the lowering knows about a processor ------------===//

#include "fovea/Target/CPU/CPUInfo.h"
#include "entry/Entry.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;
using namespace fovea;
using namespace fovea::cpu;

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

static const llvm::Target *lookupTarget(StringRef triple, std::string &error) {
  initializeTargets();
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
}

int64_t CPUInfo::getTileRows(int64_t vectors) const {
  int64_t rows = (registers - 1 - vectors) / vectors;
  return std::clamp<int64_t>(rows / 4 * 4, 4, 16);
}

llvm::ArrayRef<TargetName> cpu::getTargetNames() {
  static constexpr TargetName names[] = {
      {"x86-64-v3", "x86-64-v3", "x86-64 with AVX2, FMA and BMI"},
      {"x86-64-v4", "x86-64-v4", "x86-64 with AVX-512 (F, BW, CD, DQ, VL)"},
      {"znver4", "znver4", "AMD Zen 4 (AVX-512, AVX512_BF16)"},
      {"sapphirerapids", "sapphirerapids",
       "Intel Sapphire Rapids (AVX-512, AVX512_BF16, AVX512_FP16, AMX)"},
  };
  return names;
}

/// Features in which this machine differs from what its processor usually has
/// (a hypervisor may mask some), in LLVM's notation.
static std::string getHostDifferences(const llvm::Target &target,
                                      const llvm::Triple &triple,
                                      StringRef cpu) {
  std::unique_ptr<llvm::MCSubtargetInfo> usual(
      target.createMCSubtargetInfo(triple, cpu, ""));
  llvm::SubtargetFeatures differences;
  SmallVector<std::pair<std::string, bool>> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.emplace_back(feature.getKey().str(), feature.getValue());
  llvm::sort(features);
  for (const auto &[name, present] : features)
    if (usual->checkFeatures("+" + name) != present)
      differences.AddFeature(name, present);
  return differences.getString();
}

std::optional<attn::TargetAttr> cpu::getTarget(StringRef name,
                                               MLIRContext *context) {
  std::string triple = llvm::sys::getDefaultTargetTriple();
  if (name == "host") {
    std::string error;
    const llvm::Target *target = lookupTarget(triple, error);
    if (!target)
      return std::nullopt;
    StringRef cpu = llvm::sys::getHostCPUName();
    return attn::TargetAttr::get(
        context, triple, cpu,
        getHostDifferences(*target, llvm::Triple(triple), cpu));
  }
  for (const TargetName &known : getTargetNames())
    if (known.name == name)
      return attn::TargetAttr::get(context, triple, known.cpu, "");
  return std::nullopt;
}

FailureOr<CPUInfo>
cpu::getCPUInfo(attn::TargetAttr target,
                llvm::function_ref<InFlightDiagnostic()> emitError) {
  std::string error;
  const llvm::Target *llvmTarget = lookupTarget(target.getTriple(), error);
  llvm::Triple triple(target.getTriple());
  if (!llvmTarget || !triple.isX86() || !triple.isArch64Bit()) {
    emitError() << "expects a target triple of x86-64, but got '"
                << target.getTriple() << "'";
    return failure();
  }
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      llvmTarget->createMCSubtargetInfo(triple, target.getCpu(),
                                        target.getFeatures()));
  if (!subtarget || !subtarget->isCPUStringValid(target.getCpu())) {
    emitError() << "expects a processor that LLVM knows, but got '"
                << target.getCpu() << "'; fovea targets lists some";
    return failure();
  }
  auto has = [&](StringRef feature) {
    return subtarget->checkFeatures(("+" + feature).str());
  };
  if (!has("avx2") || !has("fma")) {
    emitError() << "expects a processor with AVX2 and FMA, but '"
                << target.getCpu() << "' has not both";
    return failure();
  }
  CPUInfo info;
  bool wide =
      has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  info.vectorBytes = wide ? 64 : 32;
  info.registers = wide ? 32 : 16;
  info.hasBF16Dot = wide && has("avx512bf16");
  info.requiredFeatures = 0;
  static const std::pair<StringLiteral, int64_t> bits[] = {
#define FEATURE(mask, name, word, bit, state) {name, mask},
      FOVEA_CPU_FEATURES(FEATURE)
#undef FEATURE
  };
  for (const auto &[name, bit] : bits)
    // No kernel uses AMX tiles, which a process has to ask the system for.
    if (has(name) && !name.starts_with("amx"))
      info.requiredFeatures |= bit;
  return info;
}

FailureOr<CPUInfo> cpu::getCPUInfo(ModuleOp module) {
  auto target = module->getAttrOfType<attn::TargetAttr>(attn::kTargetAttr);
  if (!target) {
    module.emitError() << "expects the attribute " << attn::kTargetAttr
                       << " on the module, for example #attn.target<triple = "
                          "\"x86_64-unknown-linux-gnu\", cpu = \"x86-64-v3\", "
                          "features = \"\">";
    return failure();
  }
  return getCPUInfo(target, [&] { return module.emitError(); });
}
