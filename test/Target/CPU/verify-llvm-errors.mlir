// RUN: fovea-opt %s -verify-llvm -verify-diagnostics -split-input-file

module {
  // expected-error@+1 {{'func.func' op is not allowed at stage llvm, which holds the LLVM dialect only}}
  func.func private @function_of_another_dialect()
}

// -----

llvm.func @operation_of_another_dialect(%x: i64) {
  // expected-error@+1 {{'arith.addi' op is not allowed at stage llvm, which holds the LLVM dialect only}}
  %y = arith.addi %x, %x : i64
  llvm.return
}

// -----

llvm.func @cast(%x: i64) {
  // expected-error@+1 {{'builtin.unrealized_conversion_cast' op is not allowed at stage llvm, which holds the LLVM dialect only}}
  %y = builtin.unrealized_conversion_cast %x : i64 to index
  llvm.return
}

// -----

// expected-error@+1 {{expects a kernel's C function with attn.interface at stage llvm}}
module @no_kernel {
  llvm.func @function(%x: i64) {
    llvm.return
  }
}

// -----

module {
  // expected-error@+1 {{expects the global 'kernel.signature' at stage llvm}}
  llvm.func @kernel() attributes {attn.interface = {name = "kernel"}} {
    llvm.return
  }
}

// -----

module {
  llvm.mlir.global internal constant @kernel.signature(1 : i64) : i64
  // expected-error@+1 {{expects the global 'kernel.strings' at stage llvm}}
  llvm.func @kernel() attributes {attn.interface = {name = "kernel"}} {
    llvm.return
  }
}

// -----

module {
  llvm.mlir.global internal constant @kernel.signature(1 : i64) : i64
  llvm.mlir.global internal constant @kernel.strings("kernel\00")
  // expected-error@+1 {{expects the global 'kernel.code' at stage llvm}}
  llvm.func @kernel() attributes {attn.interface = {name = "kernel"}} {
    llvm.return
  }
}

// -----

module {
  llvm.mlir.global internal constant @kernel.signature(1 : i64) : i64
  llvm.mlir.global internal constant @kernel.strings("kernel\00")
  llvm.mlir.global internal constant @kernel.code(1 : i64) : i64
  // expected-error@+1 {{expects the function 'kernel_workspace_bytes' at stage llvm}}
  llvm.func @kernel() attributes {attn.interface = {name = "kernel"}} {
    llvm.return
  }
}
