//===- ProgramBuilder.h - a kernel and what it calls as one program -------===//

#ifndef FOVEA_PTXSIMULATOR_PROGRAMBUILDER_H
#define FOVEA_PTXSIMULATOR_PROGRAMBUILDER_H

#include "Op.h"
#include "Syntax.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>

namespace fovea::ptx {

/// Where a variable lies.
struct VariablePlace {
  VariableSyntax::Space space = VariableSyntax::Param;
  /// In local memory, where functions have their parameters too.
  bool isLocal = false;
  uint64_t address = 0;
  uint64_t bytes = 0;
  /// Of a variable in global memory, whose address a launch gives.
  std::optional<unsigned> moduleVariable;
};

/// A function of the program. Recursion is refused, so that each has its
/// registers and its local memory once.
struct FunctionFrame {
  const FunctionSyntax *syntax = nullptr;
  uint32_t firstOp = 0;
  std::vector<Operand> registers;
  std::vector<VariablePlace> variables;
  /// Where its caller goes on.
  Operand returnAddress;
};

class ProgramBuilder {
public:
  ProgramBuilder(const ModuleSyntax &module, llvm::StringRef fileName)
      : module(module), fileName(fileName),
        program(std::make_shared<Program>()) {}

  llvm::Expected<std::shared_ptr<const Program>>
  build(const FunctionSyntax &kernel);

  //===-- For Decoder -----------------------------------------------------===//

  const FunctionFrame &getFrame() const { return *frame; }
  bool isInKernel() const { return frame->syntax->isKernel; }
  /// The frame of a function that is called, or null.
  const FunctionFrame *findFunction(llvm::StringRef name) const;
  Operand addRegister(Type type, llvm::StringRef name);
  /// A row that has `value` in each lane.
  Operand getConstant(uint64_t value, unsigned bytes);
  Operand getAddress(const VariablePlace &place, uint64_t offset,
                     unsigned bytes);
  /// A register for results that are not wanted.
  Operand getSink(unsigned bytes);
  std::optional<VariablePlace> findVariable(const Symbol *symbol,
                                            llvm::StringRef name) const;
  uint32_t addBranchTable(llvm::ArrayRef<llvm::StringRef> labels,
                          unsigned scope);
  Program &getProgram() { return *program; }
  uint32_t getOpcodeNumber(const InstructionSyntax &instruction);

private:
  bool collect(const FunctionSyntax &function);
  bool collectOperand(const FunctionSyntax &function, unsigned scope,
                      const OperandSyntax &operand);
  void layOutShared();
  void placeVariables(FunctionFrame &target);
  bool decodeFunction(FunctionFrame &target);
  const FunctionSyntax *findSyntax(llvm::StringRef name) const;
  bool fail(unsigned line, const llvm::Twine &text);

  const ModuleSyntax &module;
  llvm::StringRef fileName;
  std::shared_ptr<Program> program;
  std::vector<std::unique_ptr<FunctionFrame>> frames; // callees first
  std::vector<const FunctionSyntax *> open;           // while collecting
  llvm::DenseMap<const VariableSyntax *, VariablePlace> places;
  std::vector<const VariableSyntax *> shared;
  FunctionFrame *frame = nullptr;
  std::map<std::pair<unsigned, uint64_t>, Operand> constants;
  std::map<unsigned, Operand> sinks;
  llvm::StringMap<uint32_t> opcodes;
  /// Tables whose labels are instructions yet.
  std::vector<uint32_t> openTables;
  std::string message;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_PROGRAMBUILDER_H
