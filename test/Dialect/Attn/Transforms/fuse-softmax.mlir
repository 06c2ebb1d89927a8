// Loop bounds are easier to read after the clean-up that follows the pass.
// RUN: fovea-opt %s -attn-fuse-softmax -canonicalize -cse | FileCheck %s
// RUN: fovea-opt %s -attn-fuse-softmax=round-full -canonicalize -cse | FileCheck %s --check-prefix=ROUND

#tiling = #attn.tiling<heads = 1, queries = 48, keys = 128>
!q = memref<1x?x8xf32>
!k = memref<?x8xf32>

// CHECK-LABEL: @no_mask(
// CHECK-SAME: %[[Q:.+]]: memref<1x?x8xf32>, %[[K:.+]]: memref<?x8xf32>, %[[V:.+]]: memref<?x8xf32>, %[[O:.+]]: memref<1x?x8xf32>, %[[B:.+]]: index, %[[H:.+]]: index, %[[I0:.+]]: index, %[[OFF:.+]]: index, %[[S:.+]]: f32)
// CHECK-DAG: %[[NONE:.+]] = arith.constant dense<0xFF800000> : vector<48xf32>
// CHECK-DAG: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<48xf32>
// CHECK-DAG: %[[ZEROS:.+]] = arith.constant dense<0.000000e+00> : vector<48x8xf32>
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[C48:.+]] = arith.constant 48 : index
// CHECK-DAG: %[[C128:.+]] = arith.constant 128 : index
// CHECK-DAG: %[[SQ:.+]] = memref.dim %[[Q]], %[[C1]]
// CHECK-DAG: %[[LEFT:.+]] = arith.subi %[[SQ]], %[[I0]]
// CHECK-DAG: %[[NQ:.+]] = arith.minsi %[[LEFT]], %[[C48]]
// CHECK-DAG: %[[SK:.+]] = memref.dim %[[K]], %[[C0]]
// CHECK: %[[QT:.+]] = attn.load_queries %[[Q]][%[[I0]]]
// CHECK: %[[R:.+]]:3 = scf.for %[[J:.+]] = %[[C0]] to %[[SK]] step %[[C128]] iter_args(%[[M:.+]] = %[[NONE]], %[[L:.+]] = %[[ZERO]], %[[A:.+]] = %[[ZEROS]])
// CHECK: %[[REST:.+]] = arith.subi %[[SK]], %[[J]]
// CHECK: %[[N:.+]] = arith.minsi %[[REST]], %[[C128]]
// CHECK: %[[X:.+]] = attn.scores %[[QT]], %[[K]][%[[J]]] count(%[[N]]) queries(%[[NQ]]) at(%[[B]], %[[H]], %[[I0]]) offset(%[[OFF]]) heads(1) scale(%[[S]] : f32) : vector<48x8xf32>, memref<?x8xf32> -> vector<48x128xf32>
// CHECK: %[[P:.+]], %[[M1:.+]], %[[L1:.+]], %[[RE:.+]] = attn.softmax_step %[[X]] count(%[[N]]) max(%[[M]]) sum(%[[L]])
// CHECK: %[[A1:.+]] = attn.accumulate %[[P]], %[[V]][%[[J]]] count(%[[N]]) acc(%[[A]]) rescale(%[[RE]])
// CHECK: scf.yield %[[M1]], %[[L1]], %[[A1]]
// CHECK-NOT: scf.for
// CHECK: attn.store_output %[[R]]#2 max(%[[R]]#0) sum(%[[R]]#1) into %[[O]][%[[I0]]]
// CHECK-NOT: sdpa_tile

