// Repeated sizes and constants are easier to read once each.
// RUN: fovea-opt %s -attn-tile -cse -split-input-file | FileCheck %s

#tiling = #attn.tiling<heads = 1, queries = 48, keys = 128>

// Results become output arguments, with their names and dims.
// CHECK-LABEL: @heads_of_a_group(
// CHECK-SAME: %[[Q:.+]]: memref<?x4x?x8xf32, strided<[?, ?, ?, 1]>> {attn.dims = ["b", 4, "s", 8], attn.name = "q"}, %[[K:.+]]: memref<?x2x?x8xf32, strided<[?, ?, ?, 1]>>, %[[S:.+]]: f32, %[[O:.+]]: memref<?x4x?x8xf32, strided<[?, ?, ?, 1]>> {attn.dims = ["b", 4, "s", 8], attn.name = "out", attn.output})
// CHECK-DAG: %[[C0:.+]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:.+]] = arith.constant 2 : index
// CHECK-DAG: %[[BATCH:.+]] = memref.dim %[[Q]], %[[C0]]
// CHECK-DAG: %[[SQ:.+]] = memref.dim %[[Q]], %[[C2]]
// CHECK: scf.forall (%[[B:.+]], %[[H:.+]], %[[I0:.+]]) = (0, 0, 0) to (%[[BATCH]], 4, %[[SQ]]) step (1, 1, 48) {
// CHECK: %[[G:.+]] = arith.divui %[[H]], %[[C2]]
// CHECK: %[[QV:.+]] = memref.subview %[[Q]][%[[B]], %[[H]], 0, 0] [1, 1, %[[SQ]], 8] [1, 1, 1, 1] : {{.*}} to memref<1x?x8xf32,
// CHECK: %[[KV:.+]] = memref.subview %[[K]][%[[B]], %[[G]], 0, 0] [1, 1, %{{.+}}, 8] [1, 1, 1, 1] : {{.*}} to memref<?x8xf32,
// CHECK: %[[OV:.+]] = memref.subview %[[O]][%[[B]], %[[H]], 0, 0]
// CHECK: attn.sdpa_tile %[[QV]], %[[KV]], %{{.+}} into %[[OV]] at(%[[B]], %[[H]], %[[I0]]) offset(%[[C0]]) scale(%[[S]] : f32) tiling(#{{.+}}) :
// CHECK-NOT: attn.sdpa{{ }}
// CHECK: return{{$}}
func.func @heads_of_a_group(
    %q: tensor<?x4x?x8xf32> {attn.dims = ["b", 4, "s", 8], attn.name = "q"},
    %k: tensor<?x2x?x8xf32>, %s: f32)
    -> (tensor<?x4x?x8xf32> {attn.dims = ["b", 4, "s", 8], attn.name = "out"}) {
  %out = attn.sdpa %q, %k, %k scale(%s : f32) tiling(#tiling)
      : tensor<?x4x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
      -> tensor<?x4x?x8xf32>
  return %out : tensor<?x4x?x8xf32>
}

// -----

// Two heads a tile: the loop takes two at a time and the views hold both.
// CHECK-LABEL: @two_heads_a_tile(
// CHECK: scf.forall (%[[B:.+]], %[[H:.+]], %{{.+}}) = (0, 0, 0) to (%{{.+}}, 4, %{{.+}}) step (1, 2, 24) {
// CHECK: memref.subview %{{.+}}[%[[B]], %[[H]], 0, 0] [1, 2, %{{.+}}, 8] {{.*}} to memref<2x?x8xf32,
// CHECK: attn.sdpa_tile
func.func @two_heads_a_tile(%q: tensor<?x4x?x8xf32>, %k: tensor<?x2x?x8xf32>,
                            %s: f32) -> tensor<?x4x?x8xf32> {
  %out = attn.sdpa %q, %k, %k scale(%s : f32)
      tiling(<heads = 2, queries = 24, keys = 128>)
      : tensor<?x4x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
      -> tensor<?x4x?x8xf32>
  return %out : tensor<?x4x?x8xf32>
}

// -----

// The offset region is computed once a tile, at the batch of the tile.
// CHECK-LABEL: @offset(
// CHECK-SAME: %[[POS:[^:]+]]: memref<?xindex, strided<[1]>>
// CHECK: scf.forall (%[[B:.+]], %{{.+}}, %{{.+}}) =
// CHECK: %[[OFF:.+]] = memref.load %[[POS]][%[[B]]]
// CHECK: attn.sdpa_tile {{.*}} offset(%[[OFF]])
func.func @offset(%pos: tensor<?xindex>, %q: tensor<?x1x?x8xf32>, %s: f32)
    -> tensor<?x1x?x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) offset {
  ^bb0(%b: index):
    %o = tensor.extract %pos[%b] : tensor<?xindex>
    attn.yield %o : index
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}

