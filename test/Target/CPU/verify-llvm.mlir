// What stage llvm may hold passes, unchanged.
// RUN: fovea-opt %s -verify-llvm | FileCheck %s

// CHECK: llvm.mlir.global internal constant @kernel.signature
llvm.mlir.global internal constant @kernel.signature(dense<[1]> : tensor<1xi64>) : !llvm.array<1 x i64>
llvm.mlir.global internal constant @kernel.strings("kernel\00")
llvm.mlir.global internal constant @kernel.code() : !llvm.struct<(ptr)> {
  %0 = llvm.mlir.zero : !llvm.struct<(ptr)>
  llvm.return %0 : !llvm.struct<(ptr)>
}
// CHECK: llvm.func @kernel(
llvm.func @kernel(%context: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr)
    -> i32 attributes {attn.interface = {name = "kernel", inputs = [],
                                         outputs = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
llvm.func @kernel_workspace_bytes(%context: !llvm.ptr, %threads: i32) -> i64 {
  %0 = llvm.mlir.constant(0 : i64) : i64
  llvm.return %0 : i64
}
// Functions that are no kernel need nothing.
llvm.func internal @kernel.task0(%argument: !llvm.ptr) {
  llvm.return
}
