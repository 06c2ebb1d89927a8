//===- Children.cpp - cases in processes of their own ---------------------===//

#include "Children.h"
#include "GuardedTensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fovea;
using namespace fovea::fuzz;
using llvm::StringRef;

/// A case takes well below a second; a loaded machine is slow.
static constexpr std::chrono::seconds longestCase(120);

//===-- In the child ------------------------------------------------------===//

static void say(int fd, std::string line) {
  llvm::replace(line, '\n', '\x1f');
  line += '\n';
  for (StringRef rest = line; !rest.empty();) {
    ssize_t written = write(fd, rest.data(), rest.size());
    if (written <= 0)
      _exit(1); // nobody listens
    rest = rest.drop_front(written);
  }
}

[[noreturn]] static void runBatch(const std::vector<Case> &batch,
                                  Injection injection, int fd) {
  catchFaults(fd);
  for (auto [position, drawn] : llvm::enumerate(batch)) {
    say(fd, "begin " + std::to_string(position));
    std::optional<Finding> finding =
        runCase(drawn, injection, [&](const RightCall &right) {
          say(fd, "call " + std::to_string(right.number) + " " +
                      std::to_string(right.call.strides) + " " +
                      std::to_string(right.call.specials) + " " +
                      std::to_string(right.isNear));
        });
    if (finding)
      say(fd, "finding " + std::to_string(unsigned(finding->kind)) + " " +
                  std::to_string(finding->call) + " " + finding->text);
    else
      say(fd, "end");
  }
  _exit(0);
}

//===-- In the parent -----------------------------------------------------===//

Child::Child(std::vector<Case> cases, Injection injection)
    : batch(std::move(cases)), lastSign(std::chrono::steady_clock::now()) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    llvm::report_fatal_error("the system refuses a pipe");
  errors = memfd_create("errors", MFD_CLOEXEC);
  fflush(nullptr);
  pid = fork();
  if (pid < 0)
    llvm::report_fatal_error("the system refuses a process");
  if (pid == 0) {
    dup2(errors, 2);
    runBatch(batch, injection, ends[1]);
  }
  close(ends[1]);
  pipe = ends[0];
  fcntl(pipe, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  if (pid > 0) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  if (pipe >= 0)
    close(pipe);
  close(errors);
}

/// The end of what the child printed, where an assertion says its piece.
std::string Child::readErrors() {
  char text[2000];
  off_t size = lseek(errors, 0, SEEK_END);
  off_t start = std::max<off_t>(0, size - off_t(sizeof(text)));
  ssize_t got = pread(errors, text, sizeof(text), start);
  return StringRef(text, std::max<ssize_t>(got, 0)).rtrim().str();
}

void Child::takeLine(StringRef line,
                     llvm::function_ref<void(Outcome)> onOutcome) {
  auto finishCase = [&] {
    isRunning = false;
    ++numDone;
    onOutcome(std::move(current));
  };
  auto takeNumber = [&](auto &number) {
    line = line.ltrim();
    (void)line.consumeInteger(10, number);
  };
  lastSign = std::chrono::steady_clock::now();
  if (line.consume_front("begin")) {
    current = Outcome();
    isRunning = true;
    takeNumber(current.position);
  } else if (line.consume_front("call")) {
    RightCall right;
    takeNumber(right.number);
    right.call = batch[current.position].calls[right.number];
    takeNumber(right.call.strides);
    takeNumber(right.call.specials);
    unsigned isNear = 0;
    takeNumber(isNear);
    right.isNear = isNear;
    current.calls.push_back(right);
  } else if (line.consume_front("finding")) {
    Finding finding;
    unsigned kind = 0;
    takeNumber(kind);
    takeNumber(finding.call);
    finding.kind = FindingKind(kind);
    finding.text = line.ltrim().str();
    llvm::replace(finding.text, '\x1f', '\n');
    current.finding = finding;
    finishCase();
  } else if (line == "end") {
    finishCase();
  } else {
    lastWords += line;
  }
}

void Child::finish(llvm::function_ref<void(Outcome)> onOutcome) {
  int status = 0;
  waitpid(pid, &status, 0);
  pid = -1;
  if (numDone == batch.size())
    return;
  Finding finding;
  finding.call = int(current.calls.size());
  StringRef words = lastWords;
  if (words.consume_front("fault ")) {
    finding.kind = FindingKind::Fault;
    finding.text = words.str();
  } else {
    finding.text = "the process ended by ";
    if (words.consume_front("crash "))
      finding.text += words;
    else if (WIFSIGNALED(status))
      finding.text += "signal " + std::to_string(WTERMSIG(status));
    else
      finding.text += "exit code " + std::to_string(WEXITSTATUS(status));
    std::string errors = readErrors();
    if (!errors.empty())
      finding.text += "\n" + errors;
  }
  if (!isRunning)
    current.position = numDone;
  current.finding = finding;
  ++numDone;
  onOutcome(std::move(current));
}

void Child::update(llvm::function_ref<void(Outcome)> onOutcome) {
  char buffer[4096];
  ssize_t got = 0;
  while ((got = read(pipe, buffer, sizeof(buffer))) > 0) {
    unread.append(buffer, size_t(got));
    size_t end;
    while ((end = unread.find('\n')) != std::string::npos) {
      std::string line = unread.substr(0, end);
      unread.erase(0, end + 1);
      takeLine(line, onOutcome);
    }
  }
  if (got == 0)
    return finish(onOutcome);
  if (std::chrono::steady_clock::now() - lastSign < longestCase)
    return;
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  pid = -1;
  current.finding = Finding{FindingKind::Hang, int(current.calls.size()),
                            "no sign of life for " +
                                std::to_string(longestCase.count()) + " s"};
  ++numDone;
  onOutcome(std::move(current));
}

std::optional<Finding> fuzz::runAlone(const Case &drawn, Injection injection) {
  Child child({drawn}, injection);
  std::optional<Finding> finding;
  while (!child.isOver()) {
    pollfd waiting = {child.getPipe(), POLLIN, 0};
    poll(&waiting, 1, 1000);
    child.update([&](Outcome outcome) { finding = outcome.finding; });
  }
  return finding;
}
