// The operations of stage tiled, printed and parsed again.
// RUN: fovea-opt %s | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --mlir-print-op-generic | fovea-opt | FileCheck %s

// CHECK-DAG: #[[ONE:.+]] = #attn.tiling<heads = 1, queries = 48, keys = 128>
// CHECK-DAG: #[[TWO:.+]] = #attn.tiling<heads = 2, queries = 24, keys = 128>

// CHECK-LABEL: @sdpa_tile(
// CHECK-SAME: %[[Q:.+]]: memref<1x?x64xf32>, %[[K:.+]]: memref<?x64xf32>, %[[O:.+]]: memref<1x?x64xf32>, %[[I:.+]]: index, %[[S:.+]]: f32)
// CHECK: attn.sdpa_tile %[[Q]], %[[K]], %[[K]] into %[[O]] at(%[[I]], %[[I]], %[[I]]) offset(%[[I]]) scale(%[[S]] : f32) tiling(#[[ONE]]) : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x64xf32>, memref<1x?x64xf32>
func.func @sdpa_tile(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
                     %o: memref<1x?x64xf32>, %i: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %o at(%i, %i, %i) offset(%i) scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x64xf32>,
        memref<1x?x64xf32>
  return
}

// CHECK-LABEL: @sdpa_tile_lse(
// CHECK-SAME: %[[L:[^:]+]]: memref<2x?xf32>
// CHECK: into %{{.+}} lse(%[[L]] : memref<2x?xf32>) at({{.*}} tiling(#[[TWO]])
func.func @sdpa_tile_lse(%l: memref<2x?xf32>, %q: memref<2x?x64xf32>,
                         %k: memref<?x64xf32>, %i: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q lse(%l : memref<2x?xf32>) at(%i, %i, %i)
      offset(%i) scale(%s : f32) tiling(<heads = 2, queries = 24, keys = 128>)
      : memref<2x?x64xf32>, memref<?x64xf32>, memref<?x64xf32>,
        memref<2x?x64xf32>
  return
}

// CHECK-LABEL: @sdpa_tile_regions(
// CHECK-SAME: %[[T:[^:]+]]: memref<?xf32>
// CHECK: attn.sdpa_tile {{.*}} tiling(#[[ONE]]) score {
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %[[J:.+]]: index):
// CHECK-NEXT: %[[READ:.+]] = memref.load %[[T]][%[[J]]] : memref<?xf32>
// CHECK-NEXT: %[[Y:.+]] = arith.addf %[[X]], %[[READ]] : f32
// CHECK-NEXT: attn.yield %[[Y]] : f32
// CHECK-NEXT: } mask {
// CHECK: attn.yield %{{.+}} : i1
func.func @sdpa_tile_regions(%t: memref<?xf32>, %q: memref<1x?x64xf32>,
                             %k: memref<?x64xf32>, %i0: index, %s: f32) {
  attn.sdpa_tile %q, %k, %k into %q at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %read = memref.load %t[%j] : memref<?xf32>
    %y = arith.addf %x, %read : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi sle, %j, %p : index
    attn.yield %keep : i1
  } : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x64xf32>,
      memref<1x?x64xf32>
  return
}

// CHECK-LABEL: @weights_tile(
// CHECK-SAME: %[[Q:.+]]: memref<1x?x64xf32>, %[[K:.+]]: memref<?x64xf32>, %[[L:.+]]: memref<1x?xf32>, %[[W:.+]]: memref<1x?x?xf32>, %[[I:.+]]: index, %[[S:.+]]: f32)
// CHECK: attn.weights_tile %[[Q]], %[[K]] lse(%[[L]]) into %[[W]] at(%[[I]], %[[I]], %[[I]]) offset(%[[I]]) scale(%[[S]] : f32) tiling(#[[ONE]]) : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>, memref<1x?x?xf32>
func.func @weights_tile(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
                        %l: memref<1x?xf32>, %w: memref<1x?x?xf32>,
                        %i: index, %s: f32) {
  attn.weights_tile %q, %k lse(%l) into %w at(%i, %i, %i) offset(%i)
      scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>)
      : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>,
        memref<1x?x?xf32>
  return
}

// CHECK-LABEL: @weights_tile_regions(
// CHECK: attn.weights_tile {{.*}} tiling(#[[ONE]]) score {
// CHECK: } mask {
// CHECK: } : memref<1x?x64xf32>
func.func @weights_tile_regions(%q: memref<1x?x64xf32>, %k: memref<?x64xf32>,
                                %l: memref<1x?xf32>, %w: memref<1x?x?xf32>,
                                %i0: index, %s: f32) {
  attn.weights_tile %q, %k lse(%l) into %w at(%i0, %i0, %i0) offset(%i0)
      scale(%s : f32) tiling(<heads = 1, queries = 48, keys = 128>) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %y = arith.negf %x : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi sle, %j, %p : index
    attn.yield %keep : i1
  } : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>, memref<1x?x?xf32>
  return
}

// CHECK-LABEL: @project_tile(
// CHECK-SAME: %[[X:.+]]: memref<?x32xf32>, %[[W:.+]]: memref<32x16xf32>, %[[Y:.+]]: memref<?x16xf32>, %[[I:.+]]: index)
// CHECK: attn.project_tile %[[X]], %[[W]] into %[[Y]] row(%[[I]]) rows(48) : memref<?x32xf32>, memref<32x16xf32>, memref<?x16xf32>
func.func @project_tile(%x: memref<?x32xf32>, %w: memref<32x16xf32>,
                        %y: memref<?x16xf32>, %i: index) {
  attn.project_tile %x, %w into %y row(%i) rows(48)
      : memref<?x32xf32>, memref<32x16xf32>, memref<?x16xf32>
  return
}

// CHECK-LABEL: @project_tile_bias(
// CHECK-SAME: %[[B:[^:]+]]: memref<16xf32>
// CHECK: attn.project_tile %{{.+}}, %{{.+}} bias(%[[B]] : memref<16xf32>) into
func.func @project_tile_bias(%b: memref<16xf32>, %x: memref<?x32xf32>,
                             %w: memref<32x16xf32>, %y: memref<?x16xf32>,
                             %i: index) {
  attn.project_tile %x, %w bias(%b : memref<16xf32>) into %y row(%i) rows(48)
      : memref<?x32xf32>, memref<32x16xf32>, memref<?x16xf32>
  return
}
