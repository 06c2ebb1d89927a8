// RUN: fovea-opt %s -attn-expand-layers --remarks-filter=layers -verify-diagnostics -o /dev/null

!x = tensor<?x?x64xf32>
!w = tensor<64x64xf32>

func.func @merged(%x: !x, %w: !w, %k: tensor<64x32xf32>, %s: f32) -> !x {
  // expected-remark@below {{the layer becomes projections of its input, attention of 4 query and 2 key/value heads, and a copy that merges the heads}}
  %out = attn.layer %x weights(%w, %k, %k) query_heads(4) kv_heads(2)
      scale(%s : f32) : (!x, !w, tensor<64x32xf32>, tensor<64x32xf32>) -> !x
  return %out : !x
}

func.func @of_a_source_with_an_output_projection(
    %x: !x, %c: tensor<?x?x16xf32>, %wq: !w, %w: tensor<16x64xf32>, %s: f32)
    -> !x {
  // expected-remark@below {{the layer becomes projections of input and context, attention of 4 query and 4 key/value heads, and an output projection}}
  %out = attn.layer %x context(%c : tensor<?x?x16xf32>)
      weights(%wq, %w, %w, %wq : !w) query_heads(4) kv_heads(4)
      scale(%s : f32) : (!x, !w, tensor<16x64xf32>, tensor<16x64xf32>) -> !x
  return %out : !x
}
