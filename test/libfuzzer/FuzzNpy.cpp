//===- FuzzNpy.cpp - the .npy reader under libFuzzer ----------------------===//
//
// The bytes are read twice: as a whole file, and as the text of a header, which
// gets past the length field that a mutation rarely keeps right.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Support/NpyHeader.h"
#include "Expect.h"
#include "fovea/Support/Npy.h"

using namespace fovea;
using namespace fovea::fuzz;
using llvm::StringRef;

/// What was read agrees with itself, and every element can be read.
static void checkTensor(const HostTensor &tensor) {
  int64_t count = tensor.getNumElements();
  // Divided, not multiplied: beside a size of 0 the others may be huge.
  int64_t left = count;
  for (int64_t size : tensor.getShape()) {
    expect(size >= 0 && (size == 0 ? count == 0 : left % size == 0),
           "the elements are those of the shape");
    left = size == 0 ? 0 : left / size;
  }
  expect(count == 0 || left == 1, "the shape has all elements");
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += isFloat(tensor.getType()) ? tensor.getFloat(i)
                                     : double(tensor.getInteger(i));
  // Keeps the reads; an unused sum would be dropped with them.
  volatile double used = sum;
  (void)used;
}

static void checkMessage(llvm::Error error) {
  expect(!llvm::toString(std::move(error)).empty(), "an error has a text");
}

static void parseFile(StringRef bytes) {
  llvm::Expected<HostTensor> tensor = parseNpy(bytes, "fuzz.npy");
  if (tensor)
    checkTensor(*tensor);
  else
    checkMessage(tensor.takeError());
}

/// A file of version 2.0 with this header, and zeros for the data it claims.
static void parseHeader(StringRef text) {
  llvm::Expected<NpyHeader> header = parseNpyHeader(text);
  if (!header)
    return checkMessage(header.takeError());
  std::string file("\x93NUMPY\2\0", 8);
  for (unsigned shift = 0; shift < 32; shift += 8)
    file += char(text.size() >> shift);
  file += text;
  // The last character of a type is its size.
  int64_t bytes = 1;
  if (!header->descr.empty() && header->descr.back() >= '1' &&
      header->descr.back() <= '8')
    bytes = header->descr.back() - '0';
  constexpr int64_t largest = 1 << 16;
  std::optional<int64_t> count = getNumElements(header->shape, bytes);
  if (count && *count * bytes <= largest)
    file.append(*count * bytes, '\0');
  parseFile(file);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  parseFile(bytes);
  parseHeader(bytes);
  return 0;
}
