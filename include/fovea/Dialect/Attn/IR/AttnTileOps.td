//===- AttnTileOps.td - attn operations on tiles -----------*- tablegen -*-===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNTILEOPS_TD
#define FOVEA_DIALECT_ATTN_IR_ATTNTILEOPS_TD

include "fovea/Dialect/Attn/IR/AttnOps.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Attn_View : MemRefOf<[F16, BF16, F32, F64]>;
def Attn_Tile : VectorOfRankAndType<[2], [F16, BF16, F32, F64]>;
def Attn_Row : VectorOfRankAndType<[1], [F32, F64]>;
def Attn_KeepTile : VectorOfRankAndType<[2], [I1]>;

//===----------------------------------------------------------------------===//
// Stage tiled: one row tile of one operation
//===----------------------------------------------------------------------===//

def Attn_SdpaTileOp : Attn_Op<"sdpa_tile", [Attn_NamedArguments, 
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "attention of one tile of query rows";
  let description = [{
    `attn.sdpa` for the T = heads * queries rows that start at query row `i0`
    of the heads h, h+1, ... h + heads - 1 of batch b. The views hold those
    heads only: query [heads,Sq,Dqk], key [Sk,Dqk], value [Sk,Dv], out
    [heads,Sq,Dv] and lse [heads,Sq]. `offset` is the query offset of the
    batch. Regions are those of `attn.sdpa`, reading memrefs by `memref.load`.

    Constraints: `sdpa_tile_c1` ranks as above; `sdpa_tile_c2` head dims agree;
    `sdpa_tile_c3` the leading sizes of query, out and lse equal the `heads` of
    the tiling. Scale and regions: as `sdpa_c9` to `sdpa_c13`.

    ```mlir
    attn.sdpa_tile %Q, %K, %V into %O at(%b, %h, %i0) offset(%o)
        scale(%scale : f32)
        tiling(<heads = 1, queries = 48, keys = 128>)
        : memref<1x?x64xf32>, memref<?x64xf32>, memref<?x64xf32>,
          memref<1x?x64xf32>
    ```
  }];
  let arguments = (ins Attn_View:$query, Attn_View:$key, Attn_View:$value,
                       Attn_View:$out, Optional<Attn_View>:$lse,
                       Index:$batch, Index:$head, Index:$row, Index:$offset,
                       Attn_Accumulator:$scale, Attn_TilingAttr:$tiling);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$mask);
  let assemblyFormat = [{
    $query `,` $key `,` $value `into` $out (`lse` `(` $lse^ `:` type($lse) `)`)?
    `at` `(` $batch `,` $head `,` $row `)` `offset` `(` $offset `)`
    `scale` `(` $scale `:` type($scale) `)` `tiling` `(` $tiling `)`
    (`score` $score^)? (`mask` $mask^)? attr-dict
    `:` type($query) `,` type($key) `,` type($value) `,` type($out)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Attn_WeightsTileOp : Attn_Op<"weights_tile", [Attn_NamedArguments, 
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "post-softmax weights of one tile of query rows";
  let description = [{
    `attn.sdpa_weights` for the rows of one tile, as in `attn.sdpa_tile`: query
    [heads,Sq,Dqk], key [Sk,Dqk], lse [heads,Sq], weights [heads,Sq,Sk].

    Constraints: `weights_tile_c1` ranks as above; `weights_tile_c2` the leading
    sizes of query, lse and weights equal the `heads` of the tiling. Scale and
    regions: as `sdpa_c9` to `sdpa_c13`.

    ```mlir
    attn.weights_tile %Q, %K lse(%L) into %W at(%b, %h, %i0) offset(%o)
        scale(%scale : f32)
        tiling(<heads = 1, queries = 48, keys = 128>)
        : memref<1x?x64xf32>, memref<?x64xf32>, memref<1x?xf32>,
          memref<1x?x?xf32>
    ```
  }];
  let arguments = (ins Attn_View:$query, Attn_View:$key, Attn_View:$lse,
                       Attn_View:$weights, Index:$batch, Index:$head,
                       Index:$row, Index:$offset, Attn_Accumulator:$scale,
                       Attn_TilingAttr:$tiling);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$mask);
  let assemblyFormat = [{
    $query `,` $key `lse` `(` $lse `)` `into` $weights
    `at` `(` $batch `,` $head `,` $row `)` `offset` `(` $offset `)`
    `scale` `(` $scale `:` type($scale) `)` `tiling` `(` $tiling `)`
    (`score` $score^)? (`mask` $mask^)? attr-dict
    `:` type($query) `,` type($key) `,` type($lse) `,` type($weights)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Attn_ProjectTileOp : Attn_Op<"project_tile", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "projection of one tile of tokens";
  let description = [{
    result[r,:] = input[r,:] W (+ bias) for the rows r in [row, row + rows) that
    exist: input [S,M], weight [M,N], bias [N], result [S,N].

    Constraints: `project_tile_c1` ranks as above; `project_tile_c2` static
    sizes agree, and `rows` is at least 1.

    ```mlir
    attn.project_tile %X, %W into %Y row(%i0) rows(48)
        : memref<?x32xf32>, memref<32x16xf32>, memref<?x16xf32>
    ```
  }];
  let arguments = (ins Attn_View:$input, Attn_View:$weight,
                       Optional<Attn_View>:$bias, Attn_View:$result,
                       Index:$row, I64Attr:$rows);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)? `into` $result
    `row` `(` $row `)` `rows` `(` $rows `)` attr-dict
    `:` type($input) `,` type($weight) `,` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Stage fused: one step of streamed softmax
//===----------------------------------------------------------------------===//

def Attn_LoadQueriesOp : Attn_Op<"load_queries", [MemoryEffects<[MemRead]>]> {
  let summary = "reads a tile of query rows";
  let description = [{
    Rows of the tile from a view [heads,Sq,D]: row r is query i0 + r mod n of
    head r div n, with n = T / heads. A row past Sq repeats the last query of
    its head, so that no element outside the view is read and every row holds
    real numbers.

    Constraint: `load_queries_c1` the view has rank 3, T is a multiple of its
    leading size, and D is the view's last size.

    ```mlir
    %q = attn.load_queries %Q[%i0] : memref<1x?x64xf32> -> vector<48x64xf32>
    ```
  }];
  let arguments = (ins Attn_View:$query, Index:$row);
  let results = (outs Attn_Tile:$result);
  let assemblyFormat =
      "$query `[` $row `]` attr-dict `:` type($query) `->` type($result)";
  let hasVerifier = 1;
}

def Attn_ScoresOp : Attn_Op<"scores", [Attn_NamedArguments, RecursiveMemoryEffects]> {
  let summary = "scores of a query tile against a tile of keys";
  let description = [{
    With h = head + r div n, i = min(row + r mod n, row + queries - 1), n = T /
    heads, j = j0 + c and p = i + offset:

        scores[r,c] = scale * sum_d q[r,d] * K[j,d]
        scores[r,c] = score(scores[r,c], b, h, i, p, j)
        keep[r,c]   = mask(b, h, i, p, j), and c < count
        scores[r,c] = keep[r,c] ? scores[r,c] : -inf

    Scores are natural logits. Without `count` all C keys exist; with it
    columns at and past `count` do not: they are -inf, and no memory is read
    for them. `keep` is asked for on partial tiles only, and is what keeps
    a NaN under the mask out of the output: a weight of 0 is no substitute,
    since an allowed weight may underflow to 0. `queries` is the number of
    query rows that exist from `row` on.

    Constraints: `scores_c1` the key view has rank 2 and the query's head dim;
    `scores_c2` scores is T x C in the accumulation type and keep has the same
    shape; `scores_c3` T is a multiple of `heads`. Scale and regions: as
    `sdpa_c9` to `sdpa_c13`.

    ```mlir
    %s, %keep = attn.scores %q, %K[%j0] count(%n) queries(%nq)
        at(%b, %h, %i0) offset(%o) heads(1) scale(%scale : f32) mask {
      ^bb0(%b1: index, %h1: index, %i: index, %p: index, %j: index):
        %k = arith.cmpi sle, %j, %p : index
        attn.yield %k : i1
      } : vector<48x64xf32>, memref<?x64xf32>
          -> vector<48x128xf32>, vector<48x128xi1>
    ```
  }];
  let arguments = (ins Attn_Tile:$query, Arg<Attn_View, "", [MemRead]>:$key,
                       Index:$key_row, Optional<Index>:$count,
                       Index:$queries, Index:$batch, Index:$head, Index:$row,
                       Index:$offset, Attn_Accumulator:$scale, I64Attr:$heads);
  let results = (outs Attn_Tile:$scores, Optional<Attn_KeepTile>:$keep);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$mask);
  let assemblyFormat = [{
    $query `,` $key `[` $key_row `]` (`count` `(` $count^ `)`)?
    `queries` `(` $queries `)` `at` `(` $batch `,` $head `,` $row `)`
    `offset` `(` $offset `)` `heads` `(` $heads `)`
    `scale` `(` $scale `:` type($scale) `)`
    (`score` $score^)? (`mask` $mask^)? attr-dict
    `:` type($query) `,` type($key) `->` type($scores) (`,` type($keep)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Attn_SoftmaxStepOp : Attn_Op<"softmax_step", [Pure,
    AllTypesMatch<["scores", "weights"]>,
    AllTypesMatch<["max", "sum", "new_max", "new_sum", "rescale"]>]> {
  let summary = "one step of the streamed softmax";
  let description = [{
    Takes the scores of one key tile into a running maximum and sum:

        new_max = max(max, max_c scores[:,c])
        z       = new_max == -inf ? 0 : new_max
        weights = exp(scores - z)
        rescale = exp(max - z)
        new_sum = sum * rescale + sum_c weights[:,c]

    Columns at and past `count` do not take part and their weights are
    unspecified. Start with max = -inf and sum = 0.

    Constraint: `softmax_step_c1` max has one value of the scores' type for
    each row.

    Source: Milakov and Gimelshein 2018, algorithm 3.

    ```mlir
    %p, %m1, %l1, %a = attn.softmax_step %s max(%m) sum(%l)
        : vector<48x128xf32>, vector<48xf32>
    ```
  }];
  // Optional operands stand last: type inference counts positions.
  let arguments = (ins Attn_Tile:$scores, Attn_Row:$max, Attn_Row:$sum,
                       Optional<Index>:$count);
  let results = (outs Attn_Tile:$weights, Attn_Row:$new_max, Attn_Row:$new_sum,
                      Attn_Row:$rescale);
  let assemblyFormat = [{
    $scores (`count` `(` $count^ `)`)? `max` `(` $max `)` `sum` `(` $sum `)`
    attr-dict `:` type($scores) `,` type($max)
  }];
  let hasVerifier = 1;
}

def Attn_AccumulateOp : Attn_Op<"accumulate", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "adds weighted values of one key tile to the accumulator";
  let description = [{
        result[r,d] = acc[r,d] * rescale[r]
                    + sum_c weights[r,c] * V[j0 + c,d]

    over the columns c below `count` (all C without it) that `keep` allows (all
    without it). A value under a false `keep` is left out of the sum, it is not
    multiplied by 0.

    Constraints: `accumulate_c1` the value view has rank 2 and the
    accumulator's head dim; `accumulate_c2` weights, keep, acc and rescale
    have the same number of rows.

    ```mlir
    %o1 = attn.accumulate %p, %V[%j0] acc(%o) rescale(%a)
        : vector<48x128xf32>, memref<?x64xf32>, vector<48xf32>
        -> vector<48x64xf32>
    ```
  }];
  // Optional operands stand last: type inference counts positions.
  let arguments = (ins Attn_Tile:$weights, Attn_View:$value, Index:$value_row,
                       Attn_Tile:$acc, Attn_Row:$rescale,
                       Optional<Index>:$count, Optional<Attn_KeepTile>:$keep);
  let results = (outs Attn_Tile:$result);
  let assemblyFormat = [{
    $weights `,` $value `[` $value_row `]` (`count` `(` $count^ `)`)?
    (`keep` `(` $keep^ `:` type($keep) `)`)? `acc` `(` $acc `)`
    `rescale` `(` $rescale `)` attr-dict
    `:` type($weights) `,` type($value) `,` type($rescale) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Attn_StoreOutputOp : Attn_Op<"store_output", [
    MemoryEffects<[MemWrite]>, AllTypesMatch<["max", "sum"]>]> {
  let summary = "normalises and writes a tile of output rows";
  let description = [{
        out[r,:] = sum[r] == 0 ? 0 : acc[r,:] / sum[r]
        lse[r]   = sum[r] == 0 ? -inf : max[r] + log(sum[r])

    for the rows that exist; rows past Sq are not written. Views as in
    `attn.load_queries`: out [heads,Sq,Dv], lse [heads,Sq].

    Constraint: `store_output_c1` views have rank 3 and 2 and the same leading
    size, and the rows agree.

    ```mlir
    attn.store_output %o max(%m) sum(%l) into %O[%i0]
        : vector<48x64xf32>, vector<48xf32>, memref<1x?x64xf32>
    ```
  }];
  let arguments = (ins Attn_Tile:$acc, Attn_Row:$max, Attn_Row:$sum,
                       Attn_View:$out, Index:$row, Optional<Attn_View>:$lse);
  let assemblyFormat = [{
    $acc `max` `(` $max `)` `sum` `(` $sum `)` `into` $out `[` $row `]`
    (`lse` `(` $lse^ `:` type($lse) `)`)? attr-dict
    `:` type($acc) `,` type($sum) `,` type($out)
  }];
  let hasVerifier = 1;
}

def Attn_LoadLseOp : Attn_Op<"load_lse", [MemoryEffects<[MemRead]>]> {
  let summary = "reads the log-sum-exp of a tile of query rows";
  let description = [{
    Rows as in `attn.load_queries`, from a view [heads,Sq].

    Constraint: `load_lse_c1` the view has rank 2 and the rows are a multiple of
    its leading size.

    ```mlir
    %l = attn.load_lse %L[%i0] : memref<1x?xf32> -> vector<48xf32>
    ```
  }];
  let arguments = (ins Attn_View:$lse, Index:$row);
  let results = (outs Attn_Row:$result);
  let assemblyFormat =
      "$lse `[` $row `]` attr-dict `:` type($lse) `->` type($result)";
  let hasVerifier = 1;
}

def Attn_NormalizeOp : Attn_Op<"normalize", [Pure,
    AllTypesMatch<["scores", "weights"]>]> {
  let summary = "weights from scores and a known log-sum-exp";
  let description = [{
                weights[r,c] = lse[r] == -inf or scores[r,c] == -inf
                           ? 0 : exp(scores[r,c] - lse[r])


    Constraint: `normalize_c1` lse has one value of the scores' type for each
    row.

    ```mlir
    %w = attn.normalize %s lse(%l) : vector<48x128xf32>, vector<48xf32>
    ```
  }];
  let arguments = (ins Attn_Tile:$scores, Attn_Row:$lse);
  let results = (outs Attn_Tile:$weights);
  let assemblyFormat =
      "$scores `lse` `(` $lse `)` attr-dict `:` type($scores) `,` type($lse)";
  let hasVerifier = 1;
}

def Attn_StoreWeightsOp : Attn_Op<"store_weights", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes a tile of weights";
  let description = [{
    Writes rows that exist and columns below `count` (all C without it) of a
    tile to a view [heads,Sq,Sk], from row `row` and key `key_row` on.

    Constraint: `store_weights_c1` the view has rank 3 and T is a multiple of
    its leading size.

    ```mlir
    attn.store_weights %w into %W[%i0, %j0] count(%n)
        : vector<48x128xf32>, memref<1x?x?xf32>
    ```
  }];
  let arguments = (ins Attn_Tile:$weights, Attn_View:$out, Index:$row,
                       Index:$key_row, Optional<Index>:$count);
  let assemblyFormat = [{
    $weights `into` $out `[` $row `,` $key_row `]` (`count` `(` $count^ `)`)?
    attr-dict `:` type($weights) `,` type($out)
  }];
  let hasVerifier = 1;
}

#endif // FOVEA_DIALECT_ATTN_IR_ATTNTILEOPS_TD
