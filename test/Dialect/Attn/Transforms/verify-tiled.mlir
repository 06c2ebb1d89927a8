// What stage tiled may hold passes, unchanged.
// RUN: fovea-opt %s -verify-tiled | FileCheck %s

!q = memref<1x?x8xf32>
!k = memref<?x8xf32>

// CHECK-LABEL: @tiles(
// CHECK: attn.sdpa_tile
// CHECK: attn.weights_tile
// CHECK: attn.project_tile
func.func @tiles(%q: !q, %k: !k, %l: memref<1x?xf32>, %w: memref<1x?x?xf32>,
                 %x: memref<8x8xf32>, %n: index, %s: f32) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    attn.sdpa_tile %q, %k, %k into %q lse(%l : memref<1x?xf32>) at(%b, %h, %i0)
        offset(%b) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
        mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %keep = arith.cmpi sle, %j, %p : index
      attn.yield %keep : i1
    } : !q, !k, !k, !q
    attn.weights_tile %q, %k lse(%l) into %w at(%b, %h, %i0) offset(%b)
        scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
        : !q, !k, memref<1x?xf32>, memref<1x?x?xf32>
  }
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 64) {
    attn.project_tile %k, %x into %k row(%i0) rows(64) : !k, memref<8x8xf32>, !k
  }
  return
}

// CHECK-LABEL: @two_heads(
func.func @two_heads(%q: memref<2x?x8xf32>, %k: !k, %n: index, %s: f32) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 4, %n) step (1, 2, 24) {
    attn.sdpa_tile %q, %k, %k into %q at(%b, %h, %i0) offset(%b)
        scale(%s : f32) tiling(<heads = 2, queries = 24, keys = 128>)
        : memref<2x?x8xf32>, !k, !k, memref<2x?x8xf32>
  }
  return
}
