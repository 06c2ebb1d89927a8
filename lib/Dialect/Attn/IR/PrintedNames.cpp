//===- PrintedNames.cpp - names of arguments and results ------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"

using namespace mlir;
using namespace fovea::attn;

/// b for offset regions, (s,) b, h, i, p, j for score and mask regions.
static void nameArguments(Region &region, OpAsmSetValueNameFn setName) {
  static constexpr StringLiteral names[] = {"s", "b", "h", "i", "p", "j"};
  unsigned count = region.getNumArguments();
  if (count == 1)
    return setName(region.getArgument(0), "b");
  if (count != 5 && count != 6)
    return; // the verifier says what is wrong
  for (BlockArgument argument : region.getArguments())
    setName(argument, names[argument.getArgNumber() + 6 - count]);
}

/// Names the results that there are.
static void nameResults(ArrayRef<std::pair<Value, StringRef>> results,
                        OpAsmSetValueNameFn setName) {
  for (auto [result, name] : results)
    if (result)
      setName(result, name);
}

void SdpaOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResults({{getOut(), "out"}, {getLse(), "lse"}}, setName);
}

void LayerOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResults({{getOut(), "out"}, {getLse(), "lse"}, {getWeights(), "weights"}},
              setName);
}

void ScoresOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResults({{getScores(), "scores"}, {getKeep(), "keep"}}, setName);
}

void SdpaWeightsOp::getAsmResultNames(OpAsmSetValueNameFn) {}
void SdpaTileOp::getAsmResultNames(OpAsmSetValueNameFn) {}
void WeightsTileOp::getAsmResultNames(OpAsmSetValueNameFn) {}

#define NAME_ARGUMENTS(Op)                                                     \
  void Op::getAsmBlockArgumentNames(Region &region,                            \
                                    OpAsmSetValueNameFn setName) {             \
    nameArguments(region, setName);                                            \
  }
NAME_ARGUMENTS(SdpaOp)
NAME_ARGUMENTS(SdpaWeightsOp)
NAME_ARGUMENTS(LayerOp)
NAME_ARGUMENTS(SdpaTileOp)
NAME_ARGUMENTS(WeightsTileOp)
NAME_ARGUMENTS(ScoresOp)
#undef NAME_ARGUMENTS
