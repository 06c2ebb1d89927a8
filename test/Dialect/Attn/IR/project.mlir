// attn.project, attn.split_heads and attn.merge_heads, printed and parsed again.
// RUN: fovea-opt %s | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --mlir-print-op-generic | fovea-opt | FileCheck %s

// CHECK-LABEL: @split(
// CHECK-SAME: %[[X:.+]]: tensor<?x?x32xf32>, %[[W:.+]]: tensor<32x64xf32>)
// CHECK: attn.project %[[X]], %[[W]] : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x4x?x16xf32>
func.func @split(%x: tensor<?x?x32xf32>, %w: tensor<32x64xf32>)
    -> tensor<?x4x?x16xf32> {
  %y = attn.project %x, %w
      : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x4x?x16xf32>
  return %y : tensor<?x4x?x16xf32>
}

// CHECK-LABEL: @bias(
// CHECK-SAME: %[[B:[^:]+]]: tensor<64xf32>
// CHECK: attn.project %{{.+}}, %{{.+}} bias(%[[B]] : tensor<64xf32>) : tensor
func.func @bias(%b: tensor<64xf32>, %x: tensor<?x?x32xf32>,
                %w: tensor<32x64xf32>) -> tensor<?x4x?x16xf32> {
  %y = attn.project %x, %w bias(%b : tensor<64xf32>)
      : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x4x?x16xf32>
  return %y : tensor<?x4x?x16xf32>
}

// CHECK-LABEL: @tokens_without_batch(
// CHECK: attn.project %{{.+}}, %{{.+}} : tensor<?x32xf32>, tensor<32x64xf32> -> tensor<1x4x?x16xf32>
func.func @tokens_without_batch(%x: tensor<?x32xf32>, %w: tensor<32x64xf32>)
    -> tensor<1x4x?x16xf32> {
  %y = attn.project %x, %w
      : tensor<?x32xf32>, tensor<32x64xf32> -> tensor<1x4x?x16xf32>
  return %y : tensor<1x4x?x16xf32>
}

// CHECK-LABEL: @merge_and_project(
// CHECK: attn.project %{{.+}}, %{{.+}} : tensor<?x4x?x8xf32>, tensor<32x64xf32> -> tensor<?x?x64xf32>
func.func @merge_and_project(%x: tensor<?x4x?x8xf32>, %w: tensor<32x64xf32>)
    -> tensor<?x?x64xf32> {
  %y = attn.project %x, %w
      : tensor<?x4x?x8xf32>, tensor<32x64xf32> -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

// CHECK-LABEL: @merge_heads(
// CHECK-SAME: %[[X:.+]]: tensor<?x4x?x16xf32>)
// CHECK: attn.merge_heads %[[X]] : tensor<?x4x?x16xf32> -> tensor<?x?x64xf32>
func.func @merge_heads(%x: tensor<?x4x?x16xf32>) -> tensor<?x?x64xf32> {
  %y = attn.merge_heads %x : tensor<?x4x?x16xf32> -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

// CHECK-LABEL: @merge_heads_without_batch(
// CHECK: attn.merge_heads %{{.+}} : tensor<1x4x?x16xf32> -> tensor<?x64xf32>
func.func @merge_heads_without_batch(%x: tensor<1x4x?x16xf32>)
    -> tensor<?x64xf32> {
  %y = attn.merge_heads %x : tensor<1x4x?x16xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: @merge_heads_apart(
// CHECK: attn.merge_heads %{{.+}} : tensor<?x4x?x16xf32> -> tensor<?x?x4x16xf32>
func.func @merge_heads_apart(%x: tensor<?x4x?x16xf32>)
    -> tensor<?x?x4x16xf32> {
  %y = attn.merge_heads %x : tensor<?x4x?x16xf32> -> tensor<?x?x4x16xf32>
  return %y : tensor<?x?x4x16xf32>
}

// CHECK-LABEL: @split_heads(
// CHECK-SAME: %[[X:.+]]: tensor<?x?x64xf32>)
// CHECK: attn.split_heads %[[X]] : tensor<?x?x64xf32> -> tensor<?x4x?x16xf32>
func.func @split_heads(%x: tensor<?x?x64xf32>) -> tensor<?x4x?x16xf32> {
  %y = attn.split_heads %x : tensor<?x?x64xf32> -> tensor<?x4x?x16xf32>
  return %y : tensor<?x4x?x16xf32>
}

// CHECK-LABEL: @split_heads_apart(
// CHECK: attn.split_heads %{{.+}} : tensor<?x?x4x16xf32> -> tensor<?x4x?x16xf32>
func.func @split_heads_apart(%x: tensor<?x?x4x16xf32>)
    -> tensor<?x4x?x16xf32> {
  %y = attn.split_heads %x : tensor<?x?x4x16xf32> -> tensor<?x4x?x16xf32>
  return %y : tensor<?x4x?x16xf32>
}
