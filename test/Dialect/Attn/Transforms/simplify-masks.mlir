// RUN: fovea-opt %s -attn-simplify-masks -canonicalize | FileCheck %s

!t = tensor<?x1x?x8xf32>

// CHECK-LABEL: @weaker_bound_goes(
// CHECK: ^bb0(%{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %[[P:.+]]: index, %[[J:.+]]: index):
// CHECK-NEXT: %[[C:.+]] = arith.cmpi sle, %[[J]], %[[P]] : index
// CHECK-NEXT: attn.yield %[[C]] : i1
func.func @weaker_bound_goes(%q: !t, %s: f32) -> !t {
  %c3 = arith.constant 3 : index
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    %p3 = arith.addi %p, %c3 : index
    %w = arith.cmpi sle, %j, %p3 : index
    %keep = arith.andi %c, %w : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// Whichever comes first, the stronger one stays.
// CHECK-LABEL: @stronger_bound_second(
// CHECK: ^bb0(%{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %[[P:.+]]: index, %[[J:.+]]: index):
// CHECK-NEXT: %[[C:.+]] = arith.cmpi sle, %[[J]], %[[P]] : index
// CHECK-NEXT: attn.yield %[[C]] : i1
func.func @stronger_bound_second(%q: !t, %s: f32) -> !t {
  %c3 = arith.constant 3 : index
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %p3 = arith.addi %p, %c3 : index
    %w = arith.cmpi sle, %j, %p3 : index
    %c = arith.cmpi sle, %j, %p : index
    %keep = arith.andi %w, %c : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// j < p + 1 is j <= p.
// CHECK-LABEL: @equal_bounds_stay_once(
// CHECK: ^bb0
// CHECK-NEXT: %[[C:.+]] = arith.cmpi sle, %{{.+}}, %{{.+}} : index
// CHECK-NEXT: attn.yield %[[C]] : i1
func.func @equal_bounds_stay_once(%q: !t, %s: f32) -> !t {
  %c1 = arith.constant 1 : index
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    %p1 = arith.addi %p, %c1 : index
    %w = arith.cmpi slt, %j, %p1 : index
    %keep = arith.andi %c, %w : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// CHECK-LABEL: @flipped_comparison(
// CHECK: ^bb0
// CHECK-NEXT: %[[C:.+]] = arith.cmpi sle, %{{.+}}, %{{.+}} : index
// CHECK-NEXT: attn.yield %[[C]] : i1
func.func @flipped_comparison(%q: !t, %s: f32) -> !t {
  %c3 = arith.constant 3 : index
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    %p3 = arith.addi %p, %c3 : index
    %w = arith.cmpi sge, %p3, %j : index
    %keep = arith.andi %c, %w : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// CHECK-LABEL: @both_sides_of_a_window_stay(
// CHECK: arith.cmpi sle
// CHECK: arith.cmpi sge
// CHECK: %[[KEEP:.+]] = arith.andi
// CHECK: attn.yield %[[KEEP]] : i1
func.func @both_sides_of_a_window_stay(%q: !t, %s: f32) -> !t {
  %c3 = arith.constant 3 : index
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    %p3 = arith.subi %p, %c3 : index
    %w = arith.cmpi sge, %j, %p3 : index
    %keep = arith.andi %c, %w : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// p is not i: which bound is stronger depends on the offset.
// CHECK-LABEL: @row_and_position_are_not_compared(
// CHECK: arith.cmpi sle
// CHECK: arith.cmpi sle
// CHECK: arith.andi
func.func @row_and_position_are_not_compared(%q: !t, %s: f32) -> !t {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    %w = arith.cmpi sle, %j, %i : index
    %keep = arith.andi %c, %w : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// Either may hold, so that neither implies the other.
// CHECK-LABEL: @disjunction_stays(
// CHECK: arith.cmpi sle
// CHECK: arith.cmpi sle
// CHECK: arith.ori
func.func @disjunction_stays(%q: !t, %s: f32) -> !t {
  %c3 = arith.constant 3 : index
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    %p3 = arith.addi %p, %c3 : index
    %w = arith.cmpi sle, %j, %p3 : index
    %keep = arith.ori %c, %w : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// CHECK-LABEL: @unsigned_comparison_is_left_alone(
// CHECK: arith.cmpi ule
// CHECK: arith.cmpi ule
// CHECK: arith.andi
func.func @unsigned_comparison_is_left_alone(%q: !t, %s: f32) -> !t {
  %c3 = arith.constant 3 : index
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi ule, %j, %p : index
    %p3 = arith.addi %p, %c3 : index
    %w = arith.cmpi ule, %j, %p3 : index
    %keep = arith.andi %c, %w : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// CHECK-LABEL: @three_conditions(
// CHECK: ^bb0(%{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %[[P:.+]]: index, %[[J:.+]]: index):
// CHECK-NEXT: %[[C:.+]] = arith.cmpi sle, %[[J]], %[[P]] : index
// CHECK-NEXT: %[[ODD:.+]] = arith.cmpi ne, %[[J]], %[[P]] : index
// CHECK-NEXT: %[[KEEP:.+]] = arith.andi %[[ODD]], %[[C]] : i1
// CHECK-NEXT: attn.yield %[[KEEP]] : i1
func.func @three_conditions(%q: !t, %s: f32) -> !t {
  %c3 = arith.constant 3 : index
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    %p3 = arith.addi %p, %c3 : index
    %w = arith.cmpi sle, %j, %p3 : index
    %odd = arith.cmpi ne, %j, %p : index
    %two = arith.andi %w, %odd : i1
    %keep = arith.andi %two, %c : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// CHECK-LABEL: @true_condition_goes(
// CHECK: ^bb0
// CHECK-NEXT: %[[C:.+]] = arith.cmpi sle, %{{.+}}, %{{.+}} : index
// CHECK-NEXT: attn.yield %[[C]] : i1
func.func @true_condition_goes(%q: !t, %s: f32) -> !t {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %true = arith.constant true
    %c = arith.cmpi sle, %j, %p : index
    %keep = arith.andi %c, %true : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// CHECK-LABEL: @weights_too(
// CHECK: attn.sdpa_weights {{.*}} mask {
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[C:.+]] = arith.cmpi sle, %{{.+}}, %{{.+}} : index
// CHECK-NEXT: attn.yield %[[C]] : i1
func.func @weights_too(%q: !t, %l: tensor<?x1x?xf32>, %s: f32)
    -> tensor<?x1x?x?xf32> {
  %c3 = arith.constant 3 : index
  %w = attn.sdpa_weights %q, %q lse(%l) scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    %p3 = arith.addi %p, %c3 : index
    %w3 = arith.cmpi sle, %j, %p3 : index
    %keep = arith.andi %c, %w3 : i1
    attn.yield %keep : i1
  } : !t, !t, tensor<?x1x?xf32> -> tensor<?x1x?x?xf32>
  return %w : tensor<?x1x?x?xf32>
}
