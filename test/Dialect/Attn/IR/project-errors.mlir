// What the verifiers of attn.project, attn.merge_heads and attn.split_heads
// refuse, by constraint.
// RUN: fovea-opt %s -verify-diagnostics -split-input-file

func.func @project_c1_weight(%x: tensor<?x?x32xf32>, %w: tensor<32x64xf16>) {
  // expected-error@+1 {{expects weight, bias and result of element type 'f32' like the input}}
  %y = attn.project %x, %w : tensor<?x?x32xf32>, tensor<32x64xf16> -> tensor<?x4x?x16xf32>
  return
}

// -----

func.func @project_c1_bias(%x: tensor<?x?x32xf32>, %w: tensor<32x64xf32>, %b: tensor<64xf64>) {
  // expected-error@+1 {{expects weight, bias and result of element type 'f32' like the input}}
  %y = attn.project %x, %w bias(%b : tensor<64xf64>) : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x4x?x16xf32>
  return
}

// -----

func.func @project_c1_result(%x: tensor<?x?x32xf32>, %w: tensor<32x64xf32>) {
  // expected-error@+1 {{expects weight, bias and result of element type 'f32' like the input}}
  %y = attn.project %x, %w : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x4x?x16xf64>
  return
}

// -----

func.func @project_c2(%x: tensor<?x?x32xf32>, %w: tensor<16x64xf32>) {
  // expected-error@+1 {{expects a static weight with as many rows as the tokens have columns, but got 'tensor<16x64xf32>' for 'tensor<?x?x32xf32>'}}
  %y = attn.project %x, %w : tensor<?x?x32xf32>, tensor<16x64xf32> -> tensor<?x4x?x16xf32>
  return
}

// -----

func.func @project_c2_dynamic_weight(%x: tensor<?x?x32xf32>, %w: tensor<32x?xf32>) {
  // expected-error@+1 {{expects a static weight with as many rows as the tokens have columns, but got 'tensor<32x?xf32>'}}
  %y = attn.project %x, %w : tensor<?x?x32xf32>, tensor<32x?xf32> -> tensor<?x4x?x16xf32>
  return
}

// -----

func.func @project_c2_heads_apart(%x: tensor<?x2x?x16xf32>, %w: tensor<16x64xf32>) {
  // expected-error@+1 {{expects a static weight with as many rows as the tokens have columns, but got 'tensor<16x64xf32>' for 'tensor<?x2x?x16xf32>'}}
  %y = attn.project %x, %w : tensor<?x2x?x16xf32>, tensor<16x64xf32> -> tensor<?x4x?x16xf32>
  return
}

// -----

func.func @project_c3_size(%x: tensor<?x?x32xf32>, %w: tensor<32x64xf32>, %b: tensor<32xf32>) {
  // expected-error@+1 {{expects bias of 64 elements, but got 'tensor<32xf32>'}}
  %y = attn.project %x, %w bias(%b : tensor<32xf32>) : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x4x?x16xf32>
  return
}

// -----

func.func @project_c3_rank(%x: tensor<?x?x32xf32>, %w: tensor<32x64xf32>, %b: tensor<1x64xf32>) {
  // expected-error@+1 {{expects bias of 64 elements, but got 'tensor<1x64xf32>'}}
  %y = attn.project %x, %w bias(%b : tensor<1x64xf32>) : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x4x?x16xf32>
  return
}

// -----

func.func @project_c4_batch(%x: tensor<2x?x32xf32>, %w: tensor<32x64xf32>) {
  // expected-error@+1 {{expects result with the batch and length of 'tensor<2x?x32xf32>' and width 64, but got 'tensor<3x4x?x16xf32>'}}
  %y = attn.project %x, %w : tensor<2x?x32xf32>, tensor<32x64xf32> -> tensor<3x4x?x16xf32>
  return
}

// -----

func.func @project_c4_length(%x: tensor<?x5x32xf32>, %w: tensor<32x64xf32>) {
  // expected-error@+1 {{expects result with the batch and length of 'tensor<?x5x32xf32>' and width 64}}
  %y = attn.project %x, %w : tensor<?x5x32xf32>, tensor<32x64xf32> -> tensor<?x4x6x16xf32>
  return
}

// -----

func.func @project_c4_width(%x: tensor<?x?x32xf32>, %w: tensor<32x64xf32>) {
  // expected-error@+1 {{expects result with the batch and length of 'tensor<?x?x32xf32>' and width 64, but got 'tensor<?x4x?x8xf32>'}}
  %y = attn.project %x, %w : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x4x?x8xf32>
  return
}

// -----

func.func @project_c4_rank(%x: tensor<32xf32>, %w: tensor<32x64xf32>) {
  // expected-error@+1 {{expects input of rank 2 to 4, but got 'tensor<32xf32>'}}
  %y = attn.project %x, %w : tensor<32xf32>, tensor<32x64xf32> -> tensor<?x4x?x16xf32>
  return
}

