//===- CheckTest.cpp - right and wrong results ----------------------------===//

#include "fovea/Reference/Check.h"
#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace fovea;
using namespace fovea::reference;

/// Causal attention, whose first row sees no key: p = i - 1.
static const char *const kernelText = R"(
func.func @k(%q: tensor<1x2x?x8xTYPE>, %k: tensor<1x2x?x8xTYPE>,
             %v: tensor<1x2x?x8xTYPE>)
    -> (tensor<1x2x?x8xTYPE>, tensor<1x2x?xTYPE>) {
  %scale = arith.constant 0.5 : TYPE
  %out, %lse = attn.sdpa %q, %k, %v scale(%scale : TYPE) mask {
  ^bb0(%b: index, %h: index, %i: index, %p: index, %j: index):
    %keep = arith.cmpi slt, %j, %p : index
    attn.yield %keep : i1
  } : tensor<1x2x?x8xTYPE>, tensor<1x2x?x8xTYPE>, tensor<1x2x?x8xTYPE>
      -> tensor<1x2x?x8xTYPE>, tensor<1x2x?xTYPE>
  return %out, %lse : tensor<1x2x?x8xTYPE>, tensor<1x2x?xTYPE>
})";

namespace {

enum Output { out, lse };
constexpr int64_t allRows = INT64_MAX;

class CheckTest : public testing::TestWithParam<HostType> {
protected:
  void SetUp() override {
    context.loadDialect<attn::AttnDialect, mlir::arith::ArithDialect,
                        mlir::func::FuncDialect>();
    std::string text = kernelText;
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
      text.replace(at, 4, getHostTypeName(GetParam()));
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    auto kernel = *module->getOps<mlir::func::FuncOp>().begin();
    for (int64_t length : {40, 50, 50}) {
      inputs.push_back(
          llvm::cantFail(HostTensor::create(GetParam(), {1, 2, length, 8})));
      for (int64_t n = 0; n < inputs.back().getNumElements(); ++n)
        inputs.back().setFloat(n, std::sin(double(n * n + length)));
    }
    llvm::SmallVector<const HostTensor *> pointers;
    for (const HostTensor &input : inputs)
      pointers.push_back(&input);
    exact = llvm::cantFail(Evaluator::create(kernel, pointers));
    emulated =
        llvm::cantFail(Evaluator::create(kernel, pointers, Mode::Emulated));
  }

  HostTensor getRight(Output output) {
    return llvm::cantFail(exact->evaluate(output));
  }

  CheckResult check(Output output, const HostTensor &got,
                    int64_t rows = allRows) {
    return llvm::cantFail(
        reference::check(*exact, *emulated, output, got, rows));
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<HostTensor> inputs;
  std::unique_ptr<Evaluator> exact, emulated;
};

} // namespace

TEST_P(CheckTest, acceptsTheExactResult) {
  for (Output output : {out, lse}) {
    CheckResult result = check(output, getRight(output));
    EXPECT_TRUE(result.isRight);
    EXPECT_EQ(result.rows, 80);
    EXPECT_LE(result.maxError, result.maxLimit);
  }
}

TEST_P(CheckTest, acceptsTheEmulatedResult) {
  for (Output output : {out, lse})
    EXPECT_TRUE(
        check(output, llvm::cantFail(emulated->evaluate(output))).isRight);
}

TEST_P(CheckTest, refusesOneWrongElement) {
  for (Output output : {out, lse}) {
    HostTensor got = getRight(output);
    int64_t index = got.getNumElements() - 3;
    double factor = GetParam() == HostType::F64 ? 1 + 1e-10 : 1 + 1e-4;
    got.setFloat(index, got.getFloat(index) * factor);
    CheckResult result = check(output, got);
    EXPECT_FALSE(result.isRight);
    EXPECT_EQ(result.found, got.getFloat(index));
    EXPECT_EQ(result.position.back(), index % exact->getShape(output).back());
  }
}

TEST_P(CheckTest, refusesNaN) {
  for (Output output : {out, lse}) {
    HostTensor got = getRight(output);
    got.setFloat(got.getNumElements() - 1, NAN);
    EXPECT_FALSE(check(output, got).isRight);
  }
}

TEST_P(CheckTest, refusesAnythingButZeroWithoutKeys) {
  HostTensor got = getRight(out);
  ASSERT_EQ(got.getFloat(0), 0.0);
  got.setFloat(0, 1e-30);
  EXPECT_FALSE(check(out, got).isRight);
}

TEST_P(CheckTest, refusesAnythingButMinusInfinityWithoutKeys) {
  for (double wrong : {double(NAN), double(INFINITY), -1e30}) {
    HostTensor got = getRight(lse);
    ASSERT_EQ(got.getFloat(0), -INFINITY);
    got.setFloat(0, wrong);
    EXPECT_FALSE(check(lse, got).isRight);
  }
}

// What an elementwise limit lets pass at each element is still too much at all.
TEST_P(CheckTest, refusesASmallErrorEverywhere) {
  HostTensor got = getRight(out);
  double factor = GetParam() == HostType::F64 ? 1 + 1e-11 : 1 + 3e-6;
  for (int64_t n = 0; n < got.getNumElements(); ++n)
    got.setFloat(n, got.getFloat(n) * factor);
  EXPECT_FALSE(check(out, got).isRight);
}

TEST_P(CheckTest, looksAtAsManyRowsAsAskedFor) {
  HostTensor got = getRight(out);
  EXPECT_EQ(check(out, got, 7).rows, 7);
  got.setFloat(got.getNumElements() - 1, 7);
  EXPECT_FALSE(check(out, got, 2).isRight);
}

TEST_P(CheckTest, refusesAnotherShape) {
  auto got = llvm::cantFail(HostTensor::create(GetParam(), {1, 2, 41, 8}));
  auto result = reference::check(*exact, *emulated, out, got, allRows);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()),
            "expects [1, 2, 40, 8] of " + getHostTypeName(GetParam()).str() +
                ", but got [1, 2, 41, 8] of " +
                getHostTypeName(GetParam()).str());
}

TEST_P(CheckTest, countsAllowedScores) {
  Work work = llvm::cantFail(exact->measureWork(1 << 20));
  // Row i sees i keys.
  EXPECT_EQ(work.allowedScores, 2 * 40 * 39 / 2);
  EXPECT_EQ(work.allScores, 2 * 40 * 50);
  EXPECT_EQ(work.flops, work.allowedScores * 2 * (8 + 8));
  // A sample of rows of a triangle says how large it is.
  Work sampled = llvm::cantFail(exact->measureWork(500));
  EXPECT_NEAR(sampled.allowedScores, work.allowedScores,
              work.allowedScores * 0.1);
}

INSTANTIATE_TEST_SUITE_P(Types, CheckTest,
                         testing::Values(HostType::F32, HostType::F64),
                         [](const testing::TestParamInfo<HostType> &info) {
                           return getHostTypeName(info.param).str();
                         });
