//===- Passes.td - passes over the attn dialect ------------*- tablegen -*-===//

#ifndef FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_TD
#define FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnExpandLayers : Pass<"attn-expand-layers", "mlir::ModuleOp"> {
  let summary = "attn.layer to projections and attn.sdpa";
  let description = [{
    Rewrites `attn.layer` into one `attn.project` for each of queries, keys and
    values, an `attn.sdpa` (and an `attn.sdpa_weights` if the weights are asked
    for), and the output projection or `attn.merge_heads`.

    Before:

    ```mlir
    %out = attn.layer %x weights(%wq, %wk, %wv) query_heads(4) kv_heads(4) ...
    ```

    After:

    ```mlir
    %q = attn.project %x, %wq : ... -> tensor<?x4x?x16xf32>
    %k = attn.project %x, %wk : ... -> tensor<?x4x?x16xf32>
    %v = attn.project %x, %wv : ... -> tensor<?x4x?x16xf32>
    %o = attn.sdpa %q, %k, %v ...
    %out = attn.merge_heads %o : tensor<?x4x?x16xf32> -> tensor<?x?x64xf32>
    ```

    Refuses nothing that the verifier of `attn.layer` accepts.
  }];
  let dependentDialects = ["fovea::attn::AttnDialect"];
}

def AttnSimplifyMasks : Pass<"attn-simplify-masks", "mlir::ModuleOp"> {
  let summary = "drops mask conditions that other conditions imply";
  let description = [{
    A mask region is a conjunction. Of two conditions that compare the same
    linear expression of i, p and j with constants, only the stronger is kept:
    `j <= p` implies `j <= p + 3`. A condition that is constant true goes.

    Before:

    ```mlir
    %c = arith.cmpi sle, %j, %p : index
    %w = arith.cmpi sle, %j, %p_plus_3 : index
    %keep = arith.andi %c, %w : i1
    ```

    After:

    ```mlir
    %keep = arith.cmpi sle, %j, %p : index
    ```
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def AttnConfigure : Pass<"attn-configure", "mlir::ModuleOp"> {
  let summary = "chooses tile sizes for the target";
  let description = [{
    Writes `#attn.tiling` on every `attn.sdpa` and `attn.sdpa_weights` that has
    none, from the module's `attn.target`: a query tile is one register panel
    (three vectors of queries, fewer if a static query length is shorter) and
    a key tile is 128 keys. This attribute is the only place where
    tile sizes live, so it may be written or edited by hand.

    Few queries, as in decoding, are bound by the reads of keys and values: the
    heads of a group share a tile then, if its rows fit a panel. Rows that fill
    half a vector at most take key tiles of 512 keys (see `attn-vectorize` for
    what becomes of them). Where the query length is known at run time only,
    these tilings are the `short` ones of the operation, beside the one for long
    lengths.


    Before: `attn.sdpa %q, %k, %v scale(%s : f32) : ...`

    After: `attn.sdpa %q, %k, %v scale(%s : f32)
    tiling(<heads = 1, queries = 48, keys = 128>) : ...`

    Refuses a module without `attn.target` and an unknown processor.
  }];
  let options = [
    Option<"queries", "queries", "int64_t", "0",
           "query rows of a tile; 0: from the target">,
    Option<"keys", "keys", "int64_t", "0", "keys of a tile; 0: from the target">
  ];
}

def AttnTile : Pass<"attn-tile", "mlir::ModuleOp"> {
  let summary = "kernels on tensors to parallel loops over row tiles";
  let description = [{
    Turns the tensors of a kernel into strided memrefs (results become
    arguments with `attn.output`, bools become bytes) and each `attn.sdpa`,
    `attn.sdpa_weights` and `attn.project` into an `scf.forall` over batch, head
    and row tile around the corresponding `_tile` operation on views of one
    key/value head. Intermediate tensors get a `memref.alloc`.
    Short tilings become branches on the query length, each with a loop of its
    own.


    Before:

    ```mlir
    %out = attn.sdpa %q, %k, %v scale(%s : f32) tiling(...) : ...
    ```

    After:

    ```mlir
    scf.forall (%b, %h, %i0) = (0, 0, 0) to (%B, 8, %Sq) step (1, 1, 48) {
      %Q = memref.subview %q[%b, %h, 0, 0] ...
      attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%c0) ...
    }
    ```

    Refuses tensors that no attn operation produced, results that are
    arguments, and operations without tiling (run `attn-configure` first).
  }];
  let dependentDialects = [
    "fovea::attn::AttnDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"
  ];
}

def AttnFuseSoftmax : Pass<"attn-fuse-softmax", "mlir::ModuleOp"> {
  let summary = "row tiles to a streamed softmax over key tiles";
  let description = [{
    Turns each `attn.sdpa_tile` into loops over key tiles that carry the running
    max, the running sum and the accumulator, so that the scores of a row are
    never all held (Milakov and Gimelshein 2018; Dao et al. 2022).

    The mask region decides the loops. Each of its conditions that bounds j by
    a monotone function of the row becomes a loop bound: keys outside
    [lo, hi) are skipped, keys in [full_lo, full_hi) are allowed for every row of
    the tile and run without mask code, the rest runs with it.

    Where a condition is no such bound, each key tile of [lo, hi) is classified
    at run time: the region is evaluated on the intervals of i, p and j that the
    tile spans, for the batch and head at hand. A tile without an allowed key is
    skipped, one without a forbidden key runs without mask code. What the region
    reads by row or by key alone (document ids) takes part by its least and
    greatest element, found once for a row tile and once for a key tile. What
    depends on row and key together and is not simple arithmetic leaves the tile
    partial.

    ```mlir
    %next:3 = scf.if %any -> (...) {
      %new:3 = scf.if %all -> (...) { ... } else { ... mask { ... } }
      scf.yield %new#0, %new#1, %new#2
    } else {
      scf.yield %m, %l, %o
    }
    ```

    Before:

    ```mlir
    attn.sdpa_tile %Q, %K, %V into %O ... mask { j <= p } ...
    ```

    After:

    ```mlir
    %q = attn.load_queries %Q[%i0] ...
    %full:3 = scf.for %j0 = %c0 to %full_hi step %c128
        iter_args(%m = %neg_inf, %l = %zero, %o = %zeros) {
      %s = attn.scores %q, %K[%j0] count(%n) ...
      %p, %m1, %l1, %a = attn.softmax_step %s count(%n) max(%m) sum(%l) ...
      %o1 = attn.accumulate %p, %V[%j0] count(%n) acc(%o) rescale(%a) ...
      scf.yield %m1, %l1, %o1
    }
    %all:3 = scf.for %j0 = %full_hi to %hi step %c128 iter_args(...) {
      %s, %keep = attn.scores ... mask { j <= p } ...
      ...
    }
    attn.store_output %all#2 max(%all#0) sum(%all#1) into %O[%i0]
    ```

    `attn.weights_tile` becomes one loop with `attn.normalize` and
    `attn.store_weights`.
  }];
  let options = [
    Option<"roundFull", "round-full", "bool", "false",
           "end the unmasked loop at a whole key tile, as GPUs need">
  ];
  let dependentDialects = [
    "fovea::attn::AttnDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect"
  ];
}

def AttnCountTiles : Pass<"attn-count-tiles", "mlir::ModuleOp"> {
  let summary = "replaces the work of fused loops by counting their tiles";
  let description = [{
    At stage `fused`, turns a kernel into one that counts the key tiles that it
    would take: a new last argument `tile_counts: memref<3xi64>` receives
    skipped, full and partial tiles. The loop bounds stay what they were, so the
    counts are those of the kernel for the given lengths; a tile that a branch
    in the loop leaves out is skipped. What `fovea run --stats` runs.

    Before: `scf.for %j0 = %lo to %hi step %c128 iter_args(...) { attn.scores
    ... }`

    After: `scf.for %j0 = %lo to %hi step %c128 { memref.atomic_rmw addi %c1,
    %counts[%c1] }`
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::memref::MemRefDialect"];
}

class VerifyStage<string name, string text> : Pass<"verify-" # name,
                                                   "mlir::ModuleOp"> {
  let summary = "checks the contract of stage " # name;
  let description = text;
}

def VerifyAttention : VerifyStage<"attention", [{
    The contract of stage `attention`, checked without changing anything:

    - every kernel (public function with a body) has `attn.name` on all
      arguments and results, and each name is used once;
    - tensors only: no memref anywhere;
    - no `attn.layer`, no tile operation;
    - every `attn.sdpa` and `attn.sdpa_weights` has a tiling.
  }]>;

def VerifyTiled : VerifyStage<"tiled", [{
    The contract of stage `tiled`, checked without changing anything:

    - memrefs only: no tensor anywhere, kernels return nothing;
    - no attn operation on tensors, none of stage `fused`;
    - every tile operation is in an `scf.forall` whose row step is `queries` (and
      head step `heads`) of its tiling.
  }]>;

def VerifyFused : VerifyStage<"fused", [{
    The contract of stage `fused`, checked without changing anything:

    - no tensor; no `attn.sdpa_tile` or `attn.weights_tile`;
    - every streaming operation is in an `scf.forall`;
    - the loop that holds an `attn.accumulate` carries max, sum and accumulator:
      the operands of `attn.softmax_step` and `attn.accumulate` are iter_args of
      it, and their results are yielded; between the loop and the operation
      there may be scf.if operations that yield them on;
    - on a partial tile (`attn.scores` with a mask) `attn.accumulate` has the
      `keep` of those scores.
  }]>;

#endif // FOVEA_DIALECT_ATTN_TRANSFORMS_PASSES_TD
