//===- Syntax.h - a PTX file as it is written -----------------------------===//
//
// Names stay text until the decoder resolves them; all text points into the
// module's own copy.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_SYNTAX_H
#define FOVEA_PTXSIMULATOR_SYNTAX_H

#include "Type.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <string>
#include <vector>

namespace fovea::ptx {

struct OperandSyntax {
  enum Kind {
    /// A register, special register, symbol, label or function, with `|name`
    /// as `second` and an offset behind symbols.
    Name,
    /// An integer or, if `isFloat`, the bits of a double.
    Number,
    /// `[...]`: the base is `elements[0]`, more elements follow it.
    Address,
    /// `{...}`.
    Vector,
    /// `(...)` of a call.
    List,
    /// `_`.
    Sink,
  };
  Kind kind = Sink;
  llvm::StringRef name, second;
  /// A `!` before the name, or before `second`.
  bool negated = false;
  bool isFloat = false;
  /// Written with 32 bits: `0f...`.
  bool isSingle = false;
  /// Of a number, or the offset behind a name.
  uint64_t value = 0;
  std::vector<OperandSyntax> elements;
};

/// Of a `.loc`. Line 0 is the compiler's "from nowhere".
struct LocationSyntax {
  unsigned file = 0, line = 0, column = 0;
};

struct InstructionSyntax {
  llvm::StringRef opcode;
  llvm::SmallVector<llvm::StringRef, 6> modifiers;
  llvm::StringRef guard;
  bool guardNegated = false;
  std::vector<OperandSyntax> operands;
  unsigned line = 0;
  unsigned scope = 0;
  /// From the guard to the semicolon.
  llvm::StringRef text;
  LocationSyntax location;
  /// For reports: the location, or the text of a comment.
  std::string source;
};

/// A variable or parameter in memory.
struct VariableSyntax {
  enum Space { Param, Shared, Local, Global, Const };
  Space space = Param;
  llvm::StringRef name;
  Type type = Type::B8;
  uint64_t elements = 1;
  unsigned alignment = 1;
  bool isArray = false;
  /// Without a number of elements: `[]`, or declared as a zero-length array.
  bool isUnsized = false;
  bool isExtern = false;
  std::vector<uint8_t> initializer;
  unsigned line = 0;

  uint64_t getBytes() const { return elements * getTypeBytes(type); }
};

/// A name inside of a function.
struct Symbol {
  enum Kind { Register, Variable, Label, Targets, Prototype };
  Kind kind = Register;
  /// Of the register, the variable, the instruction or the list of targets.
  unsigned index = 0;
};

struct ScopeSyntax {
  int parent = -1;
  llvm::StringMap<Symbol> symbols;
};

struct FunctionSyntax {
  llvm::StringRef name;
  bool isKernel = false, hasBody = false;
  unsigned line = 0;
  std::vector<unsigned> results, parameters; // indices into variables
  std::vector<VariableSyntax> variables;
  std::vector<Type> registers;
  std::vector<InstructionSyntax> instructions;
  std::vector<std::vector<llvm::StringRef>> branchTargets;
  std::vector<ScopeSyntax> scopes; // the first is the function's own
  std::vector<uint32_t> requiredBlock, maxBlock;

  /// The symbol `name` as seen from `scope`, or null.
  const Symbol *find(unsigned scope, llvm::StringRef name) const {
    for (int at = scope; at >= 0; at = scopes[at].parent) {
      auto found = scopes[at].symbols.find(name);
      if (found != scopes[at].symbols.end())
        return &found->second;
    }
    return nullptr;
  }
};

struct ModuleSyntax {
  /// Of this process, to tell modules apart.
  uint64_t number = 0;
  llvm::StringRef target;
  std::vector<VariableSyntax> variables;
  /// A deque: decoders keep references.
  std::deque<FunctionSyntax> functions;
  std::vector<std::string> files; // by the number of `.file`
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_SYNTAX_H
