// Causal attention of 2 heads whose scores pass through example.softsign.
func.func @softsign(
    %q: tensor<?x2x?x16xf32>
        {attn.name = "q", attn.dims = ["batch", 2, "query", 16]},
    %k: tensor<?x2x?x16xf32>
        {attn.name = "k", attn.dims = ["batch", 2, "kv", 16]},
    %v: tensor<?x2x?x16xf32>
        {attn.name = "v", attn.dims = ["batch", 2, "kv", 16]})
    -> (tensor<?x2x?x16xf32>
        {attn.name = "out", attn.dims = ["batch", 2, "query", 16]}) {
  %scale = arith.constant 0.25 : f32
  %out = attn.sdpa %q, %k, %v scale(%scale : f32) score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %p: index, %j: index):
      %capped = example.softsign %s cap(2.0) : f32
      attn.yield %capped : f32
    } mask {
    ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
      %keep = arith.cmpi sle, %j, %p : index
      attn.yield %keep : i1
    } : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
        -> tensor<?x2x?x16xf32>
  return %out : tensor<?x2x?x16xf32>
}
