// RUN: fovea-opt %s -attn-emit-entry -verify-diagnostics -split-input-file

// expected-error@+1 {{expects the attribute attn.target on the module}}
module @no_target {
}

// -----

module @not_outlined attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">} {
// expected-error@+1 {{expects the function 'kernel.temporary_bytes'; run attn-outline-parallel}}
func.func @kernel(%frame: !llvm.ptr, %x: memref<4xf32>) {
  return
}
}

// -----

module @argument_of_another_type attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">} {
// expected-error@+1 {{expects kernel arguments to be tensors of float, i64, index or i1 elements, but 'argument0' is 'f32'}}
func.func @kernel(%frame: !llvm.ptr, %x: f32) {
  return
}
}

// -----

module @elements_of_another_type attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">} {
// expected-error@+1 {{expects kernel arguments to be tensors of float, i64, index or i1 elements, but 'argument0' is 'memref<4xi32>'}}
func.func @kernel(%frame: !llvm.ptr, %x: memref<4xi32>) {
  return
}
}

// -----

module @dims_of_another_rank attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">} {
// expected-error@+1 {{expects attn.dims of 'x' to have 2 entries, but got 1}}
func.func @kernel(%frame: !llvm.ptr,
    %x: memref<?x4xf32> {attn.name = "x", attn.dims = ["s"]}) {
  return
}
}

// -----

module @too_many_tensors attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">} {
// expected-error@+1 {{expects at most 64 tensors, but got 65}}
func.func @kernel(%frame: !llvm.ptr,
    %a0: memref<4xf32>, %a1: memref<4xf32>, %a2: memref<4xf32>,
    %a3: memref<4xf32>, %a4: memref<4xf32>, %a5: memref<4xf32>,
    %a6: memref<4xf32>, %a7: memref<4xf32>, %a8: memref<4xf32>,
    %a9: memref<4xf32>, %a10: memref<4xf32>, %a11: memref<4xf32>,
    %a12: memref<4xf32>, %a13: memref<4xf32>, %a14: memref<4xf32>,
    %a15: memref<4xf32>, %a16: memref<4xf32>, %a17: memref<4xf32>,
    %a18: memref<4xf32>, %a19: memref<4xf32>, %a20: memref<4xf32>,
    %a21: memref<4xf32>, %a22: memref<4xf32>, %a23: memref<4xf32>,
    %a24: memref<4xf32>, %a25: memref<4xf32>, %a26: memref<4xf32>,
    %a27: memref<4xf32>, %a28: memref<4xf32>, %a29: memref<4xf32>,
    %a30: memref<4xf32>, %a31: memref<4xf32>, %a32: memref<4xf32>,
    %a33: memref<4xf32>, %a34: memref<4xf32>, %a35: memref<4xf32>,
    %a36: memref<4xf32>, %a37: memref<4xf32>, %a38: memref<4xf32>,
    %a39: memref<4xf32>, %a40: memref<4xf32>, %a41: memref<4xf32>,
    %a42: memref<4xf32>, %a43: memref<4xf32>, %a44: memref<4xf32>,
    %a45: memref<4xf32>, %a46: memref<4xf32>, %a47: memref<4xf32>,
    %a48: memref<4xf32>, %a49: memref<4xf32>, %a50: memref<4xf32>,
    %a51: memref<4xf32>, %a52: memref<4xf32>, %a53: memref<4xf32>,
    %a54: memref<4xf32>, %a55: memref<4xf32>, %a56: memref<4xf32>,
    %a57: memref<4xf32>, %a58: memref<4xf32>, %a59: memref<4xf32>,
    %a60: memref<4xf32>, %a61: memref<4xf32>, %a62: memref<4xf32>,
    %a63: memref<4xf32>, %a64: memref<4xf32>) {
  return
}
}
