// RUN: fovea-opt %s -verify-fused -verify-diagnostics -split-input-file

func.func @tensor() {
  // expected-error@+1 {{uses a tensor at stage fused, which holds memrefs and vectors only}}
  %x = arith.constant dense<0.0> : tensor<4xf32>
  return
}

// -----

func.func @sdpa_tile(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
                     %s: f32) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    // expected-error@+1 {{'attn.sdpa_tile' op is not allowed at stage fused; run attn-fuse-softmax}}
    attn.sdpa_tile %q, %k, %k into %q at(%b, %h, %i0) offset(%b)
        scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
        : memref<1x?x8xf32>, memref<?x8xf32>, memref<?x8xf32>,
          memref<1x?x8xf32>
  }
  return
}

// -----

func.func @weights_tile(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>,
                        %l: memref<1x?xf32>, %w: memref<1x?x?xf32>, %n: index,
                        %s: f32) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    // expected-error@+1 {{'attn.weights_tile' op is not allowed at stage fused; run attn-fuse-softmax}}
    attn.weights_tile %q, %k lse(%l) into %w at(%b, %h, %i0) offset(%b)
        scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
        : memref<1x?x8xf32>, memref<?x8xf32>, memref<1x?xf32>,
          memref<1x?x?xf32>
  }
  return
}

// -----

func.func @load_outside_of_forall(%q: memref<1x?x8xf32>, %i0: index) {
  // expected-error@+1 {{'attn.load_queries' op expects at stage fused to be in an scf.forall}}
  %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
  return
}

// -----

func.func @projection_outside_of_forall(%x: memref<?x8xf32>,
                                        %w: memref<8x8xf32>, %i0: index) {
  // expected-error@+1 {{'attn.project_tile' op expects at stage fused to be in an scf.forall}}
  attn.project_tile %x, %w into %x row(%i0) rows(64)
      : memref<?x8xf32>, memref<8x8xf32>, memref<?x8xf32>
  return
}

// -----

func.func @step_outside_of_loop(%x: vector<48x128xf32>, %m: vector<48xf32>,
                                %n: index) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    // expected-error@+1 {{'attn.softmax_step' op expects at stage fused to be in an scf.for over key tiles}}
    %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%m)
        : vector<48x128xf32>, vector<48xf32>
  }
  return
}

// -----

func.func @accumulate_outside_of_loop(%p: vector<48x128xf32>,
                                      %v: memref<?x8xf32>,
                                      %o: vector<48x8xf32>, %a: vector<48xf32>,
                                      %n: index) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    // expected-error@+1 {{'attn.accumulate' op expects at stage fused to be in an scf.for over key tiles}}
    %o1 = attn.accumulate %p, %v[%i0] acc(%o) rescale(%a)
        : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
        -> vector<48x8xf32>
  }
  return
}

// -----

func.func @max_not_carried(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c128
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x128xf32>
      // expected-error@+1 {{expects its max to be carried by the loop over key tiles}}
      %p, %m1, %l1, %a = attn.softmax_step %x max(%none) sum(%l)
          : vector<48x128xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}

// -----

func.func @sum_not_carried(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c128
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x128xf32>
      // expected-error@+1 {{expects its sum to be carried by the loop over key tiles}}
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%zero)
          : vector<48x128xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}

// -----

func.func @accumulator_not_carried(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c128
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x128xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x128xf32>, vector<48xf32>
      // expected-error@+1 {{expects its accumulator to be carried by the loop over key tiles}}
      %o1 = attn.accumulate %p, %k[%j0] acc(%zeros) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}

// -----

func.func @old_max_yielded(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c128
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x128xf32>
      // expected-error@+1 {{expects the loop over key tiles to yield its new max where it carries the old one}}
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x128xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m, %l1, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}

// -----

func.func @sum_and_max_change_places(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c128
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x128xf32>
      // expected-error@+1 {{expects the loop over key tiles to yield its new max where it carries the old one}}
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x128xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %l1, %m1, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}

// -----

func.func @old_sum_yielded(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c128
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x128xf32>
      // expected-error@+1 {{expects the loop over key tiles to yield its new sum where it carries the old one}}
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x128xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}

// -----

func.func @old_accumulator_yielded(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c128
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x128xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x128xf32>, vector<48xf32>
      // expected-error@+1 {{expects the loop over key tiles to yield its new accumulator where it carries the old one}}
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}

// -----

func.func @no_keep_under_a_mask(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c128
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x, %keep = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0)
          offset(%c0) heads(1) scale(%s : f32) mask {
      ^bb0(%b1: index, %h1: index, %i: index, %p1: index, %j: index):
        %c = arith.cmpi sle, %j, %p1 : index
        attn.yield %c : i1
      } : vector<48x8xf32>, memref<?x8xf32>
          -> vector<48x128xf32>, vector<48x128xi1>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x128xf32>, vector<48xf32>
      // expected-error@+1 {{expects the keep of its masked scores, or a NaN under the mask reaches the output}}
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}

// -----

func.func @no_keep_behind_another_operation(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c128
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x, %keep = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0)
          offset(%c0) heads(1) scale(%s : f32) mask {
      ^bb0(%b1: index, %h1: index, %i: index, %p1: index, %j: index):
        %c = arith.cmpi sle, %j, %p1 : index
        attn.yield %c : i1
      } : vector<48x8xf32>, memref<?x8xf32>
          -> vector<48x128xf32>, vector<48x128xi1>
      %x1 = math.tanh %x : vector<48x128xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x1 max(%m) sum(%l)
          : vector<48x128xf32>, vector<48xf32>
      // expected-error@+1 {{expects the keep of its masked scores, or a NaN under the mask reaches the output}}
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}
