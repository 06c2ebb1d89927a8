//===- Decoder.h - from an instruction's syntax to its ops ----------------===//

#ifndef FOVEA_PTXSIMULATOR_DECODER_H
#define FOVEA_PTXSIMULATOR_DECODER_H

#include "ProgramBuilder.h"

namespace fovea::ptx {

/// Where an address points, as far as the instruction's text tells.
struct AddressSyntax {
  /// Set if the base is a variable's name.
  std::optional<VariableSyntax::Space> space;
  int64_t offset = 0;
};

/// One instruction being decoded. A group's decode function takes the
/// modifiers it knows, adds results and then sources, and sets the handler;
/// what it leaves over is an error. The first failure is kept, so that decode
/// functions need not test for one after each step.
class Decoder {
public:
  Decoder(ProgramBuilder &builder, const InstructionSyntax &instruction);

  llvm::StringRef getOpcode() const { return instruction.opcode; }
  const InstructionSyntax &getInstruction() const { return instruction; }

  //===-- Modifiers -------------------------------------------------------===//

  /// Takes the first modifier `name`.
  bool take(llvm::StringRef name);
  /// Takes the first of `names` that is there and gives its index, or -1.
  int takeOneOf(llvm::ArrayRef<llvm::StringRef> names);
  /// The same, where one of them is needed; `what` names them in the error.
  unsigned expectOneOf(llvm::ArrayRef<llvm::StringRef> names,
                       llvm::StringRef what);
  /// Takes the first type.
  Type takeType();
  bool hasType() const;
  bool hasModifier(llvm::StringRef name) const;
  /// Those that were not taken yet, in their order.
  llvm::ArrayRef<llvm::StringRef> getModifiers() const { return modifiers; }

  //===-- Operands --------------------------------------------------------===//

  unsigned getNumOperands() const { return instruction.operands.size(); }
  const OperandSyntax &getOperand(unsigned n) const;
  void expectOperands(unsigned least, unsigned most);
  void expectOperands(unsigned count) { expectOperands(count, count); }

  /// A register of the size of `type`. `_` gives a place that nothing reads.
  void addResult(unsigned n, Type type) { addResult(getOperand(n), type); }
  void addResult(const OperandSyntax &operand, Type type);
  /// A register, constant, special register or a variable's address.
  void addSource(unsigned n, Type type) { addSource(getOperand(n), type); }
  void addSource(const OperandSyntax &operand, Type type);
  /// The same for registers that may be wider than `type`.
  void addWideResult(const OperandSyntax &operand, Type type);
  void addWideSource(const OperandSyntax &operand, Type type);
  void addConstant(uint64_t value, unsigned bytes);
  void addPlace(const Operand &place, bool isResult);
  /// `{a, b, ...}` of `count` registers.
  void addVector(unsigned n, Type type, unsigned count, bool isResult);
  /// `[base + offset]`; the base becomes a source.
  AddressSyntax addAddress(unsigned n);
  /// An integer that must be written as such.
  uint64_t takeInteger(unsigned n, llvm::StringRef what);
  bool isPredicate(unsigned n) const;
  /// The size of the register that operand `n` names, else of `otherwise`.
  unsigned getRegisterBytes(const OperandSyntax &operand,
                            unsigned otherwise) const;

  //===-- The op ----------------------------------------------------------===//

  Op op;
  ProgramBuilder &builder;

  void setHandler(Handler handler) {
    if (handler)
      op.handler = handler;
    else
      failType();
  }
  /// Ends an op that stands before the instruction's own.
  void finishSecondary();
  void fail(const llvm::Twine &text);
  /// Says that the instruction does not have its type.
  void failType();
  bool hasFailed() const { return !message.empty(); }
  /// Puts the op into the program; true, with a message, if that failed.
  bool finish(std::string &message);

private:
  std::optional<Operand> resolve(const OperandSyntax &operand, Type type,
                                 bool wide, bool isResult);
  std::optional<Operand> resolveName(const OperandSyntax &operand, Type type,
                                     bool wide, bool isResult);
  void addGuard();
  Operand readSpecialRegister(llvm::StringRef name, unsigned bytes);
  void pushOp(Op finished, llvm::ArrayRef<Operand> results,
              llvm::ArrayRef<Operand> sources, bool isSecondary);

  const InstructionSyntax &instruction;
  llvm::SmallVector<llvm::StringRef, 6> modifiers;
  llvm::SmallVector<Operand, 8> results, sources;
  std::string message;
};

using DecodeFunction = void (*)(Decoder &decoder);
using InstructionTable = llvm::StringMap<DecodeFunction>;

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_DECODER_H
