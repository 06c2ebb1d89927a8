//===- VectorBuilder.cpp - builds register-sized vector code --------------===//

#include "VectorBuilder.h"
#include <numbers>

using namespace mlir;
using namespace fovea::cpu;

VectorBuilder::VectorBuilder(OpBuilder &builder, Location loc, int64_t lanes,
                             FloatType element)
    : builder(builder), loc(loc), lanes(lanes), element(element),
      bits(element.getWidth()), vectorType(VectorType::get({lanes}, element)),
      bitsType(VectorType::get({lanes}, builder.getIntegerType(bits))),
      positionType(VectorType::get({lanes}, builder.getI32Type())),
      maskType(VectorType::get({lanes}, builder.getI1Type())) {}

Value VectorBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value VectorBuilder::splat(double value) {
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(vectorType, builder.getFloatAttr(element, value)));
}

Value VectorBuilder::splatBits(int64_t value) {
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          bitsType, builder.getIntegerAttr(bitsType.getElementType(), value)));
}

Value VectorBuilder::splatPositions(ArrayRef<int32_t> values) {
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(positionType, values));
}

Value VectorBuilder::broadcast(Value scalar) {
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value VectorBuilder::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}

Value VectorBuilder::add(Value a, int64_t b) {
  return b == 0 ? a : add(a, index(b));
}

Value VectorBuilder::sub(Value a, Value b) {
  return builder.createOrFold<arith::SubIOp>(loc, a, b);
}

Value VectorBuilder::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}

Value VectorBuilder::minSigned(Value a, Value b) {
  return builder.createOrFold<arith::MinSIOp>(loc, a, b);
}

Value VectorBuilder::addf(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}

Value VectorBuilder::subf(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b);
}

Value VectorBuilder::mulf(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}

Value VectorBuilder::divf(Value a, Value b) {
  return arith::DivFOp::create(builder, loc, a, b);
}

Value VectorBuilder::fma(Value a, Value b, Value c) {
  return vector::FMAOp::create(builder, loc, a, b, c);
}

Value VectorBuilder::max(Value a, Value b) {
  return select(compare(arith::CmpFPredicate::OLT, a, b), b, a);
}

Value VectorBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}

Value VectorBuilder::compare(arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}

Value VectorBuilder::widen(Value value) {
  if (getElementTypeOrSelf(value) == element)
    return value;
  return arith::ExtFOp::create(builder, loc, vectorType, value);
}

Value VectorBuilder::narrow(Value value, Type to) {
  if (to == element)
    return value;
  return arith::TruncFOp::create(builder, loc, VectorType::get({lanes}, to),
                                 value);
}

Value VectorBuilder::load(Value buffer, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  return loadAs(VectorType::get({lanes}, type.getElementType()), buffer,
                indices);
}

static bool isHalf(Type type) {
  return isa<Float16Type, BFloat16Type>(getElementTypeOrSelf(type));
}

/// `type` with 16-bit integers for half numbers.
static VectorType getIntegers(VectorType type) {
  return VectorType::get(type.getShape(),
                         IntegerType::get(type.getContext(), 16));
}

Value VectorBuilder::asIntegers(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!isHalf(type))
    return buffer;
  auto integers = MemRefType::get(type.getShape(), builder.getI16Type(),
                                  type.getLayout(), type.getMemorySpace());
  // A descriptor does not hold its element type: nothing is left of the cast.
  return UnrealizedConversionCastOp::create(builder, loc, integers, buffer)
      .getResult(0);
}

Value VectorBuilder::loadAs(VectorType type, Value buffer, ValueRange indices) {
  if (!isHalf(type))
    return vector::LoadOp::create(builder, loc, type, buffer, indices);
  Value bits = vector::LoadOp::create(builder, loc, getIntegers(type),
                                      asIntegers(buffer), indices);
  return arith::BitcastOp::create(builder, loc, type, bits);
}

void VectorBuilder::store(Value value, Value buffer, ValueRange indices) {
  auto type = cast<VectorType>(value.getType());
  if (isHalf(type)) {
    value = arith::BitcastOp::create(builder, loc, getIntegers(type), value);
    buffer = asIntegers(buffer);
  }
  vector::StoreOp::create(builder, loc, value, buffer, indices);
}

Value VectorBuilder::loadPart(Value buffer, ValueRange indices, int64_t count) {
  auto type = cast<MemRefType>(buffer.getType());
  return loadPart(VectorType::get({lanes}, type.getElementType()), buffer,
                  indices, count);
}

Value VectorBuilder::loadPart(VectorType type, Value buffer, ValueRange indices,
                              int64_t count) {
  if (count >= type.getDimSize(0))
    return loadAs(type, buffer, indices);
  return loadPart(type, buffer, indices, index(count));
}

