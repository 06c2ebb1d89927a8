//===- EntryViewTest.cpp - the memref descriptors that a body gets --------===//

#include "EntryTesting.h"

using namespace fovea::testing;
using Words = std::vector<int64_t>;

namespace {

TEST(EntryView, InputsThenOutputs) {
  Caller caller;
  Kernel kernel;
  kernel.input("a", kF32, {"n", 3}).output("b", kF64, {"n"});
  Tensor a(kF32, {2, 3}), b(kF64, {2});
  caller.accept(kernel, {&a}, {&b});
  int64_t pa = address(a.memory), pb = address(b.memory);
  EXPECT_EQ(seen.views, (Words{pa, pa, 0, 2, 3, 3, 1, pb, pb, 0, 2, 1}));
}

TEST(EntryView, ScalarIsThreeWords) {
  Caller caller;
  Kernel kernel;
  kernel.input("scale", kF32, {});
  Tensor scale(kF32, {});
  caller.accept(kernel, {&scale}, {});
  int64_t p = address(scale.memory);
  EXPECT_EQ(seen.views, (Words{p, p, 0}));
}

TEST(EntryView, ByteOffsetMovesThePointer) {
  Caller caller;
  Kernel kernel;
  kernel.input("a", kF32, {2});
  Tensor a(kF32, {2});
  a.byte_offset = 12;
  caller.accept(kernel, {&a}, {});
  int64_t p = address(a.memory) + 12;
  EXPECT_EQ(seen.views, (Words{p, p, 0, 2, 1}));
}

TEST(EntryView, StridesAreTheCallers) {
  Caller caller;
  Kernel kernel;
  kernel.input("a", kF32, {2, 3, 4});
  Tensor a(kF32, {2, 3, 4});
  a.setStrides({5, 0, 1});
  caller.accept(kernel, {&a}, {});
  int64_t p = address(a.memory);
  EXPECT_EQ(seen.views, (Words{p, p, 0, 2, 3, 4, 5, 0, 1}));
}

TEST(EntryView, NullStridesAreCompact) {
  Caller caller;
  Kernel kernel;
  kernel.input("a", kF32, {2, 3, 4});
  Tensor a(kF32, {2, 3, 4});
  caller.accept(kernel, {&a}, {});
  int64_t p = address(a.memory);
  EXPECT_EQ(seen.views, (Words{p, p, 0, 2, 3, 4, 12, 4, 1}));
}

TEST(EntryView, StridesOfSingleElementsAreTamed) {
  Caller caller;
  Kernel kernel;
  kernel.input("a", kF32, {1, 1, 1}).input("b", kF32, {1, 1});
  Tensor a(kF32, {1, 1, 1}), b(kF32, {1, 1});
  a.setStrides({-4, 9, 77});
  b.setStrides({INT64_MIN, 6});
  caller.accept(kernel, {&a, &b}, {});
  int64_t pa = address(a.memory), pb = address(b.memory);
  EXPECT_EQ(seen.views, (Words{pa, pa, 0, 1, 1, 1, 0, 9, 1, //
                               pb, pb, 0, 1, 1, 0, 1}));
}

TEST(EntryView, EmptyTensorHasANullPointer) {
  Caller caller;
  Kernel kernel;
  kernel.input("a", kF32, {"n", 4}).output("b", kF32, {"n", 4});
  Tensor a(kF32, {0, 4}), b(kF32, {0, 4});
  a.byte_offset = 1;
  caller.accept(kernel, {&a}, {&b});
  EXPECT_EQ(seen.views, (Words{0, 0, 0, 0, 4, 4, 1, 0, 0, 0, 0, 4, 4, 1}));
}

TEST(EntryView, HugeSizesBesideAnEmptyOne) {
  Caller caller;
  Kernel kernel;
  kernel.input("a", kF32, {"a", "b", "c", "d"});
  int64_t most = (int64_t{1} << 30) - 1;
  Tensor a(kF32, {0, most, most, most});
  caller.accept(kernel, {&a}, {});
  a.sizes = {most, most, most, 0};
  a.shape = a.sizes.data();
  caller.accept(kernel, {&a}, {});
  a.sizes = {most, most, most, 1};
  a.shape = a.sizes.data();
  caller.refuse(kernel, {&a}, {},
                "'a' dim 1: expects elements within the address space, but got "
                "size 1073741823 at stride 1073741823");
}

TEST(EntryView, InnermostStrideIsCopied) {
  Caller caller;
  Kernel kernel;
  // Eight-byte elements, which the kernel's watch can read.
  kernel.input("a", kI64, {2, 3}).watchIndex(2);
  Tensor a(kI64, {2, 3});
  a.setStrides({1, 4});
  a.fill<int64_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  caller.accept(kernel, {&a}, {});
  EXPECT_EQ(seen.indices, (Words{0, 4, 8, 1, 5, 9}));
  EXPECT_NE(seen.views[1], address(a.memory));
  EXPECT_EQ(seen.views[1] % 64, 0);
  EXPECT_EQ((Words{seen.views.begin() + 2, seen.views.end()}),
            (Words{0, 2, 3, 3, 1}));
  EXPECT_EQ(fovea_entry_workspace_bytes(
                kernel.code(), std::vector<const fovea_tensor *>{&a}.data(), 1),
            64 + 63);
}

TEST(EntryView, BroadcastDimsAreNotCopiedOut) {
  Caller caller;
  Kernel kernel;
  kernel.input("a", kF32, {1000, 5, 4});
  Tensor a(kF32, {1000, 5, 4});
  a.setStrides({0, 9, 2});
  caller.accept(kernel, {&a}, {});
  EXPECT_EQ((Words{seen.views.begin() + 2, seen.views.end()}),
            (Words{0, 1000, 5, 4, 0, 4, 1}));
}

TEST(EntryView, InnermostBroadcastIsCopiedOut) {
  Caller caller;
  Kernel kernel;
  kernel.input("a", kI64, {2, 3}).watchIndex(2);
  Tensor a(kI64, {2, 3});
  a.setStrides({1, 0});
  a.fill<int64_t>({7, 8});
  caller.accept(kernel, {&a}, {});
  EXPECT_EQ(seen.indices, (Words{7, 7, 7, 8, 8, 8}));
}

TEST(EntryView, OutputOfAnInnermostStrideIsCopiedBack) {
  Caller caller;
  Kernel kernel;
  kernel.output("a", kI64, {2, 3});
  Tensor a(kI64, {2, 3});
  a.setStrides({1, 4});
  a.fill<int64_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  // The body gets compact memory of its own, and what it leaves there goes to
  // the elements alone.
  writtenView = 0;
  caller.accept(kernel, {}, {&a});
  EXPECT_NE(seen.views[1], address(a.memory));
  EXPECT_EQ((Words{seen.views.begin() + 2, seen.views.end()}),
            (Words{0, 2, 3, 3, 1}));
  EXPECT_EQ(a.get<int64_t>(12),
            (Words{100, 103, 2, 3, 101, 104, 6, 7, 102, 105, 10, 11}));
}

TEST(EntryView, InnermostStrideBeyondAllMemory) {
  Caller caller;
  Kernel kernel;
  kernel.input("a", kF32, {"a", "b", "c"});
  int64_t most = (int64_t{1} << 30) - 1;
  Tensor a(kF32, {1, 1, 1});
  a.sizes = {most, most, most};
  a.shape = a.sizes.data();
  a.setStrides({1, 1, 0});
  caller.refuse(kernel, {&a}, {},
                "'a': expects fewer elements, since it must be copied to rows "
                "of stride 1, but got a broadcast tensor beyond all memory",
                FOVEA_OUT_OF_MEMORY);
}

TEST(EntryView, CompactI64IndexIsPassedOn) {
  Caller caller;
  Kernel kernel;
  kernel.input("index", kI64, {2, 3}, FOVEA_TENSOR_INDEX).watchIndex(2);
  Tensor index(kI64, {2, 3});
  index.fill<int64_t>({1, 2, 3, 4, 5, 6});
  caller.accept(kernel, {&index}, {});
  int64_t p = address(index.memory);
  EXPECT_EQ(seen.views, (Words{p, p, 0, 2, 3, 3, 1}));
  EXPECT_EQ(seen.indices, (Words{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(
      fovea_entry_workspace_bytes(
          kernel.code(), std::vector<const fovea_tensor *>{&index}.data(), 1),
      0);
}

TEST(EntryView, I32IndexIsCopied) {
  Caller caller;
  Kernel kernel;
  kernel.input("index", kI64, {"n"}, FOVEA_TENSOR_INDEX).watchIndex(1);
  Tensor index(kI32, {4});
  index.fill<int32_t>({7, -1, INT32_MIN, INT32_MAX});
  caller.accept(kernel, {&index}, {});
  EXPECT_EQ(seen.indices, (Words{7, -1, INT32_MIN, INT32_MAX}));
  EXPECT_NE(seen.views[1], address(index.memory));
  EXPECT_EQ(seen.views[1] % 64, 0);
  EXPECT_EQ((Words{seen.views.begin() + 2, seen.views.end()}),
            (Words{0, 4, 1}));
}

TEST(EntryView, StridedIndexIsCopied) {
  Caller caller;
  Kernel kernel;
  kernel.input("index", kI64, {2, 2, 3}, FOVEA_TENSOR_INDEX).watchIndex(3);
  Tensor index(kI64, {2, 2, 3});
  index.setStrides({10, 1, 3});
  std::vector<int64_t> values(32);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(100 + i);
  index.fill(values);
  index.byte_offset = 8;
  caller.accept(kernel, {&index}, {});
  EXPECT_EQ(seen.indices, (Words{101, 104, 107, 102, 105, 108, //
                                 111, 114, 117, 112, 115, 118}));
  EXPECT_EQ((Words{seen.views.begin() + 2, seen.views.end()}),
            (Words{0, 2, 2, 3, 6, 3, 1}));
}

TEST(EntryView, BroadcastI32IndexIsCopied) {
  Caller caller;
  Kernel kernel;
  kernel.input("index", kI64, {3, 2}, FOVEA_TENSOR_INDEX).watchIndex(2);
  Tensor index(kI32, {3, 2});
  index.setStrides({0, 1});
  index.fill<int32_t>({8, 9});
  caller.accept(kernel, {&index}, {});
  EXPECT_EQ(seen.indices, (Words{8, 9, 8, 9, 8, 9}));
}

TEST(EntryView, ScalarI32IndexIsCopied) {
  Caller caller;
  Kernel kernel;
  kernel.input("offset", kI64, {}, FOVEA_TENSOR_INDEX).watchIndex(0);
  Tensor offset(kI32, {});
  offset.fill<int32_t>({-5});
  caller.accept(kernel, {&offset}, {});
  EXPECT_EQ(seen.indices, (Words{-5}));
}

TEST(EntryView, SingleElementIndexIgnoresStrides) {
  Caller caller;
  Kernel kernel;
  kernel.input("index", kI64, {1, 1}, FOVEA_TENSOR_INDEX).watchIndex(2);
  Tensor index(kI64, {1, 1});
  index.setStrides({-3, 5});
  index.fill<int64_t>({42});
  caller.accept(kernel, {&index}, {});
  EXPECT_EQ(seen.indices, (Words{42}));
  EXPECT_EQ(seen.views[1], address(index.memory));
  index.dtype = kI32;
  index.fill<int32_t>({43});
  caller.accept(kernel, {&index}, {});
  EXPECT_EQ(seen.indices, (Words{43}));
}

TEST(EntryView, EmptyIndexIsNotCopied) {
  Caller caller;
  Kernel kernel;
  kernel.input("index", kI64, {"n"}, FOVEA_TENSOR_INDEX);
  Tensor index(kI32, {0});
  caller.accept(kernel, {&index}, {});
  EXPECT_EQ(seen.views, (Words{0, 0, 0, 0, 1}));
}

TEST(EntryView, IndexBroadcastBeyondAllMemory) {
  Caller caller;
  Kernel kernel;
  kernel.input("index", kI64, {"a", "b", "c"}, FOVEA_TENSOR_INDEX);
  int64_t most = (int64_t{1} << 30) - 1;
  Tensor index(kI32, {most, most, most});
  index.setStrides({0, 0, 0});
  caller.refuse(kernel, {&index}, {},
                "'index': expects fewer elements, since it must be copied to "
                "compact i64, but got a broadcast tensor beyond all memory",
                FOVEA_OUT_OF_MEMORY);
}

} // namespace
