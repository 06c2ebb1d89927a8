//===- Attention.cpp - softmax and its product with the values ------------===//

#include "Node.h"
#include <cmath>

using namespace fovea;
using namespace fovea::reference;
using llvm::Error;

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// The emulation's key block.
static constexpr int64_t blockKeys = 64;

/// The largest of the kept scores in [first, last), at least `start`; NaN if
/// one of them is.
static double findMax(const Scores &scores, int64_t first, int64_t last,
                      double start) {
  double max = start;
  for (int64_t j = first; j < last; ++j)
    if (scores.keep[j] && !(scores.values[j] <= max))
      max = std::isnan(max) ? max : scores.values[j];
  return max;
}

/// Scores of -inf only are shifted by 0, as -inf - -inf is NaN.
static double getShift(double max) { return max == -infinity ? 0.0 : max; }

//===-- attn.sdpa ---------------------------------------------------------===//

Error Attention::forEachValue(
    int64_t first, int64_t last,
    llvm::function_ref<void(int64_t, const double *)> visit) {
  int64_t b = current / scores->queries / scores->heads;
  int64_t h = current / scores->queries % scores->heads;
  int64_t firstRow =
      (b * scores->kvHeads + h / (scores->heads / scores->kvHeads)) *
      scores->keys;
  valueRow.resize(value.getRowLength());
  for (int64_t j = first; j < last; ++j) {
    if (!scores->keep[j])
      continue;
    if (Error error = value.readRow(firstRow + j, valueRow.data(), nullptr))
      return error;
    visit(j, valueRow.data());
  }
  return Error::success();
}

Error Attention::compute(int64_t number) {
  if (number == current)
    return Error::success();
  current = -1;
  if (Error error = scores->compute(number))
    return error;
  current = number;
  row.values.assign(value.getRowLength(), 0.0);
  row.magnitudes.assign(value.getRowLength(), 0.0);
  row.logits = 0;
  row.isEmpty = scores->isEmpty;
  lse = -infinity;
  if (row.isEmpty)
    return Error::success();
  Error error = settings.emulate ? computeEmulated() : computeExact();
  if (std::isfinite(row.logits))
    settings.largestLogits = std::max(settings.largestLogits, row.logits);
  return error;
}

Error Attention::computeExact() {
  const std::vector<double> &s = scores->values;
  double max = findMax(*scores, 0, scores->keys, -infinity);
  double shift = getShift(max), sum = 0;
  for (int64_t j = 0; j < scores->keys; ++j)
    if (scores->keep[j])
      sum += std::exp(s[j] - shift);
  lse = std::log(sum) + shift;
  double divisor = sum == 0 ? 1 : sum;
  return forEachValue(0, scores->keys, [&](int64_t j, const double *v) {
    double weight = std::exp(s[j] - shift) / divisor;
    if (weight > 0)
      row.logits += weight * std::fabs(s[j]);
    for (size_t d = 0; d < row.values.size(); ++d) {
      row.values[d] += weight * v[d];
      row.magnitudes[d] += weight * std::fabs(v[d]);
    }
  });
}

/// The streamed softmax in `Real`, whose numbers all scores are already.
template <typename Real> struct Stream {
  explicit Stream(size_t width) : out(width) {}

  /// Takes scores [first, last) in, calling visit(j, weight) for each.
  template <typename Visit>
  void step(const Scores &scores, int64_t first, int64_t last, Visit visit) {
    Real newMax = Real(findMax(scores, first, last, max));
    Real shift = Real(getShift(newMax)), rescale = std::exp(max - shift);
    Real weights = 0;
    for (int64_t j = first; j < last; ++j)
      if (scores.keep[j])
        weights += std::exp(Real(scores.values[j]) - shift);
    sum = sum * rescale + weights;
    for (Real &element : out)
      element *= rescale;
    for (int64_t j = first; j < last; ++j)
      if (scores.keep[j])
        visit(j, std::exp(Real(scores.values[j]) - shift));
    max = newMax;
  }

  Real max = -std::numeric_limits<Real>::infinity(), sum = 0;
  std::vector<Real> out;
};

