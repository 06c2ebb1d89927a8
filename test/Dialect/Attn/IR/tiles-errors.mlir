// What the verifiers of the operations of stage tiled refuse, by constraint.
// RUN: fovea-opt %s -verify-diagnostics -split-input-file

func.func @sdpa_tile_c1_query(%q: memref<?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x32xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects query of rank 3 [heads, Sq, Dqk], but got 'memref<?x64xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<?x64xf32>, memref<?x64xf32>, memref<?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @sdpa_tile_c1_key(%q: memref<1x?x64xf32>, %k: memref<1x?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x32xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects key of rank 2 [Sk, Dqk], but got 'memref<1x?x64xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<1x?x64xf32>, memref<?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @sdpa_tile_c1_value(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<1x?x32xf32>, %o: memref<1x?x32xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects value of rank 2 [Sk, Dv], but got 'memref<1x?x32xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @sdpa_tile_c1_out(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<?x32xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects out of rank 3 [heads, Sq, Dv], but got 'memref<?x32xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x32xf32>, memref<?x32xf32>
  return
}

// -----

func.func @sdpa_tile_c1_lse(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x32xf32>, %l: memref<?xf32>, %i0: index,
    %s: f32) {
  // expected-error@+1 {{expects lse of rank 2 [heads, Sq], but got 'memref<?xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o lse(%l : memref<?xf32>) at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @sdpa_tile_c2_key(%q: memref<1x?x64xf32>, %k: memref<?x32xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x32xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects key head dim to equal query head dim, but got 'memref<?x32xf32>' and 'memref<1x?x64xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x32xf32>, memref<?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @sdpa_tile_c2_dynamic_key(%q: memref<1x?x?xf32>, %k: memref<?x?xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x32xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects key head dim to equal query head dim, but got 'memref<?x?xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x?xf32>, memref<?x?xf32>, memref<?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @sdpa_tile_c2_value(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x64xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects out head dim to equal value head dim, but got 'memref<1x?x64xf32>' and 'memref<?x32xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x32xf32>, memref<1x?x64xf32>
  return
}

// -----

func.func @sdpa_tile_c3_query(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x32xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects query with 2 heads as in the tile, but got 'memref<1x?x64xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 2, queries = 24, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @sdpa_tile_c3_out(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<2x?x32xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects out with 1 heads as in the tile, but got 'memref<2x?x32xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x32xf32>, memref<2x?x32xf32>
  return
}

// -----

func.func @sdpa_tile_c3_lse(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x32xf32>, %l: memref<?x?xf32>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects lse with 1 heads as in the tile, but got 'memref<?x?xf32>'}}
  attn.sdpa_tile %q, %k, %v into %o lse(%l : memref<?x?xf32>) at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @sdpa_c9_sdpa_tile(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x32xf32>, %i0: index, %s: f64) {
  // expected-error@+1 {{expects scale of type 'f32', but got 'f64'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f64) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @sdpa_c11_sdpa_tile(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x32xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects the score region to yield 'f32', but got 'index'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %j : index
  }
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @sdpa_c12_sdpa_tile(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %v: memref<?x32xf32>, %o: memref<1x?x32xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects the mask region to yield 'i1', but got 'index'}}
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %j : index
  }
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x32xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func private @effect() -> i1
func.func @sdpa_c13_sdpa_tile(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    // expected-error@+1 {{is not allowed in the mask region of attn.sdpa_tile}}
    %m = func.call @effect() : () -> i1
    attn.yield %m : i1
  } : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x64xf32>,
      memref<1x?x64xf32>
  return
}

// -----

func.func @weights_tile_c1_query(%q: memref<?x64xf32>, %k: memref<?x64xf32>,
    %l: memref<1x?xf32>, %w: memref<1x?x?xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects query of rank 3 [heads, Sq, Dqk], but got 'memref<?x64xf32>'}}
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<?x64xf32>, memref<?x64xf32>, memref<1x?xf32>, memref<1x?x?xf32>
  return
}

// -----

func.func @weights_tile_c1_key(%q: memref<1x?x64xf32>, %k: memref<1x?x64xf32>,
    %l: memref<1x?xf32>, %w: memref<1x?x?xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects key of rank 2 [Sk, Dqk], but got 'memref<1x?x64xf32>'}}
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<1x?x64xf32>, memref<1x?xf32>, memref<1x?x?xf32>
  return
}

// -----

func.func @weights_tile_c1_lse(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %l: memref<?xf32>, %w: memref<1x?x?xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects lse of rank 2 [heads, Sq], but got 'memref<?xf32>'}}
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?xf32>, memref<1x?x?xf32>
  return
}

// -----

func.func @weights_tile_c1_weights(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %l: memref<1x?xf32>, %w: memref<?x?xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects weights of rank 3 [heads, Sq, Sk], but got 'memref<?x?xf32>'}}
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>, memref<?x?xf32>
  return
}

// -----

func.func @weights_tile_c2_query(%q: memref<2x?x64xf32>, %k: memref<?x64xf32>,
    %l: memref<1x?xf32>, %w: memref<1x?x?xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects query with 1 heads as in the tile, but got 'memref<2x?x64xf32>'}}
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<2x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>, memref<1x?x?xf32>
  return
}

// -----

func.func @weights_tile_c2_lse(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %l: memref<2x?xf32>, %w: memref<1x?x?xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects lse with 1 heads as in the tile, but got 'memref<2x?xf32>'}}
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<2x?xf32>, memref<1x?x?xf32>
  return
}

// -----

func.func @weights_tile_c2_weights(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %l: memref<1x?xf32>, %w: memref<?x?x?xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects weights with 1 heads as in the tile, but got 'memref<?x?x?xf32>'}}
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>, memref<?x?x?xf32>
  return
}

