//===- OutlineParallel.cpp - scf.forall to tasks --------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Target/CPU/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

namespace fovea::cpu {
#define GEN_PASS_DEF_ATTNOUTLINEPARALLEL
#include "fovea/Target/CPU/Passes.h.inc"
} // namespace fovea::cpu

using namespace mlir;
using namespace fovea;

namespace {

constexpr int64_t kAlignment = 64;
constexpr StringLiteral kParallelFor = "fovea_entry_parallel_for";

/// Fields of fovea_frame (runtime/entry/Entry.h), in 8-byte words.
enum FrameField { scratch = 0, scratchBytes = 1, temporaries = 2 };

class Outliner {
public:
  Outliner(func::FuncOp kernel, ModuleOp module)
      : kernel(kernel), module(module), context(module.getContext()),
        converter(context), pointer(LLVM::LLVMPointerType::get(context)),
        i64(IntegerType::get(context, 64)), i32(IntegerType::get(context, 32)) {
  }

  LogicalResult run() {
    if (failed(kernel.insertArgument(0, pointer, {}, kernel.getLoc())))
      return failure();
    frame = kernel.getArgument(0);
    if (failed(placeTemporaries()))
      return failure();
    SmallVector<scf::ForallOp> foralls;
    kernel.walk([&](scf::ForallOp op) { foralls.push_back(op); });
    for (scf::ForallOp forall : foralls)
      if (failed(outline(forall)))
        return failure();
    OpBuilder builder(context);
    kernel->setAttr(
        "attn.scratch_bytes",
        builder.getI64IntegerAttr(llvm::alignTo(scratchSize, kAlignment)));
    return success();
  }

private:
  Value loadField(OpBuilder &b, Location loc, Value framePointer, Type type,
                  int32_t field) {
    Value address =
        LLVM::GEPOp::create(b, loc, pointer, i64, framePointer,
                            ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(field)});
    return LLVM::LoadOp::create(b, loc, type, address);
  }

  /// memref<?xi8> on raw memory.
  Value makeBytes(OpBuilder &b, Location loc, Value address) {
    auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
    auto descriptor =
        MemRefDescriptor::poison(b, loc, converter.convertType(type));
    descriptor.setAllocatedPtr(b, loc, address);
    descriptor.setAlignedPtr(b, loc, address);
    descriptor.setConstantOffset(b, loc, 0);
    descriptor.setConstantSize(b, loc, 0, std::numeric_limits<int64_t>::max());
    descriptor.setConstantStride(b, loc, 0, 1);
    return UnrealizedConversionCastOp::create(b, loc, type, Value(descriptor))
        .getResult(0);
  }

  //===--------------------------------------------------------------------===//
  // Temporaries: memref.alloc of the kernel
  //===--------------------------------------------------------------------===//

