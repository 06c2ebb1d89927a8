//===- KernelThreads.cpp - a kernel called from several threads -----------===//
//
//   KernelThreads HOOK LIBRARY KERNEL INPUT... / OUTPUT...
//
// Tensors are shapes of f32, such as 2x4x70x16. Three threads call the kernel
// at the same time, twice each, on inputs that they share, and each compares
// its outputs with the bits of a serial call before. HOOK runs the loops of a
// call: `pool` is one fovea_pool for all, `threads` makes threads for each
// loop, and `clash` too, but gives all of them one worker number, which is
// wrong.
//
//===----------------------------------------------------------------------===//

#include "fovea/runtime.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int numCallers = 3, numWorkers = 3;

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(2);
}

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<float> data;
  fovea_tensor view{};

  explicit Tensor(const char *text) {
    size_t count = 1;
    for (const char *at = text; *at;) {
      char *end = nullptr;
      shape.push_back(std::strtoll(at, &end, 10));
      if (end == at || (*end != 'x' && *end != '\0') || shape.back() < 0)
        fail("expects a shape such as 2x4x70x16, found " + std::string(text));
      count *= size_t(shape.back());
      at = *end ? end + 1 : end;
    }
    data.resize(count);
    describe();
  }

  Tensor(const Tensor &other) : shape(other.shape), data(other.data) {
    describe();
  }

  void describe() {
    view.data = data.data();
    view.device = {FOVEA_DEVICE_CPU, 0};
    view.ndim = int32_t(shape.size());
    view.dtype = {FOVEA_TYPE_FLOAT, 32, 1};
    view.shape = shape.data();
  }
};

using Tensors = std::vector<std::unique_ptr<Tensor>>;

/// A loop on threads of its own.
struct ThreadHook {
  bool isClash;

  static void run(void *hook, fovea_task task, void *argument, int64_t count) {
    bool isClash = static_cast<ThreadHook *>(hook)->isClash;
    std::atomic<int64_t> next{0};
    std::vector<std::thread> threads;
    for (int32_t worker = 0; worker < numWorkers; ++worker)
      threads.emplace_back([&, worker] {
        for (int64_t index; (index = next++) < count;)
          task(argument, index, isClash ? 0 : worker);
      });
    for (std::thread &thread : threads)
      thread.join();
  }
};

struct Kernel {
  fovea_kernel function;
  Tensors inputs, outputs;

  /// Calls the kernel with outputs of the call's own.
  Tensors call(fovea_context context) const {
    Tensors results;
    std::vector<const fovea_tensor *> in;
    std::vector<fovea_tensor *> out;
    for (const auto &tensor : inputs)
      in.push_back(&tensor->view);
    for (const auto &tensor : outputs) {
      results.push_back(std::make_unique<Tensor>(*tensor));
      out.push_back(&results.back()->view);
    }
    char message[300] = "";
    context.message = message;
    context.message_bytes = sizeof message;
    if (function(&context, in.data(), out.data()) != FOVEA_OK)
      fail(message);
    return results;
  }
};

bool isSame(const Tensors &x, const Tensors &y) {
  for (size_t i = 0; i < x.size(); ++i)
    if (std::memcmp(x[i]->data.data(), y[i]->data.data(),
                    x[i]->data.size() * sizeof(float)) != 0)
      return false;
  return true;
}

Kernel load(int argc, char **argv) {
  void *library = dlopen(argv[2], RTLD_NOW);
  if (!library)
    fail(dlerror());
  Kernel kernel;
  kernel.function = reinterpret_cast<fovea_kernel>(dlsym(library, argv[3]));
  if (!kernel.function)
    fail(dlerror());
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Tensors *to = &kernel.inputs;
  for (int i = 4; i < argc; ++i) {
    if (std::strcmp(argv[i], "/") == 0) {
      to = &kernel.outputs;
      continue;
    }
    to->push_back(std::make_unique<Tensor>(argv[i]));
    if (to == &kernel.inputs)
      for (float &value : to->back()->data)
        value = normal(random);
  }
  return kernel;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 5)
    fail("expects HOOK LIBRARY KERNEL INPUT... / OUTPUT...");
  std::string hookName = argv[1];
  Kernel kernel = load(argc, argv);
  fovea_context context;
  fovea_context_init(&context);
  Tensors expected = kernel.call(context);

  fovea_pool *pool = nullptr;
  ThreadHook hook{hookName == "clash"};
  if (hookName == "pool") {
    pool = fovea_pool_create(numWorkers);
    fovea_context_set_pool(&context, pool);
  } else {
    context.pool = &hook;
    context.parallel_for = ThreadHook::run;
    context.threads = numWorkers;
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < numCallers; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 2; ++round)
        wrong += !isSame(kernel.call(context), expected);
    });
  for (std::thread &caller : callers)
    caller.join();
  fovea_pool_destroy(pool);
  std::printf("%d of %d calls differ\n", wrong.load(), 2 * numCallers);
  return wrong ? 2 : 0;
}
