//===- Move.cpp - mov, and packing and unpacking of registers -------------===//

#include "Instructions.h"
#include "Lanes.h"

using namespace fovea::ptx;

namespace {
struct Word128 {
  uint64_t low = 0, high = 0;
};
} // namespace

template <typename T> static Flow move(Warp &warp, const Op &op, Mask mask) {
  warp.write(op.result(), warp.read<T>(op.source()), mask);
  return Flow::Next;
}

static Flow movePredicate(Warp &warp, const Op &op, Mask mask) {
  warp.writePredicate(op.result(), warp.readPredicate(op.source()), mask);
  return Flow::Next;
}

/// The bytes of the sources, one after another, become those of the results.
/// Either side is one register.
static Flow repack(Warp &warp, const Op &op, Mask mask) {
  std::array<uint8_t, 16> values[warpSize];
  unsigned at = 0;
  for (unsigned n = 0; n < op.numSources(); ++n) {
    const Operand &source = op.source(n);
    if (source.bytes == sizeof(Word128)) {
      Row<Word128> row = warp.read<Word128>(source);
      for (unsigned lane = 0; lane < warpSize; ++lane)
        std::memcpy(values[lane].data(), &row[lane], sizeof(Word128));
      break;
    }
    Row<uint64_t> row = warp.readWide(source);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(&values[lane][at], &row[lane], source.bytes);
    at += source.bytes;
  }
  at = 0;
  for (unsigned n = 0; n < op.numResults; ++n) {
    const Operand &result = op.result(n);
    if (result.bytes == sizeof(Word128)) {
      Row<Word128> row;
      for (unsigned lane = 0; lane < warpSize; ++lane)
        std::memcpy(&row[lane], values[lane].data(), sizeof(Word128));
      warp.write(result, row, mask);
      break;
    }
    Row<uint64_t> row = {};
    for (unsigned lane = 0; lane < warpSize; ++lane)
      std::memcpy(&row[lane], &values[lane][at], result.bytes);
    warp.writeWide(result, row, mask);
    at += result.bytes;
  }
  return Flow::Next;
}

static Type getPartType(unsigned bytes) {
  switch (bytes) {
  case 2:
    return Type::B16;
  case 4:
    return Type::B32;
  default:
    return Type::B64;
  }
}

static void decodeMove(Decoder &decoder) {
  decoder.expectOperands(2);
  Type type = decoder.takeType();
  decoder.op.movesUndefined = true;
  bool unpacks = decoder.getOperand(0).kind == OperandSyntax::Vector;
  bool packs = decoder.getOperand(1).kind == OperandSyntax::Vector;
  if (unpacks || packs) {
    unsigned bytes = getTypeBytes(type);
    size_t parts = decoder.getOperand(packs).elements.size();
    if (packs == unpacks || (parts != 2 && parts != 4) || bytes / parts < 2)
      return decoder.fail("expected one side of 'mov' to be a list of 2 or 4 "
                          "registers that fill the other");
    Type part = getPartType(bytes / parts);
    if (packs) {
      decoder.addResult(0, type);
      decoder.addVector(1, part, parts, /*isResult=*/false);
    } else {
      decoder.addVector(0, part, parts, /*isResult=*/true);
      decoder.addSource(1, type);
    }
    return decoder.setHandler(repack);
  }
  decoder.addResult(0, type);
  decoder.addSource(1, type);
  switch (getTypeBytes(type)) {
  case 0:
    return decoder.setHandler(movePredicate);
  case 2:
    return decoder.setHandler(move<uint16_t>);
  case 4:
    return decoder.setHandler(move<uint32_t>);
  case 8:
    return decoder.setHandler(move<uint64_t>);
  case 16:
    return decoder.setHandler(move<Word128>);
  default:
    return decoder.failType();
  }
}

void fovea::ptx::addMoveInstructions(InstructionTable &table) {
  table["mov"] = decodeMove;
}
