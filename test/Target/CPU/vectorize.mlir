// One row tile of stage fused to register-sized vector code.
// RUN: fovea-opt %s -attn-vectorize -canonicalize -cse -split-input-file | FileCheck %s

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
// A register tile is 8 keys x 3 vectors of queries: 24 accumulators, 3 vectors
// and a broadcast in 32 registers. Keys are read as scalars.
// CHECK-LABEL: @register_tile_avx512(
// CHECK-SAME: %{{.+}}: memref<1x?x8xf32>, %[[K:.+]]: memref<?x8xf32>,
// CHECK: %{{.+}}:24 = scf.for %[[D:.+]] = %{{.+}} to %{{.+}} step
// CHECK-COUNT-3: vector.load %{{.+}}[%{{.+}}, %[[D]], %{{.+}}] : memref<1x16x48xf32>, vector<16xf32>
// CHECK: %[[SCALAR:.+]] = memref.load %[[K]][%{{.+}}, %[[D]]]
// CHECK: %[[KEY:.+]] = vector.broadcast %[[SCALAR]] : f32 to vector<16xf32>
// CHECK: vector.fma %[[KEY]], %{{.+}}, %{{.+}} : vector<16xf32>
// CHECK-COUNT-23: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: vector.fma
// CHECK: scf.yield
// CHECK-NOT: attn.{{[a-z_]+ %}}
// CHECK-NOT: vector<48
// CHECK: return
func.func @register_tile_avx512(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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

// The same shape serves the second product: 8 head dims x 3 vectors.
// CHECK-LABEL: @accumulate_register_tile(
// CHECK-SAME: %{{.+}}: memref<1x?x8xf32>, %[[V:.+]]: memref<?x8xf32>,
// CHECK: %{{.+}}:24 = scf.for
// CHECK: scf.yield
// CHECK: %[[VIEW:.+]] = memref.subview %[[V]]
// CHECK: %{{.+}}:24 = scf.for %[[C:.+]] = %{{.+}} to %{{.+}} step
// CHECK: memref.load %[[VIEW]][%[[C]], %{{.+}}]
// CHECK-COUNT-24: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.yield
func.func @accumulate_register_tile(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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

// Vectors of doubles are half as long.
// CHECK-LABEL: @register_tile_double(
// CHECK: %{{.+}}:24 = scf.for
// CHECK-COUNT-24: vector.fma {{.*}} : vector<8xf64>
// CHECK-NOT: vector.fma
// CHECK: scf.yield
func.func @register_tile_double(%q: memref<1x?x8xf64>, %k: memref<?x8xf64>, %n: index,
    %s: f64) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFFF0000000000000> : vector<24xf64>
  %zero = arith.constant dense<0.0> : vector<24xf64>
  %zeros = arith.constant dense<0.0> : vector<24x8xf64>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 24) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf64> -> vector<24x8xf64>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<24xf64>, vector<24xf64>, vector<24x8xf64>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f64)
          : vector<24x8xf64>, memref<?x8xf64> -> vector<24x16xf64>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<24x16xf64>, vector<24xf64>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<24x16xf64>, memref<?x8xf64>, vector<24xf64>
          -> vector<24x8xf64>
      scf.yield %m1, %l1, %o1
          : vector<24xf64>, vector<24xf64>, vector<24x8xf64>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<24x8xf64>, vector<24xf64>, memref<1x?x8xf64>
  }
  return
}

