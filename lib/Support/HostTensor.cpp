//===- HostTensor.cpp - a compact tensor in this process's memory ---------===//

#include "fovea/Support/HostTensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace fovea;
using llvm::ArrayRef;

llvm::StringRef fovea::getHostTypeName(HostType type) {
  switch (type) {
  case HostType::F64:
    return "f64";
  case HostType::F32:
    return "f32";
  case HostType::F16:
    return "f16";
  case HostType::BF16:
    return "bf16";
  case HostType::I64:
    return "i64";
  case HostType::I32:
    return "i32";
  case HostType::I8:
    return "i8";
  case HostType::U8:
    return "u8";
  case HostType::Bool:
    return "bool";
  }
  llvm_unreachable("not a host type");
}

int64_t fovea::getHostTypeBytes(HostType type) {
  switch (type) {
  case HostType::F64:
  case HostType::I64:
    return 8;
  case HostType::F32:
  case HostType::I32:
    return 4;
  case HostType::F16:
  case HostType::BF16:
    return 2;
  case HostType::I8:
  case HostType::U8:
  case HostType::Bool:
    return 1;
  }
  llvm_unreachable("not a host type");
}

bool fovea::isFloat(HostType type) {
  return type == HostType::F64 || type == HostType::F32 ||
         type == HostType::F16 || type == HostType::BF16;
}

float fovea::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
  if (exponent == 0)
    return llvm::bit_cast<float>(
        sign | llvm::bit_cast<uint32_t>(std::ldexp(float(fraction), -24)));
  if (exponent == 31)
    return llvm::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  return llvm::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// The bits of a 16-bit float with so many fraction bits, rounded to nearest
/// even from the double itself, since rounding twice can differ.
static uint16_t roundTo16(double value, int fractionBits, int minExponent,
                          int maxExponent) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  uint16_t infinity = uint16_t((2 * maxExponent + 1) << fractionBits);
  if (std::isnan(value))
    return sign | infinity | uint16_t(1 << (fractionBits - 1));
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | infinity;
  int exponent = std::max(std::ilogb(magnitude), minExponent);
  double steps = std::nearbyint(std::ldexp(magnitude, fractionBits - exponent));
  // A subnormal has no leading one; a carry moves into the exponent by itself.
  double bits = steps + std::ldexp(exponent - minExponent, fractionBits);
  return sign | (bits >= infinity ? infinity : uint16_t(bits));
}

uint16_t fovea::floatToHalf(double value) {
  return roundTo16(value, 10, -14, 15);
}

float fovea::bfloatToFloat(uint16_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits) << 16);
}

uint16_t fovea::floatToBfloat(double value) {
  return roundTo16(value, 7, -126, 127);
}

double fovea::roundTo(HostType type, double value) {
  switch (type) {
  case HostType::F32:
    return float(value);
  case HostType::F16:
    return halfToFloat(floatToHalf(value));
  case HostType::BF16:
    return bfloatToFloat(floatToBfloat(value));
  default:
    return value;
  }
}

std::string fovea::formatShape(ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(
                        shape, [](int64_t size) { return llvm::itostr(size); }),
                    ", ") +
         "]";
}

std::optional<int64_t> fovea::getNumElements(ArrayRef<int64_t> shape,
                                             int64_t elementBytes) {
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t bytes = elementBytes;
  for (int64_t size : shape)
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes / elementBytes;
}

llvm::Expected<HostTensor> HostTensor::create(HostType type,
                                              ArrayRef<int64_t> shape) {
  HostTensor tensor;
  tensor.type = type;
  tensor.shape.assign(shape.begin(), shape.end());
  std::optional<int64_t> count =
      fovea::getNumElements(shape, getHostTypeBytes(type));
  constexpr uint64_t alignment = 64;
  void *memory = nullptr;
  if (count) {
    tensor.numElements = *count;
    uint64_t bytes = std::max<uint64_t>(tensor.getNumBytes(), 1);
    memory = std::aligned_alloc(alignment, llvm::alignTo(bytes, alignment));
  }
  if (!memory)
    return llvm::createStringError(
        std::make_error_code(std::errc::not_enough_memory),
        "not enough memory for a tensor of shape " + formatShape(shape) +
            " and type " + getHostTypeName(type));
  tensor.memory.reset(memory);
  return tensor;
}

double HostTensor::getFloat(int64_t index) const {
  switch (type) {
  case HostType::F64:
    return as<double>()[index];
  case HostType::F32:
    return as<float>()[index];
  case HostType::F16:
    return halfToFloat(as<uint16_t>()[index]);
  case HostType::BF16:
    return bfloatToFloat(as<uint16_t>()[index]);
  default:
    return double(getInteger(index));
  }
}

int64_t HostTensor::getInteger(int64_t index) const {
  switch (type) {
  case HostType::I64:
    return as<int64_t>()[index];
  case HostType::I32:
    return as<int32_t>()[index];
  case HostType::I8:
    return as<int8_t>()[index];
  case HostType::U8:
    return as<uint8_t>()[index];
  case HostType::Bool:
    return as<uint8_t>()[index] != 0;
  default:
    llvm_unreachable("an integer of a float tensor");
  }
}

void HostTensor::setFloat(int64_t index, double value) {
  switch (type) {
  case HostType::F64:
    as<double>()[index] = value;
    return;
  case HostType::F32:
    as<float>()[index] = float(value);
    return;
  case HostType::F16:
    as<uint16_t>()[index] = floatToHalf(value);
    return;
  case HostType::BF16:
    as<uint16_t>()[index] = floatToBfloat(value);
    return;
  default:
    llvm_unreachable("a float of an integer tensor");
  }
}

void HostTensor::setInteger(int64_t index, int64_t value) {
  switch (type) {
  case HostType::I64:
    as<int64_t>()[index] = value;
    return;
  case HostType::I32:
    as<int32_t>()[index] = int32_t(value);
    return;
  case HostType::I8:
  case HostType::U8:
    as<uint8_t>()[index] = uint8_t(value);
    return;
  case HostType::Bool:
    as<uint8_t>()[index] = value != 0;
    return;
  default:
    llvm_unreachable("an integer of a float tensor");
  }
}

void HostTensor::readFloats(int64_t index, int64_t count, double *to) const {
  if (type == HostType::F64) {
    llvm::copy(as<double>().slice(index, count), to);
  } else if (type == HostType::F32) {
    llvm::copy(as<float>().slice(index, count), to);
  } else {
    for (int64_t i = 0; i < count; ++i)
      to[i] = getFloat(index + i);
  }
}
