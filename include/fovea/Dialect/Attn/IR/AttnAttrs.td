//===- AttnAttrs.td - attributes of the attn dialect -------*- tablegen -*-===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNATTRS_TD
#define FOVEA_DIALECT_ATTN_IR_ATTNATTRS_TD

include "fovea/Dialect/Attn/IR/AttnDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Attn_Attr<string name, string attrMnemonic> : AttrDef<Attn_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Attn_TilingAttr : Attn_Attr<"Tiling", "tiling"> {
  let summary = "tile sizes of one attention operation";
  let description = [{
    `heads` query heads of one key/value head share a tile (G rows of the
    group), each with `queries` consecutive query rows, so a tile has
    T = heads * queries rows: row r is head r / queries, query r % queries.
    `keys` is C, the number of keys taken in one step of the key loop.

    Written by `attn-configure` from the target, and meant to be edited by
    hand. All three are at least 1.

    ```mlir
    #attn.tiling<heads = 1, queries = 48, keys = 128>
    ```
  }];
  let parameters = (ins "int64_t":$heads, "int64_t":$queries, "int64_t":$keys);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// T, the number of rows of a query tile.
    int64_t getRows() const { return getHeads() * getQueries(); }
  }];
}

def Attn_TilingsAttr
    : TypedArrayAttrBase<Attn_TilingAttr, "array of tilings">;

def Attn_TargetAttr : Attn_Attr<"Target", "target"> {
  let summary = "the processor a module is compiled for";
  let description = [{
    `triple` and `cpu` are LLVM's names; `features` holds what differs from the
    processor's usual features, in LLVM's notation (`-avx512f,+sse4a`), and is
    empty for most.

    ```mlir
    #attn.target<triple = "x86_64-unknown-linux-gnu", cpu = "znver4",
                 features = "">
    ```
  }];
  let parameters = (ins StringRefParameter<>:$triple, StringRefParameter<>:$cpu,
                        StringRefParameter<>:$features);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // FOVEA_DIALECT_ATTN_IR_ATTNATTRS_TD