// Whole key tiles first, without a count; then the keys left over.
// ROUND-LABEL: @no_mask(
// ROUND-SAME: %{{.+}}: memref<1x?x8xf32>, %[[K:.+]]: memref<?x8xf32>, %{{.+}}: memref<?x8xf32>,
// ROUND: %[[SK:.+]] = memref.dim %[[K]],
// ROUND: %[[TILES:.+]] = arith.divui %[[SK]], %[[C128:.+]] : index
// ROUND: %[[WHOLE:.+]] = arith.muli %[[TILES]], %[[C128]] : index
// ROUND: %[[FULL:.+]]:3 = scf.for %{{.+}} = %{{.+}} to %[[WHOLE]] step %[[C128]]
// ROUND-NEXT: attn.scores %{{.+}}, %{{.+}}[%{{.+}}] queries(
// ROUND-NEXT: attn.softmax_step %{{.+}} max(
// ROUND-NEXT: attn.accumulate %{{.+}}, %{{.+}}[%{{.+}}] acc(
// ROUND: %[[ALL:.+]]:3 = scf.for %[[J:.+]] = %[[WHOLE]] to %[[SK]] step %[[C128]] iter_args(%{{.+}} = %[[FULL]]#0, %{{.+}} = %[[FULL]]#1, %{{.+}} = %[[FULL]]#2)
// ROUND: %[[REST:.+]] = arith.subi %[[SK]], %[[J]]
// ROUND: %[[N:.+]] = arith.minsi %[[REST]], %[[C128]]
// ROUND: attn.scores {{.*}} count(%[[N]]) {{.*}} scale(%{{.+}} : f32) : vector
// ROUND: attn.store_output %[[ALL]]#2
func.func @no_mask(%q: !q, %k: !k, %v: !k, %o: !q, %b: index, %h: index,
                   %i0: index, %off: index, %s: f32) {
  attn.sdpa_tile %q, %k, %v into %o at(%b, %h, %i0) offset(%off)
      scale(%s : f32) tiling(#tiling) : !q, !k, !k, !q
  return
}

// Keys up to the first row's position are allowed for every row; those up to
// the last row's run the mask.
// CHECK-LABEL: @causal(
// CHECK-SAME: %[[Q:[^:]+]]: {{.*}} %[[I0:[^:]+]]: index, %[[OFF:[^:]+]]: index, %{{.+}}: f32)
// CHECK: %[[NQ:.+]] = arith.minsi
// CHECK: %[[END:.+]] = arith.addi %[[I0]], %[[NQ]]
// CHECK: %[[LAST:.+]] = arith.subi %[[END]], %[[C1:.+]] :
// CHECK: %[[SK:.+]] = memref.dim
// CHECK-DAG: %[[PLAST:.+]] = arith.addi %[[LAST]], %[[OFF]]
// CHECK-DAG: %[[ABOVE:.+]] = arith.addi %[[PLAST]], %[[C1]]
// CHECK-DAG: %[[HI:.+]] = arith.minsi %[[SK]], %[[ABOVE]]
// CHECK-DAG: %[[PFIRST:.+]] = arith.addi %[[I0]], %[[OFF]]
// CHECK-DAG: %[[NEXT:.+]] = arith.addi %[[PFIRST]], %[[C1]]
// CHECK-DAG: %[[BOUND:.+]] = arith.minsi %[[SK]], %[[NEXT]]
// CHECK: %[[FULLHI:.+]] = arith.maxsi %[[BOUND]], %[[C0:.+]] :
// CHECK: %[[FULL:.+]]:3 = scf.for %{{.+}} = %[[C0]] to %[[FULLHI]] step
// CHECK: attn.scores {{.*}} scale(%{{.+}} : f32) : vector
// CHECK: attn.accumulate %{{.+}}, %{{.+}}[%{{.+}}] count(%{{.+}}) acc(
// CHECK: %[[ALL:.+]]:3 = scf.for %{{.+}} = %[[FULLHI]] to %[[HI]] step %{{.+}} iter_args(%{{.+}} = %[[FULL]]#0, %{{.+}} = %[[FULL]]#1, %{{.+}} = %[[FULL]]#2)
// CHECK: %{{.+}}, %[[KEEP:.+]] = attn.scores {{.*}} mask {
// CHECK-NEXT: ^bb0(%{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %[[P:.+]]: index, %[[J:.+]]: index):
// CHECK-NEXT: %[[C:.+]] = arith.cmpi sle, %[[J]], %[[P]]
// CHECK-NEXT: attn.yield %[[C]]
// CHECK: attn.accumulate {{.*}} keep(%[[KEEP]] : vector<48x128xi1>)
// CHECK-NOT: scf.for
// CHECK: attn.store_output %[[ALL]]#2 max(%[[ALL]]#0) sum(%[[ALL]]#1)

// The masked loop takes up where whole tiles end.
// ROUND-LABEL: @causal(
// ROUND: %[[FULLHI:.+]] = arith.maxsi
// ROUND: %[[TILES:.+]] = arith.divui %[[FULLHI]],
// ROUND: %[[WHOLE:.+]] = arith.muli %[[TILES]],
// ROUND: scf.for %{{.+}} = %{{.+}} to %[[WHOLE]] step
// ROUND-NEXT: attn.scores %{{.+}}, %{{.+}}[%{{.+}}] queries(
// ROUND: scf.for %{{.+}} = %[[WHOLE]] to
// ROUND: attn.scores {{.*}} mask {
func.func @causal(%q: !q, %k: !k, %b: index, %h: index, %i0: index,
                  %off: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q at(%b, %h, %i0) offset(%off)
      scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    attn.yield %c : i1
  } : !q, !k, !k, !q
  return
}

