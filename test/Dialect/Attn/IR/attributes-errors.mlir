// RUN: fovea-opt %s -verify-diagnostics -split-input-file

// expected-error@+1 {{expects heads, queries and keys of at least 1, but got 0, 48 and 128}}
func.func private @no_heads() attributes {a = #attn.tiling<heads = 0, queries = 48, keys = 128>}

// -----

// expected-error@+1 {{expects heads, queries and keys of at least 1, but got 1, -3 and 128}}
func.func private @negative_queries() attributes {a = #attn.tiling<heads = 1, queries = -3, keys = 128>}

// -----

// expected-error@+1 {{expects heads, queries and keys of at least 1, but got 1, 48 and 0}}
func.func private @no_keys() attributes {a = #attn.tiling<heads = 1, queries = 48, keys = 0>}

// -----

// expected-error@+1 {{expects at most 4096 heads and queries and 65536 keys, but got 1, 4097 and 128}}
func.func private @too_many_queries() attributes {a = #attn.tiling<heads = 1, queries = 4097, keys = 128>}

// -----

// expected-error@+1 {{expects at most 4096 heads and queries and 65536 keys, but got 1, 48 and 65537}}
func.func private @too_many_keys() attributes {a = #attn.tiling<heads = 1, queries = 48, keys = 65537>}

// -----

// expected-error@+1 {{expected ','}}
func.func private @keys_missing() attributes {a = #attn.tiling<heads = 1, queries = 48>}
