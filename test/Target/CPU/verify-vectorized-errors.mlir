// RUN: fovea-opt %s -verify-vectorized -verify-diagnostics -split-input-file

func.func @attn_operation(%frame: !llvm.ptr, %x: memref<?x8xf32>,
                          %w: memref<8x8xf32>, %i0: index) {
  // expected-error@+1 {{'attn.project_tile' op is not allowed at stage vectorized; run attn-vectorize}}
  attn.project_tile %x, %w into %x row(%i0) rows(64)
      : memref<?x8xf32>, memref<8x8xf32>, memref<?x8xf32>
  return
}

// -----

func.func @tensor(%frame: !llvm.ptr) {
  // expected-error@+1 {{uses a tensor at stage vectorized}}
  %x = arith.constant dense<0.0> : tensor<4xf32>
  return
}

// -----

func.func @forall(%frame: !llvm.ptr, %n: index) {
  // expected-error@+1 {{'scf.forall' op is not allowed at stage vectorized; run attn-outline-parallel}}
  scf.forall (%i) = (0) to (%n) step (1) {
  }
  return
}

// -----

func.func @alloc(%frame: !llvm.ptr, %n: index) {
  // expected-error@+1 {{'memref.alloc' op is not allowed at stage vectorized, where memory comes from the workspace}}
  %x = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @alloca(%frame: !llvm.ptr) {
  // expected-error@+1 {{'memref.alloca' op is not allowed at stage vectorized, where memory comes from the workspace}}
  %x = memref.alloca() : memref<4xf32>
  return
}

// -----

func.func @dealloc(%frame: !llvm.ptr, %x: memref<?xf32>) {
  // expected-error@+1 {{'memref.dealloc' op is not allowed at stage vectorized, where memory comes from the workspace}}
  memref.dealloc %x : memref<?xf32>
  return
}

// -----

func.func @vector_of_rank_2(%frame: !llvm.ptr) {
  // expected-error@+1 {{uses 'vector<2x8xf32>' at stage vectorized, where vectors have rank 1}}
  %x = arith.constant dense<0.0> : vector<2x8xf32>
  return
}

// -----

func.func @wide_vector(%frame: !llvm.ptr) {
  // expected-error@+1 {{uses 'vector<32xf32>' at stage vectorized, where a vector has at most 64 bytes}}
  %x = arith.constant dense<0.0> : vector<32xf32>
  return
}

// -----

// expected-error@+1 {{expects the frame as its first argument at stage vectorized}}
func.func @no_frame(%x: memref<?xf32>) {
  return
}

// -----

// expected-error@+1 {{expects the frame as its first argument at stage vectorized}}
func.func @no_argument() {
  return
}