// Left of the first row's window nothing is read; left and right of what all
// rows see the mask runs.
// CHECK-LABEL: @window(
// CHECK-SAME: %[[I0:[^:]+]]: index, %[[S:[^:]+]]: f32)
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[CM3:.+]] = arith.constant -3 : index
// CHECK-DAG: %[[CM4:.+]] = arith.constant -4 : index
// CHECK-DAG: %[[C5:.+]] = arith.constant 5 : index
// CHECK-DAG: %[[C6:.+]] = arith.constant 6 : index
// CHECK: %[[NQ:.+]] = arith.minsi
// CHECK: %[[END:.+]] = arith.addi %[[I0]], %[[NQ]]
// CHECK: %[[SK:.+]] = memref.dim
// CHECK-DAG: %[[R0:.+]] = arith.addi %[[END]], %[[C5]]
// CHECK-DAG: %[[HI:.+]] = arith.minsi %[[SK]], %[[R0]]
// CHECK-DAG: %[[R1:.+]] = arith.addi %[[I0]], %[[C6]]
// CHECK-DAG: %[[RIGHT:.+]] = arith.minsi %[[SK]], %[[R1]]
// CHECK-DAG: %[[L0:.+]] = arith.addi %[[I0]], %[[CM3]]
// CHECK-DAG: %[[LO:.+]] = arith.maxsi %[[L0]], %[[C0]]
// CHECK-DAG: %[[L1:.+]] = arith.addi %[[END]], %[[CM4]]
// CHECK-DAG: %[[L2:.+]] = arith.maxsi %[[L1]], %[[C0]]
// CHECK-DAG: %[[FULLLO:.+]] = arith.minsi %[[L2]], %[[HI]]
// CHECK-DAG: %[[FULLHI:.+]] = arith.maxsi %[[RIGHT]], %[[FULLLO]]
// CHECK: %[[A:.+]]:3 = scf.for %{{.+}} = %[[LO]] to %[[FULLLO]] step
// CHECK: attn.scores {{.*}} mask {
// CHECK: attn.accumulate {{.*}} keep(
// CHECK: %[[B:.+]]:3 = scf.for %{{.+}} = %[[FULLLO]] to %[[FULLHI]] step %{{.+}} iter_args(%{{.+}} = %[[A]]#0, %{{.+}} = %[[A]]#1, %{{.+}} = %[[A]]#2)
// CHECK: attn.scores {{.*}} scale(%{{.+}} : f32) : vector
// CHECK: %[[C:.+]]:3 = scf.for %{{.+}} = %[[FULLHI]] to %[[HI]] step %{{.+}} iter_args(%{{.+}} = %[[B]]#0, %{{.+}} = %[[B]]#1, %{{.+}} = %[[B]]#2)
// CHECK: attn.scores {{.*}} mask {
// CHECK: attn.store_output %[[C]]#2 max(%[[C]]#0) sum(%[[C]]#1)
func.func @window(%q: !q, %k: !k, %i0: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %i0, %i0) offset(%c0)
      scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %to = arith.addi %p, %c5 : index
    %from = arith.subi %p, %c3 : index
    %right = arith.cmpi sle, %j, %to : index
    %left = arith.cmpi sge, %j, %from : index
    %keep = arith.andi %right, %left : i1
    attn.yield %keep : i1
  } : !q, !k, !k, !q
  return
}

