// RUN: fovea-opt %s -canonicalize | FileCheck %s

!t = tensor<?x1x?x8xf32>

// CHECK-LABEL: @true_mask_is_dropped(
// CHECK: attn.sdpa %{{.+}}, %{{.+}}, %{{.+}} scale(%{{.+}} : f32) : tensor
// CHECK-NOT: mask
// CHECK: return
func.func @true_mask_is_dropped(%q: !t, %s: f32) -> !t {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %true = arith.constant true
    attn.yield %true : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// The condition folds first.
// CHECK-LABEL: @mask_that_folds_to_true_is_dropped(
// CHECK: attn.sdpa %{{.+}}, %{{.+}}, %{{.+}} scale(%{{.+}} : f32) : tensor
// CHECK-NOT: mask
// CHECK: return
func.func @mask_that_folds_to_true_is_dropped(%q: !t, %s: f32) -> !t {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi sle, %j, %j : index
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// CHECK-LABEL: @false_mask_stays(
// CHECK: %[[FALSE:.+]] = arith.constant false
// CHECK: attn.sdpa {{.*}} mask {
// CHECK: attn.yield %[[FALSE]] : i1
func.func @false_mask_stays(%q: !t, %s: f32) -> !t {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %false = arith.constant false
    attn.yield %false : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// CHECK-LABEL: @identity_score_is_dropped(
// CHECK: attn.sdpa %{{.+}}, %{{.+}}, %{{.+}} scale(%{{.+}} : f32) : tensor
// CHECK-NOT: score
// CHECK: return
func.func @identity_score_is_dropped(%q: !t, %s: f32) -> !t {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    attn.yield %x : f32
  } : !t, !t, !t -> !t
  return %out : !t
}

// CHECK-LABEL: @changed_score_stays(
// CHECK: attn.sdpa {{.*}} score {
// CHECK-NEXT: ^bb0(%[[X:[^:]+]]: f32,
// CHECK-NEXT: %[[Y:.+]] = arith.negf %[[X]] : f32
// CHECK-NEXT: attn.yield %[[Y]] : f32
func.func @changed_score_stays(%q: !t, %s: f32) -> !t {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %y = arith.negf %x : f32
    attn.yield %y : f32
  } : !t, !t, !t -> !t
  return %out : !t
}

// The regions, the tiling and further attributes stay with the operation.
// CHECK-LABEL: @unused_lse_is_dropped(
// CHECK: %[[OUT:.+]] = attn.sdpa {{.*}} tiling(#{{.+}}) offset {
// CHECK: } score {
// CHECK: } mask {
// CHECK: } {note = "kept"} : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32> -> tensor<?x1x?x8xf32>{{$}}
// CHECK: return %[[OUT]]
func.func @unused_lse_is_dropped(%q: !t, %s: f32) -> !t {
  %out, %lse = attn.sdpa %q, %q, %q scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>) offset {
  ^bb0(%b: index):
    attn.yield %b : index
  } score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %y = arith.negf %x : f32
    attn.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi sle, %j, %p : index
    attn.yield %keep : i1
  } {note = "kept"} : !t, !t, !t -> !t, tensor<?x1x?xf32>
  return %out : !t
}

// CHECK-LABEL: @used_lse_stays(
// CHECK: %[[OUT:.+]], %[[LSE:.+]] = attn.sdpa
// CHECK: return %[[LSE]]
func.func @used_lse_stays(%q: !t, %s: f32) -> tensor<?x1x?xf32> {
  %out, %lse = attn.sdpa %q, %q, %q scale(%s : f32)
      : !t, !t, !t -> !t, tensor<?x1x?xf32>
  return %lse : tensor<?x1x?xf32>
}

// CHECK-LABEL: @unused_attention_is_erased(
// CHECK-NOT: attn.sdpa
// CHECK: return
func.func @unused_attention_is_erased(%q: !t, %s: f32) {
  %out, %lse = attn.sdpa %q, %q, %q scale(%s : f32)
      : !t, !t, !t -> !t, tensor<?x1x?xf32>
  return
}
