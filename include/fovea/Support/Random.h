//===- Random.h - random numbers that a seed repeats ----------------------===//

#ifndef FOVEA_SUPPORT_RANDOM_H
#define FOVEA_SUPPORT_RANDOM_H

#include <cstdint>

namespace fovea {

/// SplitMix64 (Steele, Lea and Flood 2014). Integer and exact float arithmetic
/// only, so that a seed means the same numbers on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  /// In [0, 1).
  double uniform() { return double(next() >> 11) * 0x1p-53; }

  /// Near to normal, with mean 0 and variance 1: four 16-bit uniforms summed.
  double normal() {
    uint64_t bits = next();
    double sum = 0;
    for (int n = 0; n < 4; ++n)
      sum += double(bits >> (16 * n) & 0xffff);
    return (sum * 0x1p-16 - 2) * 1.7320508075688772;
  }

  /// In [0, most].
  int64_t upTo(int64_t most) {
    return most <= 0 ? 0 : int64_t(next() % (uint64_t(most) + 1));
  }

private:
  uint64_t state;
};

} // namespace fovea

#endif // FOVEA_SUPPORT_RANDOM_H
