//===- KernelInterface.cpp - names, types and dims of a kernel's tensors --===//

#include "fovea/Pipeline/KernelInterface.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace fovea;

StringRef fovea::getElementKindName(ElementKind kind) {
  switch (kind) {
  case ElementKind::F64:
    return "f64";
  case ElementKind::F32:
    return "f32";
  case ElementKind::F16:
    return "f16";
  case ElementKind::BF16:
    return "bf16";
  case ElementKind::Index:
    return "index";
  case ElementKind::Bool:
    return "bool";
  }
  llvm_unreachable("all kinds are named");
}

static std::optional<ElementKind> parseElementKind(StringRef name) {
  return llvm::StringSwitch<std::optional<ElementKind>>(name)
      .Case("f64", ElementKind::F64)
      .Case("f32", ElementKind::F32)
      .Case("f16", ElementKind::F16)
      .Case("bf16", ElementKind::BF16)
      .Case("index", ElementKind::Index)
      .Case("bool", ElementKind::Bool)
      .Default(std::nullopt);
}

static std::optional<ElementKind> getElementKind(Type type) {
  if (type.isF64())
    return ElementKind::F64;
  if (type.isF32())
    return ElementKind::F32;
  if (type.isF16())
    return ElementKind::F16;
  if (type.isBF16())
    return ElementKind::BF16;
  if (type.isIndex() || type.isInteger(64))
    return ElementKind::Index;
  if (type.isInteger(1) || type.isInteger(8))
    return ElementKind::Bool;
  return std::nullopt;
}

/// One argument or result: its type, and what `attn.name` and `attn.dims` say.
static FailureOr<TensorSpec> getTensorSpec(Operation *op, Type type,
                                           StringRef defaultName,
                                           DictionaryAttr attributes) {
  auto shaped = dyn_cast<ShapedType>(type);
  std::optional<ElementKind> element =
      shaped ? getElementKind(shaped.getElementType()) : std::nullopt;
  if (!element || !shaped.hasRank())
    return op->emitOpError("expects kernel arguments to be tensors of float, "
                           "i64, index or i1 elements, but '")
           << defaultName << "' is " << type;
  TensorSpec spec;
  spec.element = *element;
  spec.name = defaultName.str();
  ArrayAttr dims;
  if (attributes) {
    if (auto name = attributes.getAs<StringAttr>(attn::kNameAttr))
      spec.name = name.str();
    dims = attributes.getAs<ArrayAttr>(attn::kDimsAttr);
  }
  if (dims && static_cast<int64_t>(dims.size()) != shaped.getRank())
    return op->emitOpError("expects ")
           << attn::kDimsAttr << " of '" << spec.name << "' to have "
           << shaped.getRank() << " entries, but got " << dims.size();
  for (int64_t i = 0; i < shaped.getRank(); ++i) {
    DimSpec dim;
    if (!shaped.isDynamicDim(i))
      dim.size = shaped.getDimSize(i);
    else if (auto size = dims ? dyn_cast<IntegerAttr>(dims[i]) : nullptr)
      dim.size = size.getInt();
    else if (auto symbol = dims ? dyn_cast<StringAttr>(dims[i]) : nullptr)
      dim.symbol = symbol.str();
    else
      dim.symbol = (Twine(spec.name) + "." + Twine(i)).str();
    spec.dims.push_back(dim);
  }
  return spec;
}

static FailureOr<KernelInterface> getInterface(func::FuncOp function) {
  KernelInterface interface;
  interface.name = function.getName().str();
  unsigned inputs = 0, outputs = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Type type = function.getArgumentTypes()[i];
    if (isa<LLVM::LLVMPointerType>(type))
      continue; // the frame
    DictionaryAttr attributes = function.getArgAttrDict(i);
    bool output = attributes && attributes.get(attn::kOutputAttr);
    std::string name = output ? "result" + std::to_string(outputs++)
                              : "argument" + std::to_string(inputs++);
    FailureOr<TensorSpec> spec =
        getTensorSpec(function, type, name, attributes);
    if (failed(spec))
      return failure();
    (output ? interface.outputs : interface.inputs).push_back(*spec);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    FailureOr<TensorSpec> spec = getTensorSpec(
        function, function.getResultTypes()[i],
        "result" + std::to_string(outputs++), function.getResultAttrDict(i));
    if (failed(spec))
      return failure();
    interface.outputs.push_back(*spec);
  }
  return interface;
}