// j < kv_lengths[b]: the same for all rows, so that no key needs the mask; the
// loop for the rest is there but empty, as both ends agree.
// CHECK-LABEL: @kv_lengths(
// CHECK-SAME: %[[LENS:[^:]+]]: memref<?xindex>, %{{.+}}: memref<1x?x8xf32>, %[[K:[^:]+]]: memref<?x8xf32>, %[[B:[^:]+]]: index
// CHECK: %[[SK:.+]] = memref.dim %[[K]],
// CHECK: %[[LEN:.+]] = memref.load %[[LENS]][%[[B]]]
// CHECK: %[[HI:.+]] = arith.minsi %[[SK]], %[[LEN]]
// CHECK: %[[FULLHI:.+]] = arith.maxsi %[[HI]], %[[C0:.+]] :
// CHECK: scf.for %{{.+}} = %[[C0]] to %[[FULLHI]] step
// CHECK: attn.scores {{.*}} scale(%{{.+}} : f32) : vector
// CHECK: scf.for %{{.+}} = %[[FULLHI]] to %[[HI]] step
func.func @kv_lengths(%lens: memref<?xindex>, %q: !q, %k: !k, %b: index,
                      %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q at(%b, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b1: index, %h: index, %i: index, %p: index, %j: index):
    %len = memref.load %lens[%b1] : memref<?xindex>
    %keep = arith.cmpi slt, %j, %len : index
    attn.yield %keep : i1
  } : !q, !k, !k, !q
  return
}

// i < q_lengths[b] says nothing about j: all keys or none, for any row (hi)
// and for every row (full_hi).
// CHECK-LABEL: @q_lengths(
// CHECK-SAME: %[[LENS:[^:]+]]: memref<?xindex>, %{{.+}}: memref<1x?x8xf32>, %[[K:[^:]+]]: memref<?x8xf32>, %[[B:[^:]+]]: index, %[[I0:[^:]+]]: index
// CHECK: %[[NQ:.+]] = arith.minsi
// CHECK: %[[END:.+]] = arith.addi %[[I0]], %[[NQ]]
// CHECK: %[[LAST:.+]] = arith.subi %[[END]], %[[C1:.+]] :
// CHECK: %[[SK:.+]] = memref.dim %[[K]],
// CHECK: %[[LEN:.+]] = memref.load %[[LENS]][%[[B]]]
// CHECK: %[[REST:.+]] = arith.subi %[[C1]], %[[LEN]]
// CHECK: %[[FIRSTVAL:.+]] = arith.addi %[[I0]], %[[REST]]
// CHECK: %[[LASTVAL:.+]] = arith.addi %[[LAST]], %[[REST]]
// CHECK: %[[ANY:.+]] = arith.cmpi sle, %[[FIRSTVAL]], %[[C0:.+]] :
// CHECK: %[[HI:.+]] = arith.select %[[ANY]], %[[SK]], %[[C0]]
// CHECK: %[[EVERY:.+]] = arith.cmpi sle, %[[LASTVAL]], %[[C0]]
// CHECK: %[[BOUND:.+]] = arith.select %[[EVERY]], %[[SK]], %[[C0]]
// CHECK: %[[FULLHI:.+]] = arith.maxsi %[[BOUND]], %[[C0]]
// CHECK: scf.for %{{.+}} = %[[C0]] to %[[FULLHI]] step
// CHECK: attn.scores {{.*}} scale(%{{.+}} : f32) : vector
// CHECK: scf.for %{{.+}} = %[[FULLHI]] to %[[HI]] step
// CHECK: attn.scores {{.*}} mask {
func.func @q_lengths(%lens: memref<?xindex>, %q: !q, %k: !k, %b: index,
                     %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q at(%b, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b1: index, %h: index, %i: index, %p: index, %j: index):
    %len = memref.load %lens[%b1] : memref<?xindex>
    %keep = arith.cmpi slt, %i, %len : index
    attn.yield %keep : i1
  } : !q, !k, !k, !q
  return
}

