// What stage vectorized may hold passes, unchanged.
// RUN: fovea-opt %s -verify-vectorized | FileCheck %s

// CHECK-LABEL: @kernel(
// CHECK: vector.fma
func.func @kernel(%frame: !llvm.ptr, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<?xf32>, vector<16xf32>
  %w = vector.fma %v, %v, %v : vector<16xf32>
  %keep = arith.cmpf olt, %v, %w : vector<16xf32>
  %y = arith.select %keep, %v, %w : vector<16xi1>, vector<16xf32>
  vector.store %y, %x[%c0] : memref<?xf32>, vector<16xf32>
  return
}

// CHECK-LABEL: @doubles(
func.func @doubles(%frame: !llvm.ptr, %x: vector<8xf64>) {
  %y = arith.addf %x, %x : vector<8xf64>
  return
}

// Only kernels have a frame.
// CHECK-LABEL: @kernel.temporary_bytes(
func.func private @kernel.temporary_bytes(%x: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}
