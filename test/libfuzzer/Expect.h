//===- Expect.h - what a fuzz target requires -----------------------------===//

#ifndef FOVEA_TEST_LIBFUZZER_EXPECT_H
#define FOVEA_TEST_LIBFUZZER_EXPECT_H

#include <cstdio>
#include <cstdlib>

namespace fovea::fuzz {

/// Ends the run, which libFuzzer takes for a finding, where `holds` is false.
inline void expect(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "expected that %s\n", what);
  std::abort();
}

} // namespace fovea::fuzz

#endif // FOVEA_TEST_LIBFUZZER_EXPECT_H
