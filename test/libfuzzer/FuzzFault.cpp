//===- FuzzFault.cpp - a fault that libFuzzer must find -------------------===//
//
// A test of the test: a reader that writes past its buffer when a text of its
// dictionary's words is long enough.
//
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<char> buffer(8);
  if (size > 4 && std::memcmp(data, "mask", 4) == 0)
    for (size_t i = 4; i < size && data[i] == ' '; ++i)
      buffer.data()[i - 4] = ' ';
  return 0;
}
