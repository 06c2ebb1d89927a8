// RUN: fovea-opt %s --attn-simplify-masks --canonicalize | FileCheck %s
//
// The README shows this file as an example of a test.

// j <= p implies j <= p + 3: one comparison is left.
// CHECK-LABEL: @causal_and_wider_window
// CHECK:       ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[P:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT:    %[[KEEP:.*]] = arith.cmpi sle, %[[J]], %[[P]] : index
// CHECK-NEXT:    attn.yield %[[KEEP]] : i1
func.func @causal_and_wider_window(
    %q: tensor<1x1x8x4xf32>, %k: tensor<1x1x8x4xf32>, %v: tensor<1x1x8x4xf32>)
    -> tensor<1x1x8x4xf32> {
  %scale = arith.constant 0.5 : f32
  %out = attn.sdpa %q, %k, %v scale(%scale : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c3 = arith.constant 3 : index
    %right = arith.addi %p, %c3 : index
    %causal = arith.cmpi sle, %j, %p : index
    %window = arith.cmpi sle, %j, %right : index
    %keep = arith.andi %causal, %window : i1
    attn.yield %keep : i1
  } : tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>
      -> tensor<1x1x8x4xf32>
  return %out : tensor<1x1x8x4xf32>
}