// A tensor of bools may forbid any key: one loop over all keys, with the mask.
// CHECK-LABEL: @tensor_mask(
// CHECK-SAME: %[[MASK:[^:]+]]: memref<?x?xi8>, %{{.+}}: memref<1x?x8xf32>, %[[K:[^:]+]]: memref<?x8xf32>
// CHECK: %[[C0:.+]] = arith.constant 0 : index
// CHECK: %[[SK:.+]] = memref.dim %[[K]], %[[C0]]
// CHECK: scf.for %{{.+}} = %[[C0]] to %[[SK]] step
// CHECK: %{{.+}}, %[[KEEP:.+]] = attn.scores {{.*}} mask {
// CHECK: memref.load %[[MASK]]
// CHECK: attn.accumulate {{.*}} keep(%[[KEEP]] :
// CHECK-NOT: scf.for
// CHECK: attn.store_output

// Nothing to round: no tile is known to be whole.
// ROUND-LABEL: @tensor_mask(
// ROUND-NOT: arith.divui
// ROUND: scf.for
// ROUND: attn.scores {{.*}} count({{.*}} mask {
// ROUND-NOT: scf.for
// ROUND: attn.store_output
func.func @tensor_mask(%m: memref<?x?xi8>, %q: !q, %k: !k, %i0: index,
                       %s: f32) {
  %zero = arith.constant 0 : i8
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %byte = memref.load %m[%i, %j] : memref<?x?xi8>
    %keep = arith.cmpi ne, %byte, %zero : i8
    attn.yield %keep : i1
  } : !q, !k, !k, !q
  return
}

// What is known of j still bounds the one loop.
// CHECK-LABEL: @tensor_mask_and_causal(
// CHECK-SAME: %[[I0:[^:]+]]: index, %{{.+}}: f32)
// CHECK: %[[NQ:.+]] = arith.minsi
// CHECK: %[[END:.+]] = arith.addi %[[I0]], %[[NQ]]
// CHECK: %[[SK:.+]] = memref.dim
// CHECK: %[[HI:.+]] = arith.minsi %[[SK]], %[[END]]
// CHECK: scf.for %{{.+}} = %{{.+}} to %[[HI]] step
// CHECK: attn.scores {{.*}} mask {
// CHECK-NOT: scf.for
// CHECK: attn.store_output
func.func @tensor_mask_and_causal(%m: memref<?x?xi8>, %q: !q, %k: !k,
                                  %i0: index, %s: f32) {
  %zero = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %i0, %i0) offset(%c0)
      scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %byte = memref.load %m[%i, %j] : memref<?x?xi8>
    %set = arith.cmpi ne, %byte, %zero : i8
    %causal = arith.cmpi sle, %j, %p : index
    %keep = arith.andi %set, %causal : i1
    attn.yield %keep : i1
  } : !q, !k, !k, !q
  return
}

// Neither side of "or" bounds the keys.
// CHECK-LABEL: @disjunction(
// CHECK: %[[SK:.+]] = memref.dim %{{.+}}, %[[C0:.+]] : memref<?x8xf32>
// CHECK: scf.for %{{.+}} = %[[C0]] to %[[SK]] step
// CHECK: attn.scores {{.*}} mask {
// CHECK-NOT: scf.for
// CHECK: attn.store_output
func.func @disjunction(%q: !q, %k: !k, %i0: index, %s: f32) {
  %c4 = arith.constant 4 : index
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %prefix = arith.cmpi slt, %j, %c4 : index
    %causal = arith.cmpi sle, %j, %p : index
    %keep = arith.ori %prefix, %causal : i1
    attn.yield %keep : i1
  } : !q, !k, !k, !q
  return
}

