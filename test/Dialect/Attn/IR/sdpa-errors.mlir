// What the verifier of attn.sdpa refuses, by constraint.
// RUN: fovea-opt %s -verify-diagnostics -split-input-file

func.func @sdpa_c1_query_rank(%q: tensor<8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects query of rank 4 [batch, heads, length, head dim], but got 'tensor<8x?x64xf32>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c1_key_rank(%q: tensor<?x8x?x64xf32>, %k: tensor<2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects key of rank 4 [batch, heads, length, head dim], but got 'tensor<2x?x64xf32>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c1_value_rank(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects value of rank 4 [batch, heads, length, head dim] and element type 'f32', but got 'tensor<2x?x32xf32>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c1_key_type(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf16>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects key element type to equal that of query, but got 'f32' and 'f16'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf16>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c1_value_type(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xbf16>, %s: f32) {
  // expected-error@+1 {{expects value of rank 4 [batch, heads, length, head dim] and element type 'f32', but got 'tensor<?x2x?x32xbf16>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xbf16>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c1_not_float(%q: tensor<?x8x?x64xi32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{operand #0 must be}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xi32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c2_key_batch(%q: tensor<2x8x?x64xf32>, %k: tensor<3x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects key batch to equal query batch, but got 2 and 3}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<2x8x?x64xf32>, tensor<3x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c2_value_batch(%q: tensor<2x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<3x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects value batch to equal query batch, but got 2 and 3}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<2x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<3x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c3(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x128xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects key head dim to equal query head dim, but got 64 and 128}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x128xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c4_dynamic_heads(%q: tensor<?x?x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects query heads to be static and at least 1, but got 'tensor<?x?x?x64xf32>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x?x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c4_no_key_heads(%q: tensor<?x8x?x64xf32>, %k: tensor<?x0x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects key heads to be static and at least 1, but got 'tensor<?x0x?x64xf32>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x0x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c4_dynamic_head_dim(%q: tensor<?x8x?x?xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects query head dim to be static and at least 1, but got 'tensor<?x8x?x?xf32>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x?xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c4_dynamic_value_dim(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x?xf32>, %s: f32) {
  // expected-error@+1 {{expects value head dim to be static and at least 1, but got 'tensor<?x2x?x?xf32>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x?xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c5_group(%q: tensor<?x8x?x64xf32>, %k: tensor<?x3x?x64xf32>,
    %v: tensor<?x3x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects query heads to be a multiple of key heads, but got 8 and 3}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x3x?x64xf32>, tensor<?x3x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c5_value_heads(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x4x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects value heads to equal key heads, but got 4 and 2}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x4x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c6(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x9x64xf32>,
    %v: tensor<?x2x7x32xf32>, %s: f32) {
  // expected-error@+1 {{expects value length to equal key length, but got 7 and 9}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x9x64xf32>, tensor<?x2x7x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c7_rank(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects out of type 'tensor<?x8x?x32xf32>', but got 'tensor<?x8x32xf32>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x32xf32>
  return
}

// -----

func.func @sdpa_c7_head_dim(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects out of type 'tensor<?x8x?x32xf32>', but got 'tensor<?x8x?x64xf32>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x64xf32>
  return
}

// -----

func.func @sdpa_c7_length(%q: tensor<?x8x5x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects out of type 'tensor<?x8x5x32xf32>', but got 'tensor<?x8x6x32xf32>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x5x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x6x32xf32>
  return
}

// -----

func.func @sdpa_c7_type(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects out of type 'tensor<?x8x?x32xf32>', but got 'tensor<?x8x?x32xf64>'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf64>
  return
}

// -----

func.func @sdpa_c8_shape(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects lse of type 'tensor<?x8x?xf32>', but got 'tensor<?x2x?xf32>'}}
  %out, %lse = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>, tensor<?x2x?xf32>
  return
}

// -----

func.func @sdpa_c8_type(%q: tensor<?x1x?x8xf16>, %k: tensor<?x1x?x8xf16>,
    %v: tensor<?x1x?x8xf16>, %s: f32) {
  // expected-error@+1 {{expects lse of type 'tensor<?x1x?xf32>', but got 'tensor<?x1x?xf16>'}}
  %out, %lse = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x1x?x8xf16>, tensor<?x1x?x8xf16>, tensor<?x1x?x8xf16>
      -> tensor<?x1x?x8xf16>, tensor<?x1x?xf16>
  return
}

// -----

