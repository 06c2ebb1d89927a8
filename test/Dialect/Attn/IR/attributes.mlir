// Attributes of the dialect, printed, parsed again and printed once more.
// RUN: fovea-opt %s | fovea-opt | FileCheck %s
// RUN: fovea-opt %s --mlir-print-op-generic | fovea-opt | FileCheck %s

// Both have an alias at the top of the file, where they are easy to edit.
// CHECK-DAG: #[[TARGET:target[0-9]*]] = #attn.target<triple = "x86_64-unknown-linux-gnu", cpu = "znver4", features = "-avx512f,+sse4a">
// CHECK-DAG: #[[TILING:tiling[0-9]*]] = #attn.tiling<heads = 4, queries = 16, keys = 128>
// CHECK-DAG: #[[LEAST:tiling[0-9]*]] = #attn.tiling<heads = 1, queries = 1, keys = 1>
// CHECK-DAG: #[[MOST:tiling[0-9]*]] = #attn.tiling<heads = 4096, queries = 4096, keys = 65536>

// CHECK: func.func private @target() attributes {a = #[[TARGET]]}
func.func private @target() attributes {a = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver4",
    features = "-avx512f,+sse4a">}

// CHECK: func.func private @tiling() attributes {a = #[[TILING]]}
func.func private @tiling() attributes {
    a = #attn.tiling<heads = 4, queries = 16, keys = 128>}

// CHECK: func.func private @tiling_limits() attributes {a = #[[LEAST]], b = #[[MOST]]}
func.func private @tiling_limits() attributes {
    a = #attn.tiling<heads = 1, queries = 1, keys = 1>,
    b = #attn.tiling<heads = 4096, queries = 4096, keys = 65536>}