Error Attention::computeEmulated() {
  auto run = [&](auto zero) -> Error {
    using Real = decltype(zero);
    Stream<Real> stream(row.values.size());
    std::vector<Real> weights(blockKeys);
    for (int64_t j0 = 0; j0 < scores->keys; j0 += blockKeys) {
      int64_t end = std::min(j0 + blockKeys, scores->keys);
      stream.step(*scores, j0, end, [&](int64_t j, Real weight) {
        weights[j - j0] = Real(roundTo(scores->type, weight));
      });
      if (Error error = forEachValue(j0, end, [&](int64_t j, const double *v) {
            for (size_t d = 0; d < stream.out.size(); ++d)
              stream.out[d] += weights[j - j0] * Real(v[d]);
          }))
        return error;
    }
    bool any = stream.sum != 0;
    lse = any ? Real(stream.max + std::log(stream.sum)) : -infinity;
    for (size_t d = 0; d < stream.out.size(); ++d)
      row.values[d] =
          any ? roundTo(scores->type, stream.out[d] / stream.sum) : 0;
    return Error::success();
  };
  return scores->type == HostType::F64 ? run(0.0) : run(0.0f);
}

Error OutNode::readRow(int64_t number, double *to, Row *details) {
  if (Error error = attention.compute(number))
    return error;
  llvm::copy(attention.row.values, to);
  if (details)
    *details = attention.row;
  return Error::success();
}

Error LseNode::readRow(int64_t number, double *to, Row *details) {
  if (Error error = attention.compute(number))
    return error;
  *to = attention.lse;
  if (details) {
    details->magnitudes.assign(1, std::max(1.0, std::fabs(attention.lse)));
    details->logits = attention.row.logits;
    details->isEmpty = attention.row.isEmpty;
    details->isLse = true;
  }
  return Error::success();
}

//===-- attn.sdpa_weights -------------------------------------------------===//

Error WeightsNode::readEmulated(double *to) {
  auto run = [&](auto zero) {
    using Real = decltype(zero);
    Stream<Real> stream(0);
    for (int64_t j0 = 0; j0 < scores->keys; j0 += blockKeys)
      stream.step(*scores, j0, std::min(j0 + blockKeys, scores->keys),
                  [](int64_t, Real) {});
    Real shift = Real(getShift(stream.max));
    Real divisor = stream.sum == 0 ? Real(1) : stream.sum;
    for (int64_t j = 0; j < scores->keys; ++j)
      if (scores->keep[j])
        to[j] = roundTo(scores->type,
                        std::exp(Real(scores->values[j]) - shift) / divisor);
  };
  if (scores->type == HostType::F64)
    run(0.0);
  else
    run(0.0f);
  return Error::success();
}

Error WeightsNode::readRow(int64_t number, double *to, Row *details) {
  if (Error error = scores->compute(number))
    return error;
  std::fill_n(to, scores->keys, 0.0);
  double logits = 0;
  if (settings.emulate) {
    if (Error error = readEmulated(to))
      return error;
  } else {
    double total = 0;
    // A row of an lse that is no attn.sdpa's runs along its last dim.
    if (lse.getRowLength() == 1) {
      if (Error error = lse.readRow(number, &total, nullptr))
        return error;
    } else {
      llvm::Expected<const HostTensor *> whole = lse.asTensor();
      if (!whole)
        return whole.takeError();
      total = (*whole)->getFloat(number);
    }
    for (int64_t j = 0; j < scores->keys; ++j) {
      if (!scores->keep[j] || total == -infinity)
        continue;
      to[j] = std::exp(scores->values[j] - total);
      if (to[j] > 0)
        logits += to[j] * std::fabs(scores->values[j]);
    }
    // The lse is in memory, rounded as a score is.
    if (std::isfinite(total))
      logits = std::max(logits, std::fabs(total));
    if (std::isfinite(logits))
      settings.largestLogits = std::max(settings.largestLogits, logits);
  }
  if (details) {
    details->magnitudes.assign(to, to + scores->keys);
    details->logits = logits;
    details->isEmpty = scores->isEmpty;
  }
  return Error::success();
}
