// RUN: fovea-opt %s -attn-outline-parallel -canonicalize -cse -split-input-file | FileCheck %s

// CHECK: llvm.func @fovea_entry_parallel_for(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64)

// The frame comes first. What the body uses travels in a struct on the stack;
// the count is that of all tiles, rounded up.
// CHECK-LABEL: func.func @task(
// CHECK-SAME: %[[FRAME:.+]]: !llvm.ptr, %[[X:.+]]: memref<?xf32>, %[[N:.+]]: index) attributes {attn.scratch_bytes = 0 : i64}
// CHECK-DAG: %[[TASK:.+]] = llvm.mlir.addressof @task.task0 : !llvm.ptr
// CHECK-DAG: %[[C47:.+]] = arith.constant 47 : index
// CHECK-DAG: %[[C48:.+]] = arith.constant 48 : index
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK: %[[CAPTURES:.+]] = llvm.alloca
// CHECK: %[[UP:.+]] = arith.addi %[[N]], %[[C47]]
// CHECK: %[[ROWS:.+]] = arith.divui %[[UP]], %[[C48]]
// CHECK: %[[COUNT:.+]] = arith.muli %[[ROWS]], %[[C4]]
// CHECK: builtin.unrealized_conversion_cast %[[X]] : memref<?xf32> to !llvm.struct
// CHECK: %[[WORDS:.+]] = arith.index_cast %[[COUNT]] : index to i64
// CHECK: llvm.call @fovea_entry_parallel_for(%[[FRAME]], %[[TASK]], %[[CAPTURES]], %[[WORDS]])
// CHECK-NOT: scf.forall
// CHECK: return
func.func @task(%x: memref<?xf32>, %n: index) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 4, %n) step (1, 1, 48) {
    %v = memref.load %x[%h] : memref<?xf32>
    memref.store %v, %x[%i0] : memref<?xf32>
  }
  return
}

// Without temporaries there is nothing to lay out.
// CHECK-LABEL: func.func private @task.temporary_bytes(
// CHECK-SAME: memref<?xf32>, %{{.+}}: index) -> index attributes {llvm.linkage = #llvm.linkage<internal>}
// CHECK: %[[C0:.+]] = arith.constant 0 : index
// CHECK: return %[[C0]]

// The task takes its tile from the index: rows last, then heads.
// CHECK-LABEL: llvm.func internal @task.task0(
// CHECK-SAME: %[[ARG:.+]]: !llvm.ptr, %[[INDEX:.+]]: i64, %{{.+}}: i32)
// CHECK: %[[I:.+]] = arith.index_cast %[[INDEX]] : i64 to index
// CHECK: %[[ROW:.+]] = arith.remui %[[I]], %[[TRIPS:.+]] :
// CHECK: %[[REST:.+]] = arith.divui %[[I]], %[[TRIPS]]
// CHECK: %[[I0:.+]] = arith.muli %[[ROW]], %{{.+}}
// CHECK: %[[H:.+]] = arith.remui %[[REST]], %{{.+}}
// CHECK: %[[V:.+]] = memref.load %[[X:.+]][%[[H]]]
// CHECK: memref.store %[[V]], %[[X]][%[[I0]]]
// CHECK: llvm.return

// -----

// Scratch is the worker's slice of the workspace: its number times the bytes of
// the frame (word 1) behind the frame's word 0; buffers lie 64 bytes apart.
// CHECK-LABEL: func.func @scratch(
// CHECK-SAME: attributes {attn.scratch_bytes = 192 : i64}
func.func @scratch(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 8) step (1, 1, 1) {
    %s = memref.alloca() {alignment = 64 : i64} : memref<3x6xf32>
    %t = memref.alloca() {alignment = 64 : i64} : memref<2xf64>
    %v = memref.load %x[%i0] : memref<?xf32>
    %w = arith.extf %v : f32 to f64
    memref.store %v, %s[%c0, %c0] : memref<3x6xf32>
    memref.store %w, %t[%c0] : memref<2xf64>
  }
  return
}
// CHECK-LABEL: llvm.func internal @scratch.task0(
// CHECK-SAME: %{{.+}}: !llvm.ptr, %{{.+}}: i64, %[[WORKER:.+]]: i32)
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C128:.+]] = arith.constant 128 : index
// CHECK: %[[FIELD:.+]] = llvm.getelementptr %[[FRAME:.+]][1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: %[[BYTES:.+]] = llvm.load %[[FIELD]] : !llvm.ptr -> i64
// CHECK: %[[WIDE:.+]] = llvm.sext %[[WORKER]] : i32 to i64
// CHECK: %[[START:.+]] = llvm.mul %[[WIDE]], %[[BYTES]]
// CHECK: %[[BASE:.+]] = llvm.load %[[FRAME]] : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.getelementptr %[[BASE]][%[[START]]]
// CHECK: memref.view %{{.+}}[%[[C0]]][] : memref<?xi8> to memref<3x6xf32>
// CHECK: memref.view %{{.+}}[%[[C128]]][] : memref<?xi8> to memref<2xf64>
// CHECK-NOT: memref.alloca

