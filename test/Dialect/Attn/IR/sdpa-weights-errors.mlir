// What the verifier of attn.sdpa_weights refuses, by constraint.
// RUN: fovea-opt %s -verify-diagnostics -split-input-file

func.func @sdpa_weights_c1_rank(%q: tensor<?x8x?x64xf32>, %k: tensor<2x?x64xf32>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects key of rank 4 [batch, heads, length, head dim], but got 'tensor<2x?x64xf32>'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<2x?x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @sdpa_weights_c1_type(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf64>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects key element type to equal that of query, but got 'f32' and 'f64'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf64>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @sdpa_weights_c1_batch(%q: tensor<2x8x?x64xf32>, %k: tensor<3x2x?x64xf32>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects key batch to equal query batch, but got 2 and 3}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<2x8x?x64xf32>, tensor<3x2x?x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @sdpa_weights_c1_head_dim(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x32xf32>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects key head dim to equal query head dim, but got 64 and 32}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x32xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @sdpa_weights_c1_static_heads(%q: tensor<?x8x?x64xf32>, %k: tensor<?x?x?x64xf32>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects key heads to be static and at least 1, but got 'tensor<?x?x?x64xf32>'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @sdpa_weights_c1_group(%q: tensor<?x8x?x64xf32>, %k: tensor<?x5x?x64xf32>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects query heads to be a multiple of key heads, but got 8 and 5}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x5x?x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @sdpa_weights_c2_shape(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %lse: tensor<?x2x?xf32>, %s: f32) {
  // expected-error@+1 {{expects lse of type 'tensor<?x8x?xf32>', but got 'tensor<?x2x?xf32>'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @sdpa_weights_c2_type(%q: tensor<?x1x?x8xbf16>, %k: tensor<?x1x?x8xbf16>,
    %lse: tensor<?x1x?xbf16>, %s: f32) {
  // expected-error@+1 {{expects lse of type 'tensor<?x1x?xf32>', but got 'tensor<?x1x?xbf16>'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<?x1x?x8xbf16>, tensor<?x1x?x8xbf16>, tensor<?x1x?xbf16> -> tensor<?x1x?x?xbf16>
  return
}

// -----

func.func @sdpa_weights_c3_shape(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x9x64xf32>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects weights of type 'tensor<?x8x?x9xf32>', but got 'tensor<?x8x?x7xf32>'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x9x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x7xf32>
  return
}

// -----

func.func @sdpa_weights_c3_type(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects weights of type 'tensor<?x8x?x?xf32>', but got 'tensor<?x8x?x?xf16>'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf16>
  return
}

// -----

func.func @sdpa_c9(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %lse: tensor<?x8x?xf32>, %s: f64) {
  // expected-error@+1 {{expects scale of type 'f32', but got 'f64'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f64)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @sdpa_c10(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects the offset region to yield 'index', but got 'i64'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32) offset {
  ^bb0(%b: index):
    %o = arith.index_cast %b : index to i64
    attn.yield %o : i64
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @sdpa_c11(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects the score region to yield 'f32', but got 'index'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %j : index
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func @sdpa_c12(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %lse: tensor<?x8x?xf32>, %s: f32) {
  // expected-error@+1 {{expects the mask region to yield 'i1', but got 'index'}}
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %j : index
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
  return
}

// -----

func.func private @effect() -> i1
func.func @sdpa_c13(%q: tensor<?x1x?x8xf32>, %lse: tensor<?x1x?xf32>, %s: f32) {
  %w = attn.sdpa_weights %q, %q lse(%lse) scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    // expected-error@+1 {{is not allowed in the mask region of attn.sdpa_weights}}
    %m = func.call @effect() : () -> i1
    attn.yield %m : i1
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?xf32>
      -> tensor<?x1x?x?xf32>
  return
}
