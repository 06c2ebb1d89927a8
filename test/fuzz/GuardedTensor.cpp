//===- GuardedTensor.cpp - tensors beside unreadable memory ---------------===//

#include "GuardedTensor.h"
#include "llvm/Support/MathExtras.h"
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace fovea;
using namespace fovea::fuzz;

//===-- Faults ------------------------------------------------------------===//

namespace {
/// What the signal handler knows of a mapping; plain, as it may run anywhere.
struct Guarded {
  const char *name;
  uintptr_t begin, pages, pagesEnd, end;
};
constexpr int maxGuarded = 256;
Guarded guardedList[maxGuarded];
int reportTo = 2;
} // namespace

static void writeText(const char *text) {
  // Nothing can be done about a failure here.
  ssize_t written = write(reportTo, text, strlen(text));
  (void)written;
}

static void writeNumber(uint64_t number) {
  char digits[24];
  char *at = digits + sizeof(digits);
  *--at = 0;
  do
    *--at = char('0' + number % 10);
  while (number /= 10);
  writeText(at);
}

static void onFault(int signal, siginfo_t *info, void *) {
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Guarded &guarded : guardedList) {
    if (!guarded.name || signal != SIGSEGV || address < guarded.begin ||
        address >= guarded.end)
      continue;
    bool isAfter = address >= guarded.pagesEnd;
    writeText("fault touches '");
    writeText(guarded.name);
    writeText("' ");
    writeNumber(isAfter ? address - guarded.pagesEnd : guarded.pages - address);
    writeText(isAfter ? " bytes after its end\n" : " bytes before its start\n");
    _exit(1);
  }
  writeText("crash signal ");
  writeNumber(uint64_t(signal));
  writeText("\n");
  _exit(1);
}

void fuzz::catchFaults(int fd) {
  reportTo = fd;
  // A stack of its own, for when there is no more of the usual one.
  static char stack[64 << 10];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
}

//===-- Memory ------------------------------------------------------------===//

GuardedMemory::GuardedMemory(const char *name, int64_t bytes,
                             bool isGuardBefore, uint8_t fill) {
  int64_t page = sysconf(_SC_PAGESIZE);
  pageBytes = llvm::alignTo(uint64_t(std::max<int64_t>(bytes, 1)), page);
  void *mapped = mmap(nullptr, pageBytes + 2 * page, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED || mprotect(static_cast<char *>(mapped) + page,
                                       pageBytes, PROT_READ | PROT_WRITE))
    llvm::report_fatal_error("the system refuses memory");
  mapping = static_cast<char *>(mapped);
  char *pages = mapping + page;
  memset(pages, fill, pageBytes);
  data = isGuardBefore ? pages : pages + pageBytes - bytes;
  guard = isGuardBefore ? pages - 1 : pages + pageBytes;
  for (Guarded &guarded : guardedList)
    if (!guarded.name) {
      auto begin = reinterpret_cast<uintptr_t>(mapping);
      guarded = {name, begin, begin + page, begin + page + pageBytes,
                 begin + 2 * page + pageBytes};
      return;
    }
  llvm::report_fatal_error("expects fewer tensors at a time");
}

GuardedMemory::~GuardedMemory() {
  for (Guarded &guarded : guardedList)
    if (guarded.name && guarded.begin == reinterpret_cast<uintptr_t>(mapping))
      guarded.name = nullptr;
  munmap(mapping, pageBytes + 2 * sysconf(_SC_PAGESIZE));
}

llvm::MutableArrayRef<char> GuardedMemory::getPages() const {
  return {mapping + sysconf(_SC_PAGESIZE), size_t(pageBytes)};
}

//===-- Tensors -----------------------------------------------------------===//

GuardedTensor::GuardedTensor(std::string named, const HostTensor &tensor,
                             llvm::ArrayRef<int64_t> strides,
                             bool isGuardBefore, bool shifts)
    : name(std::move(named)), shape(tensor.getShape()), strides(strides),
      elementBytes(getHostTypeBytes(tensor.getType())) {
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip(shape, strides))
    span = size ? span + (size - 1) * stride : 0;
  if (tensor.getNumElements() == 0)
    span = 0;
  memory = std::make_unique<GuardedMemory>(name.c_str(), span * elementBytes,
                                           isGuardBefore, 0xff);
  first = span ? memory->getData() : memory->getGuard();
  forEachElement([&](int64_t index, char *at) {
    memcpy(at,
           static_cast<const char *>(tensor.getData()) + index * elementBytes,
           elementBytes);
  });
  llvm::ArrayRef<char> pages = memory->getPages();
  before.assign(pages.begin(), pages.end());

  int64_t shift = shifts && span ? 3 * elementBytes : 0;
  view.data = first - shift;
  view.byte_offset = shift;
  view.device = {FOVEA_DEVICE_CPU, 0};
  view.ndim = int32_t(shape.size());
  view.dtype = getDataType(tensor.getType());
  view.shape = shape.data();
  view.strides = this->strides.data();
}

void GuardedTensor::forEachElement(
    llvm::function_ref<void(int64_t, char *)> visit) const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  llvm::SmallVector<int64_t, 4> position(shape.size());
  int64_t offset = 0;
  for (int64_t index = 0; index < count; ++index) {
    visit(index, first + offset * elementBytes);
    for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
      offset += strides[dim];
      if (++position[dim] < shape[dim])
        break;
      offset -= shape[dim] * strides[dim];
      position[dim] = 0;
    }
  }
}

void GuardedTensor::perturb() {
  char *last = nullptr;
  forEachElement([&](int64_t, char *at) { last = at; });
  // The exponent's byte.
  if (last)
    last[elementBytes - 1] ^= 0x20;
}

void GuardedTensor::read(HostTensor &tensor) const {
  forEachElement([&](int64_t index, char *at) {
    memcpy(static_cast<char *>(tensor.getData()) + index * elementBytes, at,
           elementBytes);
  });
}

std::string GuardedTensor::findChange(bool mayElementsChange) const {
  llvm::ArrayRef<char> pages = memory->getPages();
  std::vector<char> now(pages.begin(), pages.end());
  if (mayElementsChange)
    forEachElement([&](int64_t, char *at) {
      memcpy(now.data() + (at - pages.data()),
             before.data() + (at - pages.data()), elementBytes);
    });
  if (!memcmp(now.data(), before.data(), now.size()))
    return "";
  int64_t at =
      std::mismatch(now.begin(), now.end(), before.begin()).first - now.begin();
  return "'" + name + "' has byte " +
         std::to_string(at - (memory->getData() - pages.data())) +
         " from its start changed, " +
         (mayElementsChange ? "which is in no element" : "but is an input");
}
