//===- DrawStrides.cpp - strides of a call's tensors ----------------------===//

#include "Inputs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace fovea;
using namespace fovea::fuzz;

llvm::SmallVector<int64_t> fuzz::getShape(const TensorSpec &spec,
                                          const Call &call) {
  llvm::SmallVector<int64_t> shape;
  for (const DimSpec &dim : spec.dims)
    shape.push_back(dim.isStatic()          ? dim.size
                    : dim.symbol == "batch" ? call.batch
                    : dim.symbol == "query" ? call.query
                                            : call.kv);
  return shape;
}

/// Makes all elements along `dim` equal to the first.
static void repeatFirst(HostTensor &tensor, int64_t dim) {
  llvm::ArrayRef<int64_t> shape = tensor.getShape();
  int64_t inner = getHostTypeBytes(tensor.getType());
  for (int64_t size : shape.drop_front(dim + 1))
    inner *= size;
  char *data = static_cast<char *>(tensor.getData());
  int64_t outer = inner ? tensor.getNumBytes() / (inner * shape[dim]) : 0;
  for (int64_t n = 0; n < outer; ++n, data += inner * shape[dim])
    for (int64_t index = 1; index < shape[dim]; ++index)
      std::copy(data, data + inner, data + index * inner);
}

void fuzz::drawStrides(const Call &call, bool isInput, Drawn &drawn,
                       unsigned &used) {
  llvm::ArrayRef<int64_t> shape = drawn.tensor.getShape();
  int64_t rank = shape.size();
  Dice dice(mix(call.seed, llvm::xxHash64(drawn.spec.name)));
  unsigned styles = 0;
  for (unsigned n = 0; n < numStrideStyles; ++n)
    if (!dice.onceIn(4))
      styles |= call.strides & 1u << n;

  // From the innermost dim outwards.
  llvm::SmallVector<int64_t> order;
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    order.push_back(dim);
  bool movesInner = styles & InnerStrides;
  if (styles & PermutedStrides)
    for (int64_t n = order.size() - 1, least = movesInner ? 0 : 1; n > least;
         --n)
      std::swap(order[n], order[dice.between(least, n)]);
  llvm::SmallVector<int64_t> wide;
  llvm::copy_if(order, std::back_inserter(wide),
                [&](int64_t dim) { return shape[dim] > 1; });
  if (!llvm::is_sorted(wide, std::greater<>()))
    used |= PermutedStrides;

  drawn.strides.assign(rank, 1);
  int64_t stride = movesInner && dice.onceIn(2) ? dice.between(2, 3) : 1;
  for (int64_t dim : order) {
    drawn.strides[dim] = stride;
    stride *= std::max<int64_t>(shape[dim], 1);
    if (styles & PaddedStrides) {
      stride += dice.between(1, 5);
      if (!wide.empty() && dim != wide.back() && shape[dim] > 0)
        used |= PaddedStrides;
    }
  }
  if (rank && shape[rank - 1] > 1 && drawn.strides[rank - 1] != 1)
    used |= InnerStrides;
  if (!isInput || !(styles & ZeroStrides))
    return;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (shape[dim] > 1 && dice.onceIn(2)) {
      drawn.strides[dim] = 0;
      drawn.isBroadcast = true;
      used |= ZeroStrides;
      repeatFirst(drawn.tensor, dim);
    }
}
