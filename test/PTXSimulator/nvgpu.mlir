// A kernel lowered by upstream's passes only: C = A B by asynchronous copies,
// ldmatrix and mma.sync.
// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: mlir-opt %s --pass-pipeline="builtin.module(convert-nvgpu-to-nvvm,gpu.module(convert-scf-to-cf,convert-nvvm-to-llvm,expand-strided-metadata,lower-affine,convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},convert-vector-to-llvm,canonicalize,cse,reconcile-unrealized-casts),ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly},nvvm-attach-target{chip=sm_80 features=+ptx80 O=3},gpu-module-to-binary{format=isa})" -o binary.mlir
// RUN: %python %S/Inputs/extract_ptx.py < binary.mlir > product.ptx
// RUN: %python -c "import numpy as n; r = n.random.default_rng(1); n.save('a.npy', r.standard_normal((16, 16)).astype('f2')); n.save('b.npy', r.standard_normal((16, 8)).astype('f2'))"
// RUN: fovea-ptx-sim product.ptx --arg=in:a.npy --arg=in:b.npy --arg=out:c.npy:f32:16x8 --stats | FileCheck %s
// RUN: %python -c "import numpy as n; a, b, c = (n.load(x + '.npy').astype('f8') for x in 'abc'); assert abs(a @ b - c).max() < 1e-5"

// CHECK-DAG: {{^ +}}2 cp.async.cg.shared.global
// CHECK-DAG: {{^ +}}1 ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-DAG: {{^ +}}1 ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
// CHECK-DAG: {{^ +}}1 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: 1 blocks, {{[0-9]+}} warp instructions, 0 reports

// The last row of C does not fit: the report names the operation here.
// RUN: not fovea-ptx-sim product.ptx --arg=in:a.npy --arg=in:b.npy --arg=out:c.npy:f32:15x8 | FileCheck %s --check-prefix=SMALL
// SMALL: out-of-bounds: writes {{[48]}} bytes at offset {{48[0-9]|49[0-9]|50[0-9]}} of 'c.npy', which has 480 bytes
// SMALL-NEXT: st.global
// SMALL-NEXT: from {{.*}}nvgpu.mlir:{{[0-9]+}}:
// SMALL-NEXT: warp 0 lane 28

#shared = #gpu.address_space<workgroup>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @product(%a: memref<16x16xf16>, %b: memref<16x8xf16>,
                      %c: memref<16x8xf32>)
        workgroup(%as: memref<16x16xf16, #shared>,
                  %bs: memref<16x8xf16, #shared>)
        kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %lane = gpu.thread_id x
      %copyRow = arith.divui %lane, %c2 : index
      %half = arith.remui %lane, %c2 : index
      %copyColumn = arith.muli %half, %c8 : index
      %copyA = nvgpu.device_async_copy %a[%copyRow, %copyColumn], %as[%copyRow, %copyColumn], 8 {bypassL1} : memref<16x16xf16> to memref<16x16xf16, #shared>
      %isRow = arith.cmpi ult, %lane, %c16 : index
      scf.if %isRow {
        %copyB = nvgpu.device_async_copy %b[%lane, %c0], %bs[%lane, %c0], 8 {bypassL1} : memref<16x8xf16> to memref<16x8xf16, #shared>
      }
      %group = nvgpu.device_async_create_group %copyA
      nvgpu.device_async_wait %group {numGroups = 0 : i32}
      gpu.barrier
      %row = arith.remui %lane, %c16 : index
      %block = arith.divui %lane, %c16 : index
      %column = arith.muli %block, %c8 : index
      %fragmentA = nvgpu.ldmatrix %as[%row, %column] {numTiles = 4 : i32, transpose = false} : memref<16x16xf16, #shared> -> vector<4x2xf16>
      %fragmentB = nvgpu.ldmatrix %bs[%row, %c0] {numTiles = 2 : i32, transpose = true} : memref<16x8xf16, #shared> -> vector<2x2xf16>
      %zero = arith.constant dense<0.0> : vector<2x2xf32>
      %d = nvgpu.mma.sync(%fragmentA, %fragmentB, %zero) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
      %outRow = arith.divui %lane, %c4 : index
      %place = arith.remui %lane, %c4 : index
      %outColumn = arith.muli %place, %c2 : index
      %upper = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
      %lower = vector.extract %d[1] : vector<2xf32> from vector<2x2xf32>
      vector.store %upper, %c[%outRow, %outColumn] : memref<16x8xf32>, vector<2xf32>
      %lowerRow = arith.addi %outRow, %c8 : index
      vector.store %lower, %c[%lowerRow, %outColumn] : memref<16x8xf32>, vector<2xf32>
      gpu.return
    }
  }
}
