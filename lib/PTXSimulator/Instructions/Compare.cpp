//===- Compare.cpp - setp, set, selp and slct -----------------------------===//

#include "../FloatFormats.h"
#include "FloatDecode.h"
#include "Instructions.h"
#include "Lanes.h"
#include "Shared.h"
#include <type_traits>

using namespace fovea::ptx;

namespace {
enum class Comparison : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge, // ordered for floats
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
};
enum class Combination : uint8_t { None, And, Or, Xor };

/// Op::detail of a comparison.
struct CompareShape {
  Comparison comparison = Comparison::Eq;
  Combination combination = Combination::None;
  uint8_t ftz = 0;
  uint8_t wantsFloat = 0; // of `set`: 1.0 instead of all ones
};
} // namespace

template <typename T> static bool compare(Comparison comparison, T a, T b) {
  bool unordered = a != a || b != b;
  switch (comparison) {
  case Comparison::Eq:
    return a == b;
  case Comparison::Ne:
    return !unordered && a != b;
  case Comparison::Lt:
    return a < b;
  case Comparison::Le:
    return a <= b;
  case Comparison::Gt:
    return a > b;
  case Comparison::Ge:
    return a >= b;
  case Comparison::Equ:
    return unordered || a == b;
  case Comparison::Neu:
    return unordered || a != b;
  case Comparison::Ltu:
    return unordered || a < b;
  case Comparison::Leu:
    return unordered || a <= b;
  case Comparison::Gtu:
    return unordered || a > b;
  case Comparison::Geu:
    return unordered || a >= b;
  case Comparison::Num:
    return !unordered;
  case Comparison::Nan:
    return unordered;
  }
  return false;
}

/// The values of a row as what is compared: `T` read as `Value`.
template <typename T> struct Plain {
  using Stored = T;
  static T get(T value, bool) { return value; }
};
struct SingleValue {
  using Stored = float;
  static float get(float value, bool ftz) { return ftz ? flush(value) : value; }
};
template <typename Format> struct HalfValue {
  using Stored = uint16_t;
  static float get(uint16_t bits, bool ftz) {
    return Format::decode(ftz ? Format::flush(bits) : bits);
  }
};

template <typename Value>
static Mask compareRows(Warp &warp, const Op &op, CompareShape shape) {
  using T = typename Value::Stored;
  Row<T> a = warp.read<T>(op.source(0)), b = warp.read<T>(op.source(1));
  Mask result = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result |= Mask(compare(shape.comparison, Value::get(a[lane], shape.ftz),
                           Value::get(b[lane], shape.ftz)))
              << lane;
  return result;
}

static Mask combine(Combination combination, Mask a, Mask b) {
  switch (combination) {
  case Combination::None:
    return a;
  case Combination::And:
    return a & b;
  case Combination::Or:
    return a | b;
  case Combination::Xor:
    return a ^ b;
  }
  return a;
}

/// The second result, if there is one, is that of the opposite comparison.
template <typename Value>
static Flow setPredicate(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<CompareShape>(op.detail);
  Mask result = compareRows<Value>(warp, op, shape), other = 0;
  if (shape.combination != Combination::None)
    other = warp.readPredicate(op.source(2));
  warp.writePredicate(op.result(), combine(shape.combination, result, other),
                      mask);
  if (op.numResults > 1)
    warp.writePredicate(op.result(1),
                        combine(shape.combination, ~result, other), mask);
  return Flow::Next;
}

template <typename Value>
static Flow setRegister(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<CompareShape>(op.detail);
  Mask result = compareRows<Value>(warp, op, shape);
  if (shape.combination != Combination::None)
    result =
        combine(shape.combination, result, warp.readPredicate(op.source(2)));
  Row<uint64_t> row;
  uint64_t yes = shape.wantsFloat ? 0x3f800000 : ~uint64_t(0);
  for (unsigned lane = 0; lane < warpSize; ++lane)
    row[lane] = result >> lane & 1 ? yes : 0;
  warp.writeWide(op.result(), row, mask);
  return Flow::Next;
}

template <template <typename> class Pick> static Handler pickValue(Type type) {
  switch (type) {
  case Type::F16:
    return Pick<HalfValue<Half>>::handler;
  case Type::BF16:
    return Pick<HalfValue<BFloat>>::handler;
  case Type::F32:
    return Pick<SingleValue>::handler;
  case Type::F64:
    return Pick<Plain<double>>::handler;
  default:
    return pickInteger(type, [](auto zero) -> Handler {
      return Pick<Plain<decltype(zero)>>::handler;
    });
  }
}
template <typename Value> struct PickPredicate {
  static constexpr Handler handler = setPredicate<Value>;
};
template <typename Value> struct PickRegister {
  static constexpr Handler handler = setRegister<Value>;
};

/// Two comparisons of halves in a register, with a result for each.
template <typename Format>
static Flow setPredicatePair(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<CompareShape>(op.detail);
  Row<uint32_t> a = warp.read<uint32_t>(op.source(0)),
                b = warp.read<uint32_t>(op.source(1));
  Mask other = 0;
  if (shape.combination != Combination::None)
    other = warp.readPredicate(op.source(2));
  for (unsigned half = 0; half < 2; ++half) {
    Mask result = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      result |=
          Mask(compare(shape.comparison,
                       HalfValue<Format>::get(a[lane] >> half * 16, shape.ftz),
                       HalfValue<Format>::get(b[lane] >> half * 16, shape.ftz)))
          << lane;
    warp.writePredicate(op.result(half),
                        combine(shape.combination, result, other), mask);
  }
  return Flow::Next;
}

