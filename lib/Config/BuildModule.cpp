//===- BuildModule.cpp - From a config to the attn dialect ----------------===//

#include "fovea/Config/BuildModule.h"
#include "BuildRegions.h"
#include "fovea/Dialect/Attn/IR/Attn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

#include <cmath>

using namespace mlir;
using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;

llvm::SmallVector<double> fovea::alibiSlopes(int64_t heads) {
  llvm::SmallVector<double> slopes;
  int64_t closest = 1;
  while (closest * 2 <= heads)
    closest *= 2;
  for (int64_t i = 1; i <= closest; ++i)
    slopes.push_back(std::exp2(-8.0 * double(i) / double(closest)));
  // The rest are every other slope of twice as many heads.
  for (int64_t i = 1; int64_t(slopes.size()) < heads; i += 2)
    slopes.push_back(std::exp2(-8.0 * double(i) / double(2 * closest)));
  return slopes;
}

namespace {
class ModuleBuilder {
public:
  ModuleBuilder(const Config &config, MLIRContext &context)
      : config(config), builder(&context),
        loc(FileLineColLoc::get(&context, config.fileName, 1, 1)) {
    data = config.dtype == DType::F64   ? Type(builder.getF64Type())
           : config.dtype == DType::F32 ? Type(builder.getF32Type())
           : config.dtype == DType::F16 ? Type(builder.getF16Type())
                                        : Type(builder.getBF16Type());
    accumulator = attn::getAccumulatorType(data);
  }

  OwningOpRef<ModuleOp> build();

private:
  RankedTensorType typeOf(const ConfigTensor &spec);
  DictionaryAttr attributesOf(const ConfigTensor &spec);
  func::FuncOp buildFunction();
  Value buildScale();
  void buildLengths(RegionBuilder &regions);
  void buildSlopes(RegionBuilder &regions);
  Value splitHeads(Value tokens, int64_t heads);
  void buildSdpa(RegionBuilder &regions);
  void buildLayer(RegionBuilder &regions);
  void fillRegions(Operation *op, RegionBuilder &regions);

  Value input(StringRef name) const { return inputs.lookup(name); }
  /// The type of an output, or of what is computed in its place.
  RankedTensorType outputType(Output output);

  const Config &config;
  OpBuilder builder;
  Location loc;
  Type data, accumulator;
  llvm::StringMap<Value> inputs;
  SmallVector<Value> results;
};
} // namespace

RankedTensorType ModuleBuilder::typeOf(const ConfigTensor &spec) {
  SmallVector<int64_t> shape;
  for (const Dim &dim : spec.shape)
    shape.push_back(dim.isAny() ? ShapedType::kDynamic : dim.size);
  switch (spec.element) {
  case ConfigElement::Data:
    return RankedTensorType::get(shape, data);
  case ConfigElement::Stat:
    return RankedTensorType::get(shape, accumulator);
  case ConfigElement::Index:
    return RankedTensorType::get(shape, builder.getI64Type());
  case ConfigElement::Bool:
    return RankedTensorType::get(shape, builder.getI1Type());
  case ConfigElement::F64:
    return RankedTensorType::get(shape, builder.getF64Type());
  case ConfigElement::F32:
    return RankedTensorType::get(shape, builder.getF32Type());
  case ConfigElement::F16:
    return RankedTensorType::get(shape, builder.getF16Type());
  case ConfigElement::BF16:
    return RankedTensorType::get(shape, builder.getBF16Type());
  }
  llvm_unreachable("unknown element kind");
}

DictionaryAttr ModuleBuilder::attributesOf(const ConfigTensor &spec) {
  SmallVector<Attribute> dims;
  for (auto [dim, name] : llvm::zip(spec.shape, spec.dimNames))
    dims.push_back(dim.isAny() ? Attribute(builder.getStringAttr(name))
                               : builder.getI64IntegerAttr(dim.size));
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(attn::kNameAttr, builder.getStringAttr(spec.name)),
       builder.getNamedAttr(attn::kDimsAttr, builder.getArrayAttr(dims))});
}

func::FuncOp ModuleBuilder::buildFunction() {
  SmallVector<Type> argumentTypes, resultTypes;
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  llvm::SmallVector<ConfigTensor> inputSpecs = kernelInputs(config);
  for (const ConfigTensor &spec : inputSpecs) {
    argumentTypes.push_back(typeOf(spec));
    argumentAttrs.push_back(attributesOf(spec));
  }
  for (const ConfigTensor &spec : kernelOutputs(config)) {
    resultTypes.push_back(typeOf(spec));
    resultAttrs.push_back(attributesOf(spec));
  }
  auto function =
      func::FuncOp::create(builder, loc, config.name,
                           builder.getFunctionType(argumentTypes, resultTypes));
  function.setAllArgAttrs(argumentAttrs);
  function.setAllResultAttrs(resultAttrs);
  Block *entry = function.addEntryBlock();
  for (auto [spec, argument] : llvm::zip(inputSpecs, entry->getArguments())) {
    argument.setLoc(NameLoc::get(builder.getStringAttr(spec.name), loc));
    inputs[spec.name] = argument;
  }
  builder.setInsertionPointToStart(entry);
  return function;
}

Value ModuleBuilder::buildScale() {
  if (config.scale.form == Scale::Input)
    return tensor::ExtractOp::create(builder, loc, input("scale"),
                                     ValueRange{});
  double value = config.scale.form == Scale::Number
                     ? config.scale.value
                     : 1.0 / std::sqrt(double(config.qkHeadDim));
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(accumulator, value));
}

