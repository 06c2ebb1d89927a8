// RUN: fovea-opt %s -attn-expand-layers | FileCheck %s

!x = tensor<?x?x64xf32>
!w = tensor<64x64xf32>

// CHECK-LABEL: @heads_are_merged(
// CHECK-SAME: %[[X:.+]]: tensor<?x?x64xf32>, %[[WQ:.+]]: tensor<64x64xf32>, %[[WK:.+]]: tensor<64x64xf32>, %[[WV:.+]]: tensor<64x64xf32>, %[[S:.+]]: f32)
// CHECK-NEXT: %[[Q:.+]] = attn.project %[[X]], %[[WQ]] : tensor<?x?x64xf32>, tensor<64x64xf32> -> tensor<?x4x?x16xf32>
// CHECK-NEXT: %[[K:.+]] = attn.project %[[X]], %[[WK]] : tensor<?x?x64xf32>, tensor<64x64xf32> -> tensor<?x4x?x16xf32>
// CHECK-NEXT: %[[V:.+]] = attn.project %[[X]], %[[WV]] : tensor<?x?x64xf32>, tensor<64x64xf32> -> tensor<?x4x?x16xf32>
// CHECK-NEXT: %[[O:.+]] = attn.sdpa %[[Q]], %[[K]], %[[V]] scale(%[[S]] : f32) : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32> -> tensor<?x4x?x16xf32>
// CHECK-NEXT: %[[OUT:.+]] = attn.merge_heads %[[O]] : tensor<?x4x?x16xf32> -> tensor<?x?x64xf32>
// CHECK-NEXT: return %[[OUT]]
func.func @heads_are_merged(%x: !x, %wq: !w, %wk: !w, %wv: !w, %s: f32) -> !x {
  %out = attn.layer %x weights(%wq, %wk, %wv) query_heads(4) kv_heads(4)
      scale(%s : f32) : (!x, !w, !w, !w) -> !x
  return %out : !x
}

// CHECK-LABEL: @output_projection(
// CHECK-SAME: %[[WO:[^:]+]]: tensor<64x24xf32>, %[[BO:[^:]+]]: tensor<24xf32>
// CHECK: %[[O:.+]] = attn.sdpa
// CHECK-NEXT: %[[OUT:.+]] = attn.project %[[O]], %[[WO]] bias(%[[BO]] : tensor<24xf32>) : tensor<?x4x?x16xf32>, tensor<64x24xf32> -> tensor<?x?x24xf32>
// CHECK-NEXT: return %[[OUT]]
func.func @output_projection(%wo: tensor<64x24xf32>, %bo: tensor<24xf32>,
                             %x: !x, %w: !w, %s: f32) -> tensor<?x?x24xf32> {
  %out = attn.layer %x weights(%w, %w, %w, %wo : tensor<64x24xf32>)
      out_bias(%bo : tensor<24xf32>) query_heads(4) kv_heads(4)
      scale(%s : f32) : (!x, !w, !w, !w) -> tensor<?x?x24xf32>
  return %out : tensor<?x?x24xf32>
}

// CHECK-LABEL: @keys_and_values_come_from_the_context(
// CHECK-SAME: %[[X:.+]]: tensor<?x?x64xf32>, %[[C:.+]]: tensor<?x?x16xf32>, %[[WQ:.+]]: tensor<64x64xf32>, %[[W:.+]]: tensor<16x64xf32>,
// CHECK: attn.project %[[X]], %[[WQ]] :
// CHECK: attn.project %[[C]], %[[W]] : tensor<?x?x16xf32>
// CHECK: attn.project %[[C]], %[[W]] : tensor<?x?x16xf32>
func.func @keys_and_values_come_from_the_context(
    %x: !x, %c: tensor<?x?x16xf32>, %wq: !w, %w: tensor<16x64xf32>, %s: f32)
    -> !x {
  %out = attn.layer %x context(%c : tensor<?x?x16xf32>) weights(%wq, %w, %w)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (!x, !w, tensor<16x64xf32>, tensor<16x64xf32>) -> !x
  return %out : !x
}

// CHECK-LABEL: @biases(
// CHECK-SAME: %[[BQ:[^:]+]]: tensor<64xf32>, %[[BK:[^:]+]]: tensor<64xf32>, %[[BV:[^:]+]]: tensor<64xf32>
// CHECK: %[[Q:.+]] = attn.project %{{.+}}, %{{.+}} bias(%[[BQ]] : tensor<64xf32>)
// CHECK: %[[K:.+]] = attn.project %{{.+}}, %{{.+}} bias(%[[BK]] : tensor<64xf32>)
// CHECK: %[[V:.+]] = attn.project %{{.+}}, %{{.+}} bias(%[[BV]] : tensor<64xf32>)
// CHECK: attn.sdpa %[[Q]], %[[K]], %[[V]]
func.func @biases(%bq: tensor<64xf32>, %bk: tensor<64xf32>, %bv: tensor<64xf32>,
                  %x: !x, %w: !w, %s: f32) -> !x {
  %out = attn.layer %x weights(%w, %w, %w) query_bias(%bq : tensor<64xf32>)
      key_bias(%bk : tensor<64xf32>) value_bias(%bv : tensor<64xf32>)
      query_heads(4) kv_heads(4) scale(%s : f32) : (!x, !w, !w, !w) -> !x
  return %out : !x
}

