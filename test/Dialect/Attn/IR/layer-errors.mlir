// What the verifier of attn.layer refuses, by constraint.
// RUN: fovea-opt %s -verify-diagnostics -split-input-file

func.func @layer_c1_input_rank(%x: tensor<?x1x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects input of rank 2 or 3, element type 'f32' and static width, but got 'tensor<?x1x?x64xf32>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x1x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c1_dynamic_width(%x: tensor<?x?x?xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects input of rank 2 or 3, element type 'f32' and static width, but got 'tensor<?x?x?xf32>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x?xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c1_context_type(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %c: tensor<?x?x64xf16>) {
  // expected-error@+1 {{expects context of rank 2 or 3, element type 'f32' and static width, but got 'tensor<?x?x64xf16>'}}
  %out = attn.layer %x context(%c : tensor<?x?x64xf16>) weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c1_context_rank(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %c: tensor<?x64xf32>) {
  // expected-error@+1 {{expects context with the rank and batch of 'tensor<?x?x64xf32>', but got 'tensor<?x64xf32>'}}
  %out = attn.layer %x context(%c : tensor<?x64xf32>) weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c1_context_batch(%x: tensor<2x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %c: tensor<3x?x64xf32>) {
  // expected-error@+1 {{expects context with the rank and batch of 'tensor<2x?x64xf32>', but got 'tensor<3x?x64xf32>'}}
  %out = attn.layer %x context(%c : tensor<3x?x64xf32>) weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<2x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c2_query_weight(%x: tensor<?x?x64xf32>, %wq: tensor<32x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects wq of rank 2 and element type 'f32' with 64 rows, but got 'tensor<32x64xf32>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<32x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c2_key_weight_of_context(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<16x64xf32>,
    %s: f32, %c: tensor<?x?x16xf32>) {
  // expected-error@+1 {{expects wk of rank 2 and element type 'f32' with 16 rows, but got 'tensor<64x64xf32>'}}
  %out = attn.layer %x context(%c : tensor<?x?x16xf32>) weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<16x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c2_value_weight_type(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf64>,
    %s: f32) {
  // expected-error@+1 {{expects wv of rank 2 and element type 'f32' with 64 rows, but got 'tensor<64x64xf64>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf64>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c2_output_weight(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %wo: tensor<48x64xf32>) {
  // expected-error@+1 {{expects wo of rank 2 and element type 'f32' with 64 rows, but got 'tensor<48x64xf32>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv, %wo : tensor<48x64xf32>)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c3_heads(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects query heads to be a positive multiple of key heads, but got 4 and 3}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(3) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c3_no_heads(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects query heads to be a positive multiple of key heads, but got 4 and 0}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(0) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c3_query_columns(%x: tensor<?x?x64xf32>, %wq: tensor<64x62xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects the columns of wq to be a positive multiple of its 4 heads, but got 62}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x62xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c3_value_columns(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x32xf32>, %wv: tensor<64x33xf32>,
    %s: f32) {
  // expected-error@+1 {{expects the columns of wv to be a positive multiple of its 2 heads, but got 33}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(2) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x32xf32>, tensor<64x33xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c3_head_dim(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x32xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects wq and wk to give the same head dim, but got 16 and 8}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x32xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c4_query_bias(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %b: tensor<32xf32>) {
  // expected-error@+1 {{expects bq of type 'tensor<64xf32>', but got 'tensor<32xf32>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_bias(%b : tensor<32xf32>)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c4_key_bias(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %b: tensor<32xf32>) {
  // expected-error@+1 {{expects bk of type 'tensor<64xf32>', but got 'tensor<32xf32>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      key_bias(%b : tensor<32xf32>)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c4_value_bias(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %b: tensor<64xf64>) {
  // expected-error@+1 {{expects bv of type 'tensor<64xf32>', but got 'tensor<64xf64>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      value_bias(%b : tensor<64xf64>)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c4_output_bias(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %wo: tensor<64x24xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expects bo of type 'tensor<24xf32>', but got 'tensor<64xf32>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv, %wo : tensor<64x24xf32>)
      out_bias(%b : tensor<64xf32>)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x24xf32>
  return
}

// -----

func.func @layer_c4_output_bias_alone(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %b: tensor<64xf32>) {
  // expected-error@+1 {{expects wo where there is an output bias}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      out_bias(%b : tensor<64xf32>)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c5_out_width(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects out of type 'tensor<?x?x64xf32>', but got 'tensor<?x?x32xf32>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x32xf32>
  return
}

// -----

func.func @layer_c5_out_of_output_projection(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %wo: tensor<64x24xf32>) {
  // expected-error@+1 {{expects out of type 'tensor<?x?x24xf32>', but got 'tensor<?x?x64xf32>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv, %wo : tensor<64x24xf32>)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @layer_c5_out_rank(%x: tensor<?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects out of type 'tensor<?x64xf32>', but got 'tensor<1x?x64xf32>'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<1x?x64xf32>
  return
}

// -----

func.func @layer_c5_lse(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects lse of type 'tensor<?x4x?xf32>', but got 'tensor<?x2x?xf32>'}}
  %out, %r1 = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32> lse(tensor<?x2x?xf32>)
  return
}

// -----

func.func @layer_c5_weights(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32, %c: tensor<?x9x64xf32>) {
  // expected-error@+1 {{expects weights of type 'tensor<?x4x?x9xf32>', but got 'tensor<?x4x?x7xf32>'}}
  %out, %r1 = attn.layer %x context(%c : tensor<?x9x64xf32>) weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32> attention_weights(tensor<?x4x?x7xf32>)
  return
}

// -----

func.func @sdpa_c9(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f64) {
  // expected-error@+1 {{expects scale of type 'f32', but got 'f64'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f64)
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @sdpa_c10(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects 1 arguments in the offset region, but got 2}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32) offset {
  ^bb0(%b: index, %h: index):
    attn.yield %b : index
  }
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @sdpa_c11(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects the score region to yield 'f32', but got 'index'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32) score {
  ^bb0(%y: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %j : index
  }
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func @sdpa_c12(%x: tensor<?x?x64xf32>, %wq: tensor<64x64xf32>,
    %wk: tensor<64x64xf32>, %wv: tensor<64x64xf32>,
    %s: f32) {
  // expected-error@+1 {{expects the mask region to yield 'i1', but got 'index'}}
  %out = attn.layer %x weights(%wq, %wk, %wv)
      query_heads(4) kv_heads(4) scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %j : index
  }
      : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
      -> tensor<?x?x64xf32>
  return
}

// -----

func.func private @effect() -> i1
func.func @sdpa_c13(%x: tensor<?x?x64xf32>, %w: tensor<64x64xf32>, %s: f32) {
  %out = attn.layer %x weights(%w, %w, %w) query_heads(4) kv_heads(4)
      scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    // expected-error@+1 {{is not allowed in the mask region of attn.layer}}
    %m = func.call @effect() : () -> i1
    attn.yield %m : i1
  } : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
       tensor<64x64xf32>) -> tensor<?x?x64xf32>
  return
}
