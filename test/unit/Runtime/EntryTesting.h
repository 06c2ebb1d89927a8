//===- EntryTesting.h - made-up kernels and tensors for the entry's tests -===//

#ifndef FOVEA_TEST_UNIT_RUNTIME_ENTRYTESTING_H
#define FOVEA_TEST_UNIT_RUNTIME_ENTRYTESTING_H

#include "Entry.h"

#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace fovea::testing {

constexpr fovea_data_type kF64{FOVEA_TYPE_FLOAT, 64, 1};
constexpr fovea_data_type kF32{FOVEA_TYPE_FLOAT, 32, 1};
constexpr fovea_data_type kBF16{FOVEA_TYPE_BFLOAT, 16, 1};
constexpr fovea_data_type kI64{FOVEA_TYPE_INT, 64, 1};
constexpr fovea_data_type kI32{FOVEA_TYPE_INT, 32, 1};
constexpr fovea_data_type kU8{FOVEA_TYPE_UINT, 8, 1};
constexpr fovea_data_type kBool{FOVEA_TYPE_BOOL, 8, 1};

/// What the body of the made-up kernel saw when it last ran.
struct Seen {
  int runs = 0;
  fovea_frame frame{};
  std::vector<int64_t> views;
  /// The values of the last tensor that a test asked for, as the kernel sees
  /// them (see Kernel::watchIndex).
  std::vector<int64_t> indices;
};

inline Seen seen;
inline int64_t viewWords;
inline int64_t watchedView;
inline int64_t watchedRank;
/// The words of a view that the body writes 100, 101, ... to; none if negative.
inline int64_t writtenView = -1;
/// What temporary_bytes returns, and the views that it was given.
inline int64_t temporaryBytes;
inline std::vector<int64_t> temporaryViews;

inline void recordBody(fovea_frame *frame, int64_t *views) {
  ++seen.runs;
  seen.frame = *frame;
  seen.views.assign(views, views + viewWords);
  seen.indices.clear();
  if (writtenView >= 0)
    for (int64_t i = 0; i < 6; ++i)
      reinterpret_cast<int64_t *>(views[writtenView + 1])[i] = 100 + i;
  if (watchedView < 0)
    return;
  const int64_t *view = views + watchedView;
  int64_t count = 1;
  for (int64_t i = 0; i < watchedRank; ++i)
    count *= view[FOVEA_VIEW_SIZES + i];
  const auto *data = reinterpret_cast<const int64_t *>(view[1]);
  seen.indices.assign(data, data + count);
}

inline int64_t recordTemporaryBytes(int64_t *views) {
  temporaryViews.assign(views, views + viewWords);
  return temporaryBytes;
}

/// A dim of a signature: a size, or a symbol by name.
struct Dim {
  int64_t size;
  const char *symbol;
  Dim(int64_t size) : size(size), symbol(nullptr) {}
  Dim(const char *symbol) : size(0), symbol(symbol) {}
};

/// Writes a signature as the compiler would. Inputs come before outputs.
class Kernel {
public:
  explicit Kernel(const char *name = "kernel") : header(FOVEA_HEADER_WORDS, 0) {
    header[FOVEA_HEADER_VERSION] = FOVEA_SIGNATURE_VERSION;
    header[FOVEA_HEADER_NAME] = addString(name);
    seen = Seen();
    viewWords = 0;
    watchedView = writtenView = -1;
    temporaryBytes = 0;
    temporaryViews.clear();
  }

  Kernel &input(const char *name, fovea_data_type type,
                const std::vector<Dim> &dims, int64_t flags = 0) {
    ++header[FOVEA_HEADER_INPUTS];
    return tensor(name, type, dims, flags);
  }

  Kernel &output(const char *name, fovea_data_type type,
                 const std::vector<Dim> &dims, int64_t flags = 0) {
    ++header[FOVEA_HEADER_OUTPUTS];
    return tensor(name, type, dims, flags);
  }

  /// Makes the body record the elements of the tensor added last, compact
  /// int64.
  Kernel &watchIndex(int64_t rank) {
    watchedView = viewWords - FOVEA_VIEW_WORDS(rank);
    watchedRank = rank;
    return *this;
  }

