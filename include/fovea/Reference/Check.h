//===- Check.h - is a result near enough to the reference? ----------------===//
//
// With E = |emulated - exact| over the rows looked at, a result of a kernel in
// f16, bf16 or f32 is right when
//
//   |got - exact| <= 3 max(E) + floor       for every element
//   rms(got - exact) <= 1.5 rms(E) + rms(floor) / 2
//
// where floor = eps (4 M + 2 L N), with f32's eps, M the element's magnitude, L
// the row's logits (see Row), and N = M, but 1 for an lse. 16-bit outputs have
// eps M of their own type added. The floor is a few units in the last place: on
// neat inputs the emulation is exact by luck, and a score is rounded at least
// once, which a weight feels as a relative error of eps |score|.
//
// f64: |got - exact| <= 1e-12 (M + L N / 200), with the largest M and L.
//
// A result must be non-finite exactly where the exact value is, -inf where an
// lse is, and 0 in rows with no allowed key.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_REFERENCE_CHECK_H
#define FOVEA_REFERENCE_CHECK_H

#include "fovea/Reference/Reference.h"

namespace fovea::reference {

struct CheckResult {
  bool isRight = true;
  /// The largest error, or that which exceeds its limit most, and the limit of
  /// its element.
  double maxError = 0, maxLimit = 0;
  double rmsError = 0, rmsLimit = 0;
  int64_t rows = 0;
  /// That element: its position, what was expected and what was found.
  llvm::SmallVector<int64_t> position;
  double expected = 0, found = 0;
};

/// The numbers of `count` rows out of `rows`: the first, the last and one from
/// each of equal parts between; all where there are no more.
llvm::SmallVector<int64_t, 0> sampleRows(int64_t rows, int64_t count);

/// Compares `maxRows` rows of output number `output` with both evaluators.
llvm::Expected<CheckResult> check(Evaluator &exact, Evaluator &emulated,
                                  unsigned output, const HostTensor &got,
                                  int64_t maxRows);

} // namespace fovea::reference

#endif // FOVEA_REFERENCE_CHECK_H
