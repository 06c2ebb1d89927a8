// What the verifiers of the operations of stage fused refuse, by constraint.
// RUN: fovea-opt %s -verify-diagnostics -split-input-file

func.func @load_queries_c1_rank(%q: memref<?x64xf32>, %i0: index) {
  // expected-error@+1 {{expects query of rank 3 [heads, Sq, D], but got 'memref<?x64xf32>'}}
  %t = attn.load_queries %q[%i0] : memref<?x64xf32> -> vector<48x64xf32>
  return
}

// -----

func.func @load_queries_c1_rows(%q: memref<5x?x64xf32>, %i0: index) {
  // expected-error@+1 {{expects a static leading size of the view that divides the 48 rows of the tile, but got 'memref<5x?x64xf32>'}}
  %t = attn.load_queries %q[%i0] : memref<5x?x64xf32> -> vector<48x64xf32>
  return
}

// -----

func.func @load_queries_c1_dynamic_heads(%q: memref<?x?x64xf32>, %i0: index) {
  // expected-error@+1 {{expects a static leading size of the view that divides the 48 rows of the tile, but got 'memref<?x?x64xf32>'}}
  %t = attn.load_queries %q[%i0] : memref<?x?x64xf32> -> vector<48x64xf32>
  return
}

// -----

func.func @load_queries_c1_head_dim(%q: memref<1x?x64xf32>, %i0: index) {
  // expected-error@+1 {{expects a tile with the head dim and element type of 'memref<1x?x64xf32>', but got 'vector<48x32xf32>'}}
  %t = attn.load_queries %q[%i0] : memref<1x?x64xf32> -> vector<48x32xf32>
  return
}

// -----

func.func @load_queries_c1_type(%q: memref<1x?x64xf16>, %i0: index) {
  // expected-error@+1 {{expects a tile with the head dim and element type of 'memref<1x?x64xf16>', but got 'vector<48x64xf32>'}}
  %t = attn.load_queries %q[%i0] : memref<1x?x64xf16> -> vector<48x64xf32>
  return
}

// -----

func.func @scores_c1_rank(%q: vector<48x64xf32>, %k: memref<1x?x64xf32>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects a key view [Sk, D] with the head dim and element type of 'vector<48x64xf32>', but got 'memref<1x?x64xf32>'}}
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32)
      : vector<48x64xf32>, memref<1x?x64xf32> -> vector<48x128xf32>
  return
}

// -----

func.func @scores_c1_head_dim(%q: vector<48x64xf32>, %k: memref<?x32xf32>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects a key view [Sk, D] with the head dim and element type of 'vector<48x64xf32>', but got 'memref<?x32xf32>'}}
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32)
      : vector<48x64xf32>, memref<?x32xf32> -> vector<48x128xf32>
  return
}

// -----

func.func @scores_c1_type(%q: vector<48x64xf32>, %k: memref<?x64xbf16>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects a key view [Sk, D] with the head dim and element type of 'vector<48x64xf32>', but got 'memref<?x64xbf16>'}}
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32)
      : vector<48x64xf32>, memref<?x64xbf16> -> vector<48x128xf32>
  return
}

// -----

func.func @scores_c2_rows(%q: vector<48x64xf32>, %k: memref<?x64xf32>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects scores of 48 rows of 'f32', but got 'vector<24x128xf32>'}}
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32)
      : vector<48x64xf32>, memref<?x64xf32> -> vector<24x128xf32>
  return
}

// -----

func.func @scores_c2_type(%q: vector<48x64xf16>, %k: memref<?x64xf16>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects scores of 48 rows of 'f32', but got 'vector<48x128xf16>'}}
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32)
      : vector<48x64xf16>, memref<?x64xf16> -> vector<48x128xf16>
  return
}

// -----

func.func @scores_c2_keep(%q: vector<48x64xf32>, %k: memref<?x64xf32>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects keep with the shape of 'vector<48x128xf32>', but got 'vector<48x64xi1>'}}
  %r, %keep = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32)
      : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>, vector<48x64xi1>
  return
}

// -----

func.func @scores_c3_rows(%q: vector<48x64xf32>, %k: memref<?x64xf32>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects heads to divide the 48 rows of the tile, but got 5}}
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(5) scale(%s : f32)
      : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>
  return
}

// -----

func.func @scores_c3_no_heads(%q: vector<48x64xf32>, %k: memref<?x64xf32>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects heads to divide the 48 rows of the tile, but got 0}}
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(0) scale(%s : f32)
      : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>
  return
}

// -----

