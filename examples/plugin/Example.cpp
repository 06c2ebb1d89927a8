//===- Example.cpp - a plugin with one rewrite and one operation ----------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Support/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include "ExampleDialect.h.inc"
#define GET_OP_CLASSES
#include "ExampleOps.h.inc"

#include "ExampleDialect.cpp.inc"
#define GET_OP_CLASSES
#include "ExampleOps.cpp.inc"

using namespace mlir;
using namespace fovea;

void example::ExampleDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ExampleOps.cpp.inc"
      >();
}

namespace {

template <typename Derived>
struct ExamplePass : PassWrapper<Derived, OperationPass<ModuleOp>> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect>();
  }
};

/// The operation becomes arithmetic where it stands, in the score region;
/// attn-vectorize turns that into vectors.
struct LowerSoftsign : ExamplePass<LowerSoftsign> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerSoftsign)
  StringRef getArgument() const override { return "example-lower-softsign"; }
  StringRef getDescription() const override { return "softsign to arith"; }

  void runOnOperation() override {
    getOperation().walk([](example::SoftsignOp op) {
      OpBuilder b(op);
      Location loc = op.getLoc();
      Value s = op.getScore();
      Value cap = arith::ConstantOp::create(
          b, loc, b.getFloatAttr(s.getType(), op.getCap().convertToDouble()));
      Value size = math::AbsFOp::create(b, loc, s);
      Value below = arith::AddFOp::create(b, loc, cap, size);
      Value above = arith::MulFOp::create(b, loc, cap, s);
      op.replaceAllUsesWith(
          arith::DivFOp::create(b, loc, above, below).getResult());
      op.erase();
    });
  }
};

/// exp(s) / (1 + sum exp(s)): a head may attend to nothing. At stage fused the
/// sum counts from the running max on, and so must the 1.
struct SoftmaxPlusOne : ExamplePass<SoftmaxPlusOne> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SoftmaxPlusOne)
  StringRef getArgument() const override { return "example-softmax-plus-one"; }
  StringRef getDescription() const override { return "1 in the denominator"; }

  void runOnOperation() override {
    getOperation().walk([](attn::StoreOutputOp op) {
      OpBuilder b(op);
      Location loc = op.getLoc();
      Value minusMax = arith::NegFOp::create(b, loc, op.getMax());
      Value one = math::ExpOp::create(b, loc, minusMax);
      op.getSumMutable().assign(
          arith::AddFOp::create(b, loc, op.getSum(), one).getResult());
      remark::passed(loc, getRemarkOpts(op, "example", "plus-one"))
          << "1 joins the denominator";
    });
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Example", "1.0", [] {
            PassRegistration<LowerSoftsign>();
            PassRegistration<SoftmaxPlusOne>();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Example", "1.0",
          [](DialectRegistry *r) { r->insert<example::ExampleDialect>(); }};
}
