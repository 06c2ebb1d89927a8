//===- DLPackLayoutTest.cpp - fovea_tensor is DLPack's DLTensor -----------===//

#include "fovea/runtime.h"

#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>

#if __has_include(<dlpack/dlpack.h>)

#include <dlpack/dlpack.h>

#define SAME_FIELD(OURS, THEIRS, OUR_FIELD, THEIR_FIELD)                       \
  static_assert(offsetof(OURS, OUR_FIELD) == offsetof(THEIRS, THEIR_FIELD));   \
  static_assert(sizeof(OURS::OUR_FIELD) == sizeof(THEIRS::THEIR_FIELD))

static_assert(sizeof(fovea_device) == sizeof(DLDevice));
SAME_FIELD(fovea_device, DLDevice, device_type, device_type);
SAME_FIELD(fovea_device, DLDevice, device_id, device_id);

static_assert(sizeof(fovea_data_type) == sizeof(DLDataType));
SAME_FIELD(fovea_data_type, DLDataType, code, code);
SAME_FIELD(fovea_data_type, DLDataType, bits, bits);
SAME_FIELD(fovea_data_type, DLDataType, lanes, lanes);

static_assert(sizeof(fovea_tensor) == sizeof(DLTensor));
static_assert(alignof(fovea_tensor) == alignof(DLTensor));
SAME_FIELD(fovea_tensor, DLTensor, data, data);
SAME_FIELD(fovea_tensor, DLTensor, device, device);
SAME_FIELD(fovea_tensor, DLTensor, ndim, ndim);
SAME_FIELD(fovea_tensor, DLTensor, dtype, dtype);
SAME_FIELD(fovea_tensor, DLTensor, shape, shape);
SAME_FIELD(fovea_tensor, DLTensor, strides, strides);
SAME_FIELD(fovea_tensor, DLTensor, byte_offset, byte_offset);

static_assert(int(FOVEA_DEVICE_CPU) == int(kDLCPU));
static_assert(int(FOVEA_DEVICE_CUDA) == int(kDLCUDA));
static_assert(int(FOVEA_TYPE_INT) == int(kDLInt));
static_assert(int(FOVEA_TYPE_UINT) == int(kDLUInt));
static_assert(int(FOVEA_TYPE_FLOAT) == int(kDLFloat));
static_assert(int(FOVEA_TYPE_BFLOAT) == int(kDLBfloat));
// DLPack 0.6, Debian 12's, has no bool type code yet.
#if DLPACK_VERSION >= 80
static_assert(int(FOVEA_TYPE_BOOL) == int(kDLBool));
#endif

TEST(DLPackLayout, PointersPassThrough) {
  float data[6] = {};
  int64_t shape[] = {2, 3}, strides[] = {3, 1};
  DLTensor tensor{};
  tensor.data = data;
  tensor.device = {kDLCPU, 7};
  tensor.ndim = 2;
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = shape;
  tensor.strides = strides;
  tensor.byte_offset = 4;
  fovea_tensor ours;
  std::memcpy(&ours, &tensor, sizeof(ours));
  EXPECT_EQ(ours.data, data);
  EXPECT_EQ(ours.device.device_type, FOVEA_DEVICE_CPU);
  EXPECT_EQ(ours.device.device_id, 7);
  EXPECT_EQ(ours.ndim, 2);
  EXPECT_EQ(ours.dtype.code, FOVEA_TYPE_FLOAT);
  EXPECT_EQ(ours.dtype.bits, 32);
  EXPECT_EQ(ours.dtype.lanes, 1);
  EXPECT_EQ(ours.shape, shape);
  EXPECT_EQ(ours.strides, strides);
  EXPECT_EQ(ours.byte_offset, 4u);
}

#else

TEST(DLPackLayout, PointersPassThrough) {
  GTEST_SKIP() << "UNSUPPORTED: built without <dlpack/dlpack.h>, so the layout "
                  "of fovea_tensor is not checked (install libdlpack-dev)";
}

#endif
