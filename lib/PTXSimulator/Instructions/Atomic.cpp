//===- Atomic.cpp - atom and red ------------------------------------------===//
//
// Lanes of a warp perform theirs one after another, from the first on.
//
//===----------------------------------------------------------------------===//

#include "../FloatFormats.h"
#include "../MemoryAccess.h"
#include "Instructions.h"
#include "Lanes.h"
#include <type_traits>

using namespace fovea::ptx;

enum class AtomicKind : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Increment,
  Decrement,
  Exchange,
  CompareAndSwap,
};

namespace {
/// Op::detail.
struct AtomicShape {
  AtomicKind kind = AtomicKind::Add;
  uint8_t space = 0, returns = 0;
  Type type = Type::B32;
};
} // namespace

template <typename T>
static T apply(AtomicKind kind, T old, T operand, T second) {
  if constexpr (std::is_floating_point_v<T>) {
    return canonical(old + operand);
  } else {
    switch (kind) {
    case AtomicKind::Add:
      return T(std::make_unsigned_t<T>(old) + std::make_unsigned_t<T>(operand));
    case AtomicKind::Min:
      return std::min(old, operand);
    case AtomicKind::Max:
      return std::max(old, operand);
    case AtomicKind::And:
      return old & operand;
    case AtomicKind::Or:
      return old | operand;
    case AtomicKind::Xor:
      return old ^ operand;
    case AtomicKind::Increment:
      return old >= operand ? 0 : old + 1;
    case AtomicKind::Decrement:
      return old == 0 || old > operand ? operand : old - 1;
    case AtomicKind::Exchange:
      return operand;
    case AtomicKind::CompareAndSwap:
      return old == operand ? second : old;
    }
    return old;
  }
}

template <typename Format, typename T> static T addHalves(T old, T operand) {
  T result = 0;
  for (unsigned shift = 0; shift < sizeof(T) * 8; shift += 16)
    result |= T(Format::encode(Format::decode(old >> shift) +
                               Format::decode(operand >> shift)))
              << shift;
  return result;
}

template <typename T> static T update(AtomicShape shape, T old, T a, T b) {
  if constexpr (std::is_same_v<T, uint16_t> || std::is_same_v<T, uint32_t>) {
    if (shape.type == Type::F16 || shape.type == Type::F16x2)
      return addHalves<Half>(old, a);
    if (shape.type == Type::BF16 || shape.type == Type::BF16x2)
      return addHalves<BFloat>(old, a);
  }
  return apply(shape.kind, old, a, b);
}

/// The result is what was there before.
template <typename T>
static Flow updateMemory(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<AtomicShape>(op.detail);
  Row<uint64_t> addresses = warp.readWide(op.source(0));
  Row<T> a = warp.read<T>(op.source(1));
  Row<T> b = op.numSources() > 2 ? warp.read<T>(op.source(2)) : a;
  Row<T> result = {};
  MemoryAccess access(warp, AddressedSpace(shape.space), AccessKind::Atomic);
  forEachLane(mask, [&](unsigned lane) {
    uint8_t *place =
        access.find(lane, addresses[lane] + op.immediate, sizeof(T), sizeof(T));
    if (!place)
      return;
    if (shape.kind != AtomicKind::Exchange)
      access.checkInitialized(lane, sizeof(T));
    access.markInitialized(sizeof(T));
    std::memcpy(&result[lane], place, sizeof(T));
    T updated = update(shape, result[lane], a[lane], b[lane]);
    std::memcpy(place, &updated, sizeof(T));
  });
  if (shape.returns)
    warp.write(op.result(), result, mask);
  return Flow::Next;
}

static Handler pickUpdate(Type type, AtomicKind kind) {
  bool isSum = kind == AtomicKind::Add;
  bool isBits = kind >= AtomicKind::Exchange ||
                (kind >= AtomicKind::And && kind <= AtomicKind::Xor);
  bool isOrder = kind == AtomicKind::Min || kind == AtomicKind::Max;
  bool isCounter =
      kind == AtomicKind::Increment || kind == AtomicKind::Decrement;
  switch (type) {
  case Type::F16:
  case Type::BF16:
    return isSum ? updateMemory<uint16_t> : nullptr;
  case Type::F16x2:
  case Type::BF16x2:
    return isSum ? updateMemory<uint32_t> : nullptr;
  case Type::F32:
    return isSum ? updateMemory<float> : nullptr;
  case Type::F64:
    return isSum ? updateMemory<double> : nullptr;
  case Type::B16:
    return kind == AtomicKind::CompareAndSwap ? updateMemory<uint16_t>
                                              : nullptr;
  case Type::B32:
    return isBits ? updateMemory<uint32_t> : nullptr;
  case Type::B64:
    return isBits ? updateMemory<uint64_t> : nullptr;
  case Type::U32:
    return isSum || isOrder || isCounter ? updateMemory<uint32_t> : nullptr;
  case Type::S32:
    return isSum || isOrder ? updateMemory<int32_t> : nullptr;
  case Type::U64:
    return isSum || isOrder ? updateMemory<uint64_t> : nullptr;
  case Type::S64:
    return isOrder ? updateMemory<int64_t> : nullptr;
  default:
    return nullptr;
  }
}

static void decodeAtomic(Decoder &decoder) {
  AtomicShape shape;
  shape.returns = decoder.getOpcode() == "atom";
  decoder.takeOneOf({"relaxed", "acquire", "release", "acq_rel"});
  decoder.takeOneOf({"cta", "cluster", "gpu", "sys"});
  AddressedSpace space = takeSpace(decoder, AddressedSpace::Generic);
  shape.space = uint8_t(space);
  shape.kind = AtomicKind(decoder.expectOneOf(
      {"add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas"},
      "an operation"));
  decoder.take("noftz");
  shape.type = decoder.takeType();
  bool isSwap = shape.kind == AtomicKind::CompareAndSwap;
  if (!shape.returns && shape.kind >= AtomicKind::Exchange)
    decoder.fail("'red' does not have this operation");
  unsigned first = shape.returns;
  decoder.expectOperands(2 + first + isSwap);
  if (shape.returns)
    decoder.addResult(0, shape.type);
  decoder.op.immediate = decoder.addAddress(first).offset;
  decoder.addSource(first + 1, shape.type);
  if (isSwap)
    decoder.addSource(first + 2, shape.type);
  if (space != AddressedSpace::Shared && space != AddressedSpace::Local)
    decoder.builder.getProgram().hasGlobalAtomics = true;
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.setHandler(pickUpdate(shape.type, shape.kind));
}

void fovea::ptx::addAtomicInstructions(InstructionTable &table) {
  table["atom"] = table["red"] = decodeAtomic;
}
