// gpu.subgroup_mma by upstream's lowering, which uses wmma.
// REQUIRES: numpy
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: mlir-opt %s --pass-pipeline="builtin.module(gpu.module(convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},canonicalize,cse,reconcile-unrealized-casts),nvvm-attach-target{chip=sm_80 features=+ptx80 O=3},gpu-module-to-binary{format=isa})" -o binary.mlir
// RUN: %python %S/Inputs/extract_ptx.py < binary.mlir > product.ptx
// RUN: %python -c "import numpy as n; r = n.random.default_rng(1); n.save('a.npy', r.standard_normal((16, 16)).astype('f2')); n.save('b.npy', r.standard_normal((16, 16)).astype('f2'))"
// RUN: fovea-ptx-sim product.ptx --arg=in:a.npy --arg=in:b.npy --arg=out:c.npy:f32:16x16 --stats | FileCheck %s
// RUN: %python -c "import numpy as n; a, b, c = (n.load(x + '.npy').astype('f8') for x in 'abc'); assert abs(a @ b + 1 - c).max() < 1e-5"

// CHECK: wmma.load.a.sync.aligned.row.m16n16k16
// CHECK: wmma.load.b.sync.aligned.row.m16n16k16
// CHECK: wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32
// CHECK: wmma.store.d.sync.aligned.row.m16n16k16
// CHECK: 1 blocks, {{[0-9]+}} warp instructions, 0 reports

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @product(%a: memref<16x16xf16>, %b: memref<16x16xf16>,
                      %c: memref<16x16xf32>)
        kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      %start = gpu.subgroup_mma_constant_matrix %one : !gpu.mma_matrix<16x16xf32, "COp">
      %left = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %right = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
      %sum = gpu.subgroup_mma_compute %left, %right, %start : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
      gpu.subgroup_mma_store_matrix %sum, %c[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
      gpu.return
    }
  }
}
