//===- Testing.h - running single instructions and small kernels ----------===//

#ifndef FOVEA_TEST_UNIT_PTXSIMULATOR_TESTING_H
#define FOVEA_TEST_UNIT_PTXSIMULATOR_TESTING_H

#include "fovea/PTXSimulator/Launch.h"
#include "llvm/Support/Error.h"
#include <bit>
#include <gtest/gtest.h>

namespace fovea::ptx::testing {

/// The module of `text` behind the usual first lines. Fails the test if it
/// cannot be parsed.
Module parse(llvm::StringRef text);

/// Why `text` is no good module; fails the test if it is one.
std::string getParseError(llvm::StringRef text);

/// The first lines of a module.
extern const char *const header;

/// A kernel `k` with one buffer in parameter `out`, whose address is in %out
/// and which each thread's own place in, of `bytesPerThread`, is in %at.
/// Registers %r %s %t (32 bits), %h %i (16), %d %e (64), %p %q are declared.
std::string makeKernel(llvm::StringRef body, unsigned bytesPerThread = 4,
                       llvm::StringRef declarations = "");

/// What a kernel did.
struct Outcome {
  LaunchResult result;
  std::vector<uint8_t> bytes;

  template <typename T> std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  /// The reports of `kind`.
  std::vector<Report> get(ReportKind kind) const;
};

struct LaunchShape {
  Dim3 grid, block{32, 1, 1};
  uint64_t sharedBytes = 0;
  LaunchOptions options;
};

/// Runs kernel `k` of `text` with one buffer of `outBytes` as its only
/// argument.
Outcome run(llvm::StringRef text, uint64_t outBytes, LaunchShape shape = {});

/// Fails the test if there are reports.
void expectClean(const LaunchResult &result);

/// The bytes of one operand in all lanes.
struct LaneBytes {
  unsigned size = 0;
  std::vector<uint8_t> bytes;
};

/// Executes `instruction`, in which %0 is the result and %1, %2, ... are the
/// inputs, in 32 lanes. A size of 0 is a predicate, a byte in memory.
std::vector<uint8_t> evaluateBytes(llvm::StringRef instruction,
                                   unsigned resultSize,
                                   std::vector<LaneBytes> inputs);

template <typename T> LaneBytes makeLanes(const std::vector<T> &values) {
  LaneBytes lanes;
  lanes.size = std::is_same_v<T, bool> ? 0 : sizeof(T);
  for (unsigned lane = 0; lane < 32; ++lane) {
    // Few values are repeated.
    T value = values[lane % values.size()];
    const auto *from = reinterpret_cast<const uint8_t *>(&value);
    lanes.bytes.insert(lanes.bytes.end(), from, from + sizeof(T));
  }
  return lanes;
}

/// The results of the first lanes, one for each value of the longest input.
template <typename R, typename... T>
std::vector<R> evaluate(llvm::StringRef instruction,
                        const std::vector<T> &...inputs) {
  constexpr unsigned size = std::is_same_v<R, bool> ? 0 : sizeof(R);
  std::vector<uint8_t> bytes =
      evaluateBytes(instruction, size, {makeLanes(inputs)...});
  size_t count = std::max({size_t(1), inputs.size()...});
  std::vector<R> results(count);
  for (size_t n = 0; n < count; ++n) {
    R value;
    std::memcpy(&value, bytes.data() + n * sizeof(R), sizeof(R));
    results[n] = value;
  }
  return results;
}

/// The same for one value of each input.
template <typename R, typename... T>
R evaluateOne(llvm::StringRef instruction, T... inputs) {
  return evaluate<R>(instruction, std::vector<T>{inputs}...)[0];
}

inline uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }
inline float floatOf(uint32_t bits) { return std::bit_cast<float>(bits); }

} // namespace fovea::ptx::testing

#endif // FOVEA_TEST_UNIT_PTXSIMULATOR_TESTING_H
