//===- Program.h - regions as short programs over lanes -------------------===//

#ifndef FOVEA_LIB_REFERENCE_PROGRAM_H
#define FOVEA_LIB_REFERENCE_PROGRAM_H

#include "fovea/Support/HostTensor.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace fovea::reference {

/// A scalar. Integers and indices are sign-extended, an i1 is 0 or 1.
union Scalar {
  int64_t i;
  double f;
};

struct Instruction;

/// What one instruction works on: `count` lanes of its operands and result.
struct Lanes {
  const Instruction &instruction;
  Scalar *result;
  static constexpr unsigned maxOperands = 8;
  Scalar *operands[maxOperands];
  int count;
  std::string &failure;
};

using Kernel = void (*)(const Lanes &);

struct Instruction {
  Kernel kernel;
  llvm::SmallVector<unsigned, 4> operands;
  unsigned result;
  /// Bits of the first operand and of the result if they are integers, else 0.
  unsigned operandBits = 0, resultBits = 0;
  /// The float type to round the result to when emulating.
  std::optional<HostType> rounding;
  /// The predicate of a comparison.
  int64_t attribute = 0;
  /// The tensor of tensor.extract and tensor.dim.
  const HostTensor *tensor = nullptr;
  llvm::StringRef name;
};

/// The kernel of an operation by its name; null if it is not known.
Kernel lookupKernel(llvm::StringRef name);

/// Values from outside of a region.
class Environment {
public:
  virtual ~Environment();
  virtual std::optional<Scalar> getScalar(mlir::Value value) = 0;
  virtual llvm::Expected<const HostTensor *> getTensor(mlir::Value value) = 0;
};

/// A region, made ready to run. What depends on no key runs once a row.
class Program {
public:
  enum class Argument { Row, Key, Score };
  static constexpr int maxLanes = 256;

  /// Compiles a block that ends in a yield of one value.
  static llvm::Expected<std::unique_ptr<Program>>
  compile(mlir::Block &block, llvm::ArrayRef<Argument> arguments,
          Environment &environment, bool emulate);

  /// Evaluates one operation on known operands.
  static llvm::Expected<llvm::SmallVector<Scalar>>
  evaluate(mlir::Operation &op, Environment &environment, bool emulate);

  /// Sets the Row arguments, in order.
  void beginRow(llvm::ArrayRef<int64_t> values);
  /// Runs the program for `count` keys (at most maxLanes) of the row, and their
  /// scores if it takes any. The result is valid until the next call.
  const Scalar *run(const int64_t *keys, const double *scores, int count);

  /// Whether the result can depend on this block argument.
  bool dependsOn(unsigned argument) const {
    return registers[result].sources >> argument & 1;
  }

  /// What went wrong while running, such as a read out of range.
  llvm::Error takeFailure();

private:
  struct Register {
    std::vector<Scalar> lanes;
    /// Bit n: depends on block argument n.
    unsigned sources = 0;
  };

  Program(Environment &environment, bool emulate)
      : environment(&environment), emulate(emulate) {}
  unsigned addRegister(unsigned sources);
  llvm::Expected<unsigned> getRegister(mlir::Value value);
  llvm::Error add(mlir::Operation &op);
  llvm::Error addConstant(mlir::Operation &op);
  void finish(unsigned yielded);
  void execute(const Instruction &instruction, int count);

  /// Used while compiling only.
  Environment *environment;
  llvm::DenseMap<mlir::Value, unsigned> numbers;

  bool emulate;
  llvm::SmallVector<Argument> arguments;
  std::vector<Register> registers;
  std::vector<Instruction> instructions, rowInstructions, keyInstructions;
  /// Registers set once a row that key instructions read.
  llvm::SmallVector<unsigned> broadcasts;
  unsigned result = 0;
  std::string failure;
};

} // namespace fovea::reference

#endif // FOVEA_LIB_REFERENCE_PROGRAM_H
