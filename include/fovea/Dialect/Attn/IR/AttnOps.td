//===- AttnOps.td - attn operations on tensors -------------*- tablegen -*-===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNOPS_TD
#define FOVEA_DIALECT_ATTN_IR_ATTNOPS_TD

include "fovea/Dialect/Attn/IR/AttnAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Attn_FloatTensor : RankedTensorOf<[F16, BF16, F32, F64]>;
def Attn_Accumulator : AnyTypeOf<[F32, F64]>;

def Attn_YieldOp : Attn_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["SdpaOp", "SdpaWeightsOp", "LayerOp", "SdpaTileOp",
                 "WeightsTileOp", "ScoresOp"]>]> {
  let summary = "ends a score, mask or offset region";
  let description = [{
    Gives the value of the region: the changed score, whether the key is kept
    (true = keep), or the query offset.

    ```mlir
    attn.yield %keep : i1
    ```
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Attn_SdpaOp : Attn_Op<"sdpa", [Attn_NamedArguments, RecursiveMemoryEffects]> {
  let summary = "scaled dot product attention";
  let description = [{
    For batch b, query head h, query i and key j, with g = h / (Hq / Hkv):

        o     = offset(b)                       (0 without an offset region)
        p     = i + o
        s     = scale * sum_d query[b,h,i,d] * key[b,g,j,d]
        s     = score(s, b, h, i, p, j)         (if there is a score region)
        s     = mask(b, h, i, p, j) ? s : -inf  (if there is a mask region)
        lse   = log(sum_j exp(s))
        out   = sum_j exp(s - lse) * value[b,g,j,:]

    | operand | shape | |
    |---|---|---|
    | query | [B,Hq,Sq,Dqk] | |
    | key | [B,Hkv,Sk,Dqk] | |
    | value | [B,Hkv,Sk,Dv] | |
    | scale | scalar | f32, or f64 for f64 tensors; any sign, zero too |
    | out | [B,Hq,Sq,Dv] | element type of the query |
    | lse | [B,Hq,Sq] | natural log; f32, or f64 for f64 tensors |

    B, Sq and Sk may be dynamic and may be 0; heads and head dims are static.
    A key that the mask forbids contributes nothing, whatever key and value
    hold there (NaN included). A row with no allowed key has out = 0 and
    lse = -inf. The regions take their values in the order of the formulas
    above; they may use values of the enclosing function, tensors by
    `tensor.extract`, and hold pure operations only.

    `tiling` has the tile sizes. Where Sq is known at run time only, `short`
    lists tilings for few queries: the first with at least Sq queries is taken
    in its place (decoding, where Sq = 1, is bound by the reads of keys and
    values, and wants the heads of a group in one tile).

    Constraints: `sdpa_c1` query, key and value have rank 4 and one float
    element type; `sdpa_c2` batch sizes agree; `sdpa_c3` key head dim equals
    query head dim; `sdpa_c4` heads and head dims are static and at least 1;
    `sdpa_c5` key and value have the same heads, and the query heads are a
    multiple of them; `sdpa_c6` key and value lengths agree; `sdpa_c7` out has
    the shape and type above; `sdpa_c8` lse has the shape and type above;
    `sdpa_c9` scale has the accumulation type; `sdpa_c10` the offset region
    takes (index) and yields index; `sdpa_c11` the score region takes
    (accumulation type, five index values) and yields the accumulation type;
    `sdpa_c12` the mask region takes five index values and yields i1;
    `sdpa_c13` the regions hold only pure operations without regions;
    `sdpa_c14` short tilings stand beside a tiling, each with more queries than
    the one before.


    Source: Vaswani et al. 2017, section 3.2.1; streaming as in Milakov and
    Gimelshein 2018.

    ```mlir
    %out, %lse = attn.sdpa %q, %k, %v scale(%scale : f32) mask {
    ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
      %keep = arith.cmpi sle, %j, %p : index
      attn.yield %keep : i1
    } : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>
        -> tensor<?x8x?x64xf32>, tensor<?x8x?xf32>
    ```
  }];
  let arguments = (ins Attn_FloatTensor:$query, Attn_FloatTensor:$key,
                       
                       Attn_FloatTensor:$value, Attn_Accumulator:$scale,
                       OptionalAttr<Attn_TilingAttr>:$tiling,
                       OptionalAttr<Attn_TilingsAttr>:$short_tilings);
  let results = (outs Attn_FloatTensor:$out, Optional<Attn_FloatTensor>:$lse);
  let regions = (region MaxSizedRegion<1>:$offset, MaxSizedRegion<1>:$score,
                        MaxSizedRegion<1>:$mask);
  let assemblyFormat = [{
    $query `,` $key `,` $value `scale` `(` $scale `:` type($scale) `)`
    (`tiling` `(` $tiling^ `)`)? (`short` `(` $short_tilings^ `)`)?
    (`offset` $offset^)? (`score` $score^)? (`mask` $mask^)?
    attr-dict `:` type($query) `,` type($key) `,` type($value)
    `->` type($out) (`,` type($lse)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Attn_SdpaWeightsOp : Attn_Op<"sdpa_weights", [Attn_NamedArguments, RecursiveMemoryEffects]> {
  let summary = "the post-softmax weights of an attention";
  let description = [{
    weights[b,h,i,j] = exp(s - lse[b,h,i]) with s as in `attn.sdpa`, 0 where
    the key is forbidden or the row is empty. `lse` is that of the `attn.sdpa`
    with the same operands and regions. A pass of its own over the scores:
    [B,Hq,Sq,Sk] in the element type of the query.

    Constraints: `sdpa_weights_c1` query and key have rank 4, one float element
    type, equal batch and head dim, static heads and head dims, and query heads
    that are a multiple of the key heads; `sdpa_weights_c2` lse is [B,Hq,Sq] in
    the accumulation type; `sdpa_weights_c3` weights is [B,Hq,Sq,Sk] in the
    element type of the query. Scale, regions and tilings: as `sdpa_c9` to
    `sdpa_c14`. The tilings are those of the `attn.sdpa`, so that both compute
    the same scores to the last bit.

    ```mlir
    %w = attn.sdpa_weights %q, %k lse(%lse) scale(%scale : f32)
        : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?xf32>
        -> tensor<?x8x?x?xf32>
    ```
  }];
  let arguments = (ins Attn_FloatTensor:$query, Attn_FloatTensor:$key,
                                              Attn_FloatTensor:$lse, Attn_Accumulator:$scale,
                       OptionalAttr<Attn_TilingAttr>:$tiling,
                       OptionalAttr<Attn_TilingsAttr>:$short_tilings);
  let results = (outs Attn_FloatTensor:$weights);
  let regions = (region MaxSizedRegion<1>:$offset, MaxSizedRegion<1>:$score,
                        MaxSizedRegion<1>:$mask);
  let assemblyFormat = [{
    $query `,` $key `lse` `(` $lse `)` `scale` `(` $scale `:` type($scale) `)`
    (`tiling` `(` $tiling^ `)`)? (`short` `(` $short_tilings^ `)`)?
    (`offset` $offset^)? (`score` $score^)? (`mask` $mask^)?
    attr-dict `:` type($query) `,` type($key) `,` type($lse)
    `->` type($weights)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Attn_ProjectOp : Attn_Op<"project", [Pure]> {
  let summary = "a projection of tokens that splits or merges heads";
  let description = [{
    y = x W (+ bias), where x [B,S,M] (or [S,M], then B = 1) are tokens and W is
    [M,N]. A rank-4 result [B,H,S,N/H] splits y into heads; a rank-4 input
    [B,H,S,D] is read as tokens with M = H*D, the heads side by side. At
    least one side has its heads apart: a plain matrix product is
    `linalg.matmul`. The sum is taken in the accumulation type.

    Constraints: `project_c1` one float element type; `project_c2` the token
    width equals the rows of the weight; `project_c3` bias is [N];
    `project_c4` the result has batch, length and width of the product;
    `project_c5` input or result has rank 4, with static heads and head dim.

    ```mlir
    %q = attn.project %x, %wq bias(%bq : tensor<64xf32>)
        : tensor<?x?x32xf32>, tensor<32x64xf32> -> tensor<?x4x?x16xf32>
    ```
  }];
  let arguments = (ins Attn_FloatTensor:$input, Attn_FloatTensor:$weight,
                       Optional<Attn_FloatTensor>:$bias);
  let results = (outs Attn_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` `(` $bias^ `:` type($bias) `)`)? attr-dict
    `:` type($input) `,` type($weight) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Attn_SplitHeadsOp : Attn_Op<"split_heads", [Pure]> {
  let summary = "takes the heads out of the tokens";
  let description = [{
    [B,S,H*D] (heads side by side) or [B,S,H,D] becomes [B,H,S,D]:
    result[b,h,s,d] = input[b,s,h*D+d] or input[b,s,h,d]. Takes no time: it is
    another way to walk the same memory.

    Constraints: `split_heads_c1` the result has rank 4 with static heads and
    head dim, and the input has a shape above and the same element type.

    ```mlir
    %q = attn.split_heads %x : tensor<?x?x64xf32> -> tensor<?x4x?x16xf32>
    ```
  }];
  let arguments = (ins Attn_FloatTensor:$input);
  let results = (outs Attn_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Attn_MergeHeadsOp : Attn_Op<"merge_heads", [Pure]> {
  let summary = "puts the heads back into the tokens";
  let description = [{
    [B,H,S,D] becomes [B,S,H*D] (or [S,H*D] where B is 1), or [B,S,H,D]:
    result[b,s,h*D+d] = result[b,s,h,d] = input[b,h,s,d]. Takes no time: the
    producer writes the merged layout.

    Constraints: `merge_heads_c1` the input has rank 4 with static heads and
    head dim, and the result has a shape above and the same element type.

    ```mlir
    %y = attn.merge_heads %out : tensor<?x4x?x16xf32> -> tensor<?x?x64xf32>
    ```
  }];
  let arguments = (ins Attn_FloatTensor:$input);
  let results = (outs Attn_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Attn_LayerOp : Attn_Op<"layer", [Attn_NamedArguments, RecursiveMemoryEffects,
    AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let summary = "a whole multi-head attention layer";
  let description = [{
    With c = context (cross attention) or x itself:

        out = concat_h(sdpa(x Wq + bq, c Wk + bk, c Wv + bv)) Wo + bo

    | operand | shape |
    |---|---|
    | input x | [B,Sq,model_dim], or [Sq,model_dim] (then B = 1) |
    | context | [B,Sk,context_dim] (or rank 2 like x); absent: x |
    | wq, wk, wv | [model_dim,Hq*Dqk], [context_dim,Hkv*Dqk], [context_dim,Hkv*Dv] |
    | wo | [Hq*Dv,out_dim]; absent: no output projection |
    | bq, bk, bv, bo | one value for each column of their weight |
    | out | [B,Sq,Hq*Dv or out_dim], rank 2 for a rank-2 x |
    | lse, weights | [B,Hq,Sq] and [B,Hq,Sq,Sk], B = 1 for a rank-2 x |

    `query_heads` is Hq, `kv_heads` Hkv. Scale and regions are those of
    `attn.sdpa`. `attn-expand-layers` turns it into projections and
    `attn.sdpa`.

    Constraints: `layer_c1` input and context have the same rank, 2 or 3, and
    equal batch; `layer_c2` the rows of every weight equal the width of what it
    projects; `layer_c3` the columns of wq, wk and wv divide by their heads,
    wq and wk give the same head dim, and Hq is a multiple of Hkv; `layer_c4`
    biases match the columns of their weight, and bo needs wo; `layer_c5`
    results have the shapes above. Scale and regions: as `sdpa_c9` to
    `sdpa_c13`.

    ```mlir
    %out = attn.layer %x weights(%wq, %wk, %wv) query_heads(4) kv_heads(4)
        scale(%scale : f32)
        : (tensor<?x?x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
           tensor<64x64xf32>) -> tensor<?x?x64xf32>
    ```
  }];
  let arguments = (ins Attn_FloatTensor:$input,
                       Optional<Attn_FloatTensor>:$source,
                       Attn_FloatTensor:$wq, Attn_FloatTensor:$wk,
                       Attn_FloatTensor:$wv, Optional<Attn_FloatTensor>:$wo,
                       Optional<Attn_FloatTensor>:$bq,
                       Optional<Attn_FloatTensor>:$bk,
                       Optional<Attn_FloatTensor>:$bv,
                       Optional<Attn_FloatTensor>:$bo,
                       Attn_Accumulator:$scale,
                       I64Attr:$query_heads, I64Attr:$kv_heads);
  let results = (outs Attn_FloatTensor:$out, Optional<Attn_FloatTensor>:$lse,
                      Optional<Attn_FloatTensor>:$weights);
  let regions = (region MaxSizedRegion<1>:$offset, MaxSizedRegion<1>:$score,
                        MaxSizedRegion<1>:$mask);
  let assemblyFormat = [{
    $input (`context` `(` $source^ `:` type($source) `)`)?
    `weights` `(` $wq `,` $wk `,` $wv (`,` $wo^ `:` type($wo))? `)`
    (`query_bias` `(` $bq^ `:` type($bq) `)`)?
    (`key_bias` `(` $bk^ `:` type($bk) `)`)?
    (`value_bias` `(` $bv^ `:` type($bv) `)`)?
    (`out_bias` `(` $bo^ `:` type($bo) `)`)?
    `query_heads` `(` $query_heads `)` `kv_heads` `(` $kv_heads `)`
    `scale` `(` $scale `:` type($scale) `)`
    (`offset` $offset^)? (`score` $score^)? (`mask` $mask^)?
    attr-dict `:` `(` type($input) `,` type($wq) `,` type($wk) `,` type($wv) `)`
    `->` type($out) (`lse` `(` type($lse)^ `)`)?
    (`attention_weights` `(` type($weights)^ `)`)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

#endif // FOVEA_DIALECT_ATTN_IR_ATTNOPS_TD
