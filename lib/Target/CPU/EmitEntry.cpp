//===- EmitEntry.cpp - the C function, signature and workspace query ------===//

#include "entry/Entry.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Pipeline/KernelInterface.h"
#include "fovea/Target/CPU/CPUInfo.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "llvm/ADT/StringSet.h"

namespace fovea::cpu {
#define GEN_PASS_DEF_ATTNEMITENTRY
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea;

namespace {

/// The flat signature of runtime/entry/Entry.h and its strings.
class SignatureWriter {
public:
  SignatureWriter(const KernelInterface &interface, int64_t features,
                  int64_t scratchBytes) {
    words.assign(FOVEA_HEADER_WORDS, 0);
    words[FOVEA_HEADER_VERSION] = FOVEA_SIGNATURE_VERSION;
    words[FOVEA_HEADER_INPUTS] = interface.inputs.size();
    words[FOVEA_HEADER_OUTPUTS] = interface.outputs.size();
    words[FOVEA_HEADER_CPU_FEATURES] = features;
    words[FOVEA_HEADER_NAME] = addString(interface.name);
    words[FOVEA_HEADER_SCRATCH] = scratchBytes;
    auto forTensors = [&](auto visit) {
      for (const TensorSpec &spec : interface.inputs)
        visit(spec);
      for (const TensorSpec &spec : interface.outputs)
        visit(spec);
    };
    forTensors([&](const TensorSpec &spec) {
      for (const DimSpec &dim : spec.dims)
        if (!dim.isStatic() && !llvm::is_contained(symbols, dim.symbol)) {
          symbols.push_back(dim.symbol);
          words.push_back(addString(dim.symbol));
        }
    });
    words[FOVEA_HEADER_SYMBOLS] = symbols.size();
    forTensors([&](const TensorSpec &spec) { addTensor(spec); });
  }

  SmallVector<int64_t> words;
  std::string strings;

private:
  int64_t addString(StringRef text) {
    int64_t offset = strings.size();
    strings += text;
    strings += '\0';
    return offset;
  }

  void addTensor(const TensorSpec &spec) {
    int64_t code = FOVEA_TYPE_FLOAT, bits = 32, flags = 0;
    switch (spec.element) {
    case ElementKind::F64:
      bits = 64;
      break;
    case ElementKind::F32:
      break;
    case ElementKind::F16:
      bits = 16;
      break;
    case ElementKind::BF16:
      code = FOVEA_TYPE_BFLOAT, bits = 16;
      break;
    case ElementKind::Index:
      code = FOVEA_TYPE_INT, bits = 64, flags = FOVEA_TENSOR_INDEX;
      break;
    case ElementKind::Bool:
      code = FOVEA_TYPE_BOOL, bits = 8, flags = FOVEA_TENSOR_BOOL;
      break;
    }
    words.append({addString(spec.name), code, bits,
                  static_cast<int64_t>(spec.dims.size()), flags});
    for (const DimSpec &dim : spec.dims) {
      if (dim.isStatic()) {
        words.push_back(dim.size);
        continue;
      }
      int64_t number = llvm::find(symbols, dim.symbol) - symbols.begin();
      words.push_back(-(number + 1));
    }
  }

  SmallVector<std::string> symbols;
};

class EntryEmitter {
public:
  EntryEmitter(ModuleOp module, func::FuncOp kernel,
               const KernelInterface &interface, int64_t features)
      : module(module), kernel(kernel), interface(interface),
        features(features), context(module.getContext()),
        builder(OpBuilder::atBlockEnd(module.getBody())), loc(kernel.getLoc()),
        name(interface.name), pointer(LLVM::LLVMPointerType::get(context)),
        i64(builder.getI64Type()), i32(builder.getI32Type()) {}