// An unsigned comparison is no bound.
// CHECK-LABEL: @unsigned_comparison(
// CHECK: %[[SK:.+]] = memref.dim %{{.+}}, %[[C0:.+]] : memref<?x8xf32>
// CHECK: scf.for %{{.+}} = %[[C0]] to %[[SK]] step
// CHECK: attn.scores {{.*}} mask {
// CHECK-NOT: scf.for
// CHECK: attn.store_output
func.func @unsigned_comparison(%q: !q, %k: !k, %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi ule, %j, %p : index
    attn.yield %keep : i1
  } : !q, !k, !k, !q
  return
}

// CHECK-LABEL: @score_region_in_both_loops(
// CHECK: scf.for
// CHECK: attn.scores {{.*}} score {
// CHECK-NEXT: ^bb0(%[[X:[^:]+]]: f32,
// CHECK-NEXT: %[[Y:.+]] = math.tanh %[[X]]
// CHECK-NEXT: attn.yield %[[Y]]
// CHECK-NEXT: } : vector
// CHECK: scf.for
// CHECK: attn.scores {{.*}} score {
// CHECK: math.tanh
// CHECK: } mask {
func.func @score_region_in_both_loops(%q: !q, %k: !k, %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(#tiling) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %y = math.tanh %x : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi sle, %j, %p : index
    attn.yield %keep : i1
  } : !q, !k, !k, !q
  return
}

// CHECK-LABEL: @lse(
// CHECK-SAME: %[[LSE:[^:]+]]: memref<1x?xf32>
// CHECK: attn.store_output %{{.+}} max(%{{.+}}) sum(%{{.+}}) into %{{.+}}[%{{.+}}] lse(%[[LSE]] : memref<1x?xf32>)
func.func @lse(%lse: memref<1x?xf32>, %q: !q, %k: !k, %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q lse(%lse : memref<1x?xf32>)
      at(%i0, %i0, %i0) offset(%i0) scale(%s : f32) tiling(#tiling)
      : !q, !k, !k, !q
  return
}

// Rows of two heads side by side: 2 * 24 rows, of which queries(...) counts
// those of one head.
// CHECK-LABEL: @two_heads(
// CHECK-SAME: %[[Q:.+]]: memref<2x?x8xf32>, %{{.+}}: memref<?x8xf32>, %[[I0:.+]]: index,
// CHECK: %[[SQ:.+]] = memref.dim %[[Q]],
// CHECK: %[[LEFT:.+]] = arith.subi %[[SQ]], %[[I0]]
// CHECK: %[[NQ:.+]] = arith.minsi %[[LEFT]], %[[C24:.+]] :
// CHECK: attn.load_queries %[[Q]][%[[I0]]] : memref<2x?x8xf32> -> vector<48x8xf32>
// CHECK: attn.scores {{.*}} queries(%[[NQ]]) {{.*}} heads(2)
// CHECK: attn.store_output {{.*}} : vector<48x8xf32>, vector<48xf32>, memref<2x?x8xf32>
func.func @two_heads(%q: memref<2x?x8xf32>, %k: !k, %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(<heads = 2, queries = 24, keys = 128>)
      : memref<2x?x8xf32>, !k, !k, memref<2x?x8xf32>
  return
}

// A bound that depends on the head holds for one head of a tile only.
// CHECK-LABEL: @bound_of_one_head(
// CHECK-SAME: %[[LENS:[^:]+]]: memref<?xindex>, %{{.+}}: memref<1x?x8xf32>, %{{.+}}: memref<?x8xf32>, %[[H:[^:]+]]: index
// CHECK: %[[LEN:.+]] = memref.load %[[LENS]][%[[H]]]
// CHECK: %[[HI:.+]] = arith.minsi %{{.+}}, %[[LEN]]
// CHECK: scf.for
func.func @bound_of_one_head(%lens: memref<?xindex>, %q: !q, %k: !k,
                             %h0: index, %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %h0, %i0) offset(%i0)
      scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %len = memref.load %lens[%h] : memref<?xindex>
    %keep = arith.cmpi slt, %j, %len : index
    attn.yield %keep : i1
  } : !q, !k, !k, !q
  return
}