  /// The size of dimension `dim` of `memref`, in terms of the kernel's
  /// arguments, written at `b`.
  FailureOr<Value> cloneSize(OpBuilder &b, OpFoldResult size, IRMapping &map) {
    if (auto attribute = dyn_cast<Attribute>(size))
      return Value(arith::ConstantIndexOp::create(
          b, kernel.getLoc(), cast<IntegerAttr>(attribute).getInt()));
    Value value = cast<Value>(size);
    if (Value known = map.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op)
      return failure();
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      Value source = dim.getSource();
      if (Value argument = map.lookupOrNull(source)) {
        FailureOr<Value> index = cloneSize(b, dim.getIndex(), map);
        if (failed(index))
          return failure();
        return Value(memref::DimOp::create(b, op->getLoc(), argument, *index));
      }
      std::optional<int64_t> index = dim.getConstantIndex();
      if (!index)
        return failure();
      if (auto view = source.getDefiningOp<memref::ReinterpretCastOp>())
        return cloneSize(b, view.getMixedSizes()[*index], map);
      if (auto view = source.getDefiningOp<memref::TransposeOp>()) {
        unsigned from = view.getPermutation().getDimPosition(*index);
        return cloneSize(
            b, memref::getMixedSize(b, op->getLoc(), view.getIn(), from), map);
      }
      if (auto alloc = source.getDefiningOp<memref::AllocOp>())
        return cloneSize(b, alloc.getMixedSizes()[*index], map);
      return failure();
    }
    if (!isMemoryEffectFree(op) || op->getNumRegions() != 0)
      return failure();
    for (Value operand : op->getOperands()) {
      FailureOr<Value> cloned = cloneSize(b, operand, map);
      if (failed(cloned))
        return failure();
      map.map(operand, *cloned);
    }
    b.clone(*op, map);
    return map.lookup(value);
  }

  /// Bytes of `alloc`, rounded up so that the next one is aligned.
  Value buildBytes(OpBuilder &b, Location loc, MemRefType type,
                   ValueRange sizes) {
    int64_t known = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t size : type.getShape())
      if (!ShapedType::isDynamic(size))
        known *= size;
    Value bytes = arith::ConstantIndexOp::create(b, loc, known);
    for (Value size : sizes)
      bytes = arith::MulIOp::create(b, loc, bytes, size);
    Value mask = arith::ConstantIndexOp::create(b, loc, -kAlignment);
    Value round = arith::ConstantIndexOp::create(b, loc, kAlignment - 1);
    bytes = arith::AddIOp::create(b, loc, bytes, round);
    return arith::AndIOp::create(b, loc, bytes, mask);
  }

  LogicalResult placeTemporaries() {
    SmallVector<memref::AllocOp> allocs(
        kernel.front().getOps<memref::AllocOp>());
    // The size function, called before the kernel.
    OpBuilder b(context);
    b.setInsertionPointToEnd(module.getBody());
    SmallVector<Type> types(llvm::drop_begin(kernel.getArgumentTypes()));
    auto sizer = func::FuncOp::create(
        b, kernel.getLoc(), (kernel.getName() + ".temporary_bytes").str(),
        FunctionType::get(context, types, b.getIndexType()));
    sizer.setPrivate();
    sizer->setAttr("llvm.linkage",
                   LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
    Block *entry = sizer.addEntryBlock();
    b.setInsertionPointToStart(entry);
    IRMapping map;
    for (auto [old, fresh] : llvm::zip(llvm::drop_begin(kernel.getArguments()),
                                       entry->getArguments()))
      map.map(old, fresh);
    Value total = arith::ConstantIndexOp::create(b, kernel.getLoc(), 0);
    for (memref::AllocOp alloc : allocs) {
      SmallVector<Value> sizes;
      for (Value size : alloc.getDynamicSizes()) {
        FailureOr<Value> cloned = cloneSize(b, size, map);
        if (failed(cloned))
          return alloc.emitOpError("expects a size that follows from the sizes "
                                   "of the kernel's arguments");
        sizes.push_back(*cloned);
      }
      Value bytes = buildBytes(b, alloc.getLoc(), alloc.getType(), sizes);
      total = arith::AddIOp::create(b, alloc.getLoc(), total, bytes);
    }
    func::ReturnOp::create(b, kernel.getLoc(), total);

    if (allocs.empty())
      return success();
    b.setInsertionPoint(allocs.front());
    Location loc = kernel.getLoc();
    Value base =
        makeBytes(b, loc, loadField(b, loc, frame, pointer, temporaries));
    Value offset = arith::ConstantIndexOp::create(b, loc, 0);
    for (memref::AllocOp alloc : allocs) {
      b.setInsertionPoint(alloc);
      Value view =
          memref::ViewOp::create(b, alloc.getLoc(), alloc.getType(), base,
                                 offset, alloc.getDynamicSizes());
      Value bytes = buildBytes(b, alloc.getLoc(), alloc.getType(),
                               alloc.getDynamicSizes());
      offset = arith::AddIOp::create(b, alloc.getLoc(), offset, bytes);
      for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
        if (isa<memref::DeallocOp>(user))
          user->erase();
      alloc.replaceAllUsesWith(view);
      alloc.erase();
    }
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Tasks
  //===--------------------------------------------------------------------===//

  LogicalResult outline(scf::ForallOp forall) {
    Location loc = forall.getLoc();
    OpBuilder b(forall);
    auto toValue = [&](OpFoldResult value) {
      return getValueOrCreateConstantIndexOp(b, loc, value);
    };
    // Iterations of each dimension, and their product.
    SmallVector<Value> lowers, steps, trips;
    Value count = arith::ConstantIndexOp::create(b, loc, 1);
    for (auto [lower, upper, step] :
         llvm::zip(forall.getMixedLowerBound(), forall.getMixedUpperBound(),
                   forall.getMixedStep())) {
      Value from = toValue(lower), by = toValue(step);
      Value length = arith::SubIOp::create(b, loc, toValue(upper), from);
      Value less = arith::SubIOp::create(
          b, loc, by, arith::ConstantIndexOp::create(b, loc, 1));
      Value trip = arith::DivUIOp::create(
          b, loc, arith::AddIOp::create(b, loc, length, less), by);
      lowers.push_back(from);
      steps.push_back(by);
      trips.push_back(trip);
      count = arith::MulIOp::create(b, loc, count, trip);
    }

    // Captured values travel in a struct on the caller's stack.
    llvm::SetVector<Value> captures;
    getUsedValuesDefinedAbove(forall.getRegion(), captures);
    captures.insert(lowers.begin(), lowers.end());
    captures.insert(steps.begin(), steps.end());
    captures.insert(trips.begin(), trips.end());
    captures.insert(frame);
    SmallVector<Value> passed;
    SmallVector<Operation *> constants;
    for (Value value : captures) {
      Operation *op = value.getDefiningOp();
      if (op && op->hasTrait<OpTrait::ConstantLike>())
        constants.push_back(op);
      else if (op && isa<memref::GetGlobalOp>(op))
        constants.push_back(op);
      else
        passed.push_back(value);
    }
    SmallVector<Type> fields;
    for (Value value : passed) {
      Type type = converter.convertType(value.getType());
      if (!type)
        return forall.emitOpError("uses a value of type ")
               << value.getType() << " that can't be passed to a task";
      fields.push_back(type);
    }
    auto record = LLVM::LLVMStructType::getLiteral(context, fields);
    // In the entry block, where a stack slot is free, not in a branch.
    OpBuilder entry = OpBuilder::atBlockBegin(&kernel.front());
    Value one =
        LLVM::ConstantOp::create(entry, loc, i64, b.getI64IntegerAttr(1));
    Value argument = LLVM::AllocaOp::create(entry, loc, pointer, record, one,
                                            /*alignment=*/16);
    auto fieldAddress = [&](OpBuilder &builder, Value base, size_t field) {
      return LLVM::GEPOp::create(
          builder, loc, pointer, record, base,
          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(field)});
    };
    for (auto [i, value] : llvm::enumerate(passed)) {
      Value converted = value;
      if (value.getType() != fields[i])
        converted = UnrealizedConversionCastOp::create(b, loc, fields[i], value)
                        .getResult(0);
      LLVM::StoreOp::create(b, loc, converted, fieldAddress(b, argument, i));
    }

    // The task.
    OpBuilder t = OpBuilder::atBlockEnd(module.getBody());
    std::string name = (kernel.getName() + ".task" + Twine(taskNumber++)).str();
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                            {pointer, i64, i32});
    auto task =
        LLVM::LLVMFuncOp::create(t, loc, name, type, LLVM::Linkage::Internal);
    Block *body = task.addEntryBlock(t);
    t.setInsertionPointToStart(body);
    IRMapping map;
    for (Operation *op : constants)
      t.clone(*op, map);
    for (auto [i, value] : llvm::enumerate(passed)) {
      Value loaded = LLVM::LoadOp::create(
          t, loc, fields[i], fieldAddress(t, body->getArgument(0), i));
      if (value.getType() != fields[i])
        loaded =
            UnrealizedConversionCastOp::create(t, loc, value.getType(), loaded)
                .getResult(0);
      map.map(value, loaded);
    }
    Value index = arith::IndexCastOp::create(t, loc, t.getIndexType(),
                                             body->getArgument(1));
    SmallVector<Value> variables(trips.size());
    for (int64_t d = trips.size() - 1; d >= 0; --d) {
      Value trip = map.lookup(trips[d]);
      Value at = index;
      if (d > 0) {
        at = arith::RemUIOp::create(t, loc, index, trip);
        index = arith::DivUIOp::create(t, loc, index, trip);
      }
      at = arith::MulIOp::create(t, loc, at, map.lookup(steps[d]));
      variables[d] = arith::AddIOp::create(t, loc, at, map.lookup(lowers[d]));
    }
    for (auto [old, fresh] : llvm::zip(forall.getInductionVars(), variables))
      map.map(old, fresh);
    if (failed(placeScratch(forall, t, map.lookup(frame), body->getArgument(2),
                            map)))
      return failure();
    for (Operation &op : forall.getBody()->without_terminator())
      if (!isa<memref::AllocaOp>(op))
        t.clone(op, map);
    LLVM::ReturnOp::create(t, loc, ValueRange{});

    LLVM::CallOp::create(
        b, loc, getParallelFor(),
        ValueRange{frame, LLVM::AddressOfOp::create(b, loc, pointer, name),
                   argument, arith::IndexCastOp::create(b, loc, i64, count)});
    forall.erase();
    return success();
  }

  /// Scratch buffers become views of the worker's block.
  LogicalResult placeScratch(scf::ForallOp forall, OpBuilder &t,
                             Value framePointer, Value worker, IRMapping &map) {
    Location loc = forall.getLoc();
    int64_t offset = 0;
    Value base;
    WalkResult nested = forall.walk([&](memref::AllocaOp alloca) {
      if (alloca->getBlock() != forall.getBody() ||
          !alloca.getType().hasStaticShape()) {
        alloca.emitOpError("expects scratch of static size in the body of its "
                           "scf.forall");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (nested.wasInterrupted())
      return failure();
    for (auto alloca : forall.getBody()->getOps<memref::AllocaOp>()) {
      if (!base) {
        Value bytes = loadField(t, loc, framePointer, i64, scratchBytes);
        Value wide = LLVM::SExtOp::create(t, loc, i64, worker);
        Value start = LLVM::MulOp::create(t, loc, wide, bytes);
        Value block = LLVM::GEPOp::create(
            t, loc, pointer, t.getI8Type(),
            loadField(t, loc, framePointer, pointer, scratch),
            ArrayRef<LLVM::GEPArg>{start});
        base = makeBytes(t, loc, block);
      }
      MemRefType type = alloca.getType();
      map.map(alloca.getResult(),
              memref::ViewOp::create(
                  t, loc, type, base,
                  arith::ConstantIndexOp::create(t, loc, offset), ValueRange{})
                  .getResult());
      int64_t bytes = type.getNumElements() *
                      llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      offset += llvm::alignTo(bytes, kAlignment);
    }
    scratchSize = std::max(scratchSize, offset);
    return success();
  }

  LLVM::LLVMFuncOp getParallelFor() {
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(kParallelFor))
      return known;
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    return LLVM::LLVMFuncOp::create(
        b, kernel.getLoc(), kParallelFor,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                    {pointer, pointer, pointer, i64}));
  }

  func::FuncOp kernel;
  ModuleOp module;
  MLIRContext *context;
  LLVMTypeConverter converter;
  LLVM::LLVMPointerType pointer;
  IntegerType i64, i32;
  Value frame;
  int64_t scratchSize = 0;
  unsigned taskNumber = 0;
};

struct OutlineParallel : cpu::impl::AttnOutlineParallelBase<OutlineParallel> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic())
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      if (failed(Outliner(kernel, getOperation()).run()))
        return signalPassFailure();
  }
};

} // namespace
