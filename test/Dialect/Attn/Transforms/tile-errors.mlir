// RUN: fovea-opt %s -attn-tile -verify-diagnostics -split-input-file

!t = tensor<?x2x?x8xf32>
func.func @no_tiling(%q: !t, %s: f32) -> !t {
  // expected-error@+1 {{has no tiling; run attn-configure first}}
  %out = attn.sdpa %q, %q, %q scale(%s : f32) : !t, !t, !t -> !t
  return %out : !t
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @no_tiling_of_weights(%q: !t, %l: tensor<?x2x?xf32>, %s: f32)
    -> tensor<?x2x?x?xf32> {
  // expected-error@+1 {{has no tiling; run attn-configure first}}
  %w = attn.sdpa_weights %q, %q lse(%l) scale(%s : f32)
      : !t, !t, tensor<?x2x?xf32> -> tensor<?x2x?x?xf32>
  return %w : tensor<?x2x?x?xf32>
}

// -----

!t = tensor<?x6x?x8xf32>
!k = tensor<?x2x?x8xf32>
func.func @heads_of_a_tile_in_two_groups(%q: !t, %k: !k, %s: f32) -> !t {
  // expected-error@+1 {{expects the heads of the tiling to divide the 3 query heads of a key head, but got 2}}
  %out = attn.sdpa %q, %k, %k scale(%s : f32)
      tiling(<heads = 2, queries = 24, keys = 128>) : !t, !k, !k -> !t
  return %out : !t
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @result_is_an_argument(%q: !t) -> !t {
  // expected-error@+1 {{expects result 0 to be a tensor that an attn operation produced}}
  return %q : !t
}

// -----

func.func @result_is_no_tensor(%s: f32) -> f32 {
  // expected-error@+1 {{expects result 0 to be a tensor that an attn operation produced}}
  return %s : f32
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @result_returned_twice(%q: !t, %s: f32) -> (!t, !t) {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) : !t, !t, !t -> !t
  // expected-error@+1 {{returns one tensor twice}}
  return %out, %out : !t, !t
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @tensor_of_another_operation(%q: !t, %s: f32) -> !t {
  %r = arith.negf %q : !t
  // expected-error@+1 {{expects tensors that are arguments, constants or results of attn operations}}
  %out = attn.sdpa %r, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) : !t, !t, !t -> !t
  return %out : !t
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @operation_beside_the_attention(%q: !t, %s: f32) -> !t {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) : !t, !t, !t -> !t
  // expected-error@+1 {{on tensors can't be part of a kernel; expects attn operations, tensor.extract and tensor.dim}}
  %r = arith.negf %q : !t
  return %out : !t
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @read_of_another_tensor(%q: !t, %m: tensor<?xf32>, %s: f32) -> !t {
  %n = arith.negf %m : tensor<?xf32>
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    // expected-error@+1 {{expects to read an argument, a constant or the result of an attn operation}}
    %y = tensor.extract %n[%j] : tensor<?xf32>
    attn.yield %y : f32
  } : !t, !t, !t -> !t
  return %out : !t
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @merged_argument(%q: !t) -> tensor<?x?x16xf32> {
  // expected-error@+1 {{expects its input to be made by an attn operation whose result is not returned as well, and to be merged once}}
  %y = attn.merge_heads %q : !t -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @merged_and_returned(%q: !t, %s: f32) -> (!t, tensor<?x?x16xf32>) {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) : !t, !t, !t -> !t
  // expected-error@+1 {{expects its input to be made by an attn operation whose result is not returned as well, and to be merged once}}
  %y = attn.merge_heads %out : !t -> tensor<?x?x16xf32>
  return %out, %y : !t, tensor<?x?x16xf32>
}

// -----

!t = tensor<?x2x?x8xf32>
func.func @projected_argument(%q: !t, %w: tensor<16x24xf32>)
    -> tensor<?x?x24xf32> {
  // expected-error@+1 {{expects its input [B,H,S,D] to be made by an attn operation whose result is not returned as well}}
  %y = attn.project %q, %w
      : !t, tensor<16x24xf32> -> tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}
