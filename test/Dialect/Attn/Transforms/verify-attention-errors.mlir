// RUN: fovea-opt %s -verify-attention -verify-diagnostics -split-input-file

// expected-error@+1 {{at stage attention expects attn.name on argument 1}}
func.func @argument_without_name(%q: tensor<4xf32> {attn.name = "q"},
                                 %k: tensor<4xf32>) {
  return
}

// -----

// expected-error@+1 {{at stage attention expects attn.name on result 0}}
func.func @result_without_name(%q: tensor<4xf32> {attn.name = "q"})
    -> tensor<4xf32> {
  return %q : tensor<4xf32>
}

// -----

// expected-error@+1 {{at stage attention uses the name 'q' twice}}
func.func @arguments_of_one_name(%q: tensor<4xf32> {attn.name = "q"},
                                 %k: tensor<4xf32> {attn.name = "q"}) {
  return
}

// -----

// expected-error@+1 {{at stage attention uses the name 'q' twice}}
func.func @result_of_an_argument_s_name(%q: tensor<4xf32> {attn.name = "q"})
    -> (tensor<4xf32> {attn.name = "q"}) {
  return %q : tensor<4xf32>
}

// -----

func.func @memref(%q: memref<4xf32> {attn.name = "q"}) {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{uses a memref at stage attention, which holds tensors only}}
  %x = memref.load %q[%c0] : memref<4xf32>
  return
}

// -----

func.func @layer(%x: tensor<?x?x16xf32> {attn.name = "x"},
                 %w: tensor<16x16xf32> {attn.name = "w"},
                 %s: f32 {attn.name = "s"})
    -> (tensor<?x?x16xf32> {attn.name = "out"}) {
  // expected-error@+1 {{'attn.layer' op is not allowed at stage attention; run attn-expand-layers}}
  %out = attn.layer %x weights(%w, %w, %w) query_heads(2) kv_heads(2)
      scale(%s : f32)
      : (tensor<?x?x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>,
         tensor<16x16xf32>) -> tensor<?x?x16xf32>
  return %out : tensor<?x?x16xf32>
}

// -----

func.func @streaming_operation(%x: vector<48x128xf32> {attn.name = "x"},
                               %l: vector<48xf32> {attn.name = "l"}) {
  // expected-error@+1 {{'attn.normalize' op is not allowed at stage attention, which holds operations on tensors only}}
  %w = attn.normalize %x lse(%l) : vector<48x128xf32>, vector<48xf32>
  return
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @sdpa_without_tiling(%q: !t {attn.name = "q"},
                               %s: f32 {attn.name = "s"})
    -> (!t {attn.name = "out"}) {
  // expected-error@+1 {{'attn.sdpa' op has no tiling at stage attention; run attn-configure}}
  %out = attn.sdpa %q, %q, %q scale(%s : f32) : !t, !t, !t -> !t
  return %out : !t
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @weights_without_tiling(%q: !t {attn.name = "q"},
                                  %l: tensor<?x2x?xf32> {attn.name = "l"},
                                  %s: f32 {attn.name = "s"})
    -> (tensor<?x2x?x?xf32> {attn.name = "out"}) {
  // expected-error@+1 {{'attn.sdpa_weights' op has no tiling at stage attention; run attn-configure}}
  %w = attn.sdpa_weights %q, %q lse(%l) scale(%s : f32)
      : !t, !t, tensor<?x2x?xf32> -> tensor<?x2x?x?xf32>
  return %w : tensor<?x2x?x?xf32>
}
