//===- DrawExpr.cpp - random expressions ----------------------------------===//
//
// Masks compare reals in f64 as the reference does; a score's reals are f32, so
// that its conditions are on integers only. What s goes through is continuous
// with a slope of about 1 at most: else a rounding of s would be no small error
// of the result.
//
//===----------------------------------------------------------------------===//

#include "DrawExpr.h"
#include "llvm/ADT/Twine.h"

using namespace fovea;
using namespace fovea::fuzz;

namespace {

class Writer {
public:
  Writer(Dice &dice, const Case &drawn, std::vector<Capture> &captures,
         llvm::StringRef prefix)
      : dice(dice), drawn(drawn), captures(captures), prefix(prefix) {}

  bool usesPosition() const { return readsPosition; }

  std::string condition(int depth, bool allowsReals) {
    if (depth > 0)
      switch (dice.upTo(4)) {
      case 0:
        return "(" + condition(depth - 1, allowsReals) + " && " +
               condition(depth - 1, allowsReals) + ")";
      case 1:
        return "(" + condition(depth - 1, allowsReals) + " || " +
               condition(depth - 1, allowsReals) + ")";
      case 2:
        return "!(" + condition(depth - 1, allowsReals) + ")";
      case 3:
        if (allowsReals)
          return integer(depth - 1) + " * 0.5 " + compare() + " " +
                 integer(depth - 1) + " / 3";
        break;
      default:
        break;
      }
    return integer(depth) + " " + compare() + " " + integer(depth - 1);
  }

  std::string integer(int depth) {
    if (depth <= 0)
      return atom();
    std::string a = integer(depth - 1);
    std::string constant = std::to_string(dice.between(1, 9));
    switch (dice.upTo(10)) {
    case 0:
      return "(" + a + " + " + atom() + ")";
    case 1:
      return "(" + a + " - " + atom() + ")";
    case 2:
      return a + " * " + std::to_string(dice.between(-3, 5));
    case 3:
      return "(" + a + ") // " + constant;
    case 4:
      return "(" + a + ") % " + constant;
    case 5:
      return "min(" + a + ", " + atom() + ")";
    case 6:
      return "max(" + a + ", " + atom() + ")";
    case 7:
      return "abs(" + a + ")";
    case 8:
      return "select(" + condition(0, false) + ", " + a + ", " + atom() + ")";
    default:
      return a;
    }
  }

  /// A read of a tensor declared here.
  std::string read(const char *dtype, int64_t least, int64_t most) {
    struct Form {
      std::vector<std::string> shape;
      std::string indices;
    };
    std::string group = "h // " + std::to_string(drawn.heads / drawn.kvHeads);
    // A read that follows neither row nor key may happen where there is none,
    // so that it must not be of a dim that may be empty.
    const Form forms[] = {{{"batch"}, "b"},
                          {{"heads"}, "h"},
                          {{"kv_heads"}, group},
                          {{"query"}, "i"},
                          {{"query"}, "max(i - 3, 0)"},
                          {{"kv"}, "j"},
                          {{"kv"}, "j * 2"},
                          {{"kv"}, "j - i"},
                          {{"batch", "query"}, "b, i"},
                          {{"batch", "kv"}, "b, j"},
                          {{"heads", "kv"}, "h, j"},
                          {{"query", "kv"}, "i, j"},
                          {{"batch", "heads", "query", "kv"}, "b, h, i, j"},
                          {{"7"}, "j % 7"},
                          {{"9"}, "i - j + 4"}};
    const Form &form = forms[dice.upTo(std::size(forms) - 1)];
    Capture capture;
    capture.name = (prefix + llvm::Twine(captures.size())).str();
    capture.dtype = dtype;
    capture.shape = form.shape;
    capture.least = least;
    capture.most = most;
    captures.push_back(capture);
    return capture.name + "[" + form.indices + "]";
  }

  std::string position() {
    readsPosition = true;
    return "p";
  }

private:
  std::string compare() {
    return dice.pick({"<", "<=", ">", ">=", "==", "!=", "<=", ">="});
  }

  std::string atom() {
    switch (dice.upTo(9)) {
    case 0:
      return "b";
    case 1:
      return "h";
    case 2:
    case 3:
      return "i";
    case 4:
      return position();
    case 5:
    case 6:
    case 7:
      return "j";
    default:
      return std::to_string(dice.between(-20, 60));
    }
  }

