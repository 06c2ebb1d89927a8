// RUN: fovea-opt %s -attn-outline-parallel -verify-diagnostics -split-input-file

func.func @dynamic_scratch(%x: memref<?xf32>, %n: index) {
  scf.forall (%b) = (0) to (%n) step (1) {
    // expected-error@+1 {{expects scratch of static size in the body of its scf.forall}}
    %s = memref.alloca(%n) : memref<?xf32>
    %v = memref.load %x[%b] : memref<?xf32>
    memref.store %v, %s[%b] : memref<?xf32>
  }
  return
}

// -----

func.func @scratch_in_a_loop(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%b) = (0) to (%n) step (1) {
    scf.for %i = %c0 to %n step %c1 {
      // expected-error@+1 {{expects scratch of static size in the body of its scf.forall}}
      %s = memref.alloca() : memref<4xf32>
      %v = memref.load %x[%b] : memref<?xf32>
      memref.store %v, %s[%c0] : memref<4xf32>
    }
  }
  return
}

// -----

func.func @size_from_memory(%x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %n = memref.load %x[%c0] : memref<?xindex>
  // expected-error@+1 {{expects a size that follows from the sizes of the kernel's arguments}}
  %t = memref.alloc(%n) : memref<?xf32>
  scf.forall (%b) = (0) to (%n) step (1) {
    %v = arith.constant 0.0 : f32
    memref.store %v, %t[%b] : memref<?xf32>
  }
  return
}

// -----

func.func @value_of_no_llvm_type(%x: memref<?xf32>, %t: tensor<4xf32>) {
  // expected-error@+1 {{uses a value of type 'tensor<4xf32>' that can't be passed to a task}}
  scf.forall (%b) = (0) to (4) step (1) {
    %v = tensor.extract %t[%b] : tensor<4xf32>
    memref.store %v, %x[%b] : memref<?xf32>
  }
  return
}
