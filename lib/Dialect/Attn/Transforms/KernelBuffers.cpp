//===- KernelBuffers.cpp - memory for the tensors of a kernel -------------===//

#include "KernelBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace fovea::attn;

/// Tensors of the caller: any strides but the innermost, which the entry code
/// makes 1. A bool is one byte.
static MemRefType getArgumentType(RankedTensorType type) {
  Type element = type.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(type.getContext(), 8);
  if (type.getRank() == 0)
    return MemRefType::get({}, element);
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  strides.back() = 1;
  return MemRefType::get(type.getShape(), element,
                         StridedLayoutAttr::get(type.getContext(), 0, strides));
}

/// Makes static sizes of 0 dynamic, as a view of one has no legal offset;
/// attn.dims keeps those of the kernel's tensors.
static void openEmptyDims(Block &entry) {
  auto open = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !llvm::is_contained(type.getShape(), 0))
      return;
    SmallVector<int64_t> shape(type.getShape());
    llvm::replace(shape, int64_t(0), ShapedType::kDynamic);
    value.setType(RankedTensorType::get(shape, type.getElementType()));
  };
  llvm::for_each(entry.getArguments(), open);
  for (Operation &op : entry)
    llvm::for_each(op.getResults(), open);
}

LogicalResult KernelBuffers::convertSignature() {
  Block &entry = function.front();
  openEmptyDims(entry);
  MLIRContext *context = function.getContext();
  SmallVector<DictionaryAttr> attributes;
  SmallVector<BlockArgument> arguments(entry.getArguments());
  for (auto [number, argument] : llvm::enumerate(arguments)) {
    attributes.push_back(function.getArgAttrDict(number)
                             ? function.getArgAttrDict(number)
                             : DictionaryAttr::get(context));
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    // The tensor stays beside its memory until nothing reads it any more.
    buffers[argument] = entry.insertArgument(
        argument.getArgNumber(), getArgumentType(type), argument.getLoc());
  }
  auto ret = cast<func::ReturnOp>(entry.getTerminator());
  for (OpOperand &operand : ret->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type ||
        !isa_and_nonnull<SdpaOp, SdpaWeightsOp, ProjectOp, MergeHeadsOp>(
            operand.get().getDefiningOp()))
      return ret.emitOpError("expects result ")
             << operand.getOperandNumber()
             << " to be a tensor that an attn operation produced";
    if (outputs.contains(operand.get()))
      return ret.emitOpError("returns one tensor twice");
    Value output =
        entry.addArgument(getArgumentType(type), operand.get().getLoc());
    outputs[operand.get()] = output;
    NamedAttrList list(
        function.getResultAttrDict(operand.getOperandNumber())
            ? function.getResultAttrDict(operand.getOperandNumber())
            : DictionaryAttr::get(context));
    list.set(kOutputAttr, UnitAttr::get(context));
    attributes.push_back(list.getDictionary(context));
  }
  ret->setOperands({});
  SmallVector<Type> types;
  for (Type type : entry.getArgumentTypes())
    if (!isa<RankedTensorType>(type))
      types.push_back(type);
  function.setType(FunctionType::get(context, types, TypeRange{}));
  function.removeResAttrsAttr();
  function.setAllArgAttrs(attributes);
  return convertConstants();
}

/// A constant tensor (ALiBi slopes) becomes a private global.
LogicalResult KernelBuffers::convertConstants() {
  auto module = function->getParentOfType<ModuleOp>();
  unsigned number = 0;
  for (auto op : function.front().getOps<arith::ConstantOp>()) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type)
      continue;
    auto memory = MemRefType::get(type.getShape(), type.getElementType());
    std::string name;
    do
      name = (function.getName() + ".constant" + Twine(number++)).str();
    while (module.lookupSymbol(name));
    OpBuilder builder(function);
    memref::GlobalOp::create(builder, op.getLoc(), name,
                             builder.getStringAttr("private"), memory,
                             op.getValue(), /*constant=*/true,
                             /*alignment=*/builder.getI64IntegerAttr(64));
    builder.setInsertionPoint(op);
    buffers[op.getResult()] =
        memref::GetGlobalOp::create(builder, op.getLoc(), memory, name);
  }
  return success();
}

