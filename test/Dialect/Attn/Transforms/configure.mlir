// RUN: fovea-opt %s -attn-configure -split-input-file | FileCheck %s
// RUN: fovea-opt %s -attn-configure="queries=7 keys=9" -split-input-file | FileCheck %s --check-prefix=GIVEN

// A query tile is three vectors of 16 floats.
// CHECK-DAG: #[[FULL:.+]] = #attn.tiling<heads = 1, queries = 48, keys = 128>
// CHECK-DAG: #[[DOUBLE:.+]] = #attn.tiling<heads = 1, queries = 24, keys = 128>
// CHECK-DAG: #[[ONE:.+]] = #attn.tiling<heads = 1, queries = 1, keys = 512>
// CHECK-DAG: #[[EIGHT:.+]] = #attn.tiling<heads = 1, queries = 8, keys = 512>
// CHECK-DAG: #[[FOUR:.+]] = #attn.tiling<heads = 1, queries = 4, keys = 512>
// CHECK-DAG: #[[GROUP:.+]] = #attn.tiling<heads = 4, queries = 1, keys = 512>
// CHECK-DAG: #[[GROUPS:.+]] = #attn.tiling<heads = 4, queries = 12, keys = 128>
// CHECK-DAG: #[[FIVE:.+]] = #attn.tiling<heads = 4, queries = 5, keys = 128>
// CHECK-DAG: #[[TWO:.+]] = #attn.tiling<heads = 1, queries = 32, keys = 128>
// CHECK-DAG: #[[HAND:.+]] = #attn.tiling<heads = 2, queries = 5, keys = 6>
// GIVEN-DAG: #[[GIVEN:.+]] = #attn.tiling<heads = 1, queries = 7, keys = 9>
// GIVEN-DAG: #[[HAND:.+]] = #attn.tiling<heads = 2, queries = 5, keys = 6>
module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
// CHECK-LABEL: @avx512(
// CHECK: attn.sdpa {{.*}} tiling(#[[FULL]]) short([#[[ONE]], #[[EIGHT]]])
// GIVEN-LABEL: @avx512(
// GIVEN: attn.sdpa {{.*}} tiling(#[[GIVEN]])
func.func @avx512(%q: tensor<?x1x?x8xf32>, %s: f32) -> tensor<?x1x?x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}

// CHECK-LABEL: @avx512_double(
// CHECK: attn.sdpa {{.*}} tiling(#[[DOUBLE]]) short([#[[ONE]], #[[FOUR]]])
func.func @avx512_double(%q: tensor<?x1x?x8xf64>, %s: f64)
    -> tensor<?x1x?x8xf64> {
  %out = attn.sdpa %q, %q, %q scale(%s : f64)
      : tensor<?x1x?x8xf64>, tensor<?x1x?x8xf64>, tensor<?x1x?x8xf64>
      -> tensor<?x1x?x8xf64>
  return %out : tensor<?x1x?x8xf64>
}

// A tile of few rows has as many as there are.
// CHECK-LABEL: @one_query(
// CHECK: attn.sdpa {{.*}} tiling(#[[ONE]]) :
func.func @one_query(%q: tensor<?x1x1x8xf32>, %k: tensor<?x1x?x8xf32>, %s: f32)
    -> tensor<?x1x1x8xf32> {
  %out = attn.sdpa %q, %k, %k scale(%s : f32)
      : tensor<?x1x1x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x1x8xf32>
  return %out : tensor<?x1x1x8xf32>
}

// CHECK-LABEL: @seventeen_queries(
// CHECK: attn.sdpa {{.*}} tiling(#[[TWO]])
func.func @seventeen_queries(%q: tensor<?x1x17x8xf32>, %s: f32)
    -> tensor<?x1x17x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      : tensor<?x1x17x8xf32>, tensor<?x1x17x8xf32>, tensor<?x1x17x8xf32>
      -> tensor<?x1x17x8xf32>
  return %out : tensor<?x1x17x8xf32>
}

// CHECK-LABEL: @no_queries(
// CHECK: attn.sdpa {{.*}} tiling(#[[ONE]]) :
func.func @no_queries(%q: tensor<?x1x0x8xf32>, %s: f32)
    -> tensor<?x1x0x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      : tensor<?x1x0x8xf32>, tensor<?x1x0x8xf32>, tensor<?x1x0x8xf32>
      -> tensor<?x1x0x8xf32>
  return %out : tensor<?x1x0x8xf32>
}