  LogicalResult run() {
    if (failed(checkLimits()))
      return failure();
    int64_t scratch = 0;
    if (auto bytes = kernel->getAttrOfType<IntegerAttr>("attn.scratch_bytes"))
      scratch = bytes.getInt();
    SignatureWriter signature(interface, features, scratch);
    emitGlobal("signature",
               LLVM::LLVMArrayType::get(i64, signature.words.size()),
               builder.getI64TensorAttr(signature.words));
    emitGlobal(
        "strings",
        LLVM::LLVMArrayType::get(builder.getI8Type(), signature.strings.size()),
        builder.getStringAttr(signature.strings));
    auto sizer = module.lookupSymbol<func::FuncOp>(name + ".temporary_bytes");
    if (!sizer)
      return kernel.emitOpError("expects the function '")
             << name << ".temporary_bytes'; run attn-outline-parallel";
    // The C name is the entry's from here on.
    if (failed(SymbolTable::replaceAllSymbolUses(
            kernel, builder.getStringAttr(name + ".compute"), module)))
      return failure();
    kernel.setName(name + ".compute");
    kernel.setPrivate();
    kernel->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
    kernel->removeAttr("attn.scratch_bytes");
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      kernel.setArgAttrs(i, ArrayRef<NamedAttribute>{});
    emitBody();
    emitSizer(sizer);
    emitCode();
    emitCFunctions();
    return success();
  }

private:
  LogicalResult checkLimits() {
    size_t tensors = interface.inputs.size() + interface.outputs.size();
    size_t viewWords = 0, rank = 0;
    llvm::StringSet<> symbols;
    for (const auto *list : {&interface.inputs, &interface.outputs})
      for (const TensorSpec &spec : *list) {
        viewWords += FOVEA_VIEW_WORDS(spec.dims.size());
        rank = std::max(rank, spec.dims.size());
        for (const DimSpec &dim : spec.dims)
          if (!dim.isStatic())
            symbols.insert(dim.symbol);
      }
    auto check = [&](StringRef what, size_t got, int limit) -> LogicalResult {
      if (got > static_cast<size_t>(limit))
        return kernel.emitOpError("expects at most ")
               << limit << " " << what << ", but got " << got;
      return success();
    };
    return success(
        succeeded(check("tensors", tensors, FOVEA_MAX_TENSORS)) &&
        succeeded(check("dimensions of a tensor", rank, FOVEA_MAX_RANK)) &&
        succeeded(check("symbolic sizes", symbols.size(), FOVEA_MAX_SYMBOLS)) &&
        succeeded(check("words of tensor descriptors", viewWords,
                        FOVEA_MAX_VIEW_WORDS)));
  }

  void emitGlobal(StringRef suffix, Type type, Attribute value) {
    LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Internal, (name + "." + suffix).str(),
                           value,
                           /*alignment=*/16);
  }

  /// memrefs of checked tensors: a view has the words of a memref descriptor.
  SmallVector<Value> loadViews(Value views, ArrayRef<Type> types) {
    LLVMTypeConverter converter(context);
    SmallVector<Value> memrefs;
    int64_t word = 0;
    for (Type type : types) {
      auto memref = cast<MemRefType>(type);
      Value address = LLVM::GEPOp::create(
          builder, loc, pointer, i64, views,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(word)});
      Value descriptor = LLVM::LoadOp::create(
          builder, loc, converter.convertType(memref), address,
          /*alignment=*/8);
      memrefs.push_back(
          UnrealizedConversionCastOp::create(builder, loc, memref, descriptor)
              .getResult(0));
      word += FOVEA_VIEW_WORDS(memref.getRank());
    }
    return memrefs;
  }

  /// An LLVM function, since its address is taken.
  LLVM::LLVMFuncOp emitFunction(StringRef suffix, ArrayRef<Type> inputs,
                                Type result) {
    builder.setInsertionPointToEnd(module.getBody());
    auto function = LLVM::LLVMFuncOp::create(
        builder, loc, (name + "." + suffix).str(),
        LLVM::LLVMFunctionType::get(result, inputs), LLVM::Linkage::Internal);
    builder.setInsertionPointToStart(function.addEntryBlock(builder));
    return function;
  }

  void emitBody() {
    auto body = emitFunction("body", {pointer, pointer},
                             LLVM::LLVMVoidType::get(context));
    SmallVector<Type> types(llvm::drop_begin(kernel.getArgumentTypes()));
    SmallVector<Value> arguments{body.getArgument(0)};
    arguments.append(loadViews(body.getArgument(1), types));
    func::CallOp::create(builder, loc, kernel, arguments);
    LLVM::ReturnOp::create(builder, loc, ValueRange{});
  }

