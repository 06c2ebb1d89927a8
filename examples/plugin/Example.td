//===- Example.td - a dialect with one operation -----------*- tablegen -*-===//

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Example_Dialect : Dialect {
  let name = "example";
  let cppNamespace = "::example";
}

def Example_SoftsignOp : Op<Example_Dialect, "softsign",
                            [Pure, SameOperandsAndResultType]> {
  let summary = "keeps a score below a cap, without tanh";
  let description = [{
    cap * s / (cap + |s|): like the entry `softcap`, but three instructions.

    ```mlir
    %1 = example.softsign %s cap(20.0) : f32
    ```
  }];
  let arguments = (ins AnyFloat:$score, F64Attr:$cap);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$score `cap` `(` $cap `)` attr-dict `:` type($score)";
}
