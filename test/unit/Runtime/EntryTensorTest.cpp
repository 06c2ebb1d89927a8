//===- EntryTensorTest.cpp - each wrong tensor has its sentence -----------===//

#include "EntryTesting.h"

using namespace fovea::testing;

namespace {

/// q, k, v and out of a small attention kernel, all right.
struct EntryTensor : ::testing::Test {
  Caller caller;
  Kernel kernel{"causal"};
  Tensor q{kF32, {2, 4, 5, 8}};
  Tensor k{kF32, {2, 2, 7, 8}};
  Tensor v{kF32, {2, 2, 7, 8}};
  Tensor out{kF32, {2, 4, 5, 8}};

  EntryTensor() {
    kernel.input("q", kF32, {"batch", 4, "query length", 8})
        .input("k", kF32, {"batch", 2, "key length", 8})
        .input("v", kF32, {"batch", 2, "key length", 8})
        .output("out", kF32, {"batch", 4, "query length", 8});
  }

  void refuse(const char *sentence) {
    caller.refuse(kernel, {&q, &k, &v}, {&out}, sentence);
  }
  void accept() { caller.accept(kernel, {&q, &k, &v}, {&out}); }
};

TEST_F(EntryTensor, AcceptsRightOnes) { accept(); }

TEST_F(EntryTensor, RefusesNullArrays) {
  const fovea_tensor *inputs[] = {&q, &k, &v};
  fovea_tensor *outputs[] = {&out};
  EXPECT_EQ(fovea_entry_run(kernel.code(), &caller.context, nullptr, outputs),
            FOVEA_INVALID_ARGUMENT);
  EXPECT_STREQ(caller.message,
               "inputs: expects an array of 3 tensors, but got null");
  EXPECT_EQ(fovea_entry_run(kernel.code(), &caller.context, inputs, nullptr),
            FOVEA_INVALID_ARGUMENT);
  EXPECT_STREQ(caller.message,
               "outputs: expects an array of 1 tensor, but got null");
}

TEST_F(EntryTensor, RefusesNullEntries) {
  caller.refuse(kernel, {&q, nullptr, &v}, {&out},
                "'k' (input 1): expects a tensor, but got null");
  caller.refuse(kernel, {&q, &k, &v}, {nullptr},
                "'out' (output 0): expects a tensor, but got null");
}

TEST_F(EntryTensor, RefusesOtherDevices) {
  k.device.device_type = FOVEA_DEVICE_CUDA;
  refuse("'k': expects a CPU tensor (device type 1), but got device type 2 "
         "(CUDA)");
  k.device.device_type = 7;
  refuse("'k': expects a CPU tensor (device type 1), but got device type 7");
}

TEST_F(EntryTensor, IgnoresTheDeviceId) {
  k.device.device_id = 3;
  accept();
}

TEST_F(EntryTensor, RefusesOtherTypes) {
  q.dtype = kF64;
  refuse("'q': expects type f32, but got f64");
  q.dtype = kBF16;
  refuse("'q': expects type f32, but got bf16");
  q.dtype = kI32;
  refuse("'q': expects type f32, but got i32");
  q.dtype = kU8;
  refuse("'q': expects type f32, but got u8");
  q.dtype = kBool;
  refuse("'q': expects type f32, but got bool");
  q.dtype = {5, 64, 1};
  refuse("'q': expects type f32, but got type code 5 of 64 bits");
  q.dtype = {FOVEA_TYPE_BOOL, 1, 1};
  refuse("'q': expects type f32, but got type code 6 of 1 bits");
}

TEST_F(EntryTensor, RefusesLanes) {
  out.dtype.lanes = 4;
  refuse("'out': expects 1 lane an element, but got 4");
}

TEST_F(EntryTensor, RefusesOtherRanks) {
  q.ndim = 3;
  refuse("'q': expects rank 4 (batch, 4, query length, 8), but got rank 3");
  q.ndim = -1;
  refuse("'q': expects rank 4 (batch, 4, query length, 8), but got rank -1");
}

TEST_F(EntryTensor, RefusesANullShape) {
  q.shape = nullptr;
  refuse("'q': expects a shape of 4 sizes, but got null");
}

TEST_F(EntryTensor, RefusesOtherStaticSizes) {
  k.sizes[3] = 16;
  refuse("'k' dim 3: expects 8, but got 16");
}

TEST_F(EntryTensor, RefusesSizesThatDisagree) {
  v.sizes[2] = 9;
  refuse("'v' dim 2 (key length): expects 7 as in 'k', but got 9");
  v.sizes[2] = 7;
  out.sizes[0] = 1;
  refuse("'out' dim 0 (batch): expects 2 as in 'q', but got 1");
}

TEST_F(EntryTensor, RefusesSizesOutOfRange) {
  q.sizes[2] = -1;
  refuse("'q' dim 2 (query length): expects a size from 0 to 1073741823, but "
         "got -1");
  q.sizes[2] = int64_t{1} << 30;
  refuse("'q' dim 2 (query length): expects a size from 0 to 1073741823, but "
         "got 1073741824");
  q.sizes[2] = 5;
  q.sizes[3] = -8;
  refuse("'q' dim 3: expects a size from 0 to 1073741823, but got -8");
}

TEST_F(EntryTensor, RefusesNegativeStrides) {
  k.setStrides({112, 56, -8, 1});
  refuse("'k' dim 2: expects a stride of at least 0, but got -8 (copy the "
         "tensor)");
}

TEST_F(EntryTensor, AcceptsOuterStridesOfInputs) {
  k.setStrides({0, 0, 0, 1});
  v.setStrides({8, 16, 100, 1});
  accept();
}

TEST_F(EntryTensor, RefusesNullData) {
  v.data = nullptr;
  refuse("'v': expects data, but got null");
  v.byte_offset = 64;
  refuse("'v': expects data, but got null");
}

TEST_F(EntryTensor, AcceptsNullDataWithoutElements) {
  k.sizes[2] = v.sizes[2] = 0;
  k.data = v.data = nullptr;
  accept();
}

TEST_F(EntryTensor, RefusesMisalignedData) {
  q.byte_offset = 2;
  refuse("'q': expects data + byte_offset at a multiple of 4 bytes, but "
         "got remainder 2");
  q.byte_offset = 0;
  out.data = out.memory + 1;
  refuse("'out': expects data + byte_offset at a multiple of 4 bytes, but "
         "got remainder 1");
}

TEST_F(EntryTensor, AcceptsDataThatTheOffsetAligns) {
  q.data = q.memory + 1;
  q.byte_offset = 3;
  accept();
}

TEST_F(EntryTensor, RefusesElementsBeyondTheAddressSpace) {
  q.setStrides({INT64_MAX, 40, 8, 1});
  refuse("'q' dim 0: expects elements within the address space, but got size "
         "2 at stride 9223372036854775807");
  q.setStrides({INT64_MAX / 128, 40, 8, 1});
  q.byte_offset = UINT64_MAX - 7;
  refuse("'q': expects elements within the address space, but got "
         "72057594037928095 elements of 4 bytes at byte offset "
         "18446744073709551608");
}

TEST(EntryTensorTypes, IndexTakesI32AndI64) {
  Caller caller;
  Kernel kernel;
  kernel.input("kv_lengths", kI64, {"batch"}, FOVEA_TENSOR_INDEX);
  Tensor lengths(kI32, {3});
  caller.accept(kernel, {&lengths}, {});
  lengths.dtype = kI64;
  caller.accept(kernel, {&lengths}, {});
  lengths.dtype = kF32;
  caller.refuse(kernel, {&lengths}, {},
                "'kv_lengths': expects type i32 or i64, but got f32");
  lengths.dtype = {FOVEA_TYPE_INT, 16, 1};
  caller.refuse(kernel, {&lengths}, {},
                "'kv_lengths': expects type i32 or i64, but got i16");
  lengths.dtype = {FOVEA_TYPE_UINT, 32, 1};
  caller.refuse(kernel, {&lengths}, {},
                "'kv_lengths': expects type i32 or i64, but got u32");
}

TEST(EntryTensorTypes, BoolTakesBoolAndU8) {
  Caller caller;
  Kernel kernel;
  kernel.input("mask", kBool, {4}, FOVEA_TENSOR_BOOL);
  Tensor mask(kBool, {4});
  caller.accept(kernel, {&mask}, {});
  mask.dtype = kU8;
  caller.accept(kernel, {&mask}, {});
  mask.dtype = {FOVEA_TYPE_INT, 8, 1};
  caller.refuse(kernel, {&mask}, {},
                "'mask': expects type bool or u8, but got i8");
  mask.dtype = {FOVEA_TYPE_BOOL, 32, 1};
  caller.refuse(kernel, {&mask}, {},
                "'mask': expects type bool or u8, but got type code 6 of 32 "
                "bits");
}

TEST(EntryTensorTypes, InnermostStridesMayNotBeNegative) {
  Caller caller;
  Kernel kernel;
  kernel.input("bias", kF32, {3, 4});
  Tensor bias(kF32, {3, 4});
  bias.setStrides({1, 3});
  caller.accept(kernel, {&bias}, {});
  bias.setStrides({0, 0});
  caller.accept(kernel, {&bias}, {});
  bias.setStrides({4, -1});
  caller.refuse(kernel, {&bias}, {},
                "'bias' dim 1: expects a stride of at least 0, but got -1 "
                "(copy the tensor)");
}

TEST(EntryTensorTypes, ScalarsHaveRankZero) {
  Caller caller;
  Kernel kernel;
  kernel.input("scale", kF32, {});
  Tensor scale(kF32, {});
  scale.shape = nullptr;
  caller.accept(kernel, {&scale}, {});
  Tensor vector(kF32, {1});
  caller.refuse(kernel, {&vector}, {},
                "'scale': expects rank 0 (a scalar), but got rank 1");
}

TEST(EntryTensorTypes, SizesOfOneTensorMayShareASymbol) {
  Caller caller;
  Kernel kernel;
  kernel.input("square", kF32, {"n", "n"});
  Tensor square(kF32, {3, 3});
  caller.accept(kernel, {&square}, {});
  square.sizes[1] = 4;
  caller.refuse(kernel, {&square}, {},
                "'square' dim 1 (n): expects 3 as in 'square', but got 4");
}

} // namespace