// -----

// A bool is a byte of the caller; any nonzero byte is true.
// CHECK-LABEL: @captured_bools(
// CHECK-SAME: %[[M:[^:]+]]: memref<?x?xi8, strided<[?, 1]>>
// CHECK: attn.sdpa_tile {{.*}} mask {
// CHECK-NEXT: ^bb0(%{{.+}}: index, %{{.+}}: index, %[[I:.+]]: index, %{{.+}}: index, %[[J:.+]]: index):
// CHECK-NEXT: %[[BYTE:.+]] = memref.load %[[M]][%[[I]], %[[J]]]
// CHECK-NEXT: %[[ZERO:.+]] = arith.constant 0 : i8
// CHECK-NEXT: %[[KEEP:.+]] = arith.cmpi ne, %[[BYTE]], %[[ZERO]]
// CHECK-NEXT: attn.yield %[[KEEP]]
func.func @captured_bools(%m: tensor<?x?xi1>, %q: tensor<?x1x?x8xf32>, %s: f32)
    -> tensor<?x1x?x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = tensor.extract %m[%i, %j] : tensor<?x?xi1>
    attn.yield %keep : i1
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}

// -----

// CHECK: memref.global "private" constant @[[G:.+]] : memref<2xf32> = dense<[1.000000e+00, 5.000000e-01]>
// CHECK-LABEL: func.func @captured_constant(
// CHECK: %[[M:.+]] = memref.get_global @[[G]] : memref<2xf32>
// CHECK: attn.sdpa_tile {{.*}} score {
// CHECK: memref.load %[[M]][%{{.+}}] : memref<2xf32>
func.func @captured_constant(%q: tensor<?x2x?x8xf32>, %s: f32)
    -> tensor<?x2x?x8xf32> {
  %slopes = arith.constant dense<[1.0, 0.5]> : tensor<2xf32>
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<2xf32>
    %y = arith.mulf %x, %slope : f32
    attn.yield %y : f32
  } : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
      -> tensor<?x2x?x8xf32>
  return %out : tensor<?x2x?x8xf32>
}

// -----

// CHECK-LABEL: @tensor_dim(
// CHECK-SAME: %{{[^:]+}}: memref<?x1x?x8xf32, strided<[?, ?, ?, 1]>>, %[[K:[^:]+]]: memref
// CHECK: %[[SK:.+]] = memref.dim %[[K]],
// CHECK: attn.sdpa_tile {{.*}} offset(%[[SK]])
func.func @tensor_dim(%q: tensor<?x1x?x8xf32>, %k: tensor<?x1x?x8xf32>,
                      %s: f32) -> tensor<?x1x?x8xf32> {
  %c2 = arith.constant 2 : index
  %sk = tensor.dim %k, %c2 : tensor<?x1x?x8xf32>
  %out = attn.sdpa %q, %k, %k scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) offset {
  ^bb0(%b: index):
    attn.yield %sk : index
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}

// -----

// An LSE that only the weights read is an intermediate tensor. The weights come
// in a loop of their own.
// CHECK-LABEL: @weights(
// CHECK-SAME: %[[W:[^ ]+]]: memref<?x1x?x?xf32, strided<[?, ?, ?, 1]>> {attn.output})
// CHECK: %[[LSE:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {{.*}} : memref<?x1x?xf32>
// CHECK: scf.forall
// CHECK: %[[L0:.+]] = memref.subview %[[LSE]]
// CHECK: attn.sdpa_tile {{.*}} lse(%[[L0]] :
// CHECK: scf.forall (%[[B:.+]], %[[H:.+]], %[[I0:.+]]) =
// CHECK: %[[L1:.+]] = memref.subview %[[LSE]]
// CHECK: %[[WV:.+]] = memref.subview %[[W]][%[[B]], %[[H]], 0, 0]
// CHECK: attn.weights_tile {{.*}} lse(%[[L1]]) into %[[WV]] at(%[[B]], %[[H]], %[[I0]])
func.func @weights(%q: tensor<?x1x?x8xf32>, %s: f32)
    -> (tensor<?x1x?x8xf32>, tensor<?x1x?x?xf32>) {
  %out, %lse = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>)
      : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>, tensor<?x1x?xf32>
  %w = attn.sdpa_weights %q, %q lse(%lse) scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>)
      : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?xf32>
      -> tensor<?x1x?x?xf32>
  return %out, %w : tensor<?x1x?x8xf32>, tensor<?x1x?x?xf32>
}

// -----