func.func @sdpa_c9_scores(%q: vector<48x64xf32>, %k: memref<?x64xf32>,
    %i0: index, %s: f64) {
  // expected-error@+1 {{expects scale of type 'f32', but got 'f64'}}
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f64)
      : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>
  return
}

// -----

func.func @sdpa_c11_scores(%q: vector<48x64xf32>, %k: memref<?x64xf32>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects the score region to yield 'f32', but got 'index'}}
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %j : index
  }
      : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>
  return
}

// -----

func.func @sdpa_c12_scores(%q: vector<48x64xf32>, %k: memref<?x64xf32>,
    %i0: index, %s: f32) {
  // expected-error@+1 {{expects the mask region to yield 'i1', but got 'index'}}
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %j : index
  }
      : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>
  return
}

// -----

func.func private @effect() -> i1
func.func @sdpa_c13_scores(%q: vector<48x64xf32>, %k: memref<?x64xf32>,
    %i0: index, %s: f32) {
  %r = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    // expected-error@+1 {{is not allowed in the mask region of attn.scores}}
    %m = func.call @effect() : () -> i1
    attn.yield %m : i1
  } : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>
  return
}

// -----

func.func @softmax_step_c1(%x: vector<48x128xf32>, %m: vector<128xf32>) {
  // expected-error@+1 {{expects max of type 'vector<48xf32>', but got 'vector<128xf32>'}}
  %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%m)
      : vector<48x128xf32>, vector<128xf32>
  return
}

// -----

func.func @accumulate_c1_rank(%p: vector<48x128xf32>, %v: memref<1x?x64xf32>,
    %j0: index, %o: vector<48x64xf32>, %a: vector<48xf32>) {
  // expected-error@+1 {{expects a value view [Sk, D] with the head dim of 'vector<48x64xf32>', but got 'memref<1x?x64xf32>'}}
  %o1 = attn.accumulate %p, %v[%j0] acc(%o) rescale(%a)
      : vector<48x128xf32>, memref<1x?x64xf32>, vector<48xf32> -> vector<48x64xf32>
  return
}

// -----

func.func @accumulate_c1_head_dim(%p: vector<48x128xf32>, %v: memref<?x32xf32>,
    %j0: index, %o: vector<48x64xf32>, %a: vector<48xf32>) {
  // expected-error@+1 {{expects a value view [Sk, D] with the head dim of 'vector<48x64xf32>', but got 'memref<?x32xf32>'}}
  %o1 = attn.accumulate %p, %v[%j0] acc(%o) rescale(%a)
      : vector<48x128xf32>, memref<?x32xf32>, vector<48xf32> -> vector<48x64xf32>
  return
}

// -----

func.func @accumulate_c2_weights(%p: vector<24x128xf32>, %v: memref<?x64xf32>,
    %j0: index, %o: vector<48x64xf32>, %a: vector<48xf32>) {
  // expected-error@+1 {{expects weights of 48 rows, but got 'vector<24x128xf32>'}}
  %o1 = attn.accumulate %p, %v[%j0] acc(%o) rescale(%a)
      : vector<24x128xf32>, memref<?x64xf32>, vector<48xf32> -> vector<48x64xf32>
  return
}

// -----

func.func @accumulate_c2_rescale(%p: vector<48x128xf32>, %v: memref<?x64xf32>,
    %j0: index, %o: vector<48x64xf32>, %a: vector<24xf32>) {
  // expected-error@+1 {{expects rescale of 48 rows, but got 'vector<24xf32>'}}
  %o1 = attn.accumulate %p, %v[%j0] acc(%o) rescale(%a)
      : vector<48x128xf32>, memref<?x64xf32>, vector<24xf32> -> vector<48x64xf32>
  return
}

// -----

func.func @accumulate_c2_keep(%p: vector<48x128xf32>, %v: memref<?x64xf32>,
    %j0: index, %o: vector<48x64xf32>, %a: vector<48xf32>,
    %keep: vector<24x128xi1>) {
  // expected-error@+1 {{expects keep with the shape of 'vector<48x128xf32>', but got 'vector<24x128xi1>'}}
  %o1 = attn.accumulate %p, %v[%j0] keep(%keep : vector<24x128xi1>) acc(%o) rescale(%a)
      : vector<48x128xf32>, memref<?x64xf32>, vector<48xf32> -> vector<48x64xf32>
  return
}

// -----

func.func @store_output_c1_rank(%o: vector<48x64xf32>, %m: vector<48xf32>,
    %out: memref<?x64xf32>, %i0: index) {
  // expected-error@+1 {{expects out of rank 3 [heads, Sq, Dv], but got 'memref<?x64xf32>'}}
  attn.store_output %o max(%m) sum(%m) into %out[%i0]
      : vector<48x64xf32>, vector<48xf32>, memref<?x64xf32>
  return
}

