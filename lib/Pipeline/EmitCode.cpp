//===- EmitCode.cpp - LLVM dialect to machine code ------------------------===//

#include "entry/EntryBitcode.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Pipeline/Compiler.h"
#include "fovea/Target/CPU/CPUInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace fovea;

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(attn::TargetAttr target, std::string &error) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser(); // the entry code asks cpuid
  llvm::Triple triple(target.getTriple());
  const llvm::Target *known = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!known)
    return nullptr;
  llvm::TargetOptions options;
  // Contraction only where the IR says fmuladd (vector.fma): an FMA of a
  // rounded
  // product with its own subtraction is not 0 where softmax needs it to be.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(known->createTargetMachine(
      triple, target.getCpu(), target.getFeatures(), options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
}

/// Links the entry code (argument checks, workspace) into `module`, so that an
/// object stands alone.
static llvm::Error linkEntry(llvm::Module &module) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(fovea_entry_bitcode),
                        fovea_entry_bitcode_size);
  auto entry = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "entry"),
                                      module.getContext());
  if (!entry)
    return entry.takeError();
  (*entry)->setTargetTriple(module.getTargetTriple());
  (*entry)->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(*entry)))
    return llvm::createStringError("can't link the entry code");
  return llvm::Error::success();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  // Loops are shaped by attn-vectorize; unrolling or vectorizing them again
  // spills accumulators.
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

llvm::Expected<std::string> fovea::emitCode(mlir::ModuleOp source,
                                            CodeKind kind) {
  auto target = source->getAttrOfType<attn::TargetAttr>(attn::kTargetAttr);
  if (!target)
    return llvm::createStringError("the module has no attn.target");
  std::string error;
  auto machine = createTargetMachine(target, error);
  if (!machine)
    return llvm::createStringError("can't compile for " + target.getTriple() +
                                   ": " + error);
  llvm::StringSet<> exported;
  for (auto function : source.getOps<mlir::LLVM::LLVMFuncOp>())
    if (function->hasAttr(kInterfaceAttr)) {
      exported.insert(function.getName());
      exported.insert((function.getName() + "_workspace_bytes").str());
    }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      mlir::translateModuleToLLVMIR(source, context, "fovea");
  if (!module)
    return llvm::createStringError("can't translate the module to LLVM IR");
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  // The C functions run before the processor was checked, so that they and the
  // entry code stay baseline.
  bool wide = machine->getMCSubtargetInfo()->checkFeatures("+avx512f");
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (exported.contains(function.getName())) {
      function.addFnAttr("target-cpu", "x86-64");
      function.addFnAttr(llvm::Attribute::NoInline);
      continue;
    }
    function.addFnAttr("target-cpu", machine->getTargetCPU());
    function.addFnAttr("target-features", machine->getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", wide ? "512" : "256");
    function.addFnAttr("min-legal-vector-width", wide ? "512" : "256");
  }
  optimize(*module, *machine);
  // The entry code comes optimized; only what is not called has to go.
  if (llvm::Error failed = linkEntry(*module))
    return failed;
  llvm::internalizeModule(*module, [&](const llvm::GlobalValue &value) {
    return exported.contains(value.getName());
  });

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  if (kind == CodeKind::LLVMIR) {
    os << *module;
    return os.str().str();
  }
  llvm::legacy::PassManager passes;
  auto fileType = kind == CodeKind::Object
                      ? llvm::CodeGenFileType::ObjectFile
                      : llvm::CodeGenFileType::AssemblyFile;
  if (machine->addPassesToEmitFile(passes, os, nullptr, fileType))
    return llvm::createStringError("can't emit code for " + target.getTriple());
  passes.run(*module);
  return os.str().str();
}
