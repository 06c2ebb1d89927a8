//===- LoadStore.cpp - ld, st and instructions about addresses ------------===//

#include "../AddressSpace.h"
#include "../MemoryAccess.h"
#include "Instructions.h"
#include "Lanes.h"

using namespace fovea::ptx;

namespace {
/// Op::detail of a load or a store.
struct AccessShape {
  uint8_t space = 0, bytes = 0, count = 1, isSigned = 0;

  unsigned getTotal() const { return unsigned(bytes) * count; }
};

struct B128 {
  uint64_t low = 0, high = 0;
};
} // namespace

// Eight registers of 32 bits or four of 64 are the most an instruction moves.
static constexpr unsigned maxAccessBytes = 32;

static uint64_t signExtend(uint64_t value, unsigned bytes) {
  unsigned unused = 64 - bytes * 8;
  return uint64_t(int64_t(value << unused) >> unused);
}

static Flow load(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<AccessShape>(op.detail);
  Row<uint64_t> addresses = warp.readWide(op.source());
  std::array<uint8_t, maxAccessBytes> values[warpSize] = {};
  {
    MemoryAccess access(warp, AddressedSpace(shape.space), AccessKind::Read);
    unsigned total = shape.getTotal();
    forEachLane(mask, [&](unsigned lane) {
      const uint8_t *from =
          access.find(lane, addresses[lane] + op.immediate, total, total);
      if (!from)
        return;
      access.checkInitialized(lane, total);
      std::memcpy(values[lane].data(), from, total);
    });
  }
  for (unsigned n = 0; n < shape.count; ++n) {
    if (shape.bytes == sizeof(B128)) {
      Row<B128> row;
      for (unsigned lane = 0; lane < warpSize; ++lane)
        std::memcpy(&row[lane], &values[lane][n * sizeof(B128)], sizeof(B128));
      warp.write(op.result(n), row, mask);
      continue;
    }
    Row<uint64_t> row = {};
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      std::memcpy(&row[lane], &values[lane][n * shape.bytes], shape.bytes);
      if (shape.isSigned)
        row[lane] = signExtend(row[lane], shape.bytes);
    }
    warp.writeWide(op.result(n), row, mask);
  }
  return Flow::Next;
}

static Flow store(Warp &warp, const Op &op, Mask mask) {
  auto shape = std::bit_cast<AccessShape>(op.detail);
  Row<uint64_t> addresses = warp.readWide(op.source());
  std::array<uint8_t, maxAccessBytes> values[warpSize];
  for (unsigned n = 0; n < shape.count; ++n) {
    const Operand &source = op.source(n + 1);
    if (shape.bytes == sizeof(B128)) {
      Row<B128> row = warp.read<B128>(source);
      for (unsigned lane = 0; lane < warpSize; ++lane)
        std::memcpy(&values[lane][n * sizeof(B128)], &row[lane], sizeof(B128));
      continue;
    }
    Row<uint64_t> row = warp.readWide(source);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(&values[lane][n * shape.bytes], &row[lane], shape.bytes);
  }
  MemoryAccess access(warp, AddressedSpace(shape.space), AccessKind::Write);
  unsigned total = shape.getTotal();
  forEachLane(mask, [&](unsigned lane) {
    uint8_t *to =
        access.find(lane, addresses[lane] + op.immediate, total, total);
    if (!to)
      return;
    access.markInitialized(total);
    std::memcpy(to, values[lane].data(), total);
  });
  return Flow::Next;
}

/// Takes what only bears on speed or on the order of memory operations, which
/// are performed in the order of execution.
static void takeCacheModifiers(Decoder &decoder) {
  decoder.takeOneOf(
      {"weak", "volatile", "relaxed", "acquire", "release", "mmio"});
  decoder.takeOneOf({"cta", "cluster", "gpu", "sys"});
  decoder.takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  decoder.takeOneOf({"L1::evict_normal", "L1::evict_unchanged",
                     "L1::evict_first", "L1::evict_last", "L1::no_allocate"});
  decoder.takeOneOf({"L2::evict_last", "L2::evict_normal", "L2::evict_first"});
  decoder.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  decoder.take("unified");
}

static AccessShape takeShape(Decoder &decoder, Type &type) {
  AccessShape shape;
  AddressedSpace space = takeSpace(decoder, AddressedSpace::Generic);
  int vector = decoder.takeOneOf({"v2", "v4", "v8"});
  type = decoder.takeType();
  shape.space = uint8_t(space);
  shape.bytes = getTypeBytes(type);
  shape.count = vector < 0 ? 1 : 2u << vector;
  shape.isSigned = isSigned(type);
  if (type == Type::Pred || type == Type::TF32 || shape.bytes == 0)
    decoder.failType();
  if (shape.getTotal() > maxAccessBytes)
    decoder.fail("an access has at most " + llvm::Twine(maxAccessBytes) +
                 " bytes");
  return shape;
}

