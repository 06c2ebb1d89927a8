// RUN: fovea-opt %s -attn-configure -verify-diagnostics -split-input-file

// expected-error@+1 {{expects the attribute attn.target on the module, for example #attn.target<triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "">}}
module @no_target {}

// -----

// expected-error@+1 {{expects a target triple of x86-64, but got 'aarch64-unknown-linux-gnu'}}
module @other_architecture attributes {attn.target = #attn.target<
    triple = "aarch64-unknown-linux-gnu", cpu = "generic", features = "">} {}

// -----

// expected-error@+1 {{expects a target triple of x86-64, but got 'i686-unknown-linux-gnu'}}
module @thirty_two_bits attributes {attn.target = #attn.target<
    triple = "i686-unknown-linux-gnu", cpu = "i686", features = "">} {}

// -----

// expected-error@+1 {{expects a processor that LLVM knows, but got 'znver99'; fovea targets lists some}}
module @unknown_processor attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "znver99", features = "">} {}

// -----

// expected-error@+1 {{expects a processor with AVX2 and FMA, but 'x86-64-v2' has not both}}
module @no_avx2 attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v2", features = "">} {}

// -----

// expected-error@+1 {{expects a processor with AVX2 and FMA, but 'x86-64-v3' has not both}}
module @fma_is_masked attributes {attn.target = #attn.target<
    triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v3", features = "-fma">} {}