Value VectorBuilder::loadPart(VectorType type, Value buffer, ValueRange indices,
                              Value count) {
  Value mask = vector::CreateMaskOp::create(
      builder, loc, VectorType::get(type.getShape(), builder.getI1Type()),
      ValueRange{count});
  VectorType loaded = isHalf(type) ? getIntegers(type) : type;
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(loaded));
  Value value = vector::MaskedLoadOp::create(
      builder, loc, loaded, asIntegers(buffer), indices, mask, zero);
  return loaded == type
             ? value
             : Value(arith::BitcastOp::create(builder, loc, type, value));
}

void VectorBuilder::storePart(Value value, Value buffer, ValueRange indices,
                              int64_t count) {
  if (count >= lanes)
    return store(value, buffer, indices);
  storePart(value, buffer, indices, index(count));
}

void VectorBuilder::storePart(Value value, Value buffer, ValueRange indices,
                              Value count) {
  auto type = cast<VectorType>(value.getType());
  Value mask =
      vector::CreateMaskOp::create(builder, loc, maskType, ValueRange{count});
  if (isHalf(type)) {
    value = arith::BitcastOp::create(builder, loc, getIntegers(type), value);
    buffer = asIntegers(buffer);
  }
  vector::MaskedStoreOp::create(builder, loc, buffer, indices, mask, value);
}