// -----

func.func @store_output_c1_rows(%o: vector<48x64xf32>, %m: vector<48xf32>,
    %out: memref<7x?x64xf32>, %i0: index) {
  // expected-error@+1 {{expects a static leading size of the view that divides the 48 rows of the tile, but got 'memref<7x?x64xf32>'}}
  attn.store_output %o max(%m) sum(%m) into %out[%i0]
      : vector<48x64xf32>, vector<48xf32>, memref<7x?x64xf32>
  return
}

// -----

func.func @store_output_c1_max(%o: vector<48x64xf32>, %m: vector<64xf32>,
    %out: memref<1x?x64xf32>, %i0: index) {
  // expected-error@+1 {{expects max of 48 rows, but got 'vector<64xf32>'}}
  attn.store_output %o max(%m) sum(%m) into %out[%i0]
      : vector<48x64xf32>, vector<64xf32>, memref<1x?x64xf32>
  return
}

// -----

func.func @store_output_c1_head_dim(%o: vector<48x64xf32>, %m: vector<48xf32>,
    %out: memref<1x?x32xf32>, %i0: index) {
  // expected-error@+1 {{expects out with the head dim of 'vector<48x64xf32>', but got 'memref<1x?x32xf32>'}}
  attn.store_output %o max(%m) sum(%m) into %out[%i0]
      : vector<48x64xf32>, vector<48xf32>, memref<1x?x32xf32>
  return
}

// -----

func.func @store_output_c1_lse_rank(%o: vector<48x64xf32>, %m: vector<48xf32>,
    %out: memref<1x?x64xf32>, %i0: index, %l: memref<?xf32>) {
  // expected-error@+1 {{expects lse of rank 2 [heads, Sq], but got 'memref<?xf32>'}}
  attn.store_output %o max(%m) sum(%m) into %out[%i0]
      lse(%l : memref<?xf32>)
      : vector<48x64xf32>, vector<48xf32>, memref<1x?x64xf32>
  return
}

// -----

func.func @store_output_c1_lse_rows(%o: vector<48x64xf32>, %m: vector<48xf32>,
    %out: memref<1x?x64xf32>, %i0: index, %l: memref<5x?xf32>) {
  // expected-error@+1 {{expects lse with 1 heads as in the tile, but got 'memref<5x?xf32>'}}
  attn.store_output %o max(%m) sum(%m) into %out[%i0]
      lse(%l : memref<5x?xf32>)
      : vector<48x64xf32>, vector<48xf32>, memref<1x?x64xf32>
  return
}

// -----

func.func @load_lse_c1_rank(%l: memref<?xf32>, %i0: index) {
  // expected-error@+1 {{expects lse of rank 2 [heads, Sq], but got 'memref<?xf32>'}}
  %r = attn.load_lse %l[%i0] : memref<?xf32> -> vector<48xf32>
  return
}

// -----

func.func @load_lse_c1_rows(%l: memref<5x?xf32>, %i0: index) {
  // expected-error@+1 {{expects a static leading size of the view that divides the 48 rows of the tile, but got 'memref<5x?xf32>'}}
  %r = attn.load_lse %l[%i0] : memref<5x?xf32> -> vector<48xf32>
  return
}

// -----

func.func @normalize_c1(%x: vector<48x128xf32>, %l: vector<128xf32>) {
  // expected-error@+1 {{expects lse of type 'vector<48xf32>', but got 'vector<128xf32>'}}
  %w = attn.normalize %x lse(%l) : vector<48x128xf32>, vector<128xf32>
  return
}

// -----

func.func @store_weights_c1_rank(%w: vector<48x128xf32>, %out: memref<?x?xf32>,
    %i0: index) {
  // expected-error@+1 {{expects out of rank 3 [heads, Sq, Sk], but got 'memref<?x?xf32>'}}
  attn.store_weights %w into %out[%i0, %i0]
      : vector<48x128xf32>, memref<?x?xf32>
  return
}

// -----

func.func @store_weights_c1_rows(%w: vector<48x128xf32>,
    %out: memref<5x?x?xf32>, %i0: index) {
  // expected-error@+1 {{expects a static leading size of the view that divides the 48 rows of the tile, but got 'memref<5x?x?xf32>'}}
  attn.store_weights %w into %out[%i0, %i0]
      : vector<48x128xf32>, memref<5x?x?xf32>
  return
}