// -----

func.func @sdpa_c9_weights_tile(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %l: memref<1x?xf32>, %w: memref<1x?x?xf32>, %i0: index, %s: f64) {
  // expected-error@+1 {{expects scale of type 'f32', but got 'f64'}}
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f64) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>, memref<1x?x?xf32>
  return
}

// -----

func.func @sdpa_c11_weights_tile(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %l: memref<1x?xf32>, %w: memref<1x?x?xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects the score region to yield 'f32', but got 'index'}}
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %j : index
  }
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>, memref<1x?x?xf32>
  return
}

// -----

func.func @sdpa_c12_weights_tile(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %l: memref<1x?xf32>, %w: memref<1x?x?xf32>, %i0: index, %s: f32) {
  // expected-error@+1 {{expects the mask region to yield 'i1', but got 'index'}}
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %j : index
  }
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>, memref<1x?x?xf32>
  return
}

// -----

func.func private @effect() -> i1
func.func @sdpa_c13_weights_tile(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
    %l: memref<1x?xf32>, %w: memref<1x?x?xf32>, %i0: index, %s: f32) {
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0)
      offset(%i0) scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    // expected-error@+1 {{is not allowed in the mask region of attn.weights_tile}}
    %m = func.call @effect() : () -> i1
    attn.yield %m : i1
  } : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>, memref<1x?x?xf32>
  return
}

// -----

func.func @project_tile_c1_input(%x: memref<1x?x32xf32>, %w: memref<32x16xf32>,
    %y: memref<?x16xf32>, %i0: index) {
  // expected-error@+1 {{expects input of rank 2 [S, M], but got 'memref<1x?x32xf32>'}}
  attn.project_tile %x, %w into %y row(%i0) rows(48)
      : memref<1x?x32xf32>, memref<32x16xf32>, memref<?x16xf32>
  return
}

// -----

func.func @project_tile_c1_weight(%x: memref<?x32xf32>, %w: memref<32xf32>,
    %y: memref<?x16xf32>, %i0: index) {
  // expected-error@+1 {{expects weight of rank 2 [M, N], but got 'memref<32xf32>'}}
  attn.project_tile %x, %w into %y row(%i0) rows(48)
      : memref<?x32xf32>, memref<32xf32>, memref<?x16xf32>
  return
}

// -----

func.func @project_tile_c1_result(%x: memref<?x32xf32>, %w: memref<32x16xf32>,
    %y: memref<?x2x8xf32>, %i0: index) {
  // expected-error@+1 {{expects result of rank 2 [S, N], but got 'memref<?x2x8xf32>'}}
  attn.project_tile %x, %w into %y row(%i0) rows(48)
      : memref<?x32xf32>, memref<32x16xf32>, memref<?x2x8xf32>
  return
}

// -----

func.func @project_tile_c1_bias(%x: memref<?x32xf32>, %w: memref<32x16xf32>,
    %y: memref<?x16xf32>, %b: memref<1x16xf32>, %i0: index) {
  // expected-error@+1 {{expects bias of rank 1 [N], but got 'memref<1x16xf32>'}}
  attn.project_tile %x, %w bias(%b : memref<1x16xf32>) into %y row(%i0) rows(48)
      : memref<?x32xf32>, memref<32x16xf32>, memref<?x16xf32>
  return
}

// -----

func.func @project_tile_c2_rows(%x: memref<?x32xf32>, %w: memref<32x16xf32>,
    %y: memref<?x16xf32>, %i0: index) {
  // expected-error@+1 {{expects at least 1 row, but got 0}}
  attn.project_tile %x, %w into %y row(%i0) rows(0)
      : memref<?x32xf32>, memref<32x16xf32>, memref<?x16xf32>
  return
}

// -----

func.func @project_tile_c2_input(%x: memref<?x24xf32>, %w: memref<32x16xf32>,
    %y: memref<?x16xf32>, %i0: index) {
  // expected-error@+1 {{expects the static sizes of input, bias and result to match the weight 'memref<32x16xf32>'}}
  attn.project_tile %x, %w into %y row(%i0) rows(48)
      : memref<?x24xf32>, memref<32x16xf32>, memref<?x16xf32>
  return
}

// -----

func.func @project_tile_c2_result(%x: memref<?x32xf32>, %w: memref<32x16xf32>,
    %y: memref<?x32xf32>, %i0: index) {
  // expected-error@+1 {{expects the static sizes of input, bias and result to match the weight 'memref<32x16xf32>'}}
  attn.project_tile %x, %w into %y row(%i0) rows(48)
      : memref<?x32xf32>, memref<32x16xf32>, memref<?x32xf32>
  return
}

// -----

func.func @project_tile_c2_bias(%x: memref<?x32xf32>, %w: memref<32x16xf32>,
    %y: memref<?x16xf32>, %b: memref<32xf32>, %i0: index) {
  // expected-error@+1 {{expects the static sizes of input, bias and result to match the weight 'memref<32x16xf32>'}}
  attn.project_tile %x, %w bias(%b : memref<32xf32>) into %y row(%i0) rows(48)
      : memref<?x32xf32>, memref<32x16xf32>, memref<?x16xf32>
  return
}

// -----

func.func @project_tile_c2_dynamic_weight(%x: memref<?x32xf32>,
    %w: memref<32x?xf32>, %y: memref<?x?xf32>, %i0: index) {
  // expected-error@+1 {{expects the static sizes of input, bias and result to match the weight 'memref<32x?xf32>'}}
  attn.project_tile %x, %w into %y row(%i0) rows(48)
      : memref<?x32xf32>, memref<32x?xf32>, memref<?x?xf32>
  return
}
