//===- Parser.h - from PTX text to its syntax -----------------------------===//

#ifndef FOVEA_PTXSIMULATOR_PARSER_H
#define FOVEA_PTXSIMULATOR_PARSER_H

#include "Lexer.h"
#include "Syntax.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace fovea::ptx {

/// A parse method gives true if it failed; `getError` then says why.
class Parser {
public:
  Parser(llvm::StringRef text, ModuleSyntax &module)
      : text(text), lexer(text), module(module) {
    advance();
  }

  bool parseModule();

  const std::string &getMessage() const { return message; }
  unsigned getLine() const { return errorLine; }

private:
  // Parser.cpp: directives and declarations.
  bool parseTopLevel();
  bool parseFunction(bool isKernel, bool isExtern);
  bool parseFunctionDirectives(FunctionSyntax &function);
  bool parseParameters(FunctionSyntax &function, std::vector<unsigned> &into);
  bool parseVariable(VariableSyntax::Space space, bool isExtern,
                     std::vector<VariableSyntax> &into, bool isParameter);
  bool parseInitializer(VariableSyntax &variable);
  bool appendElement(VariableSyntax &variable);
  bool parseSection();
  bool parseFile();
  bool parseLoc();
  bool parseDimensions(std::vector<uint32_t> &into);
  void resolveLocations();
  bool skipTo(char punctuation);

  // ParseBody.cpp: instructions and what stands between them.
  bool parseBlock(unsigned scope);
  bool parseStatement(unsigned scope);
  bool parseRegisters(unsigned scope);
  bool parseLabel(unsigned scope, llvm::StringRef name, unsigned line);
  bool parseInstruction(unsigned scope);
  bool parseOperand(OperandSyntax &operand);
  bool parseOperands(OperandSyntax &operand, char close);
  bool parseNumber(OperandSyntax &operand, bool negative);
  bool addSymbol(unsigned scope, llvm::StringRef name, Symbol symbol,
                 unsigned line);

  void advance();
  bool consume(char punctuation);
  bool expect(char punctuation, llvm::StringRef where);
  bool expectInteger(uint64_t &value, llvm::StringRef where);
  bool fail(const llvm::Twine &text, unsigned line = 0);
  /// What stands at the current token, for messages.
  std::string describeToken() const;

  llvm::StringRef text;
  Lexer lexer;
  ModuleSyntax &module;
  FunctionSyntax *function = nullptr;
  Token token;
  /// End of the token before the current one.
  const char *previousEnd = nullptr;
  LocationSyntax location;
  std::string message;
  unsigned errorLine = 0;
  unsigned depth = 0;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_PARSER_H
