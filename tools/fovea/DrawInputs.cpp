//===- DrawInputs.cpp - inputs of a seed ----------------------------------===//

#include "Inputs.h"
#include "fovea/Support/Random.h"
#include "llvm/Support/xxhash.h"

using namespace fovea;
using namespace fovea::tool;

/// The largest value of an index input by what its name means.
static int64_t getLargest(llvm::StringRef name, int64_t queries, int64_t keys) {
  if (name == "q_lengths")
    return queries;
  if (name == "query_offset")
    return std::max<int64_t>(keys - queries, 0);
  if (name.ends_with("documents"))
    return 3;
  return keys;
}

void tool::drawInput(const TensorSpec &spec, HostTensor &tensor,
                     const Drawing &drawing, int64_t queries, int64_t keys) {
  Random random(llvm::xxHash64(spec.name) ^ drawing.seed);
  int64_t count = tensor.getNumElements();
  switch (spec.element) {
  case ElementKind::Bool:
    for (int64_t n = 0; n < count; ++n)
      tensor.setInteger(n, random.next() >> 62 != 0);
    return;
  case ElementKind::Index: {
    int64_t most = getLargest(spec.name, queries, keys);
    bool isLength = llvm::StringRef(spec.name).ends_with("lengths");
    for (int64_t n = 0; n < count; ++n) {
      int64_t value = random.upTo(most);
      tensor.setInteger(n, drawing.wantsFullLengths && isLength ? most : value);
    }
    return;
  }
  default:
    break;
  }
  llvm::ArrayRef<int64_t> shape = tensor.getShape();
  // Weights keep the size of what they multiply.
  bool isWeight = spec.name.size() == 2 && spec.name[0] == 'w' &&
                  shape.size() == 2 && shape[0] > 0;
  double root = 1;
  for (int step = 0; isWeight && step < 60; ++step)
    root = (root + double(shape[0]) / root) / 2;
  bool isPositive = spec.name == "slopes" || spec.name == "scale";
  for (int64_t n = 0; n < count; ++n)
    tensor.setFloat(n, isPositive ? (random.uniform() + 0x1p-10) / 2
                                  : random.normal() / root);
}
