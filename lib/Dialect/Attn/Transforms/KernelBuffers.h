//===- KernelBuffers.h - memory for the tensors of a kernel ---------------===//

#ifndef FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_KERNELBUFFERS_H
#define FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_KERNELBUFFERS_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace fovea::attn {

/// Gives every tensor of a kernel a memref. A small bufferization that knows
/// what the general one can't: results are written where the caller wants
/// them, heads are split and merged by strides, and nothing is copied.
class KernelBuffers {
public:
  explicit KernelBuffers(mlir::func::FuncOp function) : function(function) {}

  /// Turns tensor arguments into memrefs and results into output arguments.
  mlir::LogicalResult convertSignature();

  /// The memref of `tensor`, or null.
  mlir::Value lookup(mlir::Value tensor) const {
    return buffers.lookup(tensor);
  }

  /// Makes memory for `result`, an operation's result: an output argument if it
  /// is returned (directly or with its heads merged), else an allocation.
  /// `sizes` has a value for every dynamic dimension.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Value result,
                     llvm::ArrayRef<mlir::Value> sizes);

  /// Makes the result of `op` a view of its input's memory.
  void split(mlir::OpBuilder &builder, SplitHeadsOp op);

  /// Whether the memory of `tensor`, [B,H,S,D], has its heads side by side.
  bool isMerged(mlir::Value tensor) const { return merged.contains(tensor); }

  /// A view [B,S,M] of tokens [S,M], [B,S,M] or merged [B,H,S,D].
  mlir::Value asTokens(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value buffer);
  /// A view [B,H,S,D] of a result [S,N], [B,S,N] (then H = 1) or [B,H,S,D].
  mlir::Value asHeads(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value buffer);

  /// Rewrites reads of tensors (tensor.extract, tensor.dim) to memref reads.
  mlir::LogicalResult replaceReads();

  /// Checks that no tensor is left; call when all tensor operations are gone.
  mlir::LogicalResult finish();

private:
  mlir::LogicalResult convertConstants();
  mlir::Value viewHeads(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value tokens, mlir::RankedTensorType heads,
                        mlir::OpFoldResult batch, mlir::OpFoldResult length);
  mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value buffer, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes,
                      llvm::ArrayRef<mlir::OpFoldResult> strides);

  mlir::func::FuncOp function;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  /// For every returned value its output argument.
  llvm::DenseMap<mlir::Value, mlir::Value> outputs;
  llvm::DenseSet<mlir::Value> merged;
};

} // namespace fovea::attn

#endif // FOVEA_LIB_DIALECT_ATTN_TRANSFORMS_KERNELBUFFERS_H