/// The comparison and how it is combined with a predicate.
static CompareShape takeShape(Decoder &decoder) {
  CompareShape shape;
  unsigned comparison = decoder.expectOneOf(
      {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
       "geu", "num", "nan", "lo", "ls", "hi", "hs"},
      "a comparison");
  // Those of numbers without a sign have names of their own.
  static constexpr Comparison unsignedOnes[] = {Comparison::Lt, Comparison::Le,
                                                Comparison::Gt, Comparison::Ge};
  shape.comparison =
      comparison < 14 ? Comparison(comparison) : unsignedOnes[comparison - 14];
  shape.combination = Combination(decoder.takeOneOf({"and", "or", "xor"}) + 1);
  shape.ftz = decoder.take("ftz");
  return shape;
}

static void checkComparison(Decoder &decoder, CompareShape shape, Type type) {
  if (!isFloat(type) && shape.comparison >= Comparison::Equ)
    decoder.fail("this comparison is for floats only");
  bool isBits = type == Type::B16 || type == Type::B32 || type == Type::B64;
  if (isBits && shape.comparison > Comparison::Ne)
    decoder.fail("bits without a type have no order");
}

static void decodeSetPredicate(Decoder &decoder) {
  CompareShape shape = takeShape(decoder);
  Type type = decoder.takeType();
  checkComparison(decoder, shape, type);
  bool isCombined = shape.combination != Combination::None;
  decoder.expectOperands(3 + isCombined);
  OperandSyntax result = decoder.getOperand(0);
  decoder.addResult(result, Type::Pred);
  if (!result.second.empty()) {
    result.name = result.second;
    decoder.addResult(result, Type::Pred);
  }
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  if (isCombined)
    decoder.addSource(3, Type::Pred);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  if (type == Type::F16x2 || type == Type::BF16x2) {
    if (result.second.empty())
      return decoder.fail("expected two predicates, 'p|q'");
    return decoder.setHandler(type == Type::F16x2 ? setPredicatePair<Half>
                                                  : setPredicatePair<BFloat>);
  }
  decoder.setHandler(pickValue<PickPredicate>(type));
}

static void decodeSet(Decoder &decoder) {
  CompareShape shape = takeShape(decoder);
  Type resultType = decoder.takeType();
  Type type = decoder.takeType();
  checkComparison(decoder, shape, type);
  bool isCombined = shape.combination != Combination::None;
  decoder.expectOperands(3 + isCombined);
  if (resultType != Type::U32 && resultType != Type::S32 &&
      resultType != Type::F32)
    return decoder.failType();
  shape.wantsFloat = resultType == Type::F32;
  decoder.addResult(0, resultType);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  if (isCombined)
    decoder.addSource(3, Type::Pred);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.setHandler(pickValue<PickRegister>(type));
}

//===-- Selection ---------------------------------------------------------===//

template <typename T>
static void selectRows(Warp &warp, const Op &op, Mask mask, Mask first) {
  Row<T> a = warp.read<T>(op.source(0)), b = warp.read<T>(op.source(1));
  Row<T> result;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result[lane] = first >> lane & 1 ? a[lane] : b[lane];
  warp.write(op.result(), result, mask);
}

template <typename T> static Flow select(Warp &warp, const Op &op, Mask mask) {
  selectRows<T>(warp, op, mask, warp.readPredicate(op.source(2)));
  return Flow::Next;
}

static Handler pickSelect(Type type) {
  switch (getTypeBytes(type)) {
  case 2:
    return select<uint16_t>;
  case 4:
    return select<uint32_t>;
  case 8:
    return select<uint64_t>;
  default:
    return nullptr;
  }
}

static void decodeSelect(Decoder &decoder) {
  Type type = decoder.takeType();
  decoder.expectOperands(4);
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  decoder.addSource(3, Type::Pred);
  decoder.setHandler(pickSelect(type));
}

/// a where c is at least 0, else b; NaN counts as less.
template <typename T, typename C, bool ftz>
static Flow selectBySign(Warp &warp, const Op &op, Mask mask) {
  Row<C> c = warp.read<C>(op.source(2));
  Mask first = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    C value = c[lane];
    if constexpr (ftz)
      value = flush(value);
    first |= Mask(value >= 0) << lane;
  }
  selectRows<T>(warp, op, mask, first);
  return Flow::Next;
}

template <typename T> static Handler pickSign(bool byFloat, bool ftz) {
  if (!byFloat)
    return selectBySign<T, int32_t, false>;
  return ftz ? selectBySign<T, float, true> : selectBySign<T, float, false>;
}

static void decodeSelectBySign(Decoder &decoder) {
  bool ftz = decoder.take("ftz");
  Type type = decoder.takeType(), by = decoder.takeType();
  decoder.expectOperands(4);
  if ((by != Type::S32 && by != Type::F32) || (ftz && by == Type::S32))
    return decoder.failType();
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.addSource(2, type);
  decoder.addSource(3, by);
  bool byFloat = by == Type::F32;
  unsigned bytes = getTypeBytes(type);
  decoder.setHandler(bytes == 2   ? pickSign<uint16_t>(byFloat, ftz)
                     : bytes == 4 ? pickSign<uint32_t>(byFloat, ftz)
                     : bytes == 8 ? pickSign<uint64_t>(byFloat, ftz)
                                  : nullptr);
}

void fovea::ptx::addCompareInstructions(InstructionTable &table) {
  table["setp"] = decodeSetPredicate;
  table["set"] = decodeSet;
  table["selp"] = decodeSelect;
  table["slct"] = decodeSelectBySign;
}
