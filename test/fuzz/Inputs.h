//===- Inputs.h - drawn inputs of a call ----------------------------------===//

#ifndef FOVEA_TEST_FUZZ_INPUTS_H
#define FOVEA_TEST_FUZZ_INPUTS_H

#include "Case.h"
#include "fovea/Pipeline/KernelInterface.h"
#include "fovea/Support/HostTensor.h"

namespace fovea::fuzz {

/// One tensor of a call, as numbers and as the strides that it is passed with.
struct Drawn {
  TensorSpec spec;
  HostTensor tensor;
  llvm::SmallVector<int64_t> strides;
  /// Elements along some dim share memory.
  bool isBroadcast = false;
};

/// The size of each dim in this call.
llvm::SmallVector<int64_t> getShape(const TensorSpec &spec, const Call &call);

/// Chooses strides by the call's styles. Adds those that came to pass, which
/// sizes of 1 may prevent, to `used`.
void drawStrides(const Call &call, bool isInput, Drawn &drawn, unsigned &used);

/// Ordinary numbers, and the specials that need no mask: lengths, huge and
/// tiny. Adds the specials that came to pass to `used`. Where dims are
/// broadcast the numbers are equal.
void drawValues(const Case &kernel, const Call &call, Drawn &drawn,
                unsigned &used);

/// Writes the specials that depend on what is allowed: `allowed` has a nonzero
/// element where key j may be seen, [batch, heads, query, kv].
void plantSpecials(const Case &kernel, const Call &call,
                   const HostTensor &allowed,
                   llvm::MutableArrayRef<Drawn> inputs, unsigned &used);

/// Those specials.
constexpr unsigned plantedSpecials =
    NaNForbidden | InfForbidden | NaNAllowed | NaNBias;

} // namespace fovea::fuzz

#endif // FOVEA_TEST_FUZZ_INPUTS_H
