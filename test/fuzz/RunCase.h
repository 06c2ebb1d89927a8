//===- RunCase.h - compiles, calls and checks one case --------------------===//

#ifndef FOVEA_TEST_FUZZ_RUNCASE_H
#define FOVEA_TEST_FUZZ_RUNCASE_H

#include "Case.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fovea::fuzz {

enum class FindingKind {
  Refused, // a config or module that should compile doesn't
  Status,  // a call's status is another than expected
  Wrong,   // beyond S14 of the reference
  Bits,    // other bits with another loop hook
  Memory,  // a byte changed that is no output's element
  Fault,   // an access of a guard page
  Crash,   // any other death of the process
  Hang
};
constexpr unsigned numFindingKinds = 8;
llvm::StringRef getFindingName(FindingKind kind);

struct Finding {
  FindingKind kind = FindingKind::Crash;
  /// The call, or -1 before the first.
  int call = -1;
  std::string text;
};

/// What to do wrong on purpose after a kernel ran, to see it found.
enum class Injection { None, Output, Gap, Input, Guard, Crash, Hang, Refusal };
std::optional<Injection> parseInjection(llvm::StringRef name);

/// A call that was right.
struct RightCall {
  int number = 0;
  /// With the strides and specials that it came to have.
  Call call;
  /// Beyond S14's limits by less than `slack`.
  bool isNear = false;
};

/// Errors may be so many times S14's limits, f64 apart: with few elements the
/// yardstick is a matter of chance, and the floor knows scores, not the terms
/// whose sums they are. What is wrong is wrong by far; how often this is needed
/// is printed.
constexpr double slack = 3;

/// Runs a case in this process; stops at the first finding.
std::optional<Finding>
runCase(const Case &drawn, Injection injection,
        llvm::function_ref<void(const RightCall &)> onCall);

} // namespace fovea::fuzz

#endif // FOVEA_TEST_FUZZ_RUNCASE_H
