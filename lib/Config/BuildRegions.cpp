//===- BuildRegions.cpp - Regions of a config's attention -----------------===//
//
// Mask conditions are comparisons of j with expressions linear in p, i and
// values per batch, joined by arith.andi: the form from which tiles are
// skipped.
//
//===----------------------------------------------------------------------===//

#include "BuildRegions.h"
#include "ConfigParser.h"
#include "ExprBuild.h"
#include "fovea/Dialect/Attn/IR/Attn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace fovea;
using namespace fovea::config;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Location RegionBuilder::place(Place where) const {
  return FileLineColLoc::get(builder.getContext(), config.fileName, where.line,
                             where.column);
}

Value RegionBuilder::index(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value RegionBuilder::real(Location loc, double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(accumulator, value));
}

/// Adds a block argument whose name shows where names are printed.
static Value addArgument(Block &block, Type type, StringRef name,
                         Location loc) {
  return block.addArgument(
      type, NameLoc::get(StringAttr::get(type.getContext(), name), loc));
}

Block &RegionBuilder::start(Region &region, bool withScore) {
  Block &block = region.emplaceBlock();
  Location loc = place({});
  Type indexType = builder.getIndexType();
  if (withScore)
    addArgument(block, accumulator, "s", loc);
  batch = addArgument(block, indexType, "b", loc);
  head = addArgument(block, indexType, "h", loc);
  row = addArgument(block, indexType, "i", loc);
  position = addArgument(block, indexType, "p", loc);
  key = addArgument(block, indexType, "j", loc);
  builder.setInsertionPointToStart(&block);
  return block;
}

Value RegionBuilder::readIndex(Location loc, StringRef input, Value batch) {
  Value read =
      tensor::ExtractOp::create(builder, loc, inputs.lookup(input), batch);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), read);
}

Value RegionBuilder::readBroadcast(Location loc, StringRef input,
                                   const std::array<bool, 4> &full) {
  const Value whole[] = {batch, head, row, key};
  SmallVector<Value> indices;
  for (unsigned i = 0; i != 4; ++i)
    indices.push_back(full[i] ? whole[i] : index(loc, 0));
  return tensor::ExtractOp::create(builder, loc, inputs.lookup(input), indices);
}

//===----------------------------------------------------------------------===//
// Offset
//===----------------------------------------------------------------------===//

std::optional<int64_t> RegionBuilder::constantOffset() const {
  // Only positional features read p.
  if (!config.isPositional())
    return 0;
  if (config.queryOffset.form == QueryOffset::Integer)
    return config.queryOffset.value;
  if (config.queryOffset.form == QueryOffset::Input ||
      config.hasMask(MaskEntry::KvLengths) ||
      config.hasMask(MaskEntry::QLengths))
    return std::nullopt;
  if (config.lengthsAgree())
    return 0;
  if (config.queryLength.isAny() || config.kvLength.isAny())
    return std::nullopt;
  return config.kvLength.size - config.queryLength.size;
}

bool RegionBuilder::needsLengths() const {
  return !constantOffset() && config.queryOffset.form == QueryOffset::End;
}

/// A length input, clamped to [0, whole]; `whole` where there is none.
Value RegionBuilder::lengthOf(Location loc, StringRef input, Value whole,
                              Value batch) {
  if (!inputs.contains(input))
    return whole;
  Value length = readIndex(loc, input, batch);
  length = arith::MaxSIOp::create(builder, loc, length, index(loc, 0));
  return arith::MinSIOp::create(builder, loc, length, whole);
}

void RegionBuilder::buildOffset(Region &region) {
  std::optional<int64_t> constant = constantOffset();
  if (constant == 0)
    return;
  Location loc = place(config.queryOffset.loc);
  Block &block = region.emplaceBlock();
  Value batch = addArgument(block, builder.getIndexType(), "b", loc);
  builder.setInsertionPointToStart(&block);
  Value offset;
  if (constant) {
    offset = index(loc, *constant);
  } else if (config.queryOffset.form == QueryOffset::Input) {
    offset = readIndex(loc, "query_offset", batch);
  } else {
    Value keys = lengthOf(loc, "kv_lengths", keyLength, batch);
    Value queries = lengthOf(loc, "q_lengths", queryLength, batch);
    offset = arith::SubIOp::create(builder, loc, keys, queries);
  }
  attn::YieldOp::create(builder, loc, offset);
}

//===----------------------------------------------------------------------===//
// Score
//===----------------------------------------------------------------------===//

Value RegionBuilder::softcap(Location loc, Value score, double cap) {
  // A product is cheaper than a quotient, but 1/cap may be out of range.
  double inverse = 1.0 / cap;
  bool inRange = accumulator.isF64()
                     ? std::isnormal(inverse)
                     : std::isnormal(static_cast<float>(inverse));
  Value ratio;
  if (inRange)
    ratio = arith::MulFOp::create(builder, loc, score, real(loc, inverse));
  else
    ratio = arith::DivFOp::create(builder, loc, score, real(loc, cap));
  Value bent = math::TanhOp::create(builder, loc, ratio);
  return arith::MulFOp::create(builder, loc, bent, real(loc, cap));
}