// The heads of a group share its keys and values: 4 rows a query, and 12
// queries fill a tile.
// CHECK-LABEL: @group(
// CHECK: attn.sdpa {{.*}} tiling(#[[FULL]]) short([#[[GROUP]], #[[GROUPS]]])
func.func @group(%q: tensor<?x8x?x8xf32>, %k: tensor<?x2x?x8xf32>, %s: f32)
    -> tensor<?x8x?x8xf32> {
  %out = attn.sdpa %q, %k, %k scale(%s : f32)
      : tensor<?x8x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
      -> tensor<?x8x?x8xf32>
  return %out : tensor<?x8x?x8xf32>
}

// CHECK-LABEL: @group_of_five_queries(
// CHECK: attn.sdpa {{.*}} tiling(#[[FIVE]]) :
func.func @group_of_five_queries(%q: tensor<?x8x5x8xf32>,
                                 %k: tensor<?x2x?x8xf32>, %s: f32)
    -> tensor<?x8x5x8xf32> {
  %out = attn.sdpa %q, %k, %k scale(%s : f32)
      : tensor<?x8x5x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
      -> tensor<?x8x5x8xf32>
  return %out : tensor<?x8x5x8xf32>
}

// Reads by head would be gathers with rows in lanes; few rows have none.
// CHECK-LABEL: @group_with_bias(
// CHECK: attn.sdpa {{.*}} tiling(#[[FULL]]) short([#[[GROUP]]])
func.func @group_with_bias(%q: tensor<?x8x?x8xf32>, %k: tensor<?x2x?x8xf32>,
                           %bias: tensor<8xf32>, %s: f32)
    -> tensor<?x8x?x8xf32> {
  %out = attn.sdpa %q, %k, %k scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %more = tensor.extract %bias[%h] : tensor<8xf32>
    %y = arith.addf %x, %more : f32
    attn.yield %y : f32
  } : tensor<?x8x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
      -> tensor<?x8x?x8xf32>
  return %out : tensor<?x8x?x8xf32>
}

// CHECK-LABEL: @tiling_by_hand_stays(
// CHECK: attn.sdpa {{.*}} tiling(#[[HAND]])
// GIVEN-LABEL: @tiling_by_hand_stays(
// GIVEN: attn.sdpa {{.*}} tiling(#[[HAND]])
func.func @tiling_by_hand_stays(%q: tensor<?x2x?x8xf32>,
                                %k: tensor<?x1x?x8xf32>, %s: f32)
    -> tensor<?x2x?x8xf32> {
  %out = attn.sdpa %q, %k, %k scale(%s : f32)
      tiling(<heads = 2, queries = 5, keys = 6>)
      : tensor<?x2x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x2x?x8xf32>
  return %out : tensor<?x2x?x8xf32>
}

// CHECK-LABEL: @weights(
// CHECK: attn.sdpa_weights {{.*}} tiling(#[[FULL]])
func.func @weights(%q: tensor<?x1x?x8xf32>, %l: tensor<?x1x?xf32>, %s: f32)
    -> tensor<?x1x?x?xf32> {
  %w = attn.sdpa_weights %q, %q lse(%l) scale(%s : f32)
      : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?xf32>
      -> tensor<?x1x?x?xf32>
  return %w : tensor<?x1x?x?xf32>
}
}

// -----

// Vectors of 8 floats.
// CHECK: #[[TILING:.+]] = #attn.tiling<heads = 1, queries = 24, keys = 128>
// CHECK-LABEL: @avx2(
// CHECK: attn.sdpa {{.*}} tiling(#[[TILING]])
module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">} {
func.func @avx2(%q: tensor<?x1x?x8xf32>, %s: f32) -> tensor<?x1x?x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}
}

// -----

// Features count, not the processor's name: without AVX-512 it has AVX2.
// CHECK: #[[TILING:.+]] = #attn.tiling<heads = 1, queries = 24, keys = 128>
// CHECK-LABEL: @avx512_is_masked(
// CHECK: attn.sdpa {{.*}} tiling(#[[TILING]])
module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4",
    features = "-avx512f">} {
func.func @avx512_is_masked(%q: tensor<?x1x?x8xf32>, %s: f32)
    -> tensor<?x1x?x8xf32> {
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}
}
