//===- Op.h - instructions as they are executed ---------------------------===//
//
// An instruction is decoded once into an op: a function that executes it for
// all lanes of a warp, and where its operands lie. Registers of a kernel and
// of the functions that it calls have fixed places in a warp's register file,
// a row of 32 lanes for each; constants have rows of their own. A predicate is
// one word with a bit per lane.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_OP_H
#define FOVEA_PTXSIMULATOR_OP_H

#include "Type.h"
#include "fovea/PTXSimulator/Observer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include <cstdint>
#include <string>
#include <vector>

namespace fovea::ptx {

class Warp;
struct Op;

/// A bit per lane.
using Mask = uint32_t;
constexpr unsigned warpSize = 32;
constexpr Mask allLanes = ~Mask(0);

/// What becomes of a warp after an op.
enum class Flow {
  Next,
  /// The op has set where the warp goes on.
  Jump,
  /// The lanes wait for others, and execute the op again.
  Wait,
  /// The lanes wait at a barrier, and go on behind the op.
  Barrier,
  /// The block is given up.
  Stop,
};

using Handler = Flow (*)(Warp &warp, const Op &op, Mask mask);

struct Operand {
  /// Bytes from the start of the registers or of the constants.
  uint32_t offset = 0;
  /// Of the register, to know whether it is defined; constants have 0.
  uint32_t number = 0;
  /// Of a lane; 0 for a predicate.
  uint8_t bytes = 0;
  bool isConstant = false;
  /// Of a predicate.
  bool isNegated = false;
};

struct Op {
  Handler handler = nullptr;
  /// Results come first, then the sources.
  const Operand *operands = nullptr;
  uint16_t numResults = 0, numOperands = 0;
  bool hasGuard = false;
  /// Moves what is undefined instead of reporting it.
  bool movesUndefined = false;
  /// Needs all lanes of a mask, or of the warp, at once.
  bool isConvergent = false;
  /// Goes to `target`, which the decoder gives as an instruction of the same
  /// function, and which is an op in the finished program.
  bool isBranch = false;
  Operand guard;
  uint32_t target = 0;
  /// Meaning depends on the handler: an offset, a lookup table, sizes.
  int64_t immediate = 0;
  uint32_t detail = 0;

  const Operand &result(unsigned n = 0) const { return operands[n]; }
  const Operand &source(unsigned n = 0) const {
    return operands[numResults + n];
  }
  unsigned numSources() const { return numOperands - numResults; }
};

/// What reports say of an op, apart from what executes it.
struct OpInfo {
  unsigned line = 0;
  uint32_t opcode = 0; // of Program::opcodes
  /// Not the first op of its instruction, so that it is counted once.
  bool isSecondary = false;
  std::string text, source;
};

/// A piece of memory with bounds of its own in shared, local or parameter
/// space.
struct MemoryRange {
  std::string name;
  uint64_t begin = 0, size = 0;
};

/// A constant row that holds the address of a module's variable.
struct Relocation {
  uint32_t offset = 0;   // into the constants
  unsigned variable = 0; // of Program::variables
  uint64_t addend = 0;
};

/// A variable of the module in global memory.
struct ModuleVariable {
  std::string name;
  std::vector<uint8_t> content;
  bool readOnly = false;
};

/// A kernel with all functions that it calls; those come first, so that lanes
/// within a call are ahead of those that wait for them.
struct Program {
  std::vector<Op> ops;
  std::vector<OpInfo> infos;
  uint32_t entry = 0;

  uint32_t registerBytes = 0;
  /// Register numbers start at 1.
  uint32_t numRegisters = 1;
  std::vector<std::string> registerNames;

  std::vector<uint8_t> constants;
  std::vector<Relocation> relocations;
  std::vector<ModuleVariable> variables;
  std::vector<std::vector<uint32_t>> branchTables;

  std::vector<MemoryRange> shared, local, parameters;
  uint64_t parameterBytes = 0;
  /// End of the static variables' addresses; dynamic shared memory starts at
  /// `dynamicBase` in addresses, and at `staticSharedBytes` in the assembler's
  /// count.
  uint64_t sharedEnd = 0, dynamicBase = 0, staticSharedBytes = 0;
  std::vector<std::string> dynamicNames;
  uint64_t localBytes = 0;

  std::vector<std::string> opcodes;
  std::string target;
  uint64_t maxThreads = 0;
  std::vector<uint32_t> requiredBlock;
  bool hasGlobalAtomics = false;
  /// Tells modules apart in a device's table of variables.
  uint64_t module = 0;

  llvm::BumpPtrAllocator operandStorage;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_OP_H
