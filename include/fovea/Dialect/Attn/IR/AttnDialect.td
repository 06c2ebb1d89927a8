//===- AttnDialect.td - the attn dialect -------------------*- tablegen -*-===//

#ifndef FOVEA_DIALECT_ATTN_IR_ATTNDIALECT_TD
#define FOVEA_DIALECT_ATTN_IR_ATTNDIALECT_TD

include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Attn_Dialect : Dialect {
  let name = "attn";
  let cppNamespace = "::fovea::attn";
  let summary = "attention: what to attend to, and the tiles that compute it";
  let description = [{
    The dialect has two levels.

    On **tensors**, `attn.layer` and `attn.sdpa` say what is computed: heads,
    scale, position of the queries, score changes and masks. Score changes and
    masks are regions of pure, elementwise `arith`/`math` operations; they read
    other tensors by `tensor.extract`.

    On **tiles** (stage `fused`), one step of streamed softmax is spelled out:
    values are vectors of static shape, `scf.for` carries the running max, the
    running sum and the accumulator, and keys, values, queries and outputs are
    memref views. The same tile operations are lowered to CPU and GPU code.

    Shape letters: B batch, Hq query heads, Hkv key/value heads, G = Hq / Hkv,
    Sq query length, Sk key length, Dqk and Dv head dims; T rows of a query
    tile, C keys of a key tile. Index letters: b batch, h query head, i query
    row, j key, p = i + query offset the position of row i among the keys.

    A kernel is a public `func.func`. Its arguments and results carry
    `attn.name` (a string) and `attn.dims` (an array with, for every dimension,
    the static size or the name of a symbol; equal names are equal sizes).
    The module carries `attn.stage` (the name of the stage it is at) and
    `attn.target`.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Attn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Attn_Dialect, mnemonic, traits>;

/// An operation whose offset, score and mask regions print their arguments as
/// %s, %b, %h, %i, %p and %j, and its results by their names if it may have
/// several.
def Attn_NamedArguments
    : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames",
                                                   "getAsmResultNames"]>;

#endif // FOVEA_DIALECT_ATTN_IR_ATTNDIALECT_TD
