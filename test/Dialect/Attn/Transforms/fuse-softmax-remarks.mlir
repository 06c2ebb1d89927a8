// RUN: fovea-opt %s -attn-fuse-softmax --remarks-filter="masks|loops" -verify-diagnostics -split-input-file -o /dev/null

func.func @no_mask(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{Reason="there is no mask", Remark="one loop over key tiles, full without mask code"}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @last_key(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{Reason="every condition of the mask is a bound", Remark="loops over key tiles: full without mask code, trailing partial"}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      // expected-remark@below {{Remark="the condition bounds the last key of a row tile: key tiles after it are skipped"}}
      %keep = arith.cmpi sle, %j, %p : index
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @first_key(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{Remark="loops over key tiles: leading partial, full without mask code"}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      // expected-remark@below {{Remark="the condition bounds the first key of a row tile: key tiles before it are skipped"}}
      %keep = arith.cmpi sge, %j, %p : index
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @rows_alone(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %n: index, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{trailing partial}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      // expected-remark@below {{Remark="the condition does not depend on the key: a row tile whose rows all fail it skips every key"}}
      %keep = arith.cmpi slt, %i, %n : index
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @decided(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %ids: memref<64xi64>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{Reason="a condition of the mask is no bound", Remark="one loop over key tiles, each skipped, full or partial"}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %mine = memref.load %ids[%i] : memref<64xi64>
      %theirs = memref.load %ids[%j] : memref<64xi64>
      // expected-remark@below {{Reason="it is no bound of j, since 'eq' bounds nothing; slt, sle, sgt and sge do", Remark="the condition decides each key tile by the intervals of i, p and j: skipped, whole or run key by key"}}
      %keep = arith.cmpi eq, %mine, %theirs : i64
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @not_linear(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{each skipped, full or partial}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %c3 = arith.constant 3 : index
      %rest = arith.remsi %j, %c3 : index
      // expected-remark@below {{it is no bound of j, since 'arith.remsi' is not linear in i, p and j}}
      %keep = arith.cmpi sle, %rest, %i : index
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @twice_the_key(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{each skipped, full or partial}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %two = arith.addi %j, %j : index
      // expected-remark@below {{it is no bound of j, since j has the factor 2}}
      %keep = arith.cmpi sle, %two, %p : index
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @not_a_comparison(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{each skipped, full or partial}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %c = arith.cmpi sle, %j, %p : index
      %d = arith.cmpi sle, %i, %j : index
      // expected-remark@below {{it is no bound of j, since it is no comparison of integers}}
      %keep = arith.ori %c, %d : i1
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @several_heads(%Q: memref<2x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<2x64x8xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 2, 16) {
    // expected-remark@below {{each skipped, full or partial}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 2, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      // expected-remark@below {{it is no bound of j, since the rows of a tile have several heads}}
      %keep = arith.cmpi sle, %j, %h1 : index
      attn.yield %keep : i1
    } : memref<2x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<2x64x8xf32>
  }
  return
}

// -----

func.func @read_by_query_and_key(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %keeps: memref<64x64xi8>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{Reason="the mask decides no tile", Remark="one loop over key tiles, all partial"}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %byte = memref.load %keeps[%i, %j] : memref<64x64xi8>
      %none = arith.constant 0 : i8
      // expected-remark@below {{Reason="it reads a tensor by query and key together", Remark="the condition decides no key tile and runs on every key"}}
      %keep = arith.cmpi ne, %byte, %none : i8
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @read_of_a_part(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %whole: memref<65x65xi8>, %scale: f32) {
  %c0 = arith.constant 0 : index
  %keeps = memref.subview %whole[1, 1] [64, 64] [1, 1] : memref<65x65xi8> to memref<64x64xi8, strided<[65, 1], offset: 66>>
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{Reason="the mask decides no tile", Remark="one loop over key tiles, all partial"}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %byte = memref.load %keeps[%i, %j] : memref<64x64xi8, strided<[65, 1], offset: 66>>
      %none = arith.constant 0 : i8
      // expected-remark@below {{Reason="it reads a tensor by query and key together", Remark="the condition decides no key tile and runs on every key"}}
      %keep = arith.cmpi ne, %byte, %none : i8
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @real_numbers(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %values: memref<64xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{all partial}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %c1 = arith.constant 1.0 : f32
      %value = memref.load %values[%j] : memref<64xf32>
      // expected-remark@below {{it reads a tensor of 'f32'; only integers have a least and a greatest for each tile}}
      %keep = arith.cmpf olt, %value, %c1 : f32
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @no_rule(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{all partial}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %c1 = arith.constant 1.0 : f32
      %wide = arith.index_cast %j : index to i64
      %x = arith.sitofp %wide : i64 to f32
      %y = math.sin %x : f32
      // expected-remark@below {{there is no interval rule for 'math.sin'}}
      %keep = arith.cmpf olt, %y, %c1 : f32
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @skipped_or_partial(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %V: memref<64x8xf32>,
    %O: memref<1x64x8xf32>, %keeps: memref<64x64xi8>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{Reason="a condition of the mask decides no tile", Remark="one loop over key tiles, each skipped or partial"}}
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>) mask {
    ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
      %c3 = arith.constant 3 : index
      %byte = memref.load %keeps[%i, %j] : memref<64x64xi8>
      %none = arith.constant 0 : i8
      // expected-remark@below {{decides no key tile}}
      %set = arith.cmpi ne, %byte, %none : i8
      %rest = arith.divsi %j, %c3 : index
      // expected-remark@below {{decides each key tile}}
      %near = arith.cmpi sle, %rest, %i : index
      %keep = arith.andi %set, %near : i1
      attn.yield %keep : i1
    } : memref<1x64x8xf32>, memref<64x8xf32>, memref<64x8xf32>, memref<1x64x8xf32>
  }
  return
}

// -----

func.func @weights(%Q: memref<1x64x8xf32>, %K: memref<64x8xf32>, %L: memref<1x64xf32>,
    %W: memref<1x64x64xf32>, %scale: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%b, %h, %i0) = (0, 0, 0) to (1, 1, 64) step (1, 1, 16) {
    // expected-remark@below {{Reason="every weight is written, zeros too", Remark="weights: one loop over all key tiles, none skipped"}}
    attn.weights_tile %Q, %K lse(%L) into %W at(%b, %h, %i0) offset(%c0)
        scale(%scale : f32) tiling(<heads = 1, queries = 16, keys = 32>)
        : memref<1x64x8xf32>, memref<64x8xf32>, memref<1x64xf32>, memref<1x64x64xf32>
  }
  return
}
