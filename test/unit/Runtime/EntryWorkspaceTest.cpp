//===- EntryWorkspaceTest.cpp - scratch, temporaries, index copies --------===//

#include "EntryTesting.h"

#include <memory>

using namespace fovea::testing;

namespace {

void serialHook(void *, fovea_task task, void *argument, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    task(argument, i, 0);
}

/// A kernel with 128 bytes of scratch a worker, 100 bytes of temporaries, and
/// an index input that needs a copy of 3 x 8 bytes.
struct EntryWorkspace : ::testing::Test {
  Caller caller;
  Kernel kernel{"scan"};
  Tensor lengths{kI32, {3}};
  Tensor out{kF32, {3}};
  // 128 + 100 -> 128 + 24 -> 64
  static constexpr int64_t kSerial = 128 + 128 + 64;

  EntryWorkspace() {
    kernel.input("lengths", kI64, {"batch"}, FOVEA_TENSOR_INDEX)
        .output("out", kF32, {"batch"})
        .set(FOVEA_HEADER_SCRATCH, 128);
    temporaryBytes = 100;
  }

  int64_t bytes(int threads) {
    const fovea_tensor *inputs[] = {&lengths};
    return fovea_entry_workspace_bytes(kernel.code(), inputs, threads);
  }
};

TEST_F(EntryWorkspace, BytesCountEveryPart) {
  EXPECT_EQ(bytes(1), kSerial + 63);
  EXPECT_EQ(bytes(5), kSerial + 4 * 128 + 63);
  lengths.dtype = kI64;
  EXPECT_EQ(bytes(1), 128 + 128 + 63);
  temporaryBytes = 0;
  EXPECT_EQ(bytes(1), 128 + 63);
  kernel.set(FOVEA_HEADER_SCRATCH, 0);
  EXPECT_EQ(bytes(1), 0);
}

TEST_F(EntryWorkspace, BytesNeedNoData) {
  lengths.data = nullptr;
  EXPECT_EQ(bytes(1), kSerial + 63);
}

TEST_F(EntryWorkspace, BytesOfWrongArguments) {
  EXPECT_EQ(bytes(0), -1);
  EXPECT_EQ(bytes(-3), -1);
  EXPECT_EQ(fovea_entry_workspace_bytes(kernel.code(), nullptr, 1), -1);
  const fovea_tensor *null[] = {nullptr};
  EXPECT_EQ(fovea_entry_workspace_bytes(kernel.code(), null, 1), -1);
  lengths.dtype = kF32;
  EXPECT_EQ(bytes(1), -1);
}

TEST_F(EntryWorkspace, BytesBeyondTheAddressSpace) {
  temporaryBytes = -1;
  EXPECT_EQ(bytes(1), -1);
  temporaryBytes = INT64_MAX;
  EXPECT_EQ(bytes(1), -1);
  temporaryBytes = 0;
  kernel.set(FOVEA_HEADER_SCRATCH, INT64_MAX / 2);
  EXPECT_EQ(bytes(3), -1);
}

TEST_F(EntryWorkspace, TemporaryBytesSeesInputsOnly) {
  EXPECT_EQ(bytes(1), kSerial + 63);
  EXPECT_EQ(temporaryViews[FOVEA_VIEW_SIZES], 3);
  std::vector<int64_t> output(temporaryViews.begin() + FOVEA_VIEW_WORDS(1),
                              temporaryViews.end());
  EXPECT_EQ(output, std::vector<int64_t>(FOVEA_VIEW_WORDS(1), 0));
}

TEST_F(EntryWorkspace, TemporaryBytesMayBeNull) {
  fovea_kernel_code code = *kernel.code();
  code.temporary_bytes = nullptr;
  const fovea_tensor *inputs[] = {&lengths};
  EXPECT_EQ(fovea_entry_workspace_bytes(&code, inputs, 1), 128 + 64 + 63);
  fovea_tensor *outputs[] = {&out};
  EXPECT_EQ(fovea_entry_run(&code, nullptr, inputs, outputs), FOVEA_OK);
  EXPECT_EQ(seen.frame.temporaries, nullptr);
}

TEST_F(EntryWorkspace, CallsAllocateWithoutAContext) {
  const fovea_tensor *inputs[] = {&lengths};
  fovea_tensor *outputs[] = {&out};
  EXPECT_EQ(fovea_entry_run(kernel.code(), nullptr, inputs, outputs), FOVEA_OK);
  EXPECT_EQ(seen.runs, 1);
  EXPECT_EQ(seen.frame.context, nullptr);
  EXPECT_EQ(seen.frame.threads, 1);
  EXPECT_EQ(seen.frame.scratch_bytes, 128);
  EXPECT_EQ(address(seen.frame.scratch) % 64, 0);
  EXPECT_EQ(seen.frame.temporaries, seen.frame.scratch + 128);
  EXPECT_EQ(seen.views[1], address(seen.frame.scratch) + 256);
}

TEST_F(EntryWorkspace, PointersAreNullWithoutBytes) {
  kernel.set(FOVEA_HEADER_SCRATCH, 0);
  temporaryBytes = 0;
  caller.accept(kernel, {&lengths}, {&out});
  EXPECT_EQ(seen.frame.scratch, nullptr);
  EXPECT_EQ(seen.frame.temporaries, nullptr);
}

TEST_F(EntryWorkspace, ScratchIsPerWorkerOfTheHook) {
  caller.context.threads = 4;
  caller.accept(kernel, {&lengths}, {&out});
  EXPECT_EQ(seen.frame.threads, 1);
  EXPECT_EQ(seen.frame.temporaries, seen.frame.scratch + 128);
  caller.context.parallel_for = serialHook;
  caller.accept(kernel, {&lengths}, {&out});
  EXPECT_EQ(seen.frame.threads, 4);
  EXPECT_EQ(seen.frame.temporaries, seen.frame.scratch + 4 * 128);
  EXPECT_EQ(seen.frame.context, &caller.context);
}

TEST_F(EntryWorkspace, CallersWorkspaceServesAtAnyAlignment) {
  alignas(64) char memory[1024];
  int64_t size = bytes(1);
  for (int64_t shift : {0, 1, 63}) {
    caller.context.workspace = memory + shift;
    caller.context.workspace_bytes = static_cast<uint64_t>(size);
    caller.accept(kernel, {&lengths}, {&out});
    EXPECT_EQ(seen.frame.scratch, shift ? memory + 64 : memory);
  }
}

TEST_F(EntryWorkspace, CallersWorkspaceTooSmall) {
  alignas(64) char memory[1024];
  caller.context.workspace = memory;
  caller.context.workspace_bytes = kSerial;
  caller.accept(kernel, {&lengths}, {&out});
  caller.context.workspace_bytes = kSerial - 1;
  caller.refuse(kernel, {&lengths}, {&out},
                "context workspace: expects 383 bytes for 1 thread (as "
                "scan_workspace_bytes says), but got 319",
                FOVEA_WORKSPACE_TOO_SMALL);
  caller.context.workspace = memory + 1;
  caller.context.workspace_bytes = kSerial + 62;
  caller.context.parallel_for = serialHook;
  caller.context.threads = 2;
  caller.refuse(kernel, {&lengths}, {&out},
                "context workspace: expects 511 bytes for 2 threads (as "
                "scan_workspace_bytes says), but got 382",
                FOVEA_WORKSPACE_TOO_SMALL);
}

TEST_F(EntryWorkspace, EmptyWorkspaceServesACallThatNeedsNone) {
  char memory[1];
  caller.context.workspace = memory;
  kernel.set(FOVEA_HEADER_SCRATCH, 0);
  temporaryBytes = 0;
  lengths.dtype = kI64;
  caller.accept(kernel, {&lengths}, {&out});
}

TEST_F(EntryWorkspace, RefusedAllocation) {
  // More than any address space of today, yet within int64. Sanitizers end the
  // process for such a request unless told otherwise.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer refuses the request in its own way";
#endif
  temporaryBytes = int64_t{1} << 60;
  caller.refuse(kernel, {&lengths}, {&out},
                "kernel 'scan': expects 1152921504606847168 bytes of "
                "workspace, but the system has refused them",
                FOVEA_OUT_OF_MEMORY);
}

TEST_F(EntryWorkspace, SizesBeyondInt64) {
  temporaryBytes = -1;
  caller.refuse(kernel, {&lengths}, {&out},
                "kernel 'scan': expects a workspace within the address space, "
                "but these sizes on 1 thread take more",
                FOVEA_OUT_OF_MEMORY);
}

} // namespace
