//===- Reference.h - attention in float64, operation by operation ---------===//
//
// An evaluator of kernels at stage `attention` or before, for comparison with
// compiled code, with which it shares nothing: it interprets score, mask and
// offset regions (in Program.h) and takes each row of the softmax as a whole.
//
// Semantics are those of attn.sdpa: a forbidden key is left out, whatever its
// values; a row with no allowed key has out = 0 and lse = -inf.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_REFERENCE_REFERENCE_H
#define FOVEA_REFERENCE_REFERENCE_H

#include "fovea/Support/HostTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fovea::reference {

/// How to compute.
enum class Mode {
  /// Everything in float64; constants of a region are taken as their type holds
  /// them.
  Exact,
  /// As a kernel may compute: scores, sums and outputs in f32 (f64 kernels:
  /// f64), keys in blocks of 64 with a running max and sum, weights rounded to
  /// the type of the inputs before the product with the values.
  Emulated
};

/// One row of an output: all elements along its last dim. Every element of an
/// lse is a row of its own.
struct Row {
  llvm::SmallVector<double, 0> values;
  /// For each element the magnitude that it is rounded at: sum_j w|v| for an
  /// out, max(1, |lse|), the weight itself, sum |x||w| + |bias| for a
  /// projection.
  llvm::SmallVector<double, 0> magnitudes;
  /// sum_j w|s|: the size of the scores that matter to the row; of weights at
  /// least |lse|, which they are computed from.
  double logits = 0;
  /// No key is allowed.
  bool isEmpty = false;
  /// The row is an element of an lse.
  bool isLse = false;
};

/// What computing a kernel's outputs takes.
struct Work {
  /// Multiplications and additions, 2 (Dqk + Dv) for each allowed score element
  /// and those of projections.
  double flops = 0;
  /// Score elements that the masks allow, and all there are.
  double allowedScores = 0, allScores = 0;
};

/// Evaluates one kernel on given inputs. Rows are independent, and one takes
/// O(Sk) memory; projected keys and values are kept once computed.
class Evaluator {
public:
  /// `inputs` are the arguments of `kernel` and must outlive the evaluator.
  /// Fails on inputs of other types or sizes and on operations that it doesn't
  /// know, by name.
  static llvm::Expected<std::unique_ptr<Evaluator>>
  create(mlir::func::FuncOp kernel, llvm::ArrayRef<const HostTensor *> inputs,
         Mode mode = Mode::Exact);
  ~Evaluator();

  unsigned getNumOutputs() const;
  llvm::ArrayRef<int64_t> getShape(unsigned output) const;
  HostType getType(unsigned output) const;

  /// Rows are numbered in row-major order of the leading dims.
  int64_t getNumRows(unsigned output) const;
  int64_t getRowLength(unsigned output) const;
  llvm::Error evaluateRow(unsigned output, int64_t number, Row &row);

  /// A whole output, rounded to its type.
  llvm::Expected<HostTensor> evaluate(unsigned output);

  /// The largest Row::logits of the rows evaluated so far.
  double getLargestLogits() const;

  /// Counts work by evaluating the masks. Where that takes more than `budget`
  /// mask elements, it is estimated from a sample of rows.
  llvm::Expected<Work> measureWork(int64_t budget);

private:
  struct Impl;
  explicit Evaluator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace fovea::reference

#endif // FOVEA_REFERENCE_REFERENCE_H