// CHECK-LABEL: @no_bound_of_two_heads(
// CHECK-NOT: memref.load
// CHECK: %[[SK:.+]] = memref.dim %{{.+}}, %[[C0:.+]] : memref<?x8xf32>
// CHECK: scf.for %{{.+}} = %[[C0]] to %[[SK]] step
// CHECK: attn.scores {{.*}} mask {
// CHECK-NOT: scf.for
// CHECK: attn.store_output
func.func @no_bound_of_two_heads(%lens: memref<?xindex>, %q: memref<2x?x8xf32>,
                                 %k: !k, %h0: index, %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %h0, %i0) offset(%i0)
      scale(%s : f32) tiling(<heads = 2, queries = 24, keys = 128>) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %len = memref.load %lens[%h] : memref<?xindex>
    %keep = arith.cmpi slt, %j, %len : index
    attn.yield %keep : i1
  } : memref<2x?x8xf32>, !k, !k, memref<2x?x8xf32>
  return
}

// The accumulator is in f32.
// CHECK-LABEL: @half_types(
// CHECK: attn.load_queries {{.*}} -> vector<48x8xf16>
// CHECK: scf.for {{.*}} -> (vector<48xf32>, vector<48xf32>, vector<48x4xf32>)
// CHECK: attn.scores {{.*}} -> vector<48x128xf32>
func.func @half_types(%q: memref<1x?x8xf16>, %k: memref<?x8xf16>,
                      %v: memref<?x4xf16>, %o: memref<1x?x4xf16>,
                      %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %v into %o at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(#tiling)
      : memref<1x?x8xf16>, memref<?x8xf16>, memref<?x4xf16>, memref<1x?x4xf16>
  return
}

// Every weight is written, forbidden ones too: one loop over all keys.
// CHECK-LABEL: @weights(
// CHECK-SAME: %[[Q:.+]]: memref<1x?x8xf32>, %[[K:.+]]: memref<?x8xf32>, %[[LSE:.+]]: memref<1x?xf32>, %[[W:.+]]: memref<1x?x?xf32>, %[[I0:.+]]: index, %{{.+}}: f32)
// CHECK: %[[SK:.+]] = memref.dim %[[K]],
// CHECK: %[[QT:.+]] = attn.load_queries %[[Q]][%[[I0]]]
// CHECK: %[[LT:.+]] = attn.load_lse %[[LSE]][%[[I0]]] : memref<1x?xf32> -> vector<48xf32>
// CHECK: scf.for %[[J:.+]] = %{{.+}} to %[[SK]] step %[[C128:.+]] {
// CHECK: %[[REST:.+]] = arith.subi %[[SK]], %[[J]]
// CHECK: %[[N:.+]] = arith.minsi %[[REST]], %[[C128]]
// CHECK: %[[X:.+]], %{{.+}} = attn.scores %[[QT]], %[[K]][%[[J]]] count(%[[N]]) {{.*}} mask {
// CHECK: %[[P:.+]] = attn.normalize %[[X]] lse(%[[LT]])
// CHECK: attn.store_weights %[[P]] into %[[W]][%[[I0]], %[[J]]] count(%[[N]])
// CHECK-NOT: weights_tile
// CHECK: return
func.func @weights(%q: !q, %k: !k, %lse: memref<1x?xf32>, %w: memref<1x?x?xf32>,
                   %i0: index, %s: f32) {
  attn.weights_tile %q, %k lse(%lse) into %w at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(#tiling) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi sle, %j, %p : index
    attn.yield %keep : i1
  } : !q, !k, memref<1x?xf32>, memref<1x?x?xf32>
  return
}

// CHECK-LABEL: @projections_stay(
// CHECK: attn.project_tile
func.func @projections_stay(%x: !k, %w: memref<8x16xf32>, %y: memref<?x16xf32>,
                            %i0: index) {
  attn.project_tile %x, %w into %y row(%i0) rows(64)
      : !k, memref<8x16xf32>, memref<?x16xf32>
  return
}