// A task projects 64 tokens to one head: the columns of the weight for it.
// CHECK-LABEL: @project(
// CHECK-SAME: %[[X:.+]]: memref<?x?x32xf32, {{.*}}>, %[[W:.+]]: memref<32x64xf32, {{.*}}>, %[[BIAS:.+]]: memref<64xf32, {{.*}}>, %[[Y:.+]]: memref<?x4x?x16xf32,
// CHECK: scf.forall (%[[B:.+]], %[[H:.+]], %[[I0:.+]]) = (0, 0, 0) to (%{{.+}}, 4, %{{.+}}) step (1, 1, 64) {
// CHECK: %[[C16:.+]] = arith.constant 16 : index
// CHECK: %[[COLUMN:.+]] = arith.muli %[[H]], %[[C16]]
// CHECK: %[[WV:.+]] = memref.subview %[[W]][0, %[[COLUMN]]] [32, 16] [1, 1]
// CHECK: %[[BV:.+]] = memref.subview %[[BIAS]][%[[COLUMN]]] [16] [1]
// CHECK: %[[XV:.+]] = memref.subview %[[X]][%[[B]], 0, 0] [1, %{{.+}}, 32]
// CHECK: %[[YV:.+]] = memref.subview %[[Y]][%[[B]], %[[H]], 0, 0] [1, 1, %{{.+}}, 16]
// CHECK: attn.project_tile %[[XV]], %[[WV]] bias(%[[BV]] : {{.*}}) into %[[YV]] row(%[[I0]]) rows(64)
func.func @project(%x: tensor<?x?x32xf32>, %w: tensor<32x64xf32>,
                   %bias: tensor<64xf32>) -> tensor<?x4x?x16xf32> {
  %y = attn.project %x, %w bias(%bias : tensor<64xf32>)
      : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x4x?x16xf32>
  return %y : tensor<?x4x?x16xf32>
}

// -----

// The attention writes the merged layout: no copy, no memory of its own.
// CHECK-LABEL: @merge_heads(
// CHECK-SAME: %[[Y:[^ ]+]]: memref<?x?x16xf32, strided<[?, ?, 1]>> {attn.output})
// CHECK-NOT: memref.alloc
// CHECK: memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [%{{.+}}, 2, %{{.+}}, 8], strides: [%[[SB:.+]], 8, %[[SS:.+]], 1]
// CHECK: scf.forall
// CHECK: attn.sdpa_tile
// CHECK-NOT: merge_heads
func.func @merge_heads(%q: tensor<?x2x?x8xf32>, %s: f32) -> tensor<?x?x16xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>)
      : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
      -> tensor<?x2x?x8xf32>
  %y = attn.merge_heads %out : tensor<?x2x?x8xf32> -> tensor<?x?x16xf32>
  return %y : tensor<?x?x16xf32>
}

// -----

// What the output projection reads is laid out as tokens, heads side by side.
// CHECK-LABEL: @output_projection(
// CHECK: %[[TOKENS:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {{.*}} : memref<?x?x16xf32>
// CHECK: scf.forall
// CHECK: attn.sdpa_tile
// CHECK: scf.forall (%{{.+}}, %{{.+}}, %{{.+}}) = (0, 0, 0) to (%{{.+}}, 1, %{{.+}}) step (1, 1, 64) {
// CHECK: attn.project_tile {{.*}} : memref<?x16xf32, {{.*}}>, memref<16x24xf32, {{.*}}>, memref<?x24xf32,
func.func @output_projection(%q: tensor<?x2x?x8xf32>, %wo: tensor<16x24xf32>,
                             %s: f32) -> tensor<?x?x24xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>)
      : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
      -> tensor<?x2x?x8xf32>
  %y = attn.project %out, %wo
      : tensor<?x2x?x8xf32>, tensor<16x24xf32> -> tensor<?x?x24xf32>
  return %y : tensor<?x?x24xf32>
}

// -----

// A static size of 0 is dynamic in the type: a view of it has no legal offset.
// CHECK-LABEL: @no_rows(
// CHECK-SAME: %{{.+}}: memref<?x1x?x8xf32, strided<[?, ?, ?, 1]>>
func.func @no_rows(%q: tensor<?x1x0x8xf32>, %s: f32) -> tensor<?x1x0x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>)
      : tensor<?x1x0x8xf32>, tensor<?x1x0x8xf32>, tensor<?x1x0x8xf32>
      -> tensor<?x1x0x8xf32>
  return %out : tensor<?x1x0x8xf32>
}

// -----

// Tokens are read as they lie: another way to walk the caller's memory.
// CHECK-LABEL: @split_heads(
// CHECK-SAME: %[[X:.+]]: memref<?x?x16xf32, strided<[?, ?, 1]>>, %{{.+}}: f32,
// CHECK-NOT: memref.alloc
// CHECK: %{{.+}}, %{{.+}}, %{{.+}}:3, %[[ST:.+]]:3 = memref.extract_strided_metadata %[[X]]
// CHECK: %[[Q:.+]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%{{.+}}, 2, %{{.+}}, 8], strides: [%[[ST]]#0, 8, %[[ST]]#1, 1]
// CHECK: scf.forall
// CHECK: memref.subview %[[Q]]
// CHECK-NOT: split_heads
// CHECK: return
func.func @split_heads(%x: tensor<?x?x16xf32>, %s: f32) -> tensor<?x2x?x8xf32> {
  %q = attn.split_heads %x : tensor<?x?x16xf32> -> tensor<?x2x?x8xf32>
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>)
      : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
      -> tensor<?x2x?x8xf32>
  return %out : tensor<?x2x?x8xf32>
}