  Kernel &set(int position, int64_t value) {
    header[position] = value;
    return *this;
  }

  const fovea_kernel_code *code() {
    signature = header;
    signature.insert(signature.end(), symbols.begin(), symbols.end());
    signature.insert(signature.end(), records.begin(), records.end());
    built = {signature.data(), strings.data(), recordBody,
             recordTemporaryBytes};
    return &built;
  }

private:
  int64_t addString(const std::string &text) {
    int64_t offset = static_cast<int64_t>(strings.size());
    strings += text;
    strings += '\0';
    return offset;
  }

  int64_t symbolNumber(const std::string &name) {
    for (size_t i = 0; i < symbols.size(); ++i)
      if (name == strings.data() + symbols[i])
        return static_cast<int64_t>(i);
    symbols.push_back(addString(name));
    ++header[FOVEA_HEADER_SYMBOLS];
    return static_cast<int64_t>(symbols.size()) - 1;
  }

  Kernel &tensor(const char *name, fovea_data_type type,
                 const std::vector<Dim> &dims, int64_t flags) {
    int64_t rank = static_cast<int64_t>(dims.size());
    for (int64_t word :
         {addString(name), int64_t{type.code}, int64_t{type.bits}, rank, flags})
      records.push_back(word);
    for (const Dim &dim : dims)
      records.push_back(dim.symbol ? -(symbolNumber(dim.symbol) + 1)
                                   : dim.size);
    viewWords += FOVEA_VIEW_WORDS(rank);
    return *this;
  }

  std::vector<int64_t> header, symbols, records, signature;
  std::string strings;
  fovea_kernel_code built{};
};

/// A tensor with memory of its own, 64-byte aligned, of 4096 bytes.
struct Tensor : fovea_tensor {
  alignas(64) char memory[4096] = {};
  std::vector<int64_t> sizes, steps;

  Tensor(fovea_data_type type, std::vector<int64_t> shape)
      : fovea_tensor{}, sizes(std::move(shape)) {
    this->data = memory;
    this->device = {FOVEA_DEVICE_CPU, 0};
    this->ndim = static_cast<int32_t>(sizes.size());
    this->dtype = type;
    this->shape = sizes.data();
  }
  Tensor(const Tensor &) = delete;

  void setStrides(std::vector<int64_t> values) {
    steps = std::move(values);
    strides = steps.data();
  }

  template <typename T> std::vector<T> get(size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory, count * sizeof(T));
    return values;
  }
  template <typename T> void fill(const std::vector<T> &values) {
    ASSERT_LE(values.size() * sizeof(T), sizeof(memory));
    std::memcpy(memory, values.data(), values.size() * sizeof(T));
  }
};

/// Runs kernels with a message buffer.
struct Caller {
  fovea_context context;
  char message[512] = "not touched";

  Caller() {
    fovea_context_init(&context);
    context.message = message;
    context.message_bytes = sizeof(message);
  }

  int run(Kernel &kernel, std::vector<const fovea_tensor *> inputs,
          std::vector<fovea_tensor *> outputs) {
    return fovea_entry_run(kernel.code(), &context, inputs.data(),
                           outputs.data());
  }

  /// Expects this status and sentence, and that the kernel has not run.
  void refuse(Kernel &kernel, std::vector<const fovea_tensor *> inputs,
              std::vector<fovea_tensor *> outputs, const char *sentence,
              int status = FOVEA_INVALID_ARGUMENT) {
    int runs = seen.runs;
    EXPECT_EQ(run(kernel, std::move(inputs), std::move(outputs)), status);
    EXPECT_STREQ(message, sentence);
    EXPECT_EQ(seen.runs, runs);
  }

  /// Expects the kernel to run.
  void accept(Kernel &kernel, std::vector<const fovea_tensor *> inputs,
              std::vector<fovea_tensor *> outputs) {
    int runs = seen.runs;
    EXPECT_EQ(run(kernel, std::move(inputs), std::move(outputs)), FOVEA_OK);
    EXPECT_STREQ(message, "");
    EXPECT_EQ(seen.runs, runs + 1);
  }
};

inline int64_t address(const void *pointer) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer));
}

} // namespace fovea::testing

#endif // FOVEA_TEST_UNIT_RUNTIME_ENTRYTESTING_H