Value RegionBuilder::alibi(Location loc, Value score) {
  // The distance is exact as an integer; as i32 it converts in any vector unit,
  // and no two positions in memory are further apart.
  Value distance = arith::SubIOp::create(builder, loc, position, key);
  distance =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), distance);
  distance = arith::SIToFPOp::create(builder, loc, accumulator, distance);
  distance = math::AbsFOp::create(builder, loc, distance);
  Value slope = tensor::ExtractOp::create(builder, loc, slopes, head);
  Value penalty = arith::MulFOp::create(builder, loc, slope, distance);
  return arith::SubFOp::create(builder, loc, score, penalty);
}

/// Reals of a mask are f64 in every kernel: where a comparison flips must not
/// depend on the type of the scores.
Value RegionBuilder::expression(const Expr &expr, Place where, Value score) {
  ExprPlaces places{score, batch, head, row, position, key, {}};
  for (const Capture &capture : config.tensors)
    places.tensors.push_back(inputs.lookup(capture.name));
  auto locate = [&](size_t offset) {
    return place({where.line, where.column + unsigned(offset)});
  };
  auto real = cast<FloatType>(score ? accumulator : builder.getF64Type());
  return buildExpr(builder, expr, makeExprScope(config, bool(score)), places,
                   real, locate);
}

void RegionBuilder::buildScore(Region &region) {
  if (config.score.empty())
    return;
  Block &block = start(region, /*withScore=*/true);
  Value score = block.getArgument(0);
  for (const ScoreEntry &entry : config.score) {
    Location loc = place(entry.loc);
    switch (entry.form) {
    case ScoreEntry::Softcap:
      score = softcap(loc, score, entry.cap);
      break;
    case ScoreEntry::Bias: {
      Value bias = readBroadcast(loc, entry.name, entry.full);
      // Scores are added up in the accumulation type.
      if (bias.getType() != score.getType())
        bias = arith::ExtFOp::create(builder, loc, score.getType(), bias);
      score = arith::AddFOp::create(builder, loc, score, bias);
      break;
    }
    case ScoreEntry::Alibi:
      score = alibi(loc, score);
      break;
    case ScoreEntry::Expr:
      score = expression(*entry.expr, entry.loc, score);
      break;
    }
  }
  attn::YieldOp::create(builder, place({}), score);
}

//===----------------------------------------------------------------------===//
// Mask
//===----------------------------------------------------------------------===//

void RegionBuilder::buildMaskEntry(const MaskEntry &entry, Value &keep) {
  Location loc = place(entry.loc);
  auto require = [&](Value condition) {
    keep =
        keep ? arith::AndIOp::create(builder, loc, keep, condition).getResult()
             : condition;
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    require(arith::CmpIOp::create(builder, loc, predicate, lhs, rhs));
  };
  switch (entry.form) {
  case MaskEntry::Causal:
    compare(arith::CmpIPredicate::sle, key, position);
    break;
  case MaskEntry::Window:
    if (entry.left >= 0)
      compare(arith::CmpIPredicate::sge, key,
              arith::SubIOp::create(builder, loc, position,
                                    index(loc, entry.left)));
    if (entry.right >= 0)
      compare(arith::CmpIPredicate::sle, key,
              arith::AddIOp::create(builder, loc, position,
                                    index(loc, entry.right)));
    break;
  case MaskEntry::KvLengths:
    // Unclamped: j is in [0, Sk) anyway.
    compare(arith::CmpIPredicate::slt, key,
            readIndex(loc, "kv_lengths", batch));
    break;
  case MaskEntry::QLengths:
    // Vector code compares rows in 32 bits, and no row is as far as 2^30.
    compare(arith::CmpIPredicate::slt, row,
            lengthOf(loc, "q_lengths", index(loc, int64_t(1) << 30), batch));
    break;
  case MaskEntry::Tensor:
    require(readBroadcast(loc, entry.name, entry.full));
    break;
  case MaskEntry::Expr:
    require(expression(*entry.expr, entry.loc, nullptr));
    break;
  case MaskEntry::Prefix:
  case MaskEntry::Documents:
  case MaskEntry::Blocks:
    llvm_unreachable("refused by the parser");
  }
}

void RegionBuilder::buildMask(Region &region) {
  // A window without sides keeps everything.
  if (llvm::all_of(config.mask, [](const MaskEntry &entry) {
        return entry.form == MaskEntry::Window && entry.left < 0 &&
               entry.right < 0;
      }))
    return;
  start(region, /*withScore=*/false);
  Value keep;
  for (const MaskEntry &entry : config.mask)
    buildMaskEntry(entry, keep);
  attn::YieldOp::create(builder, place({}), keep);
}