  void emitSizer(func::FuncOp sizer) {
    auto function = emitFunction("workspace", {pointer}, i64);
    SmallVector<Type> types(sizer.getArgumentTypes());
    Value bytes =
        func::CallOp::create(builder, loc, sizer,
                             loadViews(function.getArgument(0), types))
            .getResult(0);
    Value words = arith::IndexCastOp::create(builder, loc, i64, bytes);
    LLVM::ReturnOp::create(builder, loc, words);
  }

  /// The constant fovea_kernel_code.
  void emitCode() {
    builder.setInsertionPointToEnd(module.getBody());
    auto type = LLVM::LLVMStructType::getLiteral(
        context, {pointer, pointer, pointer, pointer});
    auto code = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, name + ".code",
                                       Attribute(), /*alignment=*/16);
    Block *block = new Block;
    code.getInitializerRegion().push_back(block);
    builder.setInsertionPointToStart(block);
    Value value = LLVM::PoisonOp::create(builder, loc, type);
    const StringRef parts[] = {"signature", "strings", "body", "workspace"};
    for (auto [i, suffix] : llvm::enumerate(parts)) {
      Value address = LLVM::AddressOfOp::create(builder, loc, pointer,
                                                (name + "." + suffix).str());
      value = LLVM::InsertValueOp::create(builder, loc, value, address,
                                          ArrayRef<int64_t>{int64_t(i)});
    }
    LLVM::ReturnOp::create(builder, loc, value);
  }

  LLVM::LLVMFuncOp getExternal(StringRef symbol, LLVM::LLVMFunctionType type) {
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
      return known;
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    return LLVM::LLVMFuncOp::create(b, loc, symbol, type);
  }

  void emitCFunctions() {
    struct Function {
      std::string name;
      StringRef callee;
      SmallVector<Type> inputs;
      Type result;
    };
    Function functions[] = {
        {name, "fovea_entry_run", {pointer, pointer, pointer}, i32},
        {name + "_workspace_bytes",
         "fovea_entry_workspace_bytes",
         {pointer, i32},
         i64}};
    for (Function &function : functions) {
      SmallVector<Type> calleeInputs{pointer};
      calleeInputs.append(function.inputs);
      LLVM::LLVMFuncOp callee = getExternal(
          function.callee,
          LLVM::LLVMFunctionType::get(function.result, calleeInputs));
      builder.setInsertionPointToEnd(module.getBody());
      auto op = LLVM::LLVMFuncOp::create(
          builder, loc, function.name,
          LLVM::LLVMFunctionType::get(function.result, function.inputs));
      if (function.name == name)
        op->setAttr(kInterfaceAttr, toAttribute(interface, context));
      Block *entry = op.addEntryBlock(builder);
      builder.setInsertionPointToStart(entry);
      SmallVector<Value> arguments{
          LLVM::AddressOfOp::create(builder, loc, pointer, name + ".code")};
      arguments.append(entry->args_begin(), entry->args_end());
      Value status =
          LLVM::CallOp::create(builder, loc, callee, arguments).getResult();
      LLVM::ReturnOp::create(builder, loc, status);
    }
  }

  ModuleOp module;
  func::FuncOp kernel;
  const KernelInterface &interface;
  int64_t features;
  MLIRContext *context;
  OpBuilder builder;
  Location loc;
  std::string name;
  LLVM::LLVMPointerType pointer;
  IntegerType i64, i32;
};

struct EmitEntry : cpu::impl::AttnEmitEntryBase<EmitEntry> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<cpu::CPUInfo> info = cpu::getCPUInfo(module);
    FailureOr<SmallVector<KernelInterface>> interfaces =
        getKernelInterfaces(module);
    if (failed(info) || failed(interfaces))
      return signalPassFailure();
    for (const KernelInterface &interface : *interfaces) {
      auto kernel = module.lookupSymbol<func::FuncOp>(interface.name);
      if (kernel &&
          failed(EntryEmitter(module, kernel, interface, info->requiredFeatures)
                     .run()))
        return signalPassFailure();
    }
  }
};

} // namespace
