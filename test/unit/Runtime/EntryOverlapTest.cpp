//===- EntryOverlapTest.cpp - outputs have memory of their own ------------===//

#include "EntryTesting.h"

using namespace fovea::testing;

namespace {

/// Two inputs and two outputs of 4 x 8 floats: 128 bytes each.
struct EntryOverlap : ::testing::Test {
  Caller caller;
  Kernel kernel;
  Tensor a{kF32, {4, 8}};
  Tensor b{kF32, {4, 8}};
  Tensor out{kF32, {4, 8}};
  Tensor lse{kF32, {4, 8}};

  EntryOverlap() {
    for (const char *name : {"a", "b"})
      kernel.input(name, kF32, {"n", "m"});
    for (const char *name : {"out", "lse"})
      kernel.output(name, kF32, {"n", "m"});
  }

  void refuse(const char *sentence) {
    caller.refuse(kernel, {&a, &b}, {&out, &lse}, sentence);
  }
  void accept() { caller.accept(kernel, {&a, &b}, {&out, &lse}); }
};

TEST_F(EntryOverlap, InputsMayShareMemory) {
  b.data = a.data;
  accept();
}

TEST_F(EntryOverlap, OutputIsAnInput) {
  out.data = b.data;
  refuse("'out': expects memory of its own, but it overlaps input 'b'");
}

TEST_F(EntryOverlap, OutputIsAnotherOutput) {
  lse.data = out.data;
  refuse("'lse': expects memory of its own, but it overlaps output 'out'");
}

TEST_F(EntryOverlap, RangesTouchInOneElement) {
  out.data = a.memory;
  out.byte_offset = 124;
  refuse("'out': expects memory of its own, but it overlaps input 'a'");
  out.byte_offset = 128;
  accept();
}

TEST_F(EntryOverlap, InputEndsWithinAnOutput) {
  out.data = a.memory;
  a.byte_offset = 124;
  refuse("'out': expects memory of its own, but it overlaps input 'a'");
  a.byte_offset = 128;
  accept();
}

TEST_F(EntryOverlap, OutputWithinAGapOfAnInput) {
  a.setStrides({64, 1});
  out.data = a.memory;
  out.byte_offset = 32;
  out.setStrides({64, 1});
  refuse("'out': expects memory of its own, but it overlaps input 'a'");
}

TEST_F(EntryOverlap, StridesReachIntoAnInput) {
  out.data = a.memory + 256;
  lse.data = a.memory;
  lse.byte_offset = 512;
  out.setStrides({24, 1});
  refuse("'lse': expects memory of its own, but it overlaps output 'out'");
}

TEST_F(EntryOverlap, EmptyTensorsOverlapNothing) {
  for (Tensor *tensor : {&a, &b, &out, &lse}) {
    tensor->sizes[0] = 0;
    tensor->data = a.memory;
  }
  accept();
}

TEST_F(EntryOverlap, OutputRepeatsItself) {
  out.setStrides({0, 1});
  refuse("'out' dim 0: expects a stride above 0, since an output's elements "
         "may not share memory, but got 0");
}

TEST_F(EntryOverlap, OutputRowsMeet) {
  out.setStrides({7, 1});
  refuse("'out' dim 0: expects a stride above 7, since an output's elements "
         "may not share memory, but got 7");
  out.setStrides({8, 1});
  accept();
}

TEST_F(EntryOverlap, OutputOfStrideZero) {
  out.setStrides({0, 0});
  refuse("'out' dim 0: expects a stride above 0, since an output's elements "
         "may not share memory, but got 0");
}

TEST_F(EntryOverlap, OutputMayBeTransposed) {
  out.setStrides({1, 4});
  accept();
  out.setStrides({1, 3});
  refuse("'out' dim 1: expects a stride above 3, since an output's elements "
         "may not share memory, but got 3");
}

TEST_F(EntryOverlap, OutputStrideZeroOfOneElement) {
  for (Tensor *tensor : {&a, &b, &out, &lse})
    tensor->sizes[0] = 1;
  out.setStrides({0, 1});
  accept();
}

} // namespace
