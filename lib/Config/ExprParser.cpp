//===- ExprParser.cpp - From an expr's text to a typed tree ---------------===//

#include "ExprLexer.h"
#include "ExprTypes.h"
#include "Reader.h"

#include "llvm/ADT/STLExtras.h"

using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;
using llvm::Twine;

namespace {
/// Bounds that keep recursion over the tree, here and in later passes, shallow.
constexpr unsigned kMaxNesting = 64;
constexpr unsigned kMaxNodes = 1000;

using Tree = std::unique_ptr<Expr>;

struct BinaryOperator {
  StringRef symbol;
  ExprOp op;
};

struct Function {
  StringRef name;
  ExprOp op;
  unsigned operands;
};

constexpr Function kFunctions[] = {
    {"select", ExprOp::Select, 3}, {"abs", ExprOp::Abs, 1},
    {"min", ExprOp::Min, 2},       {"max", ExprOp::Max, 2},
    {"exp", ExprOp::Exp, 1},       {"log", ExprOp::Log, 1},
    {"tanh", ExprOp::Tanh, 1},     {"sqrt", ExprOp::Sqrt, 1}};

class Parser {
public:
  Parser(StringRef text, const ExprScope &scope, ExprError &error)
      : lexer(text), scope(scope), error(error), types(scope, error) {}

  Tree run() {
    Tree tree = parseOr();
    if (!tree)
      return nullptr;
    if (lexer.token().kind != ExprToken::End)
      return unexpected("an operator or the end");
    return types.checkResult(std::move(tree));
  }

private:
  Tree fail(size_t offset, const Twine &message) {
    error = {offset, message.str()};
    return nullptr;
  }
  Tree unexpected(StringRef wanted) {
    const ExprToken &token = lexer.token();
    if (token.kind == ExprToken::Bad)
      return fail(token.offset, token.problem);
    if (token.kind == ExprToken::End)
      return fail(token.offset, "expects " + wanted + ", but the expr ends");
    return fail(token.offset, "expects " + wanted + ", but got '" +
                                  printable(token.text) + "'");
  }

  /// Takes a symbol if it is next.
  bool take(StringRef symbol) {
    if (!lexer.token().is(symbol))
      return false;
    lexer.advance();
    return true;
  }

  const BinaryOperator *next(llvm::ArrayRef<BinaryOperator> operators) {
    for (const BinaryOperator &candidate : operators)
      if (lexer.token().is(candidate.symbol))
        return &candidate;
    return nullptr;
  }

  Tree make(ExprOp op, size_t offset, std::vector<Tree> operands) {
    if (++nodes > kMaxNodes)
      return fail(offset, "expects an expr of at most " + Twine(kMaxNodes) +
                              " operations");
    auto tree = std::make_unique<Expr>();
    tree->op = op;
    tree->offset = offset;
    tree->operands = std::move(operands);
    return tree;
  }
  Tree typed(Tree tree) {
    return tree ? types.check(std::move(tree)) : nullptr;
  }
  Tree makePair(ExprOp op, size_t offset, Tree lhs, Tree rhs) {
    std::vector<Tree> operands;
    operands.push_back(std::move(lhs));
    operands.push_back(std::move(rhs));
    return typed(make(op, offset, std::move(operands)));
  }

  template <typename ParseOperand>
  Tree parseChain(llvm::ArrayRef<BinaryOperator> operators,
                  ParseOperand parseOperand) {
    Tree lhs = parseOperand();
    while (lhs) {
      const BinaryOperator *found = next(operators);
      if (!found)
        break;
      size_t offset = lexer.token().offset;
      lexer.advance();
      Tree rhs = parseOperand();
      if (!rhs)
        return nullptr;
      lhs = makePair(found->op, offset, std::move(lhs), std::move(rhs));
    }
    return lhs;
  }

  Tree parseOr() {
    if (++nesting > kMaxNesting)
      return fail(lexer.token().offset, "expects an expr nested at most " +
                                            Twine(kMaxNesting) + " deep");
    Tree tree = parseChain({{"||", ExprOp::Or}}, [&] { return parseAnd(); });
    --nesting;
    return tree;
  }

  Tree parseAnd() {
    return parseChain({{"&&", ExprOp::And}}, [&] { return parseCompare(); });
  }

  Tree parseCompare() {
    static constexpr BinaryOperator operators[] = {
        {"<=", ExprOp::LessEqual}, {">=", ExprOp::GreaterEqual},
        {"==", ExprOp::Equal},     {"!=", ExprOp::NotEqual},
        {"<", ExprOp::Less},       {">", ExprOp::Greater}};
    Tree lhs = parseSum();
    const BinaryOperator *found = lhs ? next(operators) : nullptr;
    if (!found)
      return lhs;
    size_t offset = lexer.token().offset;
    lexer.advance();
    Tree rhs = parseSum();
    if (!rhs)
      return nullptr;
    if (next(operators))
      return fail(lexer.token().offset,
                  "comparisons do not chain; write a < b && b < c");
    return makePair(found->op, offset, std::move(lhs), std::move(rhs));
  }