/// Sq and Sk as values of the function, where the regions read them.
void ModuleBuilder::buildLengths(RegionBuilder &regions) {
  if (!regions.needsLengths())
    return;
  auto length = [&](Value tensor, int64_t dim) -> Value {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
    return tensor::DimOp::create(builder, loc, tensor, dim);
  };
  if (config.kind == Kind::Sdpa) {
    int64_t dim = config.layout == Layout::BHSD ? 2 : 1;
    regions.queryLength = length(input("q"), dim);
    regions.keyLength = length(input("k"), dim);
    return;
  }
  int64_t dim = config.batch ? 1 : 0;
  bool cross = config.source == Source::Cross;
  regions.queryLength = length(input("x"), dim);
  regions.keyLength =
      cross ? length(input("context"), dim) : regions.queryLength;
}

void ModuleBuilder::buildSlopes(RegionBuilder &regions) {
  if (!config.hasScore(ScoreEntry::Alibi))
    return;
  regions.slopes = input("slopes");
  if (regions.slopes)
    return;
  auto type = RankedTensorType::get({config.queryHeads}, accumulator);
  SmallVector<Attribute> values;
  for (double slope : alibiSlopes(config.queryHeads))
    values.push_back(builder.getFloatAttr(accumulator, slope));
  regions.slopes = arith::ConstantOp::create(
      builder, loc, type, DenseElementsAttr::get(type, values));
}

RankedTensorType ModuleBuilder::outputType(Output output) {
  Config asked = config;
  asked.outputs = {output};
  return typeOf(kernelOutputs(asked).front());
}

void ModuleBuilder::fillRegions(Operation *op, RegionBuilder &regions) {
  regions.buildOffset(op->getRegion(0));
  regions.buildScore(op->getRegion(1));
  regions.buildMask(op->getRegion(2));
}

/// A tensor of the config's layout as [B,H,S,D].
Value ModuleBuilder::splitHeads(Value tokens, int64_t heads) {
  if (config.layout == Layout::BHSD)
    return tokens;
  auto type = cast<RankedTensorType>(tokens.getType());
  int64_t dim = type.getShape().back();
  if (config.layout == Layout::BSD)
    dim /= heads;
  auto split = RankedTensorType::get(
      {type.getDimSize(0), heads, type.getDimSize(1), dim}, data);
  return attn::SplitHeadsOp::create(builder, loc, split, tokens);
}

void ModuleBuilder::buildSdpa(RegionBuilder &regions) {
  Value scale = buildScale();
  bool wantsWeights = config.hasOutput(Output::Weights);
  // The weights are normalised by the LSE.
  bool needsLse = wantsWeights || config.hasOutput(Output::Lse);
  Value query = splitHeads(input("q"), config.queryHeads),
        key = splitHeads(input("k"), config.kvHeads),
        value = splitHeads(input("v"), config.kvHeads);
  RankedTensorType outType = outputType(Output::Out);
  SmallVector<int64_t> heads(
      cast<RankedTensorType>(query.getType()).getShape());
  heads[3] = config.vHeadDim;
  auto sdpa = attn::SdpaOp::create(
      builder, loc, RankedTensorType::get(heads, data),
      needsLse ? Type(outputType(Output::Lse)) : Type(), query, key, value,
      scale, attn::TilingAttr(), ArrayAttr());
  fillRegions(sdpa, regions);
  if (config.hasOutput(Output::Out)) {
    Value out = sdpa.getOut();
    if (config.layout != Layout::BHSD)
      out = attn::MergeHeadsOp::create(builder, loc, outType, out);
    results.push_back(out);
  }
  if (config.hasOutput(Output::Lse))
    results.push_back(sdpa.getLse());
  if (wantsWeights) {
    auto weights = attn::SdpaWeightsOp::create(
        builder, loc, outputType(Output::Weights), query, key, sdpa.getLse(),
        scale, attn::TilingAttr(), ArrayAttr());
    fillRegions(weights, regions);
    results.push_back(weights.getWeights());
  }
}

void ModuleBuilder::buildLayer(RegionBuilder &regions) {
  Value scale = buildScale();
  bool wantsLse = config.hasOutput(Output::Lse);
  bool wantsWeights = config.hasOutput(Output::Weights);
  auto layer = attn::LayerOp::create(
      builder, loc, outputType(Output::Out),
      wantsLse ? Type(outputType(Output::Lse)) : Type(),
      wantsWeights ? Type(outputType(Output::Weights)) : Type(), input("x"),
      input("context"), input("wq"), input("wk"), input("wv"), input("wo"),
      input("bq"), input("bk"), input("bv"), input("bo"), scale,
      uint64_t(config.queryHeads), uint64_t(config.kvHeads));
  fillRegions(layer, regions);
  if (config.hasOutput(Output::Out))
    results.push_back(layer.getOut());
  if (wantsLse)
    results.push_back(layer.getLse());
  if (wantsWeights)
    results.push_back(layer.getWeights());
}

OwningOpRef<ModuleOp> ModuleBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  buildFunction();
  RegionBuilder regions(config, accumulator, inputs, builder.getContext());
  buildLengths(regions);
  buildSlopes(regions);
  if (config.kind == Kind::Layer)
    buildLayer(regions);
  else
    buildSdpa(regions);
  func::ReturnOp::create(builder, loc, results);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> fovea::buildModule(const Config &config,
                                         MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, attn::AttnDialect, func::FuncDialect,
                      math::MathDialect, tensor::TensorDialect>();
  return ModuleBuilder(config, context).build();
}