// Head dims differ between keys and values, heads between queries and keys.
// CHECK-LABEL: @grouped_heads(
// CHECK: attn.project {{.*}} -> tensor<?x4x?x16xf32>
// CHECK: attn.project {{.*}} -> tensor<?x2x?x16xf32>
// CHECK: attn.project {{.*}} -> tensor<?x2x?x8xf32>
// CHECK: attn.sdpa {{.*}} -> tensor<?x4x?x8xf32>
// CHECK: attn.merge_heads {{.*}} -> tensor<?x?x32xf32>
func.func @grouped_heads(%x: !x, %wq: !w, %wk: tensor<64x32xf32>,
                         %wv: tensor<64x16xf32>, %s: f32)
    -> tensor<?x?x32xf32> {
  %out = attn.layer %x weights(%wq, %wk, %wv) query_heads(4) kv_heads(2)
      scale(%s : f32)
      : (!x, !w, tensor<64x32xf32>, tensor<64x16xf32>) -> tensor<?x?x32xf32>
  return %out : tensor<?x?x32xf32>
}

// Tokens without a batch are a batch of 1.
// CHECK-LABEL: @flat_tokens(
// CHECK: %[[Q:.+]] = attn.project {{.*}} : tensor<?x64xf32>, tensor<64x64xf32> -> tensor<1x4x?x16xf32>
// CHECK: %[[O:.+]] = attn.sdpa %[[Q]],
// CHECK: attn.merge_heads %[[O]] : tensor<1x4x?x16xf32> -> tensor<?x64xf32>
func.func @flat_tokens(%x: tensor<?x64xf32>, %w: !w, %s: f32)
    -> tensor<?x64xf32> {
  %out = attn.layer %x weights(%w, %w, %w) query_heads(4) kv_heads(4)
      scale(%s : f32) : (tensor<?x64xf32>, !w, !w, !w) -> tensor<?x64xf32>
  return %out : tensor<?x64xf32>
}

// CHECK-LABEL: @lse(
// CHECK: %[[O:.+]], %[[LSE:.+]] = attn.sdpa {{.*}} -> tensor<?x4x?x16xf32>, tensor<?x4x?xf32>
// CHECK-NOT: sdpa_weights
// CHECK: return %{{.+}}, %[[LSE]]
func.func @lse(%x: !x, %w: !w, %s: f32) -> (!x, tensor<?x4x?xf32>) {
  %out, %lse = attn.layer %x weights(%w, %w, %w) query_heads(4) kv_heads(4)
      scale(%s : f32) : (!x, !w, !w, !w) -> !x lse(tensor<?x4x?xf32>)
  return %out, %lse : !x, tensor<?x4x?xf32>
}

// The weights are normalised with the LSE, asked for or not.
// CHECK-LABEL: @weights(
// CHECK: %[[Q:.+]] = attn.project
// CHECK: %[[K:.+]] = attn.project
// CHECK: %[[O:.+]], %[[LSE:.+]] = attn.sdpa
// CHECK: %[[W:.+]] = attn.sdpa_weights %[[Q]], %[[K]] lse(%[[LSE]]) scale(%{{.+}} : f32) : {{.*}} -> tensor<?x4x?x?xf32>
// CHECK: return %{{.+}}, %[[W]]
func.func @weights(%x: !x, %w: !w, %s: f32) -> (!x, tensor<?x4x?x?xf32>) {
  %out, %weights = attn.layer %x weights(%w, %w, %w) query_heads(4) kv_heads(4)
      scale(%s : f32)
      : (!x, !w, !w, !w) -> !x attention_weights(tensor<?x4x?x?xf32>)
  return %out, %weights : !x, tensor<?x4x?x?xf32>
}

// Both have the regions.
// CHECK-LABEL: @regions(
// CHECK: attn.sdpa %{{.*}} offset {
// CHECK: attn.yield %{{.+}} : index
// CHECK: } score {
// CHECK: math.tanh
// CHECK: } mask {
// CHECK: arith.cmpi sle
// CHECK: attn.sdpa_weights {{.*}} offset {
// CHECK: attn.yield %{{.+}} : index
// CHECK: } score {
// CHECK: math.tanh
// CHECK: } mask {
// CHECK: arith.cmpi sle
func.func @regions(%x: !x, %w: !w, %s: f32) -> (!x, tensor<?x4x?x?xf32>) {
  %out, %weights = attn.layer %x weights(%w, %w, %w) query_heads(4) kv_heads(4)
      scale(%s : f32) offset {
  ^bb0(%b: index):
    attn.yield %b : index
  } score {
  ^bb0(%y: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %z = math.tanh %y : f32
    attn.yield %z : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi sle, %j, %p : index
    attn.yield %keep : i1
  } : (!x, !w, !w, !w) -> !x attention_weights(tensor<?x4x?x?xf32>)
  return %out, %weights : !x, tensor<?x4x?x?xf32>
}