Value KernelBuffers::create(OpBuilder &builder, Value result,
                            ArrayRef<Value> sizes) {
  Location loc = result.getLoc();
  auto type = cast<RankedTensorType>(result.getType());
  if (Value output = outputs.lookup(result))
    return buffers[result] = output;

  // A result whose heads are merged is written side by side: its memory is
  // that of the merged tensor, [B,S,H,D].
  MergeHeadsOp merge;
  bool isMergedByUser = false;
  for (Operation *user : result.getUsers()) {
    if (auto op = dyn_cast<MergeHeadsOp>(user))
      merge = op;
    isMergedByUser |= isa<MergeHeadsOp>(user);
    auto project = dyn_cast<ProjectOp>(user);
    isMergedByUser |= project && project.getInput() == result;
  }
  auto dynamicSizes = [&](ArrayRef<int64_t> order) {
    SmallVector<Value> values;
    for (int64_t dim : order)
      if (type.isDynamicDim(dim))
        values.push_back(sizes[dim]);
    return values;
  };
  auto allocate = [&](MemRefType memory, ValueRange dynamic) -> Value {
    return memref::AllocOp::create(builder, loc, memory, dynamic,
                                   builder.getI64IntegerAttr(64));
  };
  if (!isMergedByUser || type.getRank() != 4) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq(type.getRank()));
    return buffers[result] =
               allocate(MemRefType::get(type.getShape(), type.getElementType()),
                        dynamicSizes(order));
  }
  int64_t heads = type.getDimSize(1), headDim = type.getDimSize(3);
  Value tokens;
  if (merge && outputs.lookup(merge.getResult())) {
    tokens = outputs.lookup(merge.getResult());
    buffers[merge.getResult()] = tokens;
    // Heads apart in the caller's memory are no rows for a projection.
    if (cast<MemRefType>(tokens.getType()).getRank() < 4)
      merged.insert(result);
  } else {
    merged.insert(result);
    tokens = allocate(MemRefType::get({type.getDimSize(0), type.getDimSize(2),
                                       heads * headDim},
                                      type.getElementType()),
                      dynamicSizes({0, 2}));
    if (merge && merge.getResult().getType().getRank() == 3)
      buffers[merge.getResult()] = tokens;
  }
  auto dimOf = [&](int64_t dim) -> OpFoldResult {
    return type.isDynamicDim(dim)
               ? OpFoldResult(sizes[dim])
               : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim)));
  };
  return buffers[result] =
             viewHeads(builder, loc, tokens, type, dimOf(0), dimOf(2));
}

Value KernelBuffers::viewHeads(OpBuilder &builder, Location loc, Value tokens,
                               RankedTensorType heads, OpFoldResult batch,
                               OpFoldResult length) {
  int64_t rank = cast<MemRefType>(tokens.getType()).getRank();
  // [B,S,H,D] as [B,H,S,D]. No reinterpret_cast: where S = H its type would be
  // that of its source, which a folder takes for a cast that does nothing.
  if (rank == 4) {
    auto swap = AffineMap::getPermutationMap(ArrayRef<unsigned>{0, 2, 1, 3},
                                             loc.getContext());
    return memref::TransposeOp::create(builder, loc, tokens,
                                       AffineMapAttr::get(swap));
  }
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, tokens);
  ValueRange strides = metadata.getStrides();
  OpFoldResult one = builder.getIndexAttr(1),
               headDim = builder.getIndexAttr(heads.getDimSize(3));
  // [S,H*D] or [B,S,H*D].
  OpFoldResult batchStride =
      rank == 2 ? OpFoldResult(builder.getIndexAttr(0)) : strides[0];
  return reshape(
      builder, loc, tokens, heads.getShape(),
      {batch, builder.getIndexAttr(heads.getDimSize(1)), length, headDim},
      {batchStride, headDim, strides[rank == 2 ? 0 : 1], one});
}

void KernelBuffers::split(OpBuilder &builder, SplitHeadsOp op) {
  Value tokens = lookup(op.getInput());
  Location loc = op.getLoc();
  buffers[op.getResult()] =
      viewHeads(builder, loc, tokens, op.getResult().getType(),
                memref::getMixedSize(builder, loc, tokens, 0),
                memref::getMixedSize(builder, loc, tokens, 1));
}

