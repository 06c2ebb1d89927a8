// What stage attention may hold passes, unchanged.
// RUN: fovea-opt %s -verify-attention | FileCheck %s

#tiling = #attn.tiling<heads = 1, queries = 48, keys = 128>
!t = tensor<?x2x?x8xf32>

// CHECK-LABEL: @attention(
// CHECK: attn.sdpa {{.*}} tiling(
// CHECK: attn.sdpa_weights {{.*}} tiling(
func.func @attention(%q: !t {attn.name = "q"}, %k: !t {attn.name = "k"},
                     %s: f32 {attn.name = "scale"})
    -> (!t {attn.name = "out"}, tensor<?x2x?x?xf32> {attn.name = "weights"}) {
  %out, %lse = attn.sdpa %q, %k, %k scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi sle, %j, %p : index
    attn.yield %keep : i1
  } : !t, !t, !t -> !t, tensor<?x2x?xf32>
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32) tiling(#tiling)
      : !t, !t, tensor<?x2x?xf32> -> tensor<?x2x?x?xf32>
  return %out, %w : !t, tensor<?x2x?x?xf32>
}

// CHECK-LABEL: @projections(
// CHECK: attn.project
// CHECK: attn.merge_heads
func.func @projections(%x: tensor<?x?x16xf32> {attn.name = "x"},
                       %w: tensor<16x16xf32> {attn.name = "w"})
    -> (tensor<?x?x16xf32> {attn.name = "out"}) {
  %q = attn.project %x, %w
      : tensor<?x?x16xf32>, tensor<16x16xf32> -> tensor<?x2x?x8xf32>
  %y = attn.merge_heads %q : tensor<?x2x?x8xf32> -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

// Kernels are public and have a body; others need no names.
// CHECK-LABEL: func.func private @declared(
func.func private @declared(!t) -> !t
// CHECK-LABEL: func.func private @of_no_kernel(
func.func private @of_no_kernel(%q: !t) -> !t {
  return %q : !t
}