FailureOr<SmallVector<KernelInterface>>
fovea::getKernelInterfaces(ModuleOp module) {
  SmallVector<KernelInterface> interfaces;
  for (Operation &op : *module.getBody()) {
    FailureOr<KernelInterface> interface = failure();
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      if (function.isExternal() || !function.isPublic())
        continue;
      interface = getInterface(function);
    } else if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
      auto attribute = function->getAttrOfType<DictionaryAttr>(kInterfaceAttr);
      if (!attribute)
        continue;
      interface = fromAttribute(attribute, function.getLoc());
    } else {
      continue;
    }
    if (failed(interface))
      return failure();
    interfaces.push_back(*interface);
  }
  return interfaces;
}

static ArrayAttr toAttribute(ArrayRef<TensorSpec> tensors, Builder &builder) {
  SmallVector<Attribute> list;
  for (const TensorSpec &spec : tensors) {
    SmallVector<Attribute> dims;
    for (const DimSpec &dim : spec.dims)
      dims.push_back(dim.isStatic()
                         ? Attribute(builder.getI64IntegerAttr(dim.size))
                         : Attribute(builder.getStringAttr(dim.symbol)));
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(spec.name)),
         builder.getNamedAttr("element", builder.getStringAttr(
                                             getElementKindName(spec.element))),
         builder.getNamedAttr("dims", builder.getArrayAttr(dims))}));
  }
  return builder.getArrayAttr(list);
}

DictionaryAttr fovea::toAttribute(const KernelInterface &interface,
                                  MLIRContext *context) {
  Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("name", builder.getStringAttr(interface.name)),
       builder.getNamedAttr("inputs", ::toAttribute(interface.inputs, builder)),
       builder.getNamedAttr("outputs",
                            ::toAttribute(interface.outputs, builder))});
}

FailureOr<KernelInterface> fovea::fromAttribute(DictionaryAttr attribute,
                                                Location loc) {
  auto malformed = [&]() -> LogicalResult {
    return emitError(loc) << "expects " << kInterfaceAttr
                          << " to hold name, inputs and outputs, each tensor "
                             "with name, element and dims, but got "
                          << attribute;
  };
  KernelInterface interface;
  auto name = attribute.getAs<StringAttr>("name");
  if (!name)
    return malformed();
  interface.name = name.str();
  for (auto [key, tensors] : {std::pair("inputs", &interface.inputs),
                              std::pair("outputs", &interface.outputs)}) {
    auto list = attribute.getAs<ArrayAttr>(key);
    if (!list)
      return malformed();
    for (Attribute entry : list) {
      auto fields = dyn_cast<DictionaryAttr>(entry);
      auto tensorName = fields ? fields.getAs<StringAttr>("name") : nullptr;
      auto element = fields ? fields.getAs<StringAttr>("element") : nullptr;
      auto dims = fields ? fields.getAs<ArrayAttr>("dims") : nullptr;
      if (!tensorName || !element || !dims ||
          !parseElementKind(element.getValue()))
        return malformed();
      TensorSpec spec;
      spec.name = tensorName.str();
      spec.element = *parseElementKind(element.getValue());
      for (Attribute dim : dims) {
        DimSpec parsed;
        if (auto size = dyn_cast<IntegerAttr>(dim))
          parsed.size = size.getInt();
        else if (auto symbol = dyn_cast<StringAttr>(dim))
          parsed.symbol = symbol.str();
        else
          return malformed();
        spec.dims.push_back(parsed);
      }
      tensors->push_back(spec);
    }
  }
  return interface;
}
