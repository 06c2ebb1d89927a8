//===- Passes.td - passes of the CPU target ----------------*- tablegen -*-===//

#ifndef FOVEA_TARGET_CPU_PASSES_TD
#define FOVEA_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnVectorize : Pass<"attn-vectorize", "mlir::ModuleOp"> {
  let summary = "tile operations to register-sized vector code (CPU)";
  let description = [{
    Gives every tile value of stage `fused` a scratch buffer and writes each tile
    operation as loops over register-sized vectors. Elementwise operations
    between the tile operations become loops too; score and mask regions are
    inlined per vector. The number of rows of a tile decides how it lies:

    - Many rows: queries lie in lanes. The scores are computed as S^T = K Q^T and
      the output as O^T = V^T P^T, so keys and values are read as scalars,
      without packing, and row max, row sum and rescale need no horizontal
      reduction. One register tile (rows of keys or of head dims x vectors of
      queries) serves both products.
    - Rows that fill half a vector at most: the head dim lies in lanes, so that
      keys and values are read once, in whole vectors and in the order of memory.
      The lanes of as many products as a vector has lanes are summed together;
      masks and softmax have keys in lanes.


    Before:

    ```mlir
    %s = attn.scores %q, %K[%j0] ... : vector<48x64xf32>, memref<?x64xf32>
        -> vector<48x128xf32>
    ```

    After:

    ```mlir
    scf.for %r = %c0 to %n step %c8 {
      %acc:24 = scf.for %d = %c0 to %c64 step %c1 iter_args(...) {
        %k0 = memref.load %K[%row0, %d] : memref<?x64xf32, ...>
        %b0 = vector.broadcast %k0 : f32 to vector<16xf32>
        %f0 = vector.fma %b0, %q0, %acc0 : vector<16xf32>
        ...
    ```

    Needs `attn.target` on the module. Refuses operations between the tile
    operations that are not elementwise.
  }];
  let dependentDialects = [
        "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect", "mlir::x86vector::X86VectorDialect"
  ];
}

def AttnOutlineParallel : Pass<"attn-outline-parallel", "mlir::ModuleOp"> {
  let summary = "scf.forall to tasks behind the context's parallel_for";
  let description = [{
    Moves the body of every `scf.forall` into a function task(argument, index,
    worker) and calls `fovea_entry_parallel_for(frame, task, argument, count)`.
    Scratch buffers (`memref.alloca`) become views of the worker's slice of the
    workspace, intermediate tensors (`memref.alloc`) views of its common part;
    their sizes are written as `attn.scratch_bytes` and as a function
    `NAME.temporary_bytes`. No kernel allocates memory by itself.

    Before:

    ```mlir
    scf.forall (%b, %h, %i0) = ... {
      %s = memref.alloca() : memref<128x48xf32>
      ...
    }
    ```

    After:

    ```mlir
    llvm.func internal @causal.task0(%argument: !llvm.ptr, %index: i64,
                                     %worker: i32) { ... }
    llvm.call @fovea_entry_parallel_for(%frame, %task, %captures, %count)
    ```
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::scf::SCFDialect"
  ];
}

def AttnEmitEntry : Pass<"attn-emit-entry", "mlir::ModuleOp"> {
  let summary = "adds the C function, signature and workspace query";
  let description = [{
    For a kernel NAME, renames the computing function to `NAME.compute` and adds,
    in the LLVM dialect: `NAME.signature` and `NAME.strings` (names, types and
    dims of the tensors, see runtime/entry/Entry.h), `NAME.body`, which unpacks
    checked tensors into memrefs, and the C functions `NAME` and
    `NAME_workspace_bytes`.

    Before: `func.func @causal(%frame: !llvm.ptr, %q: memref<...>, ...)`

    After: the same as private `@causal.compute`, and
    `llvm.func @causal(%context: !llvm.ptr, %inputs: !llvm.ptr,
    %outputs: !llvm.ptr) -> i32`.
  }];
  let dependentDialects = ["mlir::func::FuncDialect",
                           "mlir::LLVM::LLVMDialect"];
}

def AttnExpandMath : Pass<"attn-expand-math", "mlir::ModuleOp"> {
  let summary = "vectors of math operations to polynomials or scalar calls";
  let description = [{
    Writes `math.exp`, `math.exp2` and `math.tanh` on vectors as polynomials
    and rational functions in arith and vector.fma (f32 and f64 exponentials, f32
    tanh), and every other math operation on vectors element by element, where
    LLVM's lowering or libm takes it. Exponentials are right at -inf (0), NaN,
    0 and at overflow (inf); results below the smallest normal number are 0.
    `arith.extf` of bf16 to f64 becomes bits moved to an f32, then its extension.

    Before: `%y = math.exp %x : vector<16xf32>`

    After: arithmetic on `vector<16xf32>` and `vector<16xi32>`.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::math::MathDialect",
                           "mlir::vector::VectorDialect"];
}

class VerifyStage<string name, string text> : Pass<"verify-" # name,
                                                   "mlir::ModuleOp"> {
  let summary = "checks the contract of stage " # name;
  let description = text;
}

def VerifyVectorized : VerifyStage<"vectorized", [{
    The contract of stage `vectorized`, checked without changing anything:

    - no attn operation, no tensor, no `scf.forall`;
    - no `memref.alloc` or `memref.alloca`: memory comes from the workspace;
    - vectors have rank 1, and vectors of floats at most 64 bytes;
    - every kernel's first argument is the frame (`!llvm.ptr`).
  }]>;

def VerifyLLVM : VerifyStage<"llvm", [{
    The contract of stage `llvm`, checked without changing anything:

    - LLVM dialect only: no `builtin.unrealized_conversion_cast`, no operation of
      another dialect but the module;
    - every kernel has its C function, signature and workspace query.
  }]>;

#endif // FOVEA_TARGET_CPU_PASSES_TD
