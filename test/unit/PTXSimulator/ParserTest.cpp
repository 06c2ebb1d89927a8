//===- ParserTest.cpp - what is no good PTX, and where --------------------===//

#include "Testing.h"

using namespace fovea::ptx;
using namespace fovea::ptx::testing;

namespace {

void expectError(llvm::StringRef text, llvm::StringRef part) {
  std::string message = getParseError(text);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Parser, UnknownInstructionIsNamedWithItsLine) {
  expectError(makeKernel("frobnicate.u32 %r, %s;"),
              "test.ptx:13: unknown instruction 'frobnicate' in "
              "'frobnicate.u32 %r, %s'");
}

TEST(Parser, UnknownModifierIsNamed) {
  expectError(makeKernel("add.u32.fast %r, %s, %t;"),
              "unknown modifier '.fast' of 'add'");
  expectError(makeKernel("ld.global.funny.u32 %r, [%at];"),
              "unknown modifier '.funny' of 'ld'");
}

TEST(Parser, TypesThatAnInstructionDoesNotHave) {
  expectError(makeKernel("popc.u32 %r, %s;"), "'popc' does not have this type");
  expectError(makeKernel("and.f32 %r, %s, %t;"),
              "'and' does not have this type");
}

TEST(Parser, SizesOfOperands) {
  expectError(makeKernel("add.u32 %r, %d, %t;"),
              "expected 32 bits, but '%d' has 64 bits");
  expectError(makeKernel("add.u32 %r, %p, %t;"),
              "expected 32 bits, but '%p' has a predicate");
  expectError(makeKernel("selp.u32 %r, 1, 2, %s;"),
              "expected a predicate, but '%s' has 32 bits");
}

TEST(Parser, NumbersOfOperands) {
  expectError(makeKernel("add.u32 %r, %s;"),
              "'add' expects 3 operands, but got 2");
  expectError(makeKernel("bar.sync 1, 2, 3;"),
              "'bar' expects 1 to 2 operands, but got 3");
}

TEST(Parser, NamesThatNobodyDeclared) {
  expectError(makeKernel("add.u32 %r, %nobody, %t;"),
              "unknown register '%nobody'");
  expectError(makeKernel("mov.u32 %r, nothing;"), "unknown name 'nothing'");
  expectError(makeKernel("bra nowhere;"), "unknown label 'nowhere'");
}

TEST(Parser, ResultsAreRegisters) {
  expectError(makeKernel("add.u32 5, %s, %t;"), "expected a register");
  expectError(makeKernel("mov.u32 %tid.x, %t;"), "expected a register");
}

TEST(Parser, NumbersOfAnotherType) {
  expectError(makeKernel("add.f32 %r, %s, 1;"),
              "a number of another type than '.f32'");
  expectError(makeKernel("mov.b32 %r, 0x1G;"), "expected a number");
  expectError(makeKernel("mov.f32 %r, 0f123;"), "expected a number");
}

TEST(Parser, DeclaredTwice) {
  expectError(makeKernel(".reg .b32 %r;"), "'%r' is declared twice");
  expectError(makeKernel("a: mov.u32 %r, 1;\na: mov.u32 %r, 2;"),
              "'a' is declared twice");
  expectError(makeKernel("") + makeKernel(""), "function 'k' is defined twice");
}

TEST(Parser, ScopesHideNames) {
  Outcome outcome = run(makeKernel(R"(
    mov.u32 %r, 1;
    { .reg .b32 %r; mov.u32 %r, 2; bra next; next: }
    { .reg .b64 %r; mov.u64 %r, 3; bra next; next: }
    st.global.u32 [%at], %r;)"),
                        128);
  expectClean(outcome.result);
  EXPECT_EQ(outcome.as<uint32_t>()[0], 1u);
}

TEST(Parser, EndsThatAreMissing) {
  expectError(".visible .entry k(", "expected a '.param'");
  expectError(".visible .entry k() {", "expected '}' before the end");
  expectError(makeKernel("add.u32 %r, %s, %t"), "but got 'ret'");
  expectError(makeKernel("ld.global.u32 %r, [%at;"), "but got ';'");
  expectError(".file 1 \"never ends", "unexpected");
  expectError(".section .debug_info {", "expected '}' before the end");
}

TEST(Parser, BytesThatAreNoPtx) {
  expectError("\x01\x02", "unexpected");
  expectError("`", "unexpected");
  expectError("hello", "expected a directive");
  expectError(".unheard", "unknown directive '.unheard'");
}

TEST(Parser, NestingWithoutEnd) {
  expectError(makeKernel(std::string(1000, '{')), "nested too deep");
  expectError(makeKernel("mov.b64 %d, " + std::string(1000, '{')),
              "nested too deep");
}

TEST(Parser, SizesWithoutEnd) {
  expectError(".global .b8 a[99999999999];", "is too large");
  expectError(makeKernel(".reg .b32 %x<4000000000>;"), "registers");
  expectError(".global .align 3 .b8 a[4];", "a power of two");
}

TEST(Parser, DebugSectionsAndCommentsAreSkipped) {
  Module module = parse(R"(
/* a comment
   of two lines */
.section .debug_str { $L1: .b8 65, 66 .b32 $L1 }
.file 1 "a.mlir", 1, 2
.visible .entry k() // the kernel
.maxntid 64, 2, 1
.minnctapersm 1
{
  .pragma "nounroll";
  .loc 1 2 3
  .loc 1 2 3, function_name $L1, inlined_at 1 4 5
  ret;
}
)");
  ASSERT_EQ(module.getKernels().size(), 1u);
  EXPECT_EQ(module.getKernels()[0].getMaxThreads(), 128u);
}

TEST(Parser, KernelsAndTheirParameters) {
  Module module = parse(R"(
.shared .align 1024 .b8 used[100];
.shared .align 4 .b8 unused[100];
.extern .shared .align 16 .b8 dynamic[];
.visible .entry a(.param .u64 .ptr .global .align 16 p, .param .f32 x,
                  .param .align 8 .b8 s[24]) .reqntid 32, 4 {
  .reg .b32 %r;
  mov.u32 %r, used;
  mov.u32 %r, dynamic;
  ret;
}
.entry b() { ret; }
)");
  EXPECT_EQ(module.getTarget(), "sm_80");
  ASSERT_EQ(module.getKernels().size(), 2u);
  const Kernel &kernel = *module.findKernel("a");
  ASSERT_EQ(kernel.getParameters().size(), 3u);
  EXPECT_EQ(kernel.getParameters()[0].name, "p");
  EXPECT_EQ(kernel.getParameters()[0].type, "u64");
  EXPECT_EQ(kernel.getParameters()[2].type, "b8[24]");
  EXPECT_EQ(kernel.getParameters()[2].bytes, 24u);
  EXPECT_EQ(kernel.getStaticSharedBytes(), 100u);
  EXPECT_TRUE(kernel.hasDynamicShared());
  EXPECT_EQ(kernel.getRequiredBlock(), (llvm::ArrayRef<uint32_t>{32, 4}));
  EXPECT_FALSE(module.findKernel("b")->hasDynamicShared());
  EXPECT_EQ(module.findKernel("c"), nullptr);
}

TEST(Parser, AddressesOfOnly64Bits) {
  llvm::Expected<Module> module =
      Module::parse(".version 8.0\n.target sm_80\n.address_size 32\n", "t");
  ASSERT_FALSE(bool(module));
  EXPECT_NE(llvm::toString(module.takeError()).find("only 64-bit addresses"),
            std::string::npos);
}

} // namespace
