// What stage fused may hold passes, unchanged.
// RUN: fovea-opt %s -verify-fused | FileCheck %s

// CHECK-LABEL: @full_tiles(
// CHECK: attn.accumulate
func.func @full_tiles(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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

// CHECK-LABEL: @partial_tiles(
// CHECK: attn.accumulate {{.*}} keep(
func.func @partial_tiles(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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
      %o1 = attn.accumulate %p, %k[%j0] keep(%keep : vector<48x128xi1>) acc(%o) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}

// Operations that a user put between the tile operations are fine, as long as
// the loop carries what they change.
// CHECK-LABEL: @operations_between(
// CHECK: math.tanh
// CHECK: attn.accumulate
// CHECK: arith.mulf
func.func @operations_between(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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
      %p2 = arith.addf %p, %p : vector<48x128xf32>
      %o1 = attn.accumulate %p2, %k[%j0] keep(%keep : vector<48x128xi1>) acc(%o) rescale(%a)
          : vector<48x128xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      %o2 = arith.mulf %o1, %o1 : vector<48x8xf32>
      scf.yield %m1, %l1, %o2 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, memref<1x?x8xf32>
  }
  return
}

// CHECK-LABEL: @weights(
// CHECK: attn.store_weights
func.func @weights(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>,
                   %lse: memref<1x?xf32>, %w: memref<1x?x?xf32>, %n: index,
                   %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %l = attn.load_lse %lse[%i0] : memref<1x?xf32> -> vector<48xf32>
    scf.for %j0 = %c0 to %n step %c128 {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x128xf32>
      %p = attn.normalize %x lse(%l) : vector<48x128xf32>, vector<48xf32>
      attn.store_weights %p into %w[%i0, %j0]
          : vector<48x128xf32>, memref<1x?x?xf32>
    }
  }
  return
}

// CHECK-LABEL: @projection(
// CHECK: attn.project_tile
func.func @projection(%x: memref<?x8xf32>, %w: memref<8x8xf32>, %n: index) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 64) {
    attn.project_tile %x, %w into %x row(%i0) rows(64)
        : memref<?x8xf32>, memref<8x8xf32>, memref<?x8xf32>
  }
  return
}