func.func @sdpa_c9_too_wide(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f64) {
  // expected-error@+1 {{expects scale of type 'f32', but got 'f64'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f64)
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c9_too_narrow(%q: tensor<?x1x?x8xf64>, %k: tensor<?x1x?x8xf64>,
    %v: tensor<?x1x?x8xf64>, %s: f32) {
  // expected-error@+1 {{expects scale of type 'f64', but got 'f32'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      : tensor<?x1x?x8xf64>, tensor<?x1x?x8xf64>, tensor<?x1x?x8xf64>
      -> tensor<?x1x?x8xf64>
  return
}

// -----

func.func @sdpa_c10_arguments(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects 1 arguments in the offset region, but got 2}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32) offset {
  ^bb0(%b: index, %h: index):
    attn.yield %b : index
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c10_argument_type(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects argument 0 of the offset region to be 'index', but got 'i64'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32) offset {
  ^bb0(%b: i64):
    %o = arith.index_cast %b : i64 to index
    attn.yield %o : index
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c10_result(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects the offset region to yield 'index', but got 'i64'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32) offset {
  ^bb0(%b: index):
    %o = arith.index_cast %b : index to i64
    attn.yield %o : i64
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c11_arguments(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects 6 arguments in the score region, but got 5}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    attn.yield %x : f32
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c11_first_argument(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects argument 0 of the score region to be 'f32', but got 'f64'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32) score {
  ^bb0(%x: f64, %b: index, %h: index, %i: index, %p: index, %j: index):
    %y = arith.truncf %x : f64 to f32
    attn.yield %y : f32
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c11_last_argument(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects argument 5 of the score region to be 'index', but got 'i32'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: i32):
    attn.yield %x : f32
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c11_result(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects the score region to yield 'f32', but got 'f64'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %y = arith.extf %x : f32 to f64
    attn.yield %y : f64
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c12_arguments(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects 5 arguments in the mask region, but got 6}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32) mask {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    %m = arith.cmpi sle, %j, %p : index
    attn.yield %m : i1
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c12_argument_type(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects argument 3 of the mask region to be 'index', but got 'i64'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: i64, %j: index):
    %m = arith.cmpi sle, %j, %i : index
    attn.yield %m : i1
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c12_result(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects the mask region to yield 'i1', but got 'i8'}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %m = arith.constant 1 : i8
    attn.yield %m : i8
  }
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func private @effect() -> f32
func.func @sdpa_c13_call(%q: tensor<?x1x?x8xf32>, %s: f32) {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    // expected-error@+1 {{is not allowed in the score region of attn.sdpa, which holds pure operations without regions}}
    %y = func.call @effect() : () -> f32
    attn.yield %y : f32
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return
}

// -----

func.func @sdpa_c13_store(%q: tensor<?x1x?x8xf32>, %s: f32, %m: memref<?xf32>) {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
    // expected-error@+1 {{is not allowed in the score region of attn.sdpa}}
    memref.store %x, %m[%j] : memref<?xf32>
    attn.yield %x : f32
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return
}

// -----

func.func @sdpa_c13_region(%q: tensor<?x1x?x8xf32>, %s: f32) {
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %c = arith.cmpi sle, %j, %p : index
    // expected-error@+1 {{is not allowed in the mask region of attn.sdpa}}
    %m = scf.if %c -> i1 {
      scf.yield %c : i1
    } else {
      scf.yield %c : i1
    }
    attn.yield %m : i1
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return
}

// -----

func.func @wrong_terminator(%q: tensor<?x1x?x8xf32>, %s: f32) {
  // expected-error@+1 {{expects the mask region to end in attn.yield}}
  %out = attn.sdpa %q, %q, %q scale(%s : f32) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    llvm.unreachable
  } : tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>, tensor<?x1x?x8xf32>
      -> tensor<?x1x?x8xf32>
  return
}

// -----

func.func @yield_outside_a_region(%x: f32) {
  // expected-error@+1 {{expects parent op to be one of 'attn.sdpa, attn.sdpa_weights, attn.layer, attn.sdpa_tile, attn.weights_tile, attn.scores'}}
  attn.yield %x : f32
}

// -----

func.func @sdpa_c14_order(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects short tilings in the order of their queries, but got 1 after 8}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      tiling(<heads = 1, queries = 48, keys = 128>)
      short([#attn.tiling<heads = 1, queries = 8, keys = 128>,
             #attn.tiling<heads = 4, queries = 1, keys = 128>])
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}

// -----

func.func @sdpa_c14_alone(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
    %v: tensor<?x2x?x32xf32>, %s: f32) {
  // expected-error@+1 {{expects a tiling beside its short tilings}}
  %out = attn.sdpa %q, %k, %v scale(%s : f32)
      short([#attn.tiling<heads = 1, queries = 8, keys = 128>])
      : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x32xf32>
      -> tensor<?x8x?x32xf32>
  return
}
