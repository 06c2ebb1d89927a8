// RUN: fovea-opt %s -attn-vectorize -verify-diagnostics -split-input-file

// expected-error@+1 {{expects the attribute attn.target on the module}}
module @no_target {}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @reduction(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x16xf32>
      // expected-error@+1 {{'vector.multi_reduction' op can't be lowered between tile operations: expects an elementwise operation}}
      %y = vector.multi_reduction <maximumf>, %x, %m [1]
          : vector<48x16xf32> to vector<48xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x16xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x16xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1
          : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @two_results(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x16xf32>
      // expected-error@+1 {{'math.sincos' op can't be lowered between tile operations: expects one result}}
      %y, %z = math.sincos %x : vector<48x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %y max(%m) sum(%l)
          : vector<48x16xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x16xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1
          : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @tile_of_integers(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x16xf32>
      // expected-error@+1 {{'arith.fptosi' op can't be lowered between tile operations: expects tiles of the accumulation type or of i1}}
      %y = arith.fptosi %x : vector<48x16xf32> to vector<48x16xi32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x16xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x16xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1
          : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @operand_of_integers(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  %ints = arith.constant dense<1> : vector<48x16xi32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x16xf32>
      // expected-error@+1 {{'arith.sitofp' op can't be lowered between tile operations: expects operands of one shape, of the accumulation type or of i1}}
      %y = arith.sitofp %ints : vector<48x16xi32> to vector<48x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %y max(%m) sum(%l)
          : vector<48x16xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x16xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1
          : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @constant_operand(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  %ramp = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
      10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : vector<16xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      // expected-error@+1 {{'arith.addf' op can't be lowered between tile operations: expects constants to be splats}}
      %m2 = arith.addf %m1, %ramp : vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32>
          -> vector<16x8xf32>
      scf.yield %m2, %l1, %o1
          : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @constant_iter_arg(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  // expected-error@+1 {{expects a tile constant to be a splat}}
  %ramp = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
      10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : vector<16xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %ramp, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32>
          -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1
          : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @constant_yielded(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  // expected-error@+1 {{can't be yielded by a loop over key tiles}}
  %fresh = arith.constant dense<1.0> : vector<48xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x16xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x16xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %fresh, %l1, %o1
          : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @two_query_tiles(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    // expected-error@+1 {{expects one query tile in an scf.forall}}
    %t2 = attn.load_queries %q[%b] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x16xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x16xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1
          : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @no_vector_form(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32) score {
      ^bb0(%y: f32, %b1: index, %h1: index, %i: index, %pos: index, %j: index):
        // expected-error@+1 {{'memref.dim' op has no vector form; score and mask regions are made of elementwise operations}}
        %dim = memref.dim %k, %i : memref<?x8xf32>
        %z = arith.negf %y : f32
        attn.yield %z : f32
      } : vector<48x8xf32>, memref<?x8xf32> -> vector<48x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x16xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x16xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1
          : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}
}
