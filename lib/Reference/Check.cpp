//===- Check.cpp - is a result near enough to the reference? --------------===//

#include "fovea/Reference/Check.h"
#include <cmath>
#include <limits>

using namespace fovea;
using namespace fovea::reference;
using llvm::Error;
using llvm::Expected;

llvm::SmallVector<int64_t, 0> fovea::reference::sampleRows(int64_t rows,
                                                           int64_t count) {
  llvm::SmallVector<int64_t, 0> numbers;
  if (rows <= count) {
    for (int64_t row = 0; row < rows; ++row)
      numbers.push_back(row);
    return numbers;
  }
  if (count >= 1)
    numbers.push_back(0);
  // Somewhere in each part, so that rows fall on all places of a tile.
  uint64_t state = 1;
  for (int64_t n = 1; n + 1 < count; ++n) {
    auto start = [&](int64_t part) {
      return 1 + int64_t(__int128(rows - 2) * (part - 1) / (count - 2));
    };
    state = state * 6364136223846793005u + 1442695040888963407u;
    numbers.push_back(start(n) +
                      int64_t((state >> 33) % (start(n + 1) - start(n))));
  }
  if (count >= 2)
    numbers.push_back(rows - 1);
  return numbers;
}

namespace {

/// What the arithmetic rounds by, and what rounding to a 16-bit output adds.
constexpr double epsilon = 0x1p-23;
double getOutputEpsilon(HostType type) {
  return type == HostType::F16 ? 0x1p-10 : type == HostType::BF16 ? 0x1p-7 : 0;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Accumulates what the limits need, row after row, in constant memory: that an
/// element keeps to 3 max(E) + floor depends on its error less its floor.
class Comparison {
public:
  explicit Comparison(HostType type)
      : isDouble(type == HostType::F64), outputEpsilon(getOutputEpsilon(type)) {
  }

  void addRow(const Row &exact, const Row &emulated, const HostTensor &got,
              int64_t first) {
    isLse = exact.isLse;
    for (size_t n = 0; n < exact.values.size(); ++n)
      addElement(exact, n, emulated.values[n], got.getFloat(first + n),
                 first + n);
  }

  void finish(double largestLogits, const HostTensor &got,
              CheckResult &result) const {
    double rmsFloor = getRms(floorSquares);
    // The floor of all elements where they have none of their own.
    double common = 0;
    if (isDouble) {
      double magnitude = isLse ? std::max(1.0, largest) : largest;
      double felt = isLse ? 1 : magnitude;
      common = 1e-12 * (magnitude + largestLogits * felt / 200);
    } else {
      // Below the smallest normal number relative errors mean nothing.
      common = 2 * std::numeric_limits<float>::min();
      if (!hasMagnitudes)
        common += getFloor(largest, largestLogits);
      rmsFloor += common;
    }
    double yardstick = isDouble ? 0 : 3 * largestEmulated;
    result.rmsError = getRms(errorSquares);
    result.rmsLimit =
        isDouble ? common : 1.5 * getRms(emulatedSquares) + rmsFloor / 2;
    bool isNear = worst.error <= yardstick + worst.floor + common;
    result.isRight = isNear && result.rmsError <= result.rmsLimit;
    const Element &shown = isNear ? farthest : worst;
    result.maxError = shown.error;
    result.maxLimit = yardstick + shown.floor + common;
    if (shown.index < 0)
      return;
    result.expected = shown.expected;
    result.found = got.getFloat(shown.index);
    int64_t rest = shown.index;
    result.position.resize(got.getRank());
    for (int64_t dim = got.getRank() - 1; dim >= 0; --dim) {
      result.position[dim] = rest % got.getShape()[dim];
      rest /= got.getShape()[dim];
    }
  }

private:
  struct Element {
    double error = 0, floor = 0, expected = 0;
    int64_t index = -1;
  };

  void addElement(const Row &exact, size_t n, double emulated, double got,
                  int64_t index) {
    ++count;
    double expected = exact.values[n], error = 0, floor = 0;
    if (!std::isfinite(expected)) {
      bool isRight =
          isLse && expected < 0 ? got == -infinity : !std::isfinite(got);
      error = isRight ? 0 : infinity;
    } else if (exact.isEmpty && !isLse) {
      error = got == 0 ? 0 : infinity;
    } else {
      error = std::isfinite(got) ? std::fabs(got - expected) : infinity;
      largest = std::max(largest, std::fabs(expected));
      double emulatedError =
          std::isfinite(emulated) ? std::fabs(emulated - expected) : 0;
      largestEmulated = std::max(largestEmulated, emulatedError);
      emulatedSquares += emulatedError * emulatedError;
      if (!exact.magnitudes.empty()) {
        hasMagnitudes = true;
        floor = getFloor(exact.magnitudes[n], exact.logits);
        floor = std::isfinite(floor) ? floor : 0;
      }
      floorSquares += floor * floor;
    }
    errorSquares += error * error;
    // Where elements have floors of their own, the farthest need not be the
    // worst.
    Element element = {error, isDouble ? 0 : floor, expected, index};
    if (farthest.index < 0 || error > farthest.error)
      farthest = element;
    if (worst.index < 0 || error - element.floor > worst.error - worst.floor)
      worst = element;
  }

  /// An error of a score is a relative error of weights, and an absolute one of
  /// an lse.
  double getFloor(double magnitude, double logits) const {
    return epsilon * (4 * magnitude + 2 * logits * (isLse ? 1 : magnitude)) +
           outputEpsilon * magnitude;
  }

  double getRms(double squares) const {
    return count ? std::sqrt(squares / double(count)) : 0;
  }

  bool isDouble, isLse = false, hasMagnitudes = false;
  double outputEpsilon;
  int64_t count = 0;
  Element farthest, worst;
  double largest = 0, largestEmulated = 0;
  double errorSquares = 0, emulatedSquares = 0, floorSquares = 0;
};

} // namespace

Expected<CheckResult>
fovea::reference::check(Evaluator &exact, Evaluator &emulated, unsigned output,
                        const HostTensor &got, int64_t maxRows) {
  HostType type = exact.getType(output);
  if (got.getShape() != exact.getShape(output) || got.getType() != type)
    return llvm::createStringError(
        "expects " + formatShape(exact.getShape(output)) + " of " +
        getHostTypeName(type) + ", but got " + formatShape(got.getShape()) +
        " of " + getHostTypeName(got.getType()));
  int64_t length = exact.getRowLength(output);
  Comparison comparison(type);
  llvm::SmallVector<int64_t, 0> numbers =
      sampleRows(exact.getNumRows(output), maxRows);
  for (int64_t number : numbers) {
    Row right, yardstick;
    if (Error error = exact.evaluateRow(output, number, right))
      return error;
    if (type == HostType::F64)
      yardstick = right;
    else if (Error error = emulated.evaluateRow(output, number, yardstick))
      return error;
    comparison.addRow(right, yardstick, got, number * length);
  }
  CheckResult result;
  result.rows = numbers.size();
  comparison.finish(exact.getLargestLogits(), got, result);
  return result;
}