  Dice &dice;
  const Case &drawn;
  std::vector<Capture> &captures;
  llvm::StringRef prefix;
  bool readsPosition = false;
};

} // namespace

MaskEntry fuzz::drawMaskExpr(Dice &dice, const Case &drawn,
                             llvm::StringRef prefix, bool readsTensors) {
  MaskEntry entry{MaskEntry::Expr};
  Writer writer(dice, drawn, entry.captures, prefix);
  entry.expr = writer.condition(int(dice.between(1, 3)), true);
  for (int64_t n = readsTensors ? dice.between(1, 2) : 0; n > 0; --n) {
    std::string term;
    switch (dice.upTo(3)) {
    case 0:
      term = writer.read("bool", 0, 1);
      break;
    case 1: {
      const char *type = dice.pick({"f64", "f32", "f16", "bf16"});
      term = writer.read(type, 0, 0) + " * 20 <= " + writer.integer(1);
      break;
    }
    default: {
      const char *type = dice.pick({"i64", "i32"});
      term = writer.integer(1) + dice.pick({" <= ", " != ", " > ", " == "}) +
             writer.read(type, dice.pick({-5, 0}), dice.pick({3, 40, 200}));
      break;
    }
    }
    entry.expr += dice.onceIn(2) ? " || " + term : " && (" + term + ")";
  }
  entry.usesPosition = writer.usesPosition();
  return entry;
}

MaskEntry fuzz::drawDocuments(Dice &dice) {
  MaskEntry entry{MaskEntry::Documents};
  const char *type = dice.pick({"i64", "i32"});
  entry.captures = {{"q_ids", type, {"batch", "query"}, 0, 4},
                    {"kv_ids", type, {"batch", "kv"}, 0, 4}};
  entry.expr = "q_ids[b, i] == kv_ids[b, j]";
  return entry;
}

MaskEntry fuzz::drawPrefix(Dice &dice) {
  MaskEntry entry{MaskEntry::Prefix};
  entry.captures = {{"prefix", dice.pick({"i64", "i32"}), {"batch"}, -3, 150}};
  entry.expr = "j < prefix[b] || j <= p";
  entry.usesPosition = true;
  return entry;
}

ScoreEntry fuzz::drawScoreExpr(Dice &dice, const Case &drawn,
                               llvm::StringRef prefix, bool readsTensors) {
  ScoreEntry entry{ScoreEntry::Expr};
  Writer writer(dice, drawn, entry.captures, prefix);
  std::string term;
  if (readsTensors)
    term = writer.read(dice.pick({"f64", "f32", "f16", "bf16"}), 0, 0);
  else
    switch (dice.upTo(4)) {
    case 0:
      term = "0.1 * abs(" + writer.position() + " - j)";
      break;
    case 1:
      term = "exp(-abs(i - j) * 0.1)";
      break;
    case 2:
      term = "log(1 + abs(" + writer.integer(1) + "))";
      break;
    case 3:
      term = "sqrt(abs(j - i)) / 4";
      break;
    default:
      term = "0.25 * (" + writer.integer(1) + " % 5)";
      break;
    }
  std::string condition = writer.condition(1, false);
  entry.usesPosition = writer.usesPosition();
  int64_t form = dice.upTo(9);
  entry.isSum = form <= 3;
  switch (form) {
  case 0:
    entry.expr = "s + " + term;
    break;
  case 1:
    entry.expr = "s - " + term;
    break;
  case 2:
    entry.expr = "select(" + condition + ", s + " + term + ", s)";
    break;
  case 3:
    entry.expr = "s + select(" + condition + ", " + term + ", -0.5)";
    break;
  case 4:
    entry.expr = "s * 0.5 + " + term;
    break;
  case 5:
    entry.expr = "select(" + condition + ", s, -s) - " + term;
    break;
  case 6:
    entry.expr = "max(s, " + term + ")";
    break;
  case 7:
    entry.expr = "min(s, 4.0) + " + term;
    break;
  case 8:
    entry.expr = "10.0 * tanh(s / 10.0) + " + term;
    break;
  default:
    entry.expr = "abs(s) + " + term;
    break;
  }
  return entry;
}