void VectorBuilder::forLoop(Value from, Value to, int64_t step, LoopBody body) {
  auto loop = scf::ForOp::create(builder, loc, from, to, index(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

SmallVector<Value> VectorBuilder::forLoop(Value from, Value to, int64_t step,
                                          ValueRange carried,
                                          CarryingBody body) {
  auto loop = scf::ForOp::create(builder, loc, from, to, index(step), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> yielded =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  // A loop that carries nothing comes with its terminator.
  if (!yielded.empty())
    scf::YieldOp::create(builder, loc, yielded);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> VectorBuilder::transpose(ArrayRef<Value> rows) {
  assert(static_cast<int64_t>(rows.size()) == lanes && "a square of elements");
  // Registers are made of 128-bit segments of e elements; x86 shuffles work
  // within segments or move whole segments, so the transpose is done in two
  // parts: e x e blocks within segments, then segments.
  int64_t e = 128 / bits, segments = lanes / e;
  auto shuffle = [&](Value a, Value b, auto from) -> Value {
    SmallVector<int64_t> mask;
    for (int64_t i = 0; i < lanes; ++i)
      mask.push_back(from(i));
    return vector::ShuffleOp::create(builder, loc, a, b, mask);
  };
  SmallVector<Value> blocks(rows);
  // Interleaves pairs of rows, then pairs of pairs: after the step with
  // `width`, runs of 2 * width elements of one column are together.
  for (int64_t width = 1; width < e; width *= 2) {
    SmallVector<Value> next(lanes);
    for (int64_t base = 0; base < lanes; base += 2 * width)
      for (int64_t k = 0; k < width; ++k)
        for (int64_t half = 0; half < 2; ++half) {
          // Takes runs of `width` elements from both rows in turn, from the low
          // or the high half of every segment.
          auto from = [&](int64_t i) {
            int64_t segment = i / e, within = i % e;
            int64_t run = within / width, at = within % width;
            int64_t source =
                segment * e + half * (e / 2) + (run / 2) * width + at;
            return run % 2 == 0 ? source : lanes + source;
          };
          next[base + 2 * k + half] =
              shuffle(blocks[base + k], blocks[base + width + k], from);
        }
    blocks = next;
  }
  // blocks[g * e + c], segment s: column s * e + c of rows g * e ... Move
  // segments so that result s * e + c has segment g from group g.
  SmallVector<Value> columns(lanes);
  for (int64_t c = 0; c < e; ++c) {
    SmallVector<Value> parts;
    for (int64_t g = 0; g < segments; ++g)
      parts.push_back(blocks[g * e + c]);
    // Each step halves the distance between segments of one column.
    if (segments == 4) {
      auto pick = [&](Value a, Value b, int64_t odd) {
        return shuffle(a, b, [&](int64_t i) {
          int64_t segment = i / e;
          int64_t source = ((segment % 2) * 2 + odd) * e + i % e;
          return segment < 2 ? source : lanes + source;
        });
      };
      for (int64_t odd = 0; odd < 2; ++odd) {
        Value low = pick(parts[0], parts[1], odd);
        Value high = pick(parts[2], parts[3], odd);
        columns[odd * e + c] = pick(low, high, 0);
        columns[(odd + 2) * e + c] = pick(low, high, 1);
      }
    } else if (segments == 2) {
      for (int64_t s = 0; s < 2; ++s)
        columns[s * e + c] = shuffle(parts[0], parts[1], [&](int64_t i) {
          return i < e ? s * e + i : lanes + s * e + (i - e);
        });
    } else {
      columns[c] = parts[0];
    }
  }
  return columns;
}

/// Minimax coefficients of 2^f on [-1/2, 1/2], highest first, constant 1.
static ArrayRef<double> getExp2Coefficients(unsigned width) {
  static const double single[] = {1.5594678161326619e-4,
                                  1.3406643902351759e-3,
                                  9.6176929729930623e-3,
                                  5.5503105510137972e-2,
                                  2.4022652782887738e-1,
                                  6.9314721496802790e-1,
                                  1.0};
  static const double twice[] = {
      4.078071929588336665e-10, 7.0725704128144235e-9, 1.0180647659234139e-7,
      1.3215442675329822e-6,    1.5252727385193868e-5, 1.5403530441572130e-4,
      1.3333558153439965e-3,    9.6181291076070024e-3, 5.5504108664790395e-2,
      2.4022650695910098e-1,    6.9314718055994570e-1, 1.0};
  return width == 32 ? ArrayRef<double>(single) : ArrayRef<double>(twice);
}

Value VectorBuilder::getMagic() {
  return splat(bits == 32 ? 12582912.0 : 6755399441055744.0);
}

Value VectorBuilder::buildPower(Value shifted, Value fraction) {
  ArrayRef<double> coefficients = getExp2Coefficients(bits);
  Value power = splat(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    power = fma(power, fraction, splat(coefficient));
  Value exponent = arith::ShLIOp::create(
      builder, loc, arith::BitcastOp::create(builder, loc, bitsType, shifted),
      splatBits(bits == 32 ? 23 : 52));
  // 2^n as a number; 0 for the lowest n. A product, where adding to the bits of
  // the power would lose a NaN.
  Value one = splatBits(bits == 32 ? 0x3f800000 : 0x3ff0000000000000);
  Value scale = arith::BitcastOp::create(
      builder, loc, vectorType,
      arith::AddIOp::create(builder, loc, exponent, one));
  return mulf(power, scale);
}

Value VectorBuilder::exp2(Value x) {
  // x = n + f with n an integer, f in [-1/2, 1/2].
  Value magic = getMagic();
  x = max(x, splat(bits == 32 ? -127.0 : -1023.0));
  Value shifted = addf(x, magic);
  return buildPower(shifted, subf(x, subf(shifted, magic)));
}

Value VectorBuilder::expOfNegative(Value x) {
  // x * log2(e) is taken apart without being rounded: both times within an FMA.
  Value magic = getMagic(), log2e = splat(std::numbers::log2e);
  x = max(x, splat((bits == 32 ? -127.0 : -1023.0) * std::numbers::ln2));
  Value shifted = fma(x, log2e, magic);
  return buildPower(shifted, fma(x, log2e, subf(magic, shifted)));
}

Value VectorBuilder::log(Value x) {
  if (bits != 32)
    return math::LogOp::create(builder, loc, x);
  // x = m * 2^e with m in [sqrt(1/2), sqrt(2)); log(m) by the series of
  // log((1 + t) / (1 - t)) = 2 (t + t^3/3 + ...), |t| < 0.172.
  auto toInt = [&](Value v) -> Value {
    return arith::BitcastOp::create(builder, loc, bitsType, v);
  };
  auto toFloat = [&](Value v) -> Value {
    return arith::BitcastOp::create(builder, loc, vectorType, v);
  };
  Value asInt = toInt(x);
  Value biased = arith::SubIOp::create(builder, loc, asInt,
                                       splatBits(0x3f3504f3)); // sqrt(1/2)
  Value exponent = arith::ShRSIOp::create(builder, loc, biased, splatBits(23));
  Value m = toFloat(arith::SubIOp::create(
      builder, loc, asInt,
      arith::ShLIOp::create(builder, loc, exponent, splatBits(23))));
  Value e = arith::SIToFPOp::create(builder, loc, vectorType, exponent);
  Value one = splat(1.0);
  Value t = divf(subf(m, one), addf(m, one));
  Value t2 = mulf(t, t);
  Value series = splat(2.0 / 9);
  for (double c : {2.0 / 7, 2.0 / 5, 2.0 / 3})
    series = fma(series, t2, splat(c));
  // log(m) = 2t + t^3 * series; the exponent's share comes in two parts, of
  // which the first is exact.
  Value tail = fma(mulf(t2, t), series, mulf(e, splat(-2.12194440e-4)));
  Value value = addf(tail, addf(t, t));
  return fma(e, splat(0.693359375), value);
}
