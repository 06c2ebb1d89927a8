//===- NpyWriteTest.cpp - writing .npy files ------------------------------===//

#include "NpyTesting.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace fovea;
using namespace fovea::test;

static std::string contents(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

TEST(NpyWriteTest, writesWhatNumPyWrites) {
  TemporaryFolder folder;
  auto tensor = HostTensor::create(HostType::I32, {2});
  ASSERT_TRUE(bool(tensor));
  tensor->setInteger(0, 1);
  tensor->setInteger(1, -1);
  ASSERT_FALSE(bool(writeNpy(folder.file("a.npy"), *tensor)));
  std::string bytes = contents(folder.file("a.npy"));
  ASSERT_EQ(bytes.size(), 128u + 8u);
  EXPECT_EQ(bytes.substr(0, 67),
            std::string("\x93NUMPY\x01\x00v\x00", 10) +
                "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }");
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(bytes.substr(128), std::string("\1\0\0\0\xff\xff\xff\xff", 8));
}

TEST(NpyWriteTest, readsBackEveryType) {
  TemporaryFolder folder;
  for (HostType type : {HostType::F64, HostType::F32, HostType::F16,
                        HostType::BF16, HostType::I64, HostType::I32,
                        HostType::I8, HostType::U8, HostType::Bool}) {
    auto tensor = HostTensor::create(type, {2, 3});
    ASSERT_TRUE(bool(tensor));
    for (int64_t i = 0; i < 6; ++i) {
      if (isFloat(type))
        tensor->setFloat(i, 0.5 * i);
      else
        tensor->setInteger(i, i % 2);
    }
    ASSERT_FALSE(bool(writeNpy(folder.file("a.npy"), *tensor)));
    auto read = readNpy(folder.file("a.npy"));
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(read->getType(), type);
    EXPECT_EQ(read->getShape(), tensor->getShape());
    for (int64_t i = 0; i < 6; ++i)
      EXPECT_EQ(read->getFloat(i), tensor->getFloat(i));
  }
}

TEST(NpyWriteTest, readsBackAScalarAndAnEmptyTensor) {
  TemporaryFolder folder;
  for (llvm::SmallVector<int64_t> shape :
       {llvm::SmallVector<int64_t>{}, llvm::SmallVector<int64_t>{0, 5}}) {
    auto tensor = HostTensor::create(HostType::F64, shape);
    ASSERT_TRUE(bool(tensor));
    if (tensor->getNumElements())
      tensor->setFloat(0, 3);
    ASSERT_FALSE(bool(writeNpy(folder.file("a.npy"), *tensor)));
    auto read = readNpy(folder.file("a.npy"));
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
    EXPECT_EQ(read->getShape(), tensor->getShape());
  }
}
