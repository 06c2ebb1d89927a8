// The operations of stage fused, printed and parsed again.
// RUN: fovea-opt %s | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --mlir-print-op-generic | fovea-opt | FileCheck %s

// CHECK-LABEL: @load_queries(
// CHECK-SAME: %[[Q:.+]]: memref<2x?x64xf32>, %[[I:.+]]: index)
// CHECK: attn.load_queries %[[Q]][%[[I]]] : memref<2x?x64xf32> -> vector<48x64xf32>
func.func @load_queries(%q: memref<2x?x64xf32>, %i: index)
    -> vector<48x64xf32> {
  %t = attn.load_queries %q[%i] : memref<2x?x64xf32> -> vector<48x64xf32>
  return %t : vector<48x64xf32>
}

// CHECK-LABEL: @scores(
// CHECK-SAME: %[[Q:.+]]: vector<48x64xf32>, %[[K:.+]]: memref<?x64xf32>, %[[J:.+]]: index, %[[N:.+]]: index, %[[I:.+]]: index, %[[S:.+]]: f32)
// CHECK: attn.scores %[[Q]], %[[K]][%[[J]]] queries(%[[N]]) at(%[[I]], %[[I]], %[[I]]) offset(%[[I]]) heads(2) scale(%[[S]] : f32) : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>
func.func @scores(%q: vector<48x64xf32>, %k: memref<?x64xf32>, %j0: index,
                  %n: index, %i0: index, %s: f32) -> vector<48x128xf32> {
  %x = attn.scores %q, %k[%j0] queries(%n) at(%i0, %i0, %i0) offset(%i0)
      heads(2) scale(%s : f32)
      : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>
  return %x : vector<48x128xf32>
}

// CHECK-LABEL: @scores_count(
// CHECK-SAME: %[[C:[^:]+]]: index
// CHECK: attn.scores %{{.+}}, %{{.+}}[%{{.+}}] count(%[[C]]) queries(
func.func @scores_count(%c: index, %q: vector<48x64xf32>, %k: memref<?x64xf32>,
                        %i0: index, %s: f32) -> vector<48x128xf32> {
  %x = attn.scores %q, %k[%i0] count(%c) queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32)
      : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>
  return %x : vector<48x128xf32>
}

