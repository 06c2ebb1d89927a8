// attn.sdpa and attn.sdpa_weights, printed and parsed again.
// RUN: fovea-opt %s | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --mlir-print-op-generic | fovea-opt | FileCheck %s

// CHECK-DAG: #[[TILING:.+]] = #attn.tiling<heads = 1, queries = 48, keys = 128>

// CHECK-LABEL: @bare(
// CHECK-SAME: %[[Q:.+]]: tensor<?x8x?x64xf32>, %[[K:.+]]: tensor<?x2x?x64xf32>, %[[V:.+]]: tensor<?x2x?x32xf32>, %[[S:.+]]: f32)
// CHECK: %[[OUT:.+]] = attn.sdpa %[[Q]], %[[K]], %[[V]] scale(%[[S]] : f32) : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32> -> tensor<?x8x?x32xf32>
// CHECK: return %[[OUT]]
func.func @bare(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
                %v: tensor<?x2x?x32xf32>, %s: f32) -> tensor<?x8x?x32xf32> {
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return %out : tensor<?x8x?x32xf32>
}

// CHECK-LABEL: @lse(
// CHECK: %[[OUT:.+]], %[[LSE:.+]] = attn.sdpa {{.*}} -> tensor<2x8x16x64xf32>, tensor<2x8x16xf32>
// CHECK: return %[[OUT]], %[[LSE]]
func.func @lse(%q: tensor<2x8x16x64xf32>, %s: f32)
    -> (tensor<2x8x16x64xf32>, tensor<2x8x16xf32>) {
  %out, %lse = attn.sdpa %q, %q, %q scale(%s : f32)
      : tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>
      -> tensor<2x8x16x64xf32>, tensor<2x8x16xf32>
  return %out, %lse : tensor<2x8x16x64xf32>, tensor<2x8x16xf32>
}

// CHECK-LABEL: @tiling(
// CHECK: attn.sdpa {{.*}} scale(%{{.+}} : f32) tiling(#[[TILING]]) : tensor
func.func @tiling(%q: tensor<?x1x?x8xf32>, %s: f32) -> tensor<?x1x?x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>)
      : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}

// CHECK-LABEL: @half_types(
// CHECK: attn.sdpa {{.*}} scale(%{{.+}} : f32) : tensor<?x1x?x8xbf16>, {{.*}} -> tensor<?x1x?x8xbf16>, tensor<?x1x?xf32>
func.func @half_types(%q: tensor<?x1x?x8xbf16>, %s: f32)
    -> (tensor<?x1x?x8xbf16>, tensor<?x1x?xf32>) {
  %out, %lse = attn.sdpa %q, %q, %q scale(%s : f32)
      : tensor<?x1x?x8xbf16>, tensor<?x1x?x8xbf16>, tensor<?x1x?x8xbf16>
      -> tensor<?x1x?x8xbf16>, tensor<?x1x?xf32>
  return %out, %lse : tensor<?x1x?x8xbf16>, tensor<?x1x?xf32>
}

// CHECK-LABEL: @double(
// CHECK: attn.sdpa {{.*}} scale(%{{.+}} : f64) : tensor<?x1x?x8xf64>
func.func @double(%q: tensor<?x1x?x8xf64>, %s: f64) -> tensor<?x1x?x8xf64> {
  %out = attn.sdpa %q, %q, %q scale(%s : f64)
      : tensor<?x1x?x8xf64>, tensor<?x1x?x8xf64>, tensor<?x1x?x8xf64>
      -> tensor<?x1x?x8xf64>
  return %out : tensor<?x1x?x8xf64>
}

// CHECK-LABEL: @offset_region(
// CHECK-SAME: %[[POS:[^:]+]]: tensor<?xindex>
// CHECK: attn.sdpa {{.*}} offset {
// CHECK-NEXT: ^bb0(%[[B:.+]]: index):
// CHECK-NEXT: %[[O:.+]] = tensor.extract %[[POS]][%[[B]]] : tensor<?xindex>
// CHECK-NEXT: attn.yield %[[O]] : index
// CHECK-NEXT: } : tensor
func.func @offset_region(%pos: tensor<?xindex>, %q: tensor<?x1x?x8xf32>,
                         %s: f32) -> tensor<?x1x?x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) offset {
  ^bb0(%b: index):
    %o = tensor.extract %pos[%b] : tensor<?xindex>
    attn.yield %o : index
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}

// CHECK-LABEL: @score_region(
// CHECK: attn.sdpa {{.*}} score {
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index):
// CHECK-NEXT: %[[Y:.+]] = math.tanh %[[X]] : f32
// CHECK-NEXT: attn.yield %[[Y]] : f32
func.func @score_region(%q: tensor<?x1x?x8xf32>, %s: f32)
    -> tensor<?x1x?x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %y = math.tanh %x : f32
    attn.yield %y : f32
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}

// CHECK-LABEL: @mask_region(
// CHECK: attn.sdpa {{.*}} mask {
// CHECK-NEXT: ^bb0(%{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %[[P:.+]]: index, %[[J:.+]]: index):
// CHECK-NEXT: %[[KEEP:.+]] = arith.cmpi sle, %[[J]], %[[P]] : index
// CHECK-NEXT: attn.yield %[[KEEP]] : i1
func.func @mask_region(%q: tensor<?x1x?x8xf32>, %s: f32)
    -> tensor<?x1x?x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi sle, %j, %p : index
    attn.yield %keep : i1
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}

// CHECK-LABEL: @all_regions(
// CHECK: attn.sdpa {{.*}} tiling(#[[TILING]]) offset {
// CHECK: } score {
// CHECK: } mask {
// CHECK: } {note = "kept"} : tensor
func.func @all_regions(%q: tensor<?x1x?x8xf32>, %s: f32)
    -> tensor<?x1x?x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) offset {
  ^bb0(%b: index):
    attn.yield %b : index
  } score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %y = arith.negf %x : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi slt, %i, %j : index
    attn.yield %keep : i1
  } {note = "kept"} : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}

// CHECK-LABEL: @weights(
// CHECK-SAME: %[[Q:.+]]: tensor<?x8x?x64xf32>, %[[K:.+]]: tensor<?x2x?x64xf32>, %[[L:.+]]: tensor<?x8x?xf32>, %[[S:.+]]: f32)
// CHECK: attn.sdpa_weights %[[Q]], %[[K]] lse(%[[L]]) scale(%[[S]] : f32) : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?xf32> -> tensor<?x8x?x?xf32>
func.func @weights(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
                   %lse: tensor<?x8x?xf32>, %s: f32) -> tensor<?x8x?x?xf32> {
  %w = attn.sdpa_weights %q, %k lse(%lse) scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?xf32>
      -> tensor<?x8x?x?xf32>
  return %w : tensor<?x8x?x?xf32>
}

// CHECK-LABEL: @weights_regions(
// CHECK: attn.sdpa_weights {{.*}} tiling(#[[TILING]]) offset {
// CHECK: } score {
// CHECK: } mask {
// CHECK: } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?xf32> -> tensor<?x1x?x?xf32>
func.func @weights_regions(%q: tensor<?x1x?x8xf32>, %lse: tensor<?x1x?xf32>,
                           %s: f32) -> tensor<?x1x?x?xf32> {
  %w = attn.sdpa_weights %q, %q lse(%lse) scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) offset {
  ^bb0(%b: index):
    attn.yield %b : index
  } score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %y = arith.negf %x : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi slt, %i, %j : index
    attn.yield %keep : i1
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?xf32>
      -> tensor<?x1x?x?xf32>
  return %w : tensor<?x1x?x?xf32>
}