/// Adds the address; parameters of functions are in local memory.
static void addAddressOf(Decoder &decoder, unsigned n, AccessShape &shape) {
  AddressSyntax address = decoder.addAddress(n);
  decoder.op.immediate = address.offset;
  if (AddressedSpace(shape.space) == AddressedSpace::Param &&
      (address.space == VariableSyntax::Local ||
       (!address.space && !decoder.builder.isInKernel())))
    shape.space = uint8_t(AddressedSpace::Local);
  // A variable's name is an address of its own space.
  if (AddressedSpace(shape.space) == AddressedSpace::Generic && address.space)
    decoder.fail("expected the state space of a variable's name");
}

static void addElements(Decoder &decoder, unsigned n, Type type, unsigned count,
                        bool isResult) {
  auto add = [&](const OperandSyntax &operand) {
    if (isResult)
      decoder.addWideResult(operand, type);
    else
      decoder.addWideSource(operand, type);
  };
  const OperandSyntax &operand = decoder.getOperand(n);
  if (operand.kind != OperandSyntax::Vector) {
    if (count != 1)
      decoder.fail("expected a list of " + llvm::Twine(count) + " registers");
    return add(operand);
  }
  if (operand.elements.size() != count)
    return decoder.fail("expected a list of " + llvm::Twine(count) +
                        " registers");
  for (const OperandSyntax &element : operand.elements)
    add(element);
}

static void decodeLoad(Decoder &decoder) {
  takeCacheModifiers(decoder);
  decoder.take("nc");
  bool hasPolicy = decoder.take("L2::cache_hint");
  decoder.expectOperands(2 + hasPolicy);
  Type type;
  AccessShape shape = takeShape(decoder, type);
  addElements(decoder, 0, type, shape.count, /*isResult=*/true);
  addAddressOf(decoder, 1, shape);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.setHandler(load);
}

static void decodeStore(Decoder &decoder) {
  takeCacheModifiers(decoder);
  bool hasPolicy = decoder.take("L2::cache_hint");
  decoder.expectOperands(2 + hasPolicy);
  Type type;
  AccessShape shape = takeShape(decoder, type);
  addAddressOf(decoder, 0, shape);
  addElements(decoder, 1, type, shape.count, /*isResult=*/false);
  decoder.op.detail = std::bit_cast<uint32_t>(shape);
  decoder.setHandler(store);
}

//===-- Addresses ---------------------------------------------------------===//

/// Adds `immediate` to an address.
static Flow moveAddress(Warp &warp, const Op &op, Mask mask) {
  Row<uint64_t> row = warp.readWide(op.source());
  for (uint64_t &address : row)
    address += op.immediate;
  warp.writeWide(op.result(), row, mask);
  return Flow::Next;
}

static uint64_t getWindow(AddressedSpace space) {
  switch (space) {
  case AddressedSpace::Shared:
    return sharedWindow;
  case AddressedSpace::Local:
    return localWindow;
  case AddressedSpace::Param:
    return parameterWindow;
  default:
    return 0;
  }
}

static void decodeConvertAddress(Decoder &decoder) {
  decoder.expectOperands(2);
  bool toSpace = decoder.take("to");
  AddressedSpace space = takeSpace(decoder, AddressedSpace::Generic);
  if (space == AddressedSpace::Generic)
    decoder.fail("'cvta' expects a state space");
  if (space == AddressedSpace::Param && !decoder.builder.isInKernel())
    space = AddressedSpace::Local;
  Type type = decoder.takeType();
  if (type != Type::U64)
    decoder.failType();
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  decoder.op.immediate = toSpace ? -getWindow(space) : getWindow(space);
  decoder.setHandler(moveAddress);
}

static Flow isInSpace(Warp &warp, const Op &op, Mask mask) {
  Row<uint64_t> row = warp.readWide(op.source());
  Mask result = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint64_t window = row[lane] >> windowShift;
    bool inside = op.immediate ? window == uint64_t(op.immediate)
                               : window == 0 || window > 3;
    result |= Mask(inside) << lane;
  }
  warp.writePredicate(op.result(), result, mask);
  return Flow::Next;
}

static void decodeIsSpace(Decoder &decoder) {
  decoder.expectOperands(2);
  AddressedSpace space = takeSpace(decoder, AddressedSpace::Generic);
  if (space == AddressedSpace::Generic)
    decoder.fail("'isspacep' expects a state space");
  decoder.addResult(0, Type::Pred);
  decoder.addSource(1, Type::U64);
  decoder.op.immediate = getWindow(space) >> windowShift;
  decoder.setHandler(isInSpace);
}

static Flow doNothing(Warp &, const Op &, Mask) { return Flow::Next; }

/// Prefetches, whose address may be any.
static void decodePrefetch(Decoder &decoder) {
  decoder.expectOperands(1);
  takeSpace(decoder, AddressedSpace::Generic);
  decoder.expectOneOf({"L1", "L2", "L2::evict_last", "L2::evict_normal"},
                      "a cache level");
  decoder.addAddress(0);
  decoder.setHandler(doNothing);
}

void fovea::ptx::addLoadStoreInstructions(InstructionTable &table) {
  table["ld"] = table["ldu"] = decodeLoad;
  table["st"] = decodeStore;
  table["cvta"] = decodeConvertAddress;
  table["isspacep"] = decodeIsSpace;
  table["prefetch"] = table["prefetchu"] = decodePrefetch;
}
