// RUN: fovea-opt %s -attn-count-tiles | FileCheck %s

!q = memref<1x?x8xf32>
!k = memref<?x8xf32>

// The counters start at 0. The loops keep their bounds and add 1 a key tile to
// the full or, under a mask, the partial tiles; what lies before and behind
// them was skipped.
// CHECK-LABEL: @full_and_partial(
// CHECK-SAME: %{{.+}}: memref<1x?x8xf32>, %[[K:.+]]: memref<?x8xf32>, %[[LO:.+]]: index, %[[MID:.+]]: index, %[[HI:.+]]: index, %{{.+}}: f32, %[[COUNTS:.+]]: memref<3xi64, strided<[1]>> {attn.dims = [3], attn.name = "tile_counts", attn.output})
// CHECK-COUNT-3: memref.store %{{.+}}, %[[COUNTS]][%{{.+}}]
// CHECK: scf.forall
// CHECK: scf.for %{{.+}} = %[[LO]] to %[[MID]] step %[[STEP:.+]] {
// CHECK-NEXT: %[[ONE:.+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[FULL:.+]] = arith.constant 1 : index
// CHECK-NEXT: memref.atomic_rmw addi %[[ONE]], %[[COUNTS]][%[[FULL]]]
// CHECK-NEXT: }
// CHECK: scf.for %{{.+}} = %[[MID]] to %[[HI]] step %[[STEP]] {
// CHECK-NEXT: %[[ONE1:.+]] = arith.constant 1 : i64
// CHECK-NEXT: %[[PARTIAL:.+]] = arith.constant 2 : index
// CHECK-NEXT: memref.atomic_rmw addi %[[ONE1]], %[[COUNTS]][%[[PARTIAL]]]
// CHECK-NEXT: }
// CHECK: %[[KEYS:.+]] = memref.dim %[[K]],
// CHECK: %[[BEFORE:.+]] = arith.divsi %[[LO]], %[[STEP]]
// CHECK: %[[ALL:.+]] = arith.ceildivsi %[[KEYS]], %[[STEP]]
// CHECK: %[[TAKEN:.+]] = arith.ceildivsi %[[HI]], %[[STEP]]
// CHECK: %[[AFTER:.+]] = arith.subi %[[ALL]], %[[TAKEN]]
// CHECK: %[[SUM:.+]] = arith.addi %[[BEFORE]], %[[AFTER]]
// CHECK: %[[SKIPPED:.+]] = arith.index_cast %[[SUM]] : index to i64
// CHECK: %[[C0:.+]] = arith.constant 0 : index
// CHECK: memref.atomic_rmw addi %[[SKIPPED]], %[[COUNTS]][%[[C0]]]
// CHECK-NOT: attn.{{[a-z_]+ %}}
// CHECK: return
func.func @full_and_partial(%q: !q, %k: !k, %lo: index, %mid: index,
                            %hi: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %none = arith.constant dense<0xFF800000> : vector<48xf32>
  %zero = arith.constant dense<0.0> : vector<48xf32>
  %zeros = arith.constant dense<0.0> : vector<48x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 48) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : !q -> vector<48x8xf32>
    %full:3 = scf.for %j0 = %lo to %mid step %c128
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%c128) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32) : vector<48x8xf32>, !k -> vector<48x128xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x128xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<48x128xf32>, !k, vector<48xf32> -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    %all:3 = scf.for %j0 = %mid to %hi step %c128
        iter_args(%m = %full#0, %l = %full#1, %o = %full#2)
        -> (vector<48xf32>, vector<48xf32>, vector<48x8xf32>) {
      %x, %keep = attn.scores %t, %k[%j0] queries(%c128) at(%b, %h, %i0)
          offset(%c0) heads(1) scale(%s : f32) mask {
      ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
        %c = arith.cmpi sle, %j, %p : index
        attn.yield %c : i1
      } : vector<48x8xf32>, !k -> vector<48x128xf32>, vector<48x128xi1>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<48x128xf32>, vector<48xf32>
      %o1 = attn.accumulate %p, %k[%j0] keep(%keep : vector<48x128xi1>) acc(%o)
          rescale(%a)
          : vector<48x128xf32>, !k, vector<48xf32> -> vector<48x8xf32>
      scf.yield %m1, %l1, %o1 : vector<48xf32>, vector<48xf32>, vector<48x8xf32>
    }
    attn.store_output %all#2 max(%all#0) sum(%all#1) into %q[%i0]
        : vector<48x8xf32>, vector<48xf32>, !q
  }
  return
}

// The loop of the weights counts too.
// CHECK-LABEL: @weights(
// CHECK-SAME: %[[COUNTS:[^ ]+]]: memref<3xi64,
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: memref.atomic_rmw addi %{{.+}}, %[[COUNTS]]
// CHECK-NOT: attn.{{[a-z_]+ %}}
// CHECK: return
func.func @weights(%q: !q, %k: !k, %lse: memref<1x?xf32>, %w: memref<1x?x?xf32>,
                   %s: f32) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 48) step (1, 1, 48) {
    %t = attn.load_queries %q[%i0] : !q -> vector<48x8xf32>
    %l = attn.load_lse %lse[%i0] : memref<1x?xf32> -> vector<48xf32>
    scf.for %j0 = %c0 to %c128 step %c128 {
      %x = attn.scores %t, %k[%j0] queries(%c128) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32) : vector<48x8xf32>, !k -> vector<48x128xf32>
      %p = attn.normalize %x lse(%l) : vector<48x128xf32>, vector<48xf32>
      attn.store_weights %p into %w[%i0, %j0]
          : vector<48x128xf32>, memref<1x?x?xf32>
    }
  }
  return
}

// A projection takes no key tile; its work goes.
// CHECK-LABEL: @projection(
// CHECK: scf.forall
// CHECK-NOT: attn.project_tile
// CHECK-NOT: atomic_rmw
// CHECK: return
func.func @projection(%x: !k, %w: memref<8x16xf32>, %y: memref<?x16xf32>) {
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 64) {
    attn.project_tile %x, %w into %y row(%i0) rows(64)
        : !k, memref<8x16xf32>, memref<?x16xf32>
  }
  return
}

// A declaration has no tiles to count.
// CHECK: func.func private @declaration(memref<?xf32>){{$}}
func.func private @declaration(memref<?xf32>)