  Tree parseSum() {
    return parseChain({{"+", ExprOp::Add}, {"-", ExprOp::Subtract}},
                      [&] { return parseProduct(); });
  }

  Tree parseProduct() {
    return parseChain({{"*", ExprOp::Multiply},
                       {"//", ExprOp::FloorDivide},
                       {"/", ExprOp::Divide},
                       {"%", ExprOp::Modulo}},
                      [&] { return parseUnary(); });
  }

  Tree parseUnary() {
    size_t offset = lexer.token().offset;
    ExprOp op = lexer.token().is("-") ? ExprOp::Negate : ExprOp::Not;
    if (!take("-") && !take("!"))
      return parsePrimary();
    if (++nesting > kMaxNesting)
      return fail(offset, "expects an expr nested at most " +
                              Twine(kMaxNesting) + " deep");
    Tree operand = parseUnary();
    --nesting;
    if (!operand)
      return nullptr;
    std::vector<Tree> operands;
    operands.push_back(std::move(operand));
    return typed(make(op, offset, std::move(operands)));
  }

  Tree parsePrimary() {
    const ExprToken token = lexer.token();
    if (token.kind == ExprToken::Integer || token.kind == ExprToken::Real) {
      lexer.advance();
      Tree tree = make(ExprOp::Number, token.offset, {});
      if (!tree)
        return nullptr;
      bool isReal = token.kind == ExprToken::Real;
      tree->type = isReal ? ExprType::Real : ExprType::Integer;
      tree->real = token.real;
      tree->integer = token.integer;
      tree->range = {token.integer, token.integer};
      return tree;
    }
    if (take("(")) {
      Tree tree = parseOr();
      if (tree && !take(")"))
        return unexpected("')'");
      return tree;
    }
    if (token.kind == ExprToken::Name) {
      lexer.advance();
      return parseName(token);
    }
    return unexpected("a value");
  }

  Tree parseName(const ExprToken &token) {
    for (const Function &function : kFunctions)
      if (function.name == token.text)
        return parseCall(function, token.offset);
    for (auto [number, tensor] : llvm::enumerate(scope.tensors))
      if (tensor.name == token.text) {
        if (!take("["))
          return unexpected(("'[' and the indices of '" + tensor.name + "'"));
        std::vector<Tree> indices = parseList("]");
        if (indices.empty())
          return nullptr;
        Tree tree = make(ExprOp::Read, token.offset, std::move(indices));
        if (tree)
          tree->tensor = number;
        return typed(std::move(tree));
      }
    if (token.text.size() == 1 &&
        StringRef("sbhipj").contains(token.text.front())) {
      Tree tree = make(ExprOp::Name, token.offset, {});
      if (tree)
        tree->name = token.text.front();
      return typed(std::move(tree));
    }
    return unknown(token);
  }

  Tree unknown(const ExprToken &token) {
    llvm::SmallVector<StringRef> known(exprWords());
    for (const ExprTensor &tensor : scope.tensors)
      known.push_back(tensor.name);
    StringRef guess =
        token.text.size() > 1 ? nearest(token.text, known) : StringRef();
    std::string mend = guess.empty()
                           ? std::string("declare a tensor under 'tensors'")
                           : ("did you mean '" + guess + "'?").str();
    return fail(token.offset,
                "unknown name '" + printable(token.text) + "'; " + mend);
  }

  Tree parseCall(const Function &function, size_t offset) {
    if (!take("("))
      return unexpected(
          ("'(' and the arguments of '" + function.name + "'").str());
    std::vector<Tree> operands = parseList(")");
    if (operands.empty())
      return nullptr;
    if (operands.size() != function.operands)
      return fail(offset,
                  "'" + function.name + "' takes " + Twine(function.operands) +
                      (function.operands == 1 ? " argument" : " arguments") +
                      ", but got " + Twine(operands.size()));
    return typed(make(function.op, offset, std::move(operands)));
  }

  /// One value or more, up to `close`; nothing after an error.
  std::vector<Tree> parseList(StringRef close) {
    std::vector<Tree> list;
    do {
      Tree tree = parseOr();
      if (!tree)
        return {};
      list.push_back(std::move(tree));
    } while (take(","));
    if (take(close))
      return list;
    unexpected(("',' or '" + close + "'").str());
    return {};
  }

  ExprLexer lexer;
  const ExprScope &scope;
  ExprError &error;
  ExprTypes types;
  unsigned nesting = 0, nodes = 0;
};
} // namespace

llvm::ArrayRef<StringRef> config::exprWords() {
  static constexpr StringRef words[] = {"s",   "b",    "h",    "i",     "p",
                                        "j",   "abs",  "min",  "max",   "exp",
                                        "log", "tanh", "sqrt", "select"};
  return words;
}

Tree config::parseExpr(StringRef text, const ExprScope &scope,
                       ExprError &error) {
  return Parser(text, scope, error).run();
}