// -----

func.func @project_c5_plain_product(%x: tensor<?x?x32xf32>, %w: tensor<32x64xf32>) {
  // expected-error@+1 {{expects input or result of rank 4; use linalg.matmul for a plain product}}
  %y = attn.project %x, %w : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x?x64xf32>
  return
}

// -----

func.func @project_c5_dynamic_heads(%x: tensor<?x?x32xf32>, %w: tensor<32x64xf32>) {
  // expected-error@+1 {{expects static heads and head dim in result, but got 'tensor<?x?x?x16xf32>'}}
  %y = attn.project %x, %w : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x?x?x16xf32>
  return
}

// -----

func.func @merge_heads_c1_rank(%x: tensor<4x?x16xf32>) {
  // expected-error@+1 {{expects input of rank 4 with static heads and head dim, but got 'tensor<4x?x16xf32>'}}
  %y = attn.merge_heads %x : tensor<4x?x16xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @merge_heads_c1_dynamic_heads(%x: tensor<?x?x?x16xf32>) {
  // expected-error@+1 {{expects input of rank 4 with static heads and head dim, but got 'tensor<?x?x?x16xf32>'}}
  %y = attn.merge_heads %x : tensor<?x?x?x16xf32> -> tensor<?x?x64xf32>
  return
}

// -----

func.func @merge_heads_c1_width(%x: tensor<?x4x?x16xf32>) {
  // expected-error@+1 {{expects result with the batch, length and width of 'tensor<?x4x?x16xf32>', but got 'tensor<?x?x32xf32>'}}
  %y = attn.merge_heads %x : tensor<?x4x?x16xf32> -> tensor<?x?x32xf32>
  return
}

// -----

func.func @merge_heads_c1_batch(%x: tensor<2x4x?x16xf32>) {
  // expected-error@+1 {{expects result with the batch, length and width of 'tensor<2x4x?x16xf32>', but got 'tensor<?x64xf32>'}}
  %y = attn.merge_heads %x : tensor<2x4x?x16xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @merge_heads_c1_type(%x: tensor<?x4x?x16xf32>) {
  // expected-error@+1 {{expects result with the batch, length and width of 'tensor<?x4x?x16xf32>', but got 'tensor<?x?x64xf64>'}}
  %y = attn.merge_heads %x : tensor<?x4x?x16xf32> -> tensor<?x?x64xf64>
  return
}

// -----

func.func @split_heads_c1_input_rank(%x: tensor<?x64xf32>) {
  // expected-error@+1 {{expects input of rank 3 or 4, but got 'tensor<?x64xf32>'}}
  %y = attn.split_heads %x : tensor<?x64xf32> -> tensor<1x4x?x16xf32>
  return
}

// -----

func.func @split_heads_c1_result_rank(%x: tensor<?x?x64xf32>) {
  // expected-error@+1 {{expects result of rank 4 with static heads and head dim, but got 'tensor<?x?x64xf32>'}}
  %y = attn.split_heads %x : tensor<?x?x64xf32> -> tensor<?x?x64xf32>
  return
}

// -----

func.func @split_heads_c1_dynamic_heads(%x: tensor<?x?x64xf32>) {
  // expected-error@+1 {{expects result of rank 4 with static heads and head dim, but got 'tensor<?x?x?x16xf32>'}}
  %y = attn.split_heads %x : tensor<?x?x64xf32> -> tensor<?x?x?x16xf32>
  return
}

// -----

func.func @split_heads_c1_width(%x: tensor<?x?x64xf32>) {
  // expected-error@+1 {{expects input with the batch, length and width of 'tensor<?x4x?x8xf32>', but got 'tensor<?x?x64xf32>'}}
  %y = attn.split_heads %x : tensor<?x?x64xf32> -> tensor<?x4x?x8xf32>
  return
}

// -----

func.func @split_heads_c1_heads_apart(%x: tensor<?x?x2x32xf32>) {
  // expected-error@+1 {{expects input with the batch, length and width of 'tensor<?x4x?x16xf32>', but got 'tensor<?x?x2x32xf32>'}}
  %y = attn.split_heads %x : tensor<?x?x2x32xf32> -> tensor<?x4x?x16xf32>
  return
}

// -----

func.func @split_heads_c1_length(%x: tensor<?x6x64xf32>) {
  // expected-error@+1 {{expects input with the batch, length and width of 'tensor<?x4x5x16xf32>', but got 'tensor<?x6x64xf32>'}}
  %y = attn.split_heads %x : tensor<?x6x64xf32> -> tensor<?x4x5x16xf32>
  return
}

// -----

func.func @split_heads_c1_type(%x: tensor<?x?x64xf16>) {
  // expected-error@+1 {{expects input with the batch, length and width of 'tensor<?x4x?x16xf32>', but got 'tensor<?x?x64xf16>'}}
  %y = attn.split_heads %x : tensor<?x?x64xf16> -> tensor<?x4x?x16xf32>
  return
}