// -----

// Intermediate tensors lie one behind the other in the common part (the frame's
// word 2).
// CHECK-LABEL: func.func @temporaries(
// CHECK-SAME: %[[FRAME:.+]]: !llvm.ptr, %[[X:.+]]: memref<?x8xf32>)
// CHECK: %[[N:.+]] = memref.dim %[[X]], %[[C0:.+]] :
// CHECK: %[[FIELD:.+]] = llvm.getelementptr %[[FRAME]][2] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: %[[MEMORY:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<?xi8>
// CHECK: memref.view %[[MEMORY]][%[[C0]]][%[[N]]] : memref<?xi8> to memref<?x8xf32>
// CHECK: %[[BYTES:.+]] = arith.muli %[[N]], %[[C32:.+]] :
// CHECK: %[[UP:.+]] = arith.addi %[[BYTES]], %[[C63:.+]] :
// CHECK: %[[END:.+]] = arith.andi %[[UP]], %[[MASK:.+]] :
// CHECK: memref.view %[[MEMORY]][%[[END]]][] : memref<?xi8> to memref<4xf32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @temporaries(%x: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %t = memref.alloc(%n) {alignment = 64 : i64} : memref<?x8xf32>
  %u = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 1) {
    %v = memref.load %x[%i0, %b] : memref<?x8xf32>
    memref.store %v, %t[%i0, %b] : memref<?x8xf32>
    memref.store %v, %u[%b] : memref<4xf32>
  }
  memref.dealloc %t : memref<?x8xf32>
  return
}
// CHECK-LABEL: func.func private @temporaries.temporary_bytes(
// CHECK-SAME: %[[X:.+]]: memref<?x8xf32>) -> index
// CHECK-DAG: %[[C64:.+]] = arith.constant 64 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK: %[[N:.+]] = memref.dim %[[X]], %{{.+}}
// CHECK: %[[BYTES:.+]] = arith.muli %[[N]], %[[C32]]
// CHECK: %[[UP:.+]] = arith.addi %[[BYTES]], %{{.+}}
// CHECK: %[[END:.+]] = arith.andi %[[UP]], %{{.+}}
// CHECK: %[[TOTAL:.+]] = arith.addi %[[END]], %[[C64]]
// CHECK: return %[[TOTAL]]

// -----

// Scratch of two loops may be the same memory: the larger one counts.
// CHECK-LABEL: func.func @two_loops(
// CHECK-SAME: attributes {attn.scratch_bytes = 128 : i64}
// CHECK-DAG: %[[T0:.+]] = llvm.mlir.addressof @two_loops.task0
// CHECK-DAG: %[[T1:.+]] = llvm.mlir.addressof @two_loops.task1
// CHECK: llvm.call @fovea_entry_parallel_for(%{{.+}}, %[[T0]],
// CHECK: llvm.call @fovea_entry_parallel_for(%{{.+}}, %[[T1]],
func.func @two_loops(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%b) = (0) to (2) step (1) {
    %s = memref.alloca() {alignment = 64 : i64} : memref<32xf32>
    %v = memref.load %x[%b] : memref<?xf32>
    memref.store %v, %s[%c0] : memref<32xf32>
  }
  scf.forall (%b) = (0) to (3) step (1) {
    %s = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
    %v = memref.load %x[%b] : memref<?xf32>
    memref.store %v, %s[%c0] : memref<4xf32>
  }
  return
}

// -----

// A global is read where it is, not passed.
// CHECK-LABEL: llvm.func internal @global.task0(
// CHECK: memref.get_global @slopes
memref.global "private" constant @slopes : memref<2xf32> = dense<[1.0, 0.5]>
func.func @global(%x: memref<?xf32>) {
  %g = memref.get_global @slopes : memref<2xf32>
  scf.forall (%b) = (0) to (2) step (1) {
    %v = memref.load %g[%b] : memref<2xf32>
    memref.store %v, %x[%b] : memref<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func private @of_no_kernel(
// CHECK-SAME: %{{.+}}: memref<?xf32>)
func.func private @of_no_kernel(%x: memref<?xf32>) {
  return
}