// CHECK-LABEL: @scores_regions_and_keep(
// CHECK: %[[X:.+]], %[[KEEP:.+]] = attn.scores {{.*}} scale(%{{.+}} : f32) score {
// CHECK: } mask {
// CHECK: } : vector<48x64xf32>, memref<?x64xf32> -> vector<48x128xf32>, vector<48x128xi1>
// CHECK: return %[[X]], %[[KEEP]]
func.func @scores_regions_and_keep(%q: vector<48x64xf32>, %k: memref<?x64xf32>,
                                   %i0: index, %s: f32)
    -> (vector<48x128xf32>, vector<48x128xi1>) {
  %x, %keep = attn.scores %q, %k[%i0] queries(%i0) at(%i0, %i0, %i0)
      offset(%i0) heads(1) scale(%s : f32) score {
  ^bb0(%y: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %z = arith.negf %y : f32
    attn.yield %z : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %m = arith.cmpi sle, %j, %p : index
    attn.yield %m : i1
  } : vector<48x64xf32>, memref<?x64xf32>
      -> vector<48x128xf32>, vector<48x128xi1>
  return %x, %keep : vector<48x128xf32>, vector<48x128xi1>
}

// CHECK-LABEL: @softmax_step(
// CHECK-SAME: %[[X:.+]]: vector<48x128xf32>, %[[M:.+]]: vector<48xf32>, %[[L:.+]]: vector<48xf32>)
// CHECK: %[[P:.+]], %[[M1:.+]], %[[L1:.+]], %[[A:.+]] = attn.softmax_step %[[X]] max(%[[M]]) sum(%[[L]]) : vector<48x128xf32>, vector<48xf32>
// CHECK: return %[[P]], %[[M1]], %[[L1]], %[[A]]
func.func @softmax_step(%x: vector<48x128xf32>, %m: vector<48xf32>,
                        %l: vector<48xf32>)
    -> (vector<48x128xf32>, vector<48xf32>, vector<48xf32>, vector<48xf32>) {
  %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
      : vector<48x128xf32>, vector<48xf32>
  return %p, %m1, %l1, %a
      : vector<48x128xf32>, vector<48xf32>, vector<48xf32>, vector<48xf32>
}

// CHECK-LABEL: @softmax_step_count(
// CHECK-SAME: %[[C:[^:]+]]: index
// CHECK: attn.softmax_step %{{.+}} count(%[[C]]) max(
func.func @softmax_step_count(%c: index, %x: vector<48x128xf32>,
                              %m: vector<48xf32>) -> vector<48x128xf32> {
  %p, %m1, %l1, %a = attn.softmax_step %x count(%c) max(%m) sum(%m)
      : vector<48x128xf32>, vector<48xf32>
  return %p : vector<48x128xf32>
}

// CHECK-LABEL: @accumulate(
// CHECK-SAME: %[[P:.+]]: vector<48x128xf32>, %[[V:.+]]: memref<?x64xf32>, %[[J:.+]]: index, %[[O:.+]]: vector<48x64xf32>, %[[A:.+]]: vector<48xf32>)
// CHECK: attn.accumulate %[[P]], %[[V]][%[[J]]] acc(%[[O]]) rescale(%[[A]]) : vector<48x128xf32>, memref<?x64xf32>, vector<48xf32> -> vector<48x64xf32>
func.func @accumulate(%p: vector<48x128xf32>, %v: memref<?x64xf32>, %j0: index,
                      %o: vector<48x64xf32>, %a: vector<48xf32>)
    -> vector<48x64xf32> {
  %o1 = attn.accumulate %p, %v[%j0] acc(%o) rescale(%a)
      : vector<48x128xf32>, memref<?x64xf32>, vector<48xf32>
      -> vector<48x64xf32>
  return %o1 : vector<48x64xf32>
}

// CHECK-LABEL: @accumulate_count_and_keep(
// CHECK-SAME: %[[C:[^:]+]]: index, %[[KEEP:[^:]+]]: vector<48x128xi1>
// CHECK: attn.accumulate %{{.+}}, %{{.+}}[%{{.+}}] count(%[[C]]) keep(%[[KEEP]] : vector<48x128xi1>) acc(
func.func @accumulate_count_and_keep(%c: index, %keep: vector<48x128xi1>,
                                     %p: vector<48x128xf32>,
                                     %v: memref<?x64xf32>,
                                     %o: vector<48x64xf32>, %a: vector<48xf32>)
    -> vector<48x64xf32> {
  %o1 = attn.accumulate %p, %v[%c] count(%c) keep(%keep : vector<48x128xi1>)
      acc(%o) rescale(%a)
      : vector<48x128xf32>, memref<?x64xf32>, vector<48xf32>
      -> vector<48x64xf32>
  return %o1 : vector<48x64xf32>
}

// CHECK-LABEL: @accumulate_keep(
// CHECK-SAME: %[[KEEP:[^:]+]]: vector<48x128xi1>
// CHECK: attn.accumulate %{{.+}}, %{{.+}}[%{{.+}}] keep(%[[KEEP]] : vector<48x128xi1>) acc(
func.func @accumulate_keep(%keep: vector<48x128xi1>, %p: vector<48x128xf32>,
                           %v: memref<?x64xf32>, %i: index,
                           %o: vector<48x64xf32>, %a: vector<48xf32>)
    -> vector<48x64xf32> {
  %o1 = attn.accumulate %p, %v[%i] keep(%keep : vector<48x128xi1>)
      acc(%o) rescale(%a)
      : vector<48x128xf32>, memref<?x64xf32>, vector<48xf32>
      -> vector<48x64xf32>
  return %o1 : vector<48x64xf32>
}

// CHECK-LABEL: @store_output(
// CHECK-SAME: %[[O:.+]]: vector<48x64xf32>, %[[M:.+]]: vector<48xf32>, %[[L:.+]]: vector<48xf32>, %[[OUT:.+]]: memref<1x?x64xf32>, %[[I:.+]]: index)
// CHECK: attn.store_output %[[O]] max(%[[M]]) sum(%[[L]]) into %[[OUT]][%[[I]]] : vector<48x64xf32>, vector<48xf32>, memref<1x?x64xf32>
func.func @store_output(%o: vector<48x64xf32>, %m: vector<48xf32>,
                        %l: vector<48xf32>, %out: memref<1x?x64xf32>,
                        %i: index) {
  attn.store_output %o max(%m) sum(%l) into %out[%i]
      : vector<48x64xf32>, vector<48xf32>, memref<1x?x64xf32>
  return
}

// CHECK-LABEL: @store_output_lse(
// CHECK-SAME: %[[LSE:[^:]+]]: memref<1x?xf32>
// CHECK: into %{{.+}}[%{{.+}}] lse(%[[LSE]] : memref<1x?xf32>) : vector
func.func @store_output_lse(%lse: memref<1x?xf32>, %o: vector<48x64xf32>,
                            %m: vector<48xf32>, %out: memref<1x?x64xf32>,
                            %i: index) {
  attn.store_output %o max(%m) sum(%m) into %out[%i] lse(%lse : memref<1x?xf32>)
      : vector<48x64xf32>, vector<48xf32>, memref<1x?x64xf32>
  return
}

// CHECK-LABEL: @load_lse(
// CHECK-SAME: %[[L:.+]]: memref<1x?xf32>, %[[I:.+]]: index)
// CHECK: attn.load_lse %[[L]][%[[I]]] : memref<1x?xf32> -> vector<48xf32>
func.func @load_lse(%l: memref<1x?xf32>, %i: index) -> vector<48xf32> {
  %r = attn.load_lse %l[%i] : memref<1x?xf32> -> vector<48xf32>
  return %r : vector<48xf32>
}

// CHECK-LABEL: @normalize(
// CHECK-SAME: %[[X:.+]]: vector<48x128xf32>, %[[L:.+]]: vector<48xf32>)
// CHECK: attn.normalize %[[X]] lse(%[[L]]) : vector<48x128xf32>, vector<48xf32>
func.func @normalize(%x: vector<48x128xf32>, %l: vector<48xf32>)
    -> vector<48x128xf32> {
  %w = attn.normalize %x lse(%l) : vector<48x128xf32>, vector<48xf32>
  return %w : vector<48x128xf32>
}

// CHECK-LABEL: @store_weights(
// CHECK-SAME: %[[W:.+]]: vector<48x128xf32>, %[[OUT:.+]]: memref<1x?x?xf32>, %[[I:.+]]: index, %[[J:.+]]: index)
// CHECK: attn.store_weights %[[W]] into %[[OUT]][%[[I]], %[[J]]] : vector<48x128xf32>, memref<1x?x?xf32>
func.func @store_weights(%w: vector<48x128xf32>, %out: memref<1x?x?xf32>,
                         %i: index, %j: index) {
  attn.store_weights %w into %out[%i, %j]
      : vector<48x128xf32>, memref<1x?x?xf32>
  return
}

// CHECK-LABEL: @store_weights_count(
// CHECK-SAME: %[[C:[^:]+]]: index
// CHECK: attn.store_weights %{{.+}} into %{{.+}}[%{{.+}}, %{{.+}}] count(%[[C]]) : vector
func.func @store_weights_count(%c: index, %w: vector<48x128xf32>,
                               %out: memref<1x?x?xf32>) {
  attn.store_weights %w into %out[%c, %c] count(%c)
      : vector<48x128xf32>, memref<1x?x?xf32>
  return
}
