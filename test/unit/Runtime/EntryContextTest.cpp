//===- EntryContextTest.cpp - contexts, messages, loops, limits -----------===//

#include "EntryTesting.h"

#include <utility>

using namespace fovea::testing;

namespace {

struct EntryContext : ::testing::Test {
  Caller caller;
  Kernel kernel{"tiny"};
  Tensor x{kF32, {2}};
  EntryContext() { kernel.input("x", kF32, {"n"}); }
};

struct LargerContext {
  fovea_context context;
  char future[64];
};

TEST_F(EntryContext, InitIsSerial) {
  fovea_context context;
  std::memset(&context, 0xff, sizeof(context));
  fovea_context_init(&context);
  EXPECT_EQ(context.size, sizeof(fovea_context));
  EXPECT_EQ(context.version, 1u);
  EXPECT_EQ(context.pool, nullptr);
  EXPECT_EQ(context.parallel_for, nullptr);
  EXPECT_EQ(context.threads, 1);
  EXPECT_EQ(context.workspace, nullptr);
  EXPECT_EQ(context.workspace_bytes, 0u);
  EXPECT_EQ(context.stream, nullptr);
  EXPECT_EQ(context.message, nullptr);
  EXPECT_EQ(context.message_bytes, 0u);
}

TEST_F(EntryContext, RefusesASmallerStructWithoutTouchingIt) {
  caller.context.size = sizeof(fovea_context) - 8;
  caller.refuse(kernel, {&x}, {}, "not touched");
  caller.context.size = 0;
  caller.refuse(kernel, {&x}, {}, "not touched");
}

TEST_F(EntryContext, AcceptsALargerStruct) {
  LargerContext larger{caller.context, {}};
  larger.context.size = sizeof(larger);
  const fovea_tensor *inputs[] = {&x};
  EXPECT_EQ(fovea_entry_run(kernel.code(), &larger.context, inputs, nullptr),
            FOVEA_OK);
}

TEST_F(EntryContext, RefusesOtherVersions) {
  caller.context.version = 2;
  caller.refuse(kernel, {&x}, {},
                "context: expects version 1, but got 2 (use "
                "fovea_context_init)");
  caller.context.version = 0;
  caller.refuse(kernel, {&x}, {},
                "context: expects version 1, but got 0 (use "
                "fovea_context_init)");
}

TEST_F(EntryContext, RefusesAHookWithoutThreads) {
  caller.context.threads = 0;
  caller.accept(kernel, {&x}, {});
  caller.context.parallel_for = [](void *, fovea_task, void *, int64_t) {};
  caller.refuse(kernel, {&x}, {},
                "context: expects at least 1 thread with parallel_for, but got "
                "0");
  caller.context.threads = -2;
  caller.refuse(kernel, {&x}, {},
                "context: expects at least 1 thread with parallel_for, but got "
                "-2");
}

TEST_F(EntryContext, MessageIsCutToItsBuffer) {
  x.dtype = kF64;
  for (uint64_t bytes : {1, 2, 10}) {
    std::memset(caller.message, '#', sizeof(caller.message));
    caller.context.message_bytes = bytes;
    EXPECT_EQ(caller.run(kernel, {&x}, {}), FOVEA_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(caller.message),
              std::string("'x': expects type").substr(0, bytes - 1));
    EXPECT_EQ(caller.message[bytes], '#');
  }
}

TEST_F(EntryContext, NoMessageWithoutABuffer) {
  x.dtype = kF64;
  caller.context.message_bytes = 0;
  caller.refuse(kernel, {&x}, {}, "not touched");
  caller.context.message = nullptr;
  caller.context.message_bytes = 100;
  EXPECT_EQ(caller.run(kernel, {&x}, {}), FOVEA_INVALID_ARGUMENT);
  const fovea_tensor *inputs[] = {&x};
  EXPECT_EQ(fovea_entry_run(kernel.code(), nullptr, inputs, nullptr),
            FOVEA_INVALID_ARGUMENT);
}

TEST_F(EntryContext, LongNamesAreCut) {
  std::string name(600, 'n');
  Kernel longNames;
  longNames.input("x", kF32, {name.c_str(), name.c_str()});
  EXPECT_EQ(caller.run(longNames, {&x}, {}), FOVEA_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(caller.message).substr(0, 24),
            "'x': expects rank 2 (nnn");
}

TEST_F(EntryContext, MessageIsEmptyAfterSuccess) {
  x.dtype = kF64;
  EXPECT_EQ(caller.run(kernel, {&x}, {}), FOVEA_INVALID_ARGUMENT);
  x.dtype = kF32;
  caller.accept(kernel, {&x}, {});
}

//===-- Loops -------------------------------------------------------------===//

using Calls = std::vector<std::pair<int64_t, int32_t>>;

void recordCall(void *argument, int64_t index, int32_t worker) {
  static_cast<Calls *>(argument)->emplace_back(index, worker);
}

TEST_F(EntryContext, LoopsAreSerialWithoutAHook) {
  Calls calls;
  fovea_frame frame{};
  fovea_entry_parallel_for(&frame, recordCall, &calls, 3);
  EXPECT_EQ(calls, (Calls{{0, 0}, {1, 0}, {2, 0}}));
  frame.context = &caller.context;
  fovea_entry_parallel_for(&frame, recordCall, &calls, 1);
  EXPECT_EQ(calls.size(), 4u);
}

TEST_F(EntryContext, LoopsUseTheHookAndItsPool) {
  int pool = 5;
  caller.context.pool = &pool;
  caller.context.threads = 8;
  caller.context.parallel_for = [](void *pool, fovea_task task, void *argument,
                                   int64_t count) {
    task(argument, count, *static_cast<int *>(pool));
  };
  Calls calls;
  fovea_frame frame{};
  frame.context = &caller.context;
  fovea_entry_parallel_for(&frame, recordCall, &calls, 9);
  EXPECT_EQ(calls, (Calls{{9, 5}}));
}

TEST_F(EntryContext, LoopsOfNothing) {
  Calls calls;
  fovea_frame frame{};
  frame.context = &caller.context;
  caller.context.parallel_for = [](void *, fovea_task, void *, int64_t) {
    ADD_FAILURE() << "called for an empty loop";
  };
  fovea_entry_parallel_for(&frame, recordCall, &calls, 0);
  fovea_entry_parallel_for(&frame, recordCall, &calls, -1);
  EXPECT_TRUE(calls.empty());
}

//===-- Limits ------------------------------------------------------------===//

const char *const kTooMany =
    "kernel 'big': expects at most 64 tensors, 32 dim symbols, rank 16 and 704 "
    "view words, but its signature has more";

TEST_F(EntryContext, SignatureVersion) {
  kernel.set(FOVEA_HEADER_VERSION, 2);
  caller.refuse(kernel, {&x}, {},
                "kernel: expects signature version 1, but got 2");
}

TEST_F(EntryContext, MostTensors) {
  Kernel big("big");
  std::vector<const fovea_tensor *> inputs(64, &x);
  for (int i = 0; i < 64; ++i)
    big.input("x", kF32, {"n"});
  caller.accept(big, inputs, {});
  big.input("x", kF32, {"n"});
  inputs.push_back(&x);
  caller.refuse(big, inputs, {}, kTooMany);
}

TEST_F(EntryContext, MostSymbols) {
  Kernel big("big");
  std::vector<std::string> names;
  for (int i = 0; i < 33; ++i)
    names.emplace_back(i + 1, 's');
  std::vector<const fovea_tensor *> inputs(32, &x);
  for (int i = 0; i < 32; ++i)
    big.input("x", kF32, {names[i].c_str()});
  caller.accept(big, inputs, {});
  big.input("x", kF32, {names[32].c_str()});
  inputs.push_back(&x);
  caller.refuse(big, inputs, {}, kTooMany);
}

TEST_F(EntryContext, HighestRank) {
  Kernel most("big");
  most.input("x", kF32, std::vector<Dim>(16, Dim(1)));
  Tensor tensor(kF32, std::vector<int64_t>(16, 1));
  caller.accept(most, {&tensor}, {});
  Kernel big("big");
  big.input("x", kF32, std::vector<Dim>(17, Dim(1)));
  Tensor larger(kF32, std::vector<int64_t>(17, 1));
  caller.refuse(big, {&larger}, {}, kTooMany);
}

TEST_F(EntryContext, MostViewWords) {
  // 20 views of 35 words fit into 704, 21 do not.
  Kernel big("big");
  Tensor tensor(kF32, std::vector<int64_t>(16, 1));
  std::vector<const fovea_tensor *> inputs(20, &tensor);
  for (int i = 0; i < 20; ++i)
    big.input("x", kF32, std::vector<Dim>(16, Dim(1)));
  caller.accept(big, inputs, {});
  big.input("x", kF32, std::vector<Dim>(16, Dim(1)));
  inputs.push_back(&tensor);
  caller.refuse(big, inputs, {}, kTooMany);
}

} // namespace