Value KernelBuffers::reshape(OpBuilder &builder, Location loc, Value buffer,
                             ArrayRef<int64_t> shape,
                             ArrayRef<OpFoldResult> sizes,
                             ArrayRef<OpFoldResult> strides) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> staticStrides;
  for (OpFoldResult stride : strides)
    staticStrides.push_back(
        getConstantIntValue(stride).value_or(ShapedType::kDynamic));
  auto viewType = MemRefType::get(
      shape, type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), 0, staticStrides));
  return memref::ReinterpretCastOp::create(
      builder, loc, viewType, buffer, builder.getIndexAttr(0), sizes, strides);
}

Value KernelBuffers::asTokens(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 3)
    return buffer;
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  ValueRange strides = metadata.getStrides();
  OpFoldResult one = builder.getIndexAttr(1);
  if (type.getRank() == 2)
    return reshape(builder, loc, buffer,
                   {1, type.getDimSize(0), type.getDimSize(1)},
                   {one, memref::getMixedSize(builder, loc, buffer, 0),
                    builder.getIndexAttr(type.getDimSize(1))},
                   {builder.getIndexAttr(0), strides[0], one});
  // create() laid the heads side by side, since this operation merges them.
  int64_t width = type.getDimSize(1) * type.getDimSize(3);
  return reshape(builder, loc, buffer,
                 {type.getDimSize(0), type.getDimSize(2), width},
                 {memref::getMixedSize(builder, loc, buffer, 0),
                  memref::getMixedSize(builder, loc, buffer, 2),
                  builder.getIndexAttr(width)},
                 {strides[0], strides[2], one});
}

Value KernelBuffers::asHeads(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 4)
    return buffer;
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  ValueRange strides = metadata.getStrides();
  OpFoldResult one = builder.getIndexAttr(1), zero = builder.getIndexAttr(0);
  bool flat = type.getRank() == 2;
  int64_t lengthDim = flat ? 0 : 1, widthDim = flat ? 1 : 2;
  return reshape(
      builder, loc, buffer,
      {flat ? 1 : type.getDimSize(0), 1, type.getDimSize(lengthDim),
       type.getDimSize(widthDim)},
      {flat ? one : memref::getMixedSize(builder, loc, buffer, 0), one,
       memref::getMixedSize(builder, loc, buffer, lengthDim),
       builder.getIndexAttr(type.getDimSize(widthDim))},
      {flat ? zero : OpFoldResult(strides[0]), zero, strides[lengthDim], one});
}

LogicalResult KernelBuffers::replaceReads() {
  SmallVector<Operation *> reads;
  function.walk([&](Operation *op) {
    if (isa<tensor::ExtractOp, tensor::DimOp>(op))
      reads.push_back(op);
  });
  for (Operation *op : reads) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value buffer = lookup(op->getOperand(0));
    if (!buffer)
      return op->emitOpError("expects to read an argument, a constant or the "
                             "result of an attn operation");
    Value read;
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      read = memref::DimOp::create(builder, loc, buffer, dim.getIndex());
    } else {
      auto extract = cast<tensor::ExtractOp>(op);
      read = memref::LoadOp::create(builder, loc, buffer, extract.getIndices());
      if (op->getResult(0).getType().isInteger(1)) {
        // Any nonzero byte is true.
        Value zero = arith::ConstantOp::create(
            builder, loc, builder.getIntegerAttr(read.getType(), 0));
        read = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                     read, zero);
      }
    }
    op->getResult(0).replaceAllUsesWith(read);
    op->erase();
  }
  return success();
}

LogicalResult KernelBuffers::finish() {
  for (auto constant :
       llvm::make_early_inc_range(function.front().getOps<arith::ConstantOp>()))
    if (isa<RankedTensorType>(constant.getType()) && constant->use_empty())
      constant.erase();
  WalkResult left = function.walk([&](Operation *op) {
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (isa<TensorType>(type)) {
        op->emitOpError("on tensors can't be part of a kernel; expects attn "
                        "operations, tensor.extract and tensor.dim");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (left.wasInterrupted())
    return failure();
  function.front().eraseArguments([](BlockArgument argument) {
    return isa<RankedTensorType>(argument.getType());
  });
  return success();
}
