// RUN: fovea-opt %s -attn-simplify-masks --remarks-filter=masks -verify-diagnostics -o /dev/null

!t = tensor<?x1x?x8xf32>

func.func @implied(%q: !t, %s: f32) -> !t {
  %c3 = arith.constant 3 : index
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    %p3 = arith.addi %p, %c3 : index
    // expected-remark@below {{Reason="the one at 9:10", Remark="the condition is implied by another and goes"}}
    %w = arith.cmpi sle, %j, %p3 : index
    %keep = arith.andi %c, %w : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

func.func @always_true(%q: !t, %s: f32) -> !t {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    // expected-remark@below {{Remark="the condition is always true and goes"}}
    %true = arith.constant true
    %c = arith.cmpi sle, %j, %p : index
    %keep = arith.andi %c, %true : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}

// Neither implies the other, and nothing is said.
func.func @both_stay(%q: !t, %s: f32) -> !t {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    %w = arith.cmpi sge, %j, %i : index
    %keep = arith.andi %c, %w : i1
    attn.yield %keep : i1
  } : !t, !t, !t -> !t
  return %out : !t
}
