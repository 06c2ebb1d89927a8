// RUN: fovea-opt %s --attn-fuse-softmax --canonicalize --cse --verify-fused -split-input-file | FileCheck %s

// Document ids: least and greatest by row once, by key for each key tile; a
// tile is skipped, whole or masked.
// CHECK-LABEL: func.func @documents
// CHECK: %[[ROWS:.+]]:2 = scf.for
// CHECK: memref.load %[[IDS:.+]][
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>)
// CHECK: %[[KEYS:.+]]:2 = scf.for
// CHECK: memref.load %[[IDS]][
// CHECK: %[[LOW:.+]] = arith.cmpi sle, %[[ROWS]]#0, %[[KEYS]]#1
// CHECK: %[[HIGH:.+]] = arith.cmpi sle, %[[KEYS]]#0, %[[ROWS]]#1
// CHECK: %[[ANY:.+]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: %[[SAME:.+]] = arith.cmpi eq, %[[ROWS]]#0, %[[KEYS]]#1
// CHECK: %[[ONE:.+]] = arith.cmpi eq, %[[ROWS]]#1, %[[KEYS]]#0
// CHECK: %[[ALL:.+]] = arith.andi %[[SAME]], %[[ONE]]
// CHECK: scf.if %[[ANY]]
// CHECK: scf.if %[[ALL]]
// CHECK: attn.scores
// CHECK-NOT: mask
// CHECK: } else {
// CHECK: attn.scores
// CHECK-SAME: mask {
// CHECK: } else {
// CHECK-NEXT: scf.yield
func.func @documents(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>,
                     %V: memref<64x8xf32>, %O: memref<1x64x8xf32>,
                     %ids: memref<1x64xi64>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %mine = memref.load %ids[%b1, %i] : memref<1x64xi64>
      %theirs = memref.load %ids[%b1, %j] : memref<1x64xi64>
      %keep = arith.cmpi eq, %mine, %theirs : i64
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>,
        memref<1x64x8xf32>
  }
  return
}

// -----

// A tensor read by row and key is not summarised: no branch can be decided.
// CHECK-LABEL: func.func @by_row_and_key
// CHECK-NOT: scf.if
// CHECK: mask {
// CHECK-NOT: scf.if
// CHECK: return
func.func @by_row_and_key(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>,
                          %V: memref<64x8xf32>, %O: memref<1x64x8xf32>,
                          %keeps: memref<64x64xi8>, %scale: f32) {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i8
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %byte = memref.load %keeps[%i, %j] : memref<64x64xi8>
      %keep = arith.cmpi ne, %byte, %none : i8
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>,
        memref<1x64x8xf32>
  }
  return
}
