//===- Fault.cpp - faults that the sanitizers must report -----------------===//
//
//   Fault heap|stack|overflow|null|leak
//
// A test of the test: each of these would end well in a build without them.
//
//===----------------------------------------------------------------------===//

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int read(const int *memory, int index) { return memory[index]; }

int main(int argc, char **argv) {
  const char *fault = argc == 2 ? argv[1] : "";
  // The compiler does not know it: argc is 2.
  int two = argc, sum = 0;
  if (std::strcmp(fault, "heap") == 0) {
    auto *memory = static_cast<int *>(std::calloc(size_t(two), sizeof(int)));
    sum = read(memory, two);
    std::free(memory);
  } else if (std::strcmp(fault, "stack") == 0) {
    int memory[2] = {1, 2};
    sum = read(memory, two);
  } else if (std::strcmp(fault, "overflow") == 0) {
    sum = INT_MAX / 2 * two + two;
  } else if (std::strcmp(fault, "null") == 0) {
    auto bits = size_t(two - 2);
    int *nothing = nullptr;
    std::memcpy(&nothing, &bits, sizeof nothing);
    sum = *nothing;
  } else if (std::strcmp(fault, "leak") == 0) {
    void *volatile memory = std::malloc(size_t(two));
    memory = nullptr;
    sum = memory != nullptr;
  } else {
    std::fprintf(stderr,
                 "expects heap, stack, overflow, null or leak, found "
                 "'%s'\n",
                 fault);
    return 1;
  }
  std::printf("%d\n", sum);
  return 0;
}
