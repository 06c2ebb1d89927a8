// RUN: fovea-opt %s -verify-tiled -verify-diagnostics -split-input-file

// expected-error@+1 {{returns a value at stage tiled, where results are output arguments}}
func.func @returns_a_value(%x: index) -> index {
  return %x : index
}

// -----

func.func @tensor() {
  // expected-error@+1 {{uses a tensor at stage tiled, which holds memrefs only; run attn-tile}}
  %x = arith.constant dense<0.0> : tensor<4xf32>
  return
}

// -----

func.func @operation_on_tensors(%x: tensor<?x2x?x8xf32>) {
  // expected-error@+1 {{'attn.merge_heads' op uses a tensor at stage tiled, which holds memrefs only; run attn-tile}}
  %y = attn.merge_heads %x : tensor<?x2x?x8xf32> -> tensor<?x?x16xf32>
  return
}

// -----

func.func @streaming_operation(%q: memref<1x?x8xf32>, %n: index) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    // expected-error@+1 {{'attn.load_queries' op is not allowed at stage tiled, which holds tile operations on views}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
  }
  return
}

// -----

func.func @sdpa_tile_outside_of_forall(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>,
                                       %i0: index, %s: f32) {
  // expected-error@+1 {{expects at stage tiled to be in an scf.forall over batch, head and row}}
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x8xf32>, memref<?x8xf32>, memref<?x8xf32>, memref<1x?x8xf32>
  return
}

// -----

func.func @forall_over_two_dimensions(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>,
                                      %n: index, %s: f32) {
  scf.forall (%h, %i0) = (0, 0) to (1, %n) step (1, 48) {
    // expected-error@+1 {{expects at stage tiled to be in an scf.forall over batch, head and row}}
    attn.sdpa_tile %q, %k, %k into %q at(%h, %h, %i0) offset(%h)
        scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
        : memref<1x?x8xf32>, memref<?x8xf32>, memref<?x8xf32>,
          memref<1x?x8xf32>
  }
  return
}

// -----

func.func @row_step(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
                    %s: f32) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 24) {
    // expected-error@+1 {{expects the steps of its scf.forall to be 1, 1 and 48 as in its tiling, but got 1, 1 and 24; change both}}
    attn.sdpa_tile %q, %k, %k into %q at(%b, %h, %i0) offset(%b)
        scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
        : memref<1x?x8xf32>, memref<?x8xf32>, memref<?x8xf32>,
          memref<1x?x8xf32>
  }
  return
}

// -----

func.func @head_step(%q: memref<2x?x8xf32>, %k: memref<?x8xf32>, %n: index,
                     %s: f32) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 4, %n) step (1, 1, 24) {
    // expected-error@+1 {{expects the steps of its scf.forall to be 1, 2 and 24 as in its tiling, but got 1, 1 and 24; change both}}
    attn.sdpa_tile %q, %k, %k into %q at(%b, %h, %i0) offset(%b)
        scale(%s : f32) tiling(<heads = 2, queries = 24, keys = 128>)
        : memref<2x?x8xf32>, memref<?x8xf32>, memref<?x8xf32>,
          memref<2x?x8xf32>
  }
  return
}

// -----

func.func @row_step_of_weights(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>,
                               %l: memref<1x?xf32>, %w: memref<1x?x?xf32>,
                               %n: index, %s: f32) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 64) {
    // expected-error@+1 {{expects the steps of its scf.forall to be 1, 1 and 48 as in its tiling, but got 1, 1 and 64; change both}}
    attn.weights_tile %q, %k lse(%l) into %w at(%b, %h, %i0) offset(%b)
        scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
        : memref<1x?x8xf32>, memref<?x8xf32>, memref<1x?xf32>,
          memref<1x?x?xf32>
  }
  return
}

// -----

func.func @rows_of_projection(%x: memref<?x8xf32>, %w: memref<8x8xf32>,
                              %n: index) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 64) {
    // expected-error@+1 {{expects the steps of its scf.forall to be 1, 1 and 48 as in its tiling, but got 1, 1 and 64; change both}}
    attn.project_tile %x, %w into %x row(%i0) rows(48)
        : memref<?x8xf32>, memref<8x8xf32>, memref<?x8xf32>
  }
  return
}

// -----

func.func @dynamic_step(%x: memref<?x8xf32>, %w: memref<8x8xf32>, %n: index) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, %n) {
    // expected-error@+1 {{expects the steps of its scf.forall to be 1, 1 and 64 as in its tiling}}
    attn.project_tile %x, %w into %x row(%i0) rows(64)
        : memref<?x8xf32>, memref<8x8xf32>, memref<?x8xf32>
  }
  return
}