// -----

// Heads apart keep the caller's stride between heads.
// CHECK-LABEL: @split_and_merge_heads_apart(
// CHECK-SAME: %[[X:.+]]: memref<?x?x2x8xf32, strided<[?, ?, ?, 1]>>, %{{.+}}: f32, %[[Y:.+]]: memref<?x?x2x8xf32, strided<[?, ?, ?, 1]>> {attn.output})
// CHECK-NOT: memref.alloc
// CHECK-DAG: memref.transpose %[[X]] (d0, d1, d2, d3) -> (d0, d2, d1, d3)
// CHECK-DAG: memref.transpose %[[Y]] (d0, d1, d2, d3) -> (d0, d2, d1, d3)
// CHECK: attn.sdpa_tile
func.func @split_and_merge_heads_apart(%x: tensor<?x?x2x8xf32>, %s: f32)
    -> tensor<?x?x2x8xf32> {
  %q = attn.split_heads %x : tensor<?x?x2x8xf32> -> tensor<?x2x?x8xf32>
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>)
      : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
      -> tensor<?x2x?x8xf32>
  %y = attn.merge_heads %out : tensor<?x2x?x8xf32> -> tensor<?x?x2x8xf32>
  return %y : tensor<?x?x2x8xf32>
}

// -----

// Where there are as many tokens as heads, the type alone would not tell the
// two apart.
#tiling = #attn.tiling<heads = 1, queries = 48, keys = 128>
// CHECK-LABEL: @as_many_tokens_as_heads(
// CHECK-SAME: %[[X:.+]]: memref<1x2x2x8xf32, strided<[?, ?, ?, 1]>>,
// CHECK: %[[HEADS:.+]] = memref.transpose %[[X]] (d0, d1, d2, d3) -> (d0, d2, d1, d3)
// CHECK: memref.subview %[[HEADS]]
func.func @as_many_tokens_as_heads(%x: tensor<1x2x2x8xf32>, %s: f32)
    -> tensor<1x2x2x8xf32> {
  %q = attn.split_heads %x : tensor<1x2x2x8xf32> -> tensor<1x2x2x8xf32>
  %out = attn.sdpa %q, %q, %q scale(%s : f32) tiling(#tiling)
      : tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>
      -> tensor<1x2x2x8xf32>
  return %out : tensor<1x2x2x8xf32>
}

// -----

// A view of one query of one head drops the dims before it, whatever their
// strides.
#tiling = #attn.tiling<heads = 1, queries = 48, keys = 128>
// CHECK-LABEL: @one_query(
// CHECK: memref.subview %{{.+}}[%{{.+}}, %{{.+}}, 0, 0] [1, 1, 1, 8] [1, 1, 1, 1] : memref<2x2x1x8xf32, strided<[?, 8, ?, 1]>> to memref<1x1x8xf32, strided<[8, ?, 1], offset: ?>>
func.func @one_query(%x: tensor<2x1x16xf32>, %s: f32) -> tensor<2x2x1x8xf32> {
  %q = attn.split_heads %x : tensor<2x1x16xf32> -> tensor<2x2x1x8xf32>
  %out = attn.sdpa %q, %q, %q scale(%s : f32) tiling(#tiling)
      : tensor<2x2x1x8xf32>, tensor<2x2x1x8xf32>, tensor<2x2x1x8xf32>
      -> tensor<2x2x1x8xf32>
  return %out : tensor<2x2x1x8xf32>
}

// -----

// A size of 0 is dynamic from here on.
#tiling = #attn.tiling<heads = 1, queries = 48, keys = 128>
// CHECK-LABEL: @no_tokens(
// CHECK-SAME: memref<1x?x2x8xf32, strided<[?, ?, ?, 1]>>,
func.func @no_tokens(%x: tensor<1x0x2x8xf32>, %s: f32)
    -> tensor<1x2x0x8xf32> {
  %q = attn.split_heads %x : tensor<1x0x2x8xf32> -> tensor<1x2x0x8xf32>
  %out = attn.sdpa %q, %q, %q scale(%s : f32) tiling(#tiling)
      : tensor<1x2x0x8xf32>, tensor<1x2x0x8xf32>, tensor<1x2x0x8xf32>
      -> tensor<1x2x0x8xf32>
  return %out : tensor<1x2x0x8xf32>
}
