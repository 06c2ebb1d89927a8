//===- DeviceTest.cpp - global memory as the host sees it -----------------===//

#include "Testing.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

TEST(Device, CopiesInAndOut) {
  Device device;
  DevicePointer pointer = llvm::cantFail(device.allocate(16, "a"));
  uint32_t value = 7, back = 0;
  llvm::cantFail(device.write(pointer + 4, &value, 4));
  llvm::cantFail(device.read(&back, pointer + 4, 4));
  EXPECT_EQ(back, 7u);
  EXPECT_EQ(llvm::cantFail(device.countUninitialized(pointer, 16)), 12u);
}

TEST(Device, RangesAreChecked) {
  Device device;
  DevicePointer pointer = llvm::cantFail(device.allocate(16, "a"));
  char bytes[32] = {};
  EXPECT_EQ(llvm::toString(device.write(pointer + 8, bytes, 9)),
            "'a' has 16 bytes, but 9 from 8 on were asked for");
  EXPECT_TRUE(llvm::errorToBool(device.read(bytes, pointer + 17, 0)));
  EXPECT_TRUE(llvm::errorToBool(device.read(bytes, 0, 1)));
}

TEST(Device, EmptyAllocationsHaveAddressesOfTheirOwn) {
  Device device;
  DevicePointer a = llvm::cantFail(device.allocate(0, "a"));
  DevicePointer b = llvm::cantFail(device.allocate(0, "b"));
  EXPECT_NE(a, b);
  EXPECT_EQ(device.find(a)->name, "a");
}

TEST(Device, MappedMemoryIsNotCopied) {
  Device device;
  uint32_t host[2] = {1, 2};
  DevicePointer pointer = llvm::cantFail(
      device.map(host, sizeof host, "host", Device::Content::Initialized));
  uint32_t value = 9;
  llvm::cantFail(device.write(pointer + 4, &value, 4));
  EXPECT_EQ(host[1], 9u);
  EXPECT_EQ(llvm::cantFail(device.countUninitialized(pointer, 8)), 0u);
}

TEST(Device, ReadOnlyMemory) {
  Device device;
  const uint32_t host = 1;
  DevicePointer pointer =
      llvm::cantFail(device.mapReadOnly(&host, sizeof host, "host"));
  uint32_t value = 9;
  EXPECT_EQ(llvm::toString(device.write(pointer, &value, 4)),
            "'host' is read-only");
}

TEST(Device, FreedMemory) {
  Module module = parse(makeKernel("ld.global.u32 %r, [%at];"));
  Device device;
  DevicePointer pointer = llvm::cantFail(device.allocate(128, "gone"));
  device.free(pointer);
  llvm::Expected<LaunchResult> result =
      launch(*module.findKernel("k"), {}, {}, 0, {KernelArgument::of(pointer)},
             device);
  ASSERT_TRUE(bool(result));
  ASSERT_EQ(result->reports.size(), 1u);
  EXPECT_NE(result->reports[0].sentence.find("'gone', which was freed"),
            std::string::npos);
}

TEST(Device, VariablesOfAModuleStayBetweenLaunches) {
  Module module = parse(makeKernel("ld.global.u32 %r, [count];\n"
                                   "add.u32 %r, %r, 1;\n"
                                   "st.global.u32 [count], %r;\n"
                                   "st.global.u32 [%at], %r;",
                                   4, ".global .u32 count = 5;\n"));
  Device device;
  uint32_t value = 0;
  DevicePointer pointer = llvm::cantFail(
      device.map(&value, sizeof value, "out", Device::Content::Uninitialized));
  for (uint32_t expected : {6u, 7u}) {
    llvm::Expected<LaunchResult> result =
        launch(*module.findKernel("k"), {}, {}, 0,
               {KernelArgument::of(pointer)}, device);
    ASSERT_TRUE(bool(result));
    expectClean(*result);
    EXPECT_EQ(value, expected);
  }
}

} // namespace
