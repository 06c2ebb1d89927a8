// RUN: fovea-opt %s -attn-configure --remarks-filter=tiles -verify-diagnostics -split-input-file -o /dev/null
// RUN: fovea-opt %s -attn-configure="queries=7 keys=64" --remarks-filter=tiles -split-input-file -o /dev/null 2>&1 | FileCheck %s

// CHECK: a tile is 7 query rows of 1 head by 64 keys
module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @from_the_target(%q: tensor<?x1x?x8xf32>, %s: f32)
    -> tensor<?x1x?x8xf32> {
  // expected-remark@below {{Reason="the rows fill 3 vectors of 16 f32 ('znver4' has vectors of 64 bytes), their scores take 24 KiB of scratch", Remark="a tile is 48 query rows of 1 head by 128 keys"}}
  // expected-remark@below {{Reason="the rows would fill at most half a vector of 16 f32 ('znver4' has vectors of 64 bytes), their scores take 2 KiB of scratch", Remark="for up to 1 query row a tile is 1 query row of 1 head by 512 keys"}}
  // expected-remark@below {{Remark="for up to 8 query rows a tile is 8 query rows of 1 head by 512 keys"}}
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}
}

// -----

// CHECK: as the pass options say; the rows fill 1 vector of 8 f32
module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">} {
func.func @from_the_query_length(%q: tensor<?x1x9x8xf32>, %s: f32)
    -> tensor<?x1x9x8xf32> {
  // expected-remark@below {{Reason="the query length is 9; the rows fill 2 vectors of 8 f32}}
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      : tensor<?x1x9x8xf32>, tensor<?x1x9x8xf32>, tensor<?x1x9x8xf32>
      -> tensor<?x1x9x8xf32>
  return %out : tensor<?x1x9x8xf32>
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @written_by_hand(%q: tensor<?x1x?x8xf32>, %s: f32)
    -> tensor<?x1x?x8xf32> {
  // expected-remark@below {{tile sizes stay as the input has them}}
  %out = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 5, keys = 6>)
      : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return %out : tensor<?x1x?x8xf32>
}
}
