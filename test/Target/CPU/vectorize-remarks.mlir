// RUN: fovea-opt %s -attn-vectorize --remarks-filter=vectors -verify-diagnostics -split-input-file -o /dev/null

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @straight_from_the_caller(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{Reason="of 32 vector registers 16 hold sums", Remark="products in register tiles of 16 rows by 1 x 16 queries"}}
    // expected-remark@below {{Remark="keys and values are read where the caller has them"}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">} {
func.func @avx2(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<8xf32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %zeros = arith.constant dense<0.0> : vector<8x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 8) {
    // expected-remark@below {{Reason="of 16 vector registers 12 hold sums", Remark="products in register tiles of 12 rows by 1 x 8 queries"}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<8x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<8xf32>, vector<8xf32>, vector<8x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<8x8xf32>, memref<?x8xf32> -> vector<8x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<8x16xf32>, vector<8xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<8x16xf32>, memref<?x8xf32>, vector<8xf32> -> vector<8x8xf32>
      scf.yield %m1, %l1, %o1 : vector<8xf32>, vector<8xf32>, vector<8x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<8x8xf32>, vector<8xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @pairs(%q: memref<1x?x8xbf16>, %k: memref<?x8xbf16>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{Remark="products of bf16 pairs, summed in f32 by one instruction (AVX512_BF16)"}}
    // expected-remark@below {{Reason="bf16 queries would be rounded again", Remark="the scale multiplies each score, not the queries once"}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xbf16> -> vector<16x8xbf16>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<16x8xbf16>, memref<?x8xbf16> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xbf16>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xbf16>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @odd_head_dim(%q: memref<1x?x7xbf16>, %k: memref<?x7xbf16>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x7xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{Reason="pairs need an even head dim", Remark="keys and values are widened from bf16 to f32, one key tile at a time"}}
    %t = attn.load_queries %q[%i0] : memref<1x?x7xbf16> -> vector<16x7xbf16>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x7xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<16x7xbf16>, memref<?x7xbf16> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x7xbf16>, vector<16xf32> -> vector<16x7xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x7xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x7xf32>, vector<16xf32>, memref<1x?x7xbf16>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v4", features = "">} {
func.func @no_pairs_on_the_target(%q: memref<1x?x8xbf16>, %k: memref<?x8xbf16>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{Reason="the target has no AVX512_BF16"}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xbf16> -> vector<16x8xbf16>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<16x8xbf16>, memref<?x8xbf16> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xbf16>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xbf16>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @f16(%q: memref<1x?x8xf16>, %k: memref<?x8xf16>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{Reason="only bf16 has a product of pairs"}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf16> -> vector<16x8xf16>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<16x8xf16>, memref<?x8xf16> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf16>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf16>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @score_region(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      // expected-remark@below {{Remark="the score region runs in vectors of 16 queries; operations for each key: 1"}}
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32) score {
      ^bb0(%x0: f32, %b0: index, %h0: index, %i: index, %pos: index, %j: index):
        %two = arith.constant 2.0 : f32
        %y = arith.mulf %x0, %two : f32
        attn.yield %y : f32
      }
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @mask_region(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      // expected-remark@below {{Remark="the mask region runs in vectors of 16 queries; operations for each key: 1"}}
      %x, %kept = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32) mask {
      ^bb0(%b0: index, %h0: index, %i: index, %pos: index, %j: index):
        %keep = arith.cmpi sle, %j, %pos : index
        attn.yield %keep : i1
      }
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>, vector<16x16xi1>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      // expected-remark@below {{Remark="partial key tiles whose values hold NaN or infinity leave forbidden keys out one by one; full ones are not looked at"}}
      %o1 = attn.accumulate %p, %k[%j0] keep(%kept : vector<16x16xi1>) acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @staged_read(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %bias0: memref<?x?xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      // expected-remark@below {{runs in vectors of 16 queries}}
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32) score {
      ^bb0(%x0: f32, %b0: index, %h0: index, %i: index, %pos: index, %j: index):
        // expected-remark@below {{Remark="what is read by query is copied to scratch, queries side by side, once for a key tile"}}
        %bias = memref.load %bias0[%i, %j] : memref<?x?xf32>
        %y = arith.addf %x0, %bias : f32
        attn.yield %y : f32
      }
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @broadcast_read(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %bias0: memref<?xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      // expected-remark@below {{runs in vectors of 16 queries}}
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32) score {
      ^bb0(%x0: f32, %b0: index, %h0: index, %i: index, %pos: index, %j: index):
        // expected-remark@below {{Remark="one element is read for all queries of a tile"}}
        %bias = memref.load %bias0[%j] : memref<?xf32>
        %y = arith.addf %x0, %bias : f32
        attn.yield %y : f32
      }
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @key_not_last(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %bias0: memref<?x?xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      // expected-remark@below {{runs in vectors of 16 queries}}
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32) score {
      ^bb0(%x0: f32, %b0: index, %h0: index, %i: index, %pos: index, %j: index):
        // expected-remark@below {{Reason="the key is not its last index", Remark="what is read by query is gathered element by element for each key"}}
        %bias = memref.load %bias0[%j, %i] : memref<?x?xf32>
        %y = arith.addf %x0, %bias : f32
        attn.yield %y : f32
      }
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @computed_index(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %bias0: memref<?x?xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      // expected-remark@below {{runs in vectors of 16 queries}}
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32) score {
      ^bb0(%x0: f32, %b0: index, %h0: index, %i: index, %pos: index, %j: index):
        // expected-remark@below {{Reason="an index is computed from i, p or j"}}
        %bias = memref.load %bias0[%pos, %j] : memref<?x?xf32>
        %y = arith.addf %x0, %bias : f32
        attn.yield %y : f32
      }
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @strided(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %bias0: memref<?x?xf32, strided<[?, ?]>>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      // expected-remark@below {{runs in vectors of 16 queries}}
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32) score {
      ^bb0(%x0: f32, %b0: index, %h0: index, %i: index, %pos: index, %j: index):
        // expected-remark@below {{Reason="its last dim has a stride"}}
        %bias = memref.load %bias0[%i, %j] : memref<?x?xf32, strided<[?, ?]>>
        %y = arith.addf %x0, %bias : f32
        attn.yield %y : f32
      }
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @several_heads(%q: memref<2x?x8xf32>, %k: memref<?x8xf32>, %bias0: memref<?x?xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 2, 8) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    %t = attn.load_queries %q[%i0] : memref<2x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      // expected-remark@below {{runs in vectors of 16 queries}}
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(2) scale(%s : f32) score {
      ^bb0(%x0: f32, %b0: index, %h0: index, %i: index, %pos: index, %j: index):
        // expected-remark@below {{Reason="a tile has several heads"}}
        %bias = memref.load %bias0[%i, %j] : memref<?x?xf32>
        %y = arith.addf %x0, %bias : f32
        attn.yield %y : f32
      }
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<2x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @scores_with_another_user(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      // expected-remark@below {{Reason="the scores have another user than the softmax step", Remark="the row maximum is taken in a pass of its own"}}
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %w = arith.addf %p, %x : vector<16x16xf32>
      %o1 = attn.accumulate %w, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @weights_changed_before_the_product(%q: memref<1x?x8xbf16>, %k: memref<?x8xbf16>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{bf16 pairs}}
    // expected-remark@below {{the scale multiplies each score}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xbf16> -> vector<16x8xbf16>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%s : f32)
          : vector<16x8xbf16>, memref<?x8xbf16> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %w = arith.addf %p, %p : vector<16x16xf32>
      // expected-remark@below {{Reason="the softmax step is not all that makes them", Remark="the weights are packed to pairs in a pass of their own"}}
      %o1 = attn.accumulate %w, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xbf16>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xbf16>
  }
  return
}
}

// -----

module attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "">} {
func.func @scale_of_a_row_tile(%q: memref<1x?x8xf32>, %k: memref<?x8xf32>, %n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %none = arith.constant dense<0xFF800000> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %zeros = arith.constant dense<0.0> : vector<16x8xf32>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, %n) step (1, 1, 16) {
    %own = arith.addf %s, %s : f32
    // expected-remark@below {{products in register tiles of 16 rows by 1 x 16 queries}}
    // expected-remark@below {{keys and values are read where the caller has them}}
    // expected-remark@below {{Reason="the scores of a row tile have not one scale"}}
    %t = attn.load_queries %q[%i0] : memref<1x?x8xf32> -> vector<16x8xf32>
    %r:3 = scf.for %j0 = %c0 to %n step %c16
        iter_args(%m = %none, %l = %zero, %o = %zeros)
        -> (vector<16xf32>, vector<16xf32>, vector<16x8xf32>) {
      %x = attn.scores %t, %k[%j0] queries(%n) at(%b, %h, %i0) offset(%c0)
          heads(1) scale(%own : f32)
          : vector<16x8xf32>, memref<?x8xf32> -> vector<16x16xf32>
      %p, %m1, %l1, %a = attn.softmax_step %x max(%m) sum(%l)
          : vector<16x16xf32>, vector<16xf32>
      %o1 = attn.accumulate %p, %k[%j0] acc(%o) rescale(%a)
          : vector<16x16xf32>, memref<?x8xf32>, vector<16xf32> -> vector<16x8xf32>
      scf.yield %m1, %l1, %o1 : vector<16xf32>, vector<16xf32>, vector<16x8xf32>
    }
    attn.store_output %r#2 max(%r#0) sum(%r#1) into %q[%i0]
        : vector<16x8xf32>, vector<16xf32>, memref<1x?x8xf32>
  }
  return
}
}
