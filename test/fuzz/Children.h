//===- Children.h - cases in processes of their own -----------------------===//
//
// A compiled kernel may do anything to the process that calls it, so cases run
// in children, which say on a pipe what they begin and what came out:
//
//   begin POSITION                  a case, by its place in the batch
//   call NUMBER STRIDES SPECIALS NEAR    a call was right
//   finding KIND CALL TEXT          and the case is over
//   end                             the case was right
//   fault ... | crash ...           from the signal handler, as last words
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_TEST_FUZZ_CHILDREN_H
#define FOVEA_TEST_FUZZ_CHILDREN_H

#include "RunCase.h"
#include <chrono>
#include <sys/types.h>

namespace fovea::fuzz {

/// What came of one case.
struct Outcome {
  size_t position = 0;
  std::vector<RightCall> calls;
  std::optional<Finding> finding;
};

/// A process that runs a batch of cases.
class Child {
public:
  /// Forks. The batch may end early, after a case that kills the process.
  Child(std::vector<Case> batch, Injection injection);
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  const std::vector<Case> &getBatch() const { return batch; }
  int getPipe() const { return pipe; }
  /// Nothing more will come.
  bool isOver() const { return pid < 0; }
  /// The number of cases that have an outcome, which are the first ones.
  size_t getNumDone() const { return numDone; }

  /// Takes what has come through the pipe, without waiting; call it now and
  /// then even if nothing has, for hangs.
  void update(llvm::function_ref<void(Outcome)> onOutcome);

private:
  void takeLine(llvm::StringRef line,
                llvm::function_ref<void(Outcome)> onOutcome);
  void finish(llvm::function_ref<void(Outcome)> onOutcome);
  std::string readErrors();

  std::vector<Case> batch;
  pid_t pid = -1;
  int pipe = -1, errors = -1;
  std::string unread, lastWords;
  Outcome current;
  size_t numDone = 0;
  bool isRunning = false;
  std::chrono::steady_clock::time_point lastSign;
};

/// Runs one case in a child and waits for it.
std::optional<Finding> runAlone(const Case &drawn, Injection injection);

} // namespace fovea::fuzz

#endif // FOVEA_TEST_FUZZ_CHILDREN_H
