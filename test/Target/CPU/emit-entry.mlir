// RUN: fovea-opt %s -attn-emit-entry | FileCheck %s

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">} {

// CHECK-DAG: llvm.func @fovea_entry_run(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-DAG: llvm.func @fovea_entry_workspace_bytes(!llvm.ptr, !llvm.ptr, i32) -> i64

// The C name is the entry's: what computes gets another one and loses the
// attributes that the signature has taken over.
// CHECK: func.func private @causal.compute(%{{.+}}: !llvm.ptr, %{{.+}}: memref<?x8xf32, strided<[?, 1]>>, %{{.+}}: memref<?xi8, strided<[1]>>, %{{.+}}: memref<?xindex, strided<[1]>>, %{{.+}}: memref<?x8xf64, strided<[?, 1]>>) attributes {llvm.linkage = #llvm.linkage<internal>} {
func.func @causal(
    %frame: !llvm.ptr,
    %q: memref<?x8xf32, strided<[?, 1]>> {attn.name = "q", attn.dims = ["s", 8]},
    %m: memref<?xi8, strided<[1]>> {attn.name = "mask", attn.dims = ["t"]},
    %l: memref<?xindex, strided<[1]>> {attn.name = "len", attn.dims = ["s"]},
    %out: memref<?x8xf64, strided<[?, 1]>> {attn.name = "out",
                                            attn.dims = ["s", 8], attn.output})
    attributes {attn.scratch_bytes = 192 : i64} {
  return
}
func.func private @causal.temporary_bytes(
    %q: memref<?x8xf32, strided<[?, 1]>>, %m: memref<?xi8, strided<[1]>>,
    %l: memref<?xindex, strided<[1]>>, %out: memref<?x8xf64, strided<[?, 1]>>)
    -> index {
  %c64 = arith.constant 64 : index
  return %c64 : index
}

// Version 1, 3 inputs, 1 output, 2 symbols, processor features, name at 0, 192
// scratch bytes, reserved. Symbols: s at 7, t at 9. Then for each tensor its
// name, type code, bits, rank, flags and dims, -1 and -2 being s and t.
// CHECK: llvm.mlir.global internal constant @causal.signature(dense<[1, 3, 1, 2, {{[0-9]+}}, 0, 192, 0,
// CHECK-SAME: 7, 9,
// CHECK-SAME: 11, 2, 32, 2, 0, -1, 8,
// CHECK-SAME: 13, 6, 8, 1, 2, -2,
// CHECK-SAME: 18, 0, 64, 1, 1, -1,
// CHECK-SAME: 22, 2, 64, 2, 0, -1, 8]> : tensor<36xi64>)
// CHECK: llvm.mlir.global internal constant @causal.strings("causal\00s\00t\00q\00mask\00len\00out\00")

// The body reads views, which have the words of memref descriptors: 3 + 2 *
// rank each.
// CHECK-LABEL: llvm.func internal @causal.body(
// CHECK-SAME: %[[FRAME:.+]]: !llvm.ptr, %[[VIEWS:.+]]: !llvm.ptr)
// CHECK: llvm.getelementptr %[[VIEWS]][0]
// CHECK: %[[Q:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<?x8xf32, strided<[?, 1]>>
// CHECK: llvm.getelementptr %[[VIEWS]][7]
// CHECK: %[[M:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<?xi8, strided<[1]>>
// CHECK: llvm.getelementptr %[[VIEWS]][12]
// CHECK: %[[L:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<?xindex, strided<[1]>>
// CHECK: llvm.getelementptr %[[VIEWS]][17]
// CHECK: %[[OUT:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<?x8xf64, strided<[?, 1]>>
// CHECK: call @causal.compute(%[[FRAME]], %[[Q]], %[[M]], %[[L]], %[[OUT]])

// CHECK-LABEL: llvm.func internal @causal.workspace(
// CHECK: %[[BYTES:.+]] = func.call @causal.temporary_bytes(
// CHECK: %[[WORDS:.+]] = arith.index_cast %[[BYTES]] : index to i64
// CHECK: llvm.return %[[WORDS]]

// CHECK-LABEL: llvm.mlir.global internal constant @causal.code()
// CHECK: %[[SIGNATURE:.+]] = llvm.mlir.addressof @causal.signature
// CHECK: llvm.insertvalue %[[SIGNATURE]], %{{.+}}[0]
// CHECK: %[[STRINGS:.+]] = llvm.mlir.addressof @causal.strings
// CHECK: llvm.insertvalue %[[STRINGS]], %{{.+}}[1]
// CHECK: %[[BODY:.+]] = llvm.mlir.addressof @causal.body
// CHECK: llvm.insertvalue %[[BODY]], %{{.+}}[2]
// CHECK: %[[WORKSPACE:.+]] = llvm.mlir.addressof @causal.workspace
// CHECK: llvm.insertvalue %[[WORKSPACE]], %{{.+}}[3]

// CHECK-LABEL: llvm.func @causal(
// CHECK-SAME: %[[CONTEXT:.+]]: !llvm.ptr, %[[IN:.+]]: !llvm.ptr, %[[OUTPUTS:.+]]: !llvm.ptr) -> i32 attributes {attn.interface = {inputs = [{dims = ["s", 8], element = "f32", name = "q"}, {dims = ["t"], element = "bool", name = "mask"}, {dims = ["s"], element = "index", name = "len"}], name = "causal", outputs = [{dims = ["s", 8], element = "f64", name = "out"}]}}
// CHECK: %[[CODE:.+]] = llvm.mlir.addressof @causal.code
// CHECK: %[[STATUS:.+]] = llvm.call @fovea_entry_run(%[[CODE]], %[[CONTEXT]], %[[IN]], %[[OUTPUTS]])
// CHECK: llvm.return %[[STATUS]]

// CHECK-LABEL: llvm.func @causal_workspace_bytes(
// CHECK-SAME: %[[CONTEXT:.+]]: !llvm.ptr, %[[THREADS:.+]]: i32) -> i64
// CHECK: %[[CODE:.+]] = llvm.mlir.addressof @causal.code
// CHECK: %[[BYTES:.+]] = llvm.call @fovea_entry_workspace_bytes(%[[CODE]], %[[CONTEXT]], %[[THREADS]])
// CHECK: llvm.return %[[BYTES]]
}