// One vector of queries leaves registers for 16 keys.
// CHECK-LABEL: @one_vector_of_queries(
// CHECK: %{{.+}}:16 = scf.for
// CHECK-COUNT-16: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: vector.fma
// CHECK: scf.yield
func.func @one_vector_of_queries(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
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

// 96 rows are two panels of three vectors.
// CHECK-LABEL: @two_panels(
// CHECK: memref.alloca() {{.*}} : memref<2x48xf32>
// CHECK: %{{.+}}:24 = scf.for
// CHECK-COUNT-24: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: vector.fma
// CHECK: scf.yield
func.func @two_panels(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<96xf32>
  %zero = arith.constant dense<0.0> : vector<96xf32>
  %zeros = arith.constant dense<0.0> : vector<96x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 96) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<96x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<96xf32>, vector<96xf32>, vector<96x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<96x8xf32>, memref<?x8xf32> -> vector<96x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<96x16xf32>, vector<96xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<96x16xf32>, memref<?x8xf32>, vector<96xf32>
          -> vector<96x8xf32>
      scf.yield %m1, %l1, %o1
          : vector<96xf32>, vector<96xf32>, vector<96x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<96x8xf32>, vector<96xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">} {
// 4 keys x 3 vectors of 8 queries in 16 registers.
// CHECK-LABEL: @register_tile_avx2(
// CHECK: %{{.+}}:12 = scf.for
// CHECK-COUNT-12: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
// CHECK: scf.yield
// CHECK-NOT: vector<16xf32>
// CHECK: return
func.func @register_tile_avx2(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<24xf32>
  %zero = arith.constant dense<0.0> : vector<24xf32>
  %zeros = arith.constant dense<0.0> : vector<24x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 24) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<24x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<24xf32>, vector<24xf32>, vector<24x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<24x8xf32>, memref<?x8xf32> -> vector<24x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<24x16xf32>, vector<24xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<24x16xf32>, memref<?x8xf32>, vector<24xf32>
          -> vector<24x8xf32>
      scf.yield %m1, %l1, %o1
          : vector<24xf32>, vector<24xf32>, vector<24x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<24x8xf32>, vector<24xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
// Max, sum and accumulator stay where they are: the loop over key tiles carries
// no vector, and each step writes what it reads.
// CHECK-LABEL: @iter_args_in_place(
// CHECK-DAG: %[[NONE:.+]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK-DAG: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// Queries, scores and accumulator; max, sum, rescale and the tile's maxima.
// CHECK-COUNT-7: memref.alloca
// CHECK-NOT: memref.alloca
// CHECK: vector.store %[[NONE]], %[[MAX:.+]][%{{.+}}, %{{.+}}] : memref<1x48xf32>
// CHECK: vector.store %[[ZERO]], %[[SUM:.+]][%{{.+}}, %{{.+}}] : memref<1x48xf32>
// CHECK: vector.store %[[ZERO]], %[[ACC:.+]][%{{.+}}, %{{.+}}, %{{.+}}] : memref<1x16x48xf32>
// CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to %{{[^ ]+}} step %{{[^ ]+}} {{[{]$}}
// CHECK: vector.load %[[MAX]][
// CHECK: vector.store %{{.+}}, %[[MAX]][
// CHECK: vector.load %[[SUM]][
// CHECK: vector.store %{{.+}}, %[[SUM]][
// CHECK: vector.load %[[ACC]][
// CHECK: vector.store %{{.+}}, %[[ACC]][
func.func @iter_args_in_place(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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

// The second loop goes on in the buffers of the first.
// CHECK-LABEL: @loops_share_buffers(
// CHECK-COUNT-7: memref.alloca
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @loops_share_buffers(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %f:3 = scf.for %j0 = %c0 to %n step %c16
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
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %f#0, %l = %f#1, %o = %f#2)
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
// An operation between the tile operations is the same operation per vector, in
// the buffer of its operand if that dies there.
// CHECK-LABEL: @elementwise_operation(
// CHECK-COUNT-6: memref.alloca
// CHECK-NOT: memref.alloca
// CHECK: %{{.+}}:24 = scf.for
// CHECK: vector.store %{{.+}}, %[[B:.+]][%[[C0:.+]], %{{.+}}, %[[C0]]] : memref<1x16x48xf32>, vector<16xf32>
// CHECK: scf.for %[[J:.+]] = %[[C0]] to %{{.+}} step %{{.+}} {
// CHECK-NEXT: %[[X:.+]] = vector.load %[[B]][%[[C0]], %[[J]], %[[C0]]]
// CHECK-NEXT: %[[Y:.+]] = math.tanh %[[X]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[Y]], %[[B]][%[[C0]], %[[J]], %[[C0]]]
func.func @elementwise_operation(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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
      %y = math.tanh %x : vector<48x16xf32>
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

// What is read again keeps its buffer.
// CHECK-LABEL: @operand_that_lives_on(
// CHECK-COUNT-7: memref.alloca
// CHECK: %{{.+}}:24 = scf.for
// CHECK: vector.store %{{.+}}, %[[B:.+]][%[[C0:.+]], %{{.+}}, %[[C0]]] : memref<1x16x48xf32>, vector<16xf32>
// CHECK: %[[X:.+]] = vector.load %[[B]][%[[C0]], %[[J:.+]], %[[C0]]]
// CHECK-NEXT: %[[Y:.+]] = math.tanh %[[X]] : vector<16xf32>
// CHECK-NOT: %[[B]][
// CHECK: vector.store %[[Y]], %[[OTHER:.+]][%[[C0]], %[[J]], %[[C0]]]
// CHECK: %[[Y1:.+]] = vector.load %[[OTHER]][
// CHECK: %[[X1:.+]] = vector.load %[[B]][
// CHECK: arith.addf %[[Y1]], %[[X1]] : vector<16xf32>
func.func @operand_that_lives_on(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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
      %y = math.tanh %x : vector<48x16xf32>
      %z = arith.addf %y, %x : vector<48x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %z max(%m) sum(%l)
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

// A constant becomes one of a vector's length.
// CHECK-LABEL: @splat_constant(
// CHECK: %[[TWO:.+]] = arith.constant dense<2.000000e+00> : vector<16xf32>
// CHECK: arith.mulf %{{.+}}, %[[TWO]] : vector<16xf32>
func.func @splat_constant(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  %two = arith.constant dense<2.0> : vector<48x16xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x16xf32>
      %y = arith.mulf %x, %two : vector<48x16xf32>
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

// CHECK-LABEL: @broadcast_of_a_scalar(
// CHECK-SAME: %[[F:[^ :]+]]: f32)
// CHECK: %[[V:.+]] = vector.broadcast %[[F]] : f32 to vector<16xf32>
// CHECK: vector.store %[[V]],
func.func @broadcast_of_a_scalar(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32, %f: f32) {
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
      %v = vector.broadcast %f : f32 to vector<48x16xf32>
      %y = arith.addf %x, %v : vector<48x16xf32>
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

// Conditions are integers of the element's width.
// CHECK-LABEL: @comparison_and_select(
// CHECK: memref.alloca() {{.*}} : memref<1x16x48xi32>
// CHECK: %[[C:.+]] = arith.cmpf olt, %{{.+}}, %{{.+}} : vector<16xf32>
// CHECK: %[[BITS:.+]] = arith.extsi %[[C]] : vector<16xi1> to vector<16xi32>
// CHECK: vector.store %[[BITS]], %[[B:.+]][
// CHECK: %[[LOADED:.+]] = vector.load %[[B]][
// CHECK: %[[COND:.+]] = arith.cmpi ne, %[[LOADED]], %{{.+}} : vector<16xi32>
// CHECK: arith.select %[[COND]], %{{.+}}, %{{.+}} : vector<16xi1>, vector<16xf32>
func.func @comparison_and_select(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
    %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  %two = arith.constant dense<2.0> : vector<48x16xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x16xf32>
      %c = arith.cmpf olt, %x, %two : vector<48x16xf32>
      %y = arith.select %c, %x, %two : vector<48x16xi1>, vector<48x16xf32>
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
// Values that change places go through buffers of their own.
// CHECK-LABEL: @iter_args_change_places(
// CHECK-DAG: %[[NONE:.+]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK-DAG: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: vector.store %[[NONE]], %[[MAX:.+]][%{{.+}}, %{{.+}}] : memref<1x48xf32>
// CHECK: vector.store %[[ZERO]], %[[SUM:.+]][%[[C0:.+]], %[[C0]]] : memref<1x48xf32>
// CHECK: vector.store %[[ZERO]], %{{.+}} : memref<1x16x48xf32>
// CHECK: memref.subview
// CHECK: %[[S:.+]] = vector.load %[[SUM]][%[[C0]], %[[C0]]]
// CHECK-NEXT: vector.store %[[S]], %[[T0:.+]][%[[C0]], %[[C0]]]
// CHECK: %[[M:.+]] = vector.load %[[MAX]][%[[C0]], %[[C0]]]
// CHECK-NEXT: vector.store %[[M]], %[[T1:.+]][%[[C0]], %[[C0]]]
// CHECK: %[[S1:.+]] = vector.load %[[T0]][%[[C0]], %[[C0]]]
// CHECK-NEXT: vector.store %[[S1]], %[[MAX]][%[[C0]], %[[C0]]]
// CHECK: %[[M1:.+]] = vector.load %[[T1]][%[[C0]], %[[C0]]]
// CHECK-NEXT: vector.store %[[M1]], %[[SUM]][%[[C0]], %[[C0]]]
func.func @iter_args_change_places(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x16xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x16xf32>, memref<?x8xf32>, vector<48xf32>
          -> vector<48x8xf32>
      scf.yield %l1, %m1, %o1
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
// The mask region is inlined for a vector of rows and one key: positions are
// 32-bit integers. On a partial tile NaN and infinite values are looked for.
// CHECK-LABEL: @mask_region(
// CHECK: %[[KEEP:.+]] = arith.cmpi sle, %{{.+}}, %{{.+}} : vector<16xi32>
// CHECK: arith.select %[[KEEP]], %{{.+}}, %[[NONE:.+]] : vector<16xi1>, vector<16xf32>
// CHECK: %[[BITS:.+]] = arith.extsi %[[KEEP]] : vector<16xi1> to vector<16xi32>
// CHECK: vector.store %[[BITS]], %[[B:.+]][
// CHECK: %[[BAD:.+]] = vector.reduction <or>, %{{.+}} : vector<16xi1> into i1
// CHECK: scf.if %[[BAD]] {
// CHECK: vector.load %[[B]][
// CHECK: arith.select
// CHECK: } else {
// CHECK-NOT: arith.select
// CHECK: vector.fma
func.func @mask_region(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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
      %x, %keep = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0)
          offset(%c0) heads(1) scale(%s : f32) mask {
      ^bb0(%b1: index, %h1: index, %i: index, %pos: index, %j: index):
        %c = arith.cmpi sle, %j, %pos : index
        attn.yield %c : i1
      } : vector<48x8xf32>, memref<?x8xf32>
          -> vector<48x16xf32>, vector<48x16xi1>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x16xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] keep(%keep : vector<48x16xi1>) acc(%o) rescale(%a)
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

// CHECK-LABEL: @score_region(
// CHECK: %[[X:.+]] = math.tanh %{{.+}} : vector<16xf32>
// CHECK: vector.store %[[X]],
func.func @score_region(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index,
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
        %z = math.tanh %y : f32
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

// CHECK-LABEL: @weights(
// CHECK: %{{.+}}:24 = scf.for
// CHECK-NOT: attn.{{[a-z_]+ %}}
// CHECK: return
func.func @weights(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>,
                   %lse: memref<1x?xf32>, %w: memref<1x?x?xf32>, %n: index,
                   %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<48x8xf32>
    %l = attn.load_lse %lse[%i0] : memref<1x?xf32> -> vector<48xf32>
    scf.for %j0 = %c0 to %n step %c16 {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<48x8xf32>, memref<?x8xf32> -> vector<48x16xf32>
      %p = attn.normalize %x lse(%l) : vector<48x16xf32>, vector<48xf32>
      attn.store_weights %p into %w[%i0, %j0]
          : vector<48x16xf32>, memref<1x?x?xf32>
    }
  }
  return
}

// A projection needs no tile of queries.
// CHECK-LABEL: @projection(
// CHECK: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: attn.{{[a-z_]+ %}}
// CHECK: return
func.func @projection(%x: memref<?x8xf32>, %w: memref<8x32xf32>,
                      %y: memref<?x32xf32>, %n: index) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 64) {
    attn.project_tile %x, %w into %y row(%i0) rows(64)
        : memref<?x8xf32>, memref<8x32xf32>, memref<?x32xf32>
  }
  return
}
}
