// attn.layer, printed and parsed again.
// RUN: fovea-opt %s | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --mlir-print-op-generic | fovea-opt | FileCheck %s

// CHECK-LABEL: @self(
// CHECK-SAME: %[[X:.+]]: tensor<?x?x64xf32>, %[[W:.+]]: tensor<64x64xf32>, %[[S:.+]]: f32)
// CHECK: attn.layer %[[X]] weights(%[[W]], %[[W]], %[[W]]) query_heads(4) kv_heads(4) scale(%[[S]] : f32) : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<?x?x64xf32>
func.func @self(%x: tensor<?x?x64xf32>, %w: tensor<64x64xf32>, %s: f32)
    -> tensor<?x?x64xf32> {
  %out = attn.layer %x weights(%w, %w, %w) query_heads(4) kv_heads(4)
      scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
         tensor<64x64xf32>) -> tensor<?x?x64xf32>
  return %out : tensor<?x?x64xf32>
}

// CHECK-LABEL: @context(
// CHECK-SAME: %[[C:[^:]+]]: tensor<?x?x16xf32>
// CHECK: attn.layer %{{.+}} context(%[[C]] : tensor<?x?x16xf32>) weights(
func.func @context(%c: tensor<?x?x16xf32>, %x: tensor<?x?x64xf32>,
                   %wq: tensor<64x64xf32>, %wk: tensor<16x64xf32>, %s: f32)
    -> tensor<?x?x64xf32> {
  %out = attn.layer %x context(%c : tensor<?x?x16xf32>) weights(%wq, %wk, %wk)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<16x64xf32>,
         tensor<16x64xf32>) -> tensor<?x?x64xf32>
  return %out : tensor<?x?x64xf32>
}

// CHECK-LABEL: @output_projection(
// CHECK-SAME: %[[WO:[^:]+]]: tensor<64x24xf32>
// CHECK: weights(%{{.+}}, %{{.+}}, %{{.+}}, %[[WO]] : tensor<64x24xf32>) query_heads(4)
// CHECK-SAME: -> tensor<?x?x24xf32>
func.func @output_projection(%wo: tensor<64x24xf32>, %x: tensor<?x?x64xf32>,
                             %w: tensor<64x64xf32>, %s: f32)
    -> tensor<?x?x24xf32> {
  %out = attn.layer %x weights(%w, %w, %w, %wo : tensor<64x24xf32>)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
         tensor<64x64xf32>) -> tensor<?x?x24xf32>
  return %out : tensor<?x?x24xf32>
}

// CHECK-LABEL: @biases(
// CHECK-SAME: %[[BQ:[^:]+]]: tensor<64xf32>, %[[BK:[^:]+]]: tensor<32xf32>, %[[BV:[^:]+]]: tensor<16xf32>, %[[BO:[^:]+]]: tensor<24xf32>
// CHECK: query_bias(%[[BQ]] : tensor<64xf32>) key_bias(%[[BK]] : tensor<32xf32>) value_bias(%[[BV]] : tensor<16xf32>) out_bias(%[[BO]] : tensor<24xf32>) query_heads(4) kv_heads(2)
func.func @biases(%bq: tensor<64xf32>, %bk: tensor<32xf32>,
                  %bv: tensor<16xf32>, %bo: tensor<24xf32>,
                  %x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
                  %wk: tensor<64x32xf32>, %wv: tensor<64x16xf32>,
                  %wo: tensor<32x24xf32>, %s: f32) -> tensor<?x?x24xf32> {
  %out = attn.layer %x weights(%wq, %wk, %wv, %wo : tensor<32x24xf32>)
      query_bias(%bq : tensor<64xf32>) key_bias(%bk : tensor<32xf32>)
      value_bias(%bv : tensor<16xf32>) out_bias(%bo : tensor<24xf32>)
      query_heads(4) kv_heads(2) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x32xf32>,
         tensor<64x16xf32>) -> tensor<?x?x24xf32>
  return %out : tensor<?x?x24xf32>
}

// CHECK-LABEL: @one_bias(
// CHECK: weights(%{{.+}}, %{{.+}}, %{{.+}}) value_bias(%{{.+}} : tensor<64xf32>) query_heads
func.func @one_bias(%bv: tensor<64xf32>, %x: tensor<?x?x64xf32>,
                    %w: tensor<64x64xf32>, %s: f32) -> tensor<?x?x64xf32> {
  %out = attn.layer %x weights(%w, %w, %w) value_bias(%bv : tensor<64xf32>)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
         tensor<64x64xf32>) -> tensor<?x?x64xf32>
  return %out : tensor<?x?x64xf32>
}

// CHECK-LABEL: @lse_and_weights(
// CHECK: %[[OUT:.+]], %[[LSE:.+]], %[[W:.+]] = attn.layer
// CHECK-SAME: -> tensor<?x?x64xf32> lse(tensor<?x4x?xf32>) attention_weights(tensor<?x4x?x?xf32>)
// CHECK: return %[[OUT]], %[[LSE]], %[[W]]
func.func @lse_and_weights(%x: tensor<?x?x64xf32>, %w: tensor<64x64xf32>,
                           %s: f32)
    -> (tensor<?x?x64xf32>, tensor<?x4x?xf32>, tensor<?x4x?x?xf32>) {
  %out, %lse, %weights = attn.layer %x weights(%w, %w, %w)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
         tensor<64x64xf32>) -> tensor<?x?x64xf32> lse(tensor<?x4x?xf32>)
         attention_weights(tensor<?x4x?x?xf32>)
  return %out, %lse, %weights
      : tensor<?x?x64xf32>, tensor<?x4x?xf32>, tensor<?x4x?x?xf32>
}

// Without a batch the LSE still has one.
// CHECK-LABEL: @flat_with_weights_only(
// CHECK: %[[OUT:.+]], %[[W:.+]] = attn.layer
// CHECK-SAME: -> tensor<?x64xf32> attention_weights(tensor<1x4x?x?xf32>)
func.func @flat_with_weights_only(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>,
                                  %s: f32)
    -> (tensor<?x64xf32>, tensor<1x4x?x?xf32>) {
  %out, %weights = attn.layer %x weights(%w, %w, %w)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
         tensor<64x64xf32>) -> tensor<?x64xf32>
         attention_weights(tensor<1x4x?x?xf32>)
  return %out, %weights : tensor<?x64xf32>, tensor<1x4x?x?xf32>
}

// CHECK-LABEL: @regions(
// CHECK: attn.layer {{.*}} scale(%{{.+}} : f32) offset {
// CHECK-NEXT: ^bb0(%[[B:.+]]: index):
// CHECK-NEXT: attn.yield %[[B]] : index
// CHECK-NEXT: } score {
// CHECK-NEXT: ^bb0(%{{.+}}: f32, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index):
// CHECK: } mask {
// CHECK: attn.yield %{{.+}} : i1
// CHECK-NEXT: } : (tensor
func.func @regions(%x: tensor<?x?x64xf32>, %w: tensor<64x64xf32>, %s: f32)
    -> tensor<?x?x64xf32> {
  %out = attn.layer %x weights(%w, %w, %w) query_heads(4) kv_heads(4)
      scale(%s : f32) offset {
  ^bb0(%b: index):
    attn.yield %b : index
  } score {
  ^bb0(%x1: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %y = arith.negf %x1 : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi sle, %j, %p : index
    attn.yield %keep : i1
  } : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
         tensor<64x64xf32>) -> tensor<?x?x64xf32>
  return %out : tensor<?x?x64xf32>
}
