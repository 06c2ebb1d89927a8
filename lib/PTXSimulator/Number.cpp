//===- Number.cpp - numbers of PTX text as bits of a type -----------------===//

#include "Number.h"
#include <bit>

using namespace fovea::ptx;

std::optional<uint64_t> fovea::ptx::getNumberBits(const OperandSyntax &number,
                                                  Type type) {
  uint64_t bits = number.value;
  unsigned bytes = getTypeBytes(type);
  if (!number.isFloat) {
    // Floats of 32 and 64 bits are not written as integers.
    if (type == Type::F32 || type == Type::F64)
      return std::nullopt;
    if (type == Type::Pred)
      return bits ? ~uint64_t(0) : 0;
    return bytes >= 8 ? bits : bits & ((uint64_t(1) << bytes * 8) - 1);
  }
  if (type == Type::F64)
    return number.isSingle ? std::bit_cast<uint64_t>(
                                 double(std::bit_cast<float>(uint32_t(bits))))
                           : bits;
  if (bytes == 8)
    return number.isSingle ? std::nullopt : std::optional(bits);
  if (bytes == 4)
    return number.isSingle ? bits
                           : uint64_t(std::bit_cast<uint32_t>(
                                 float(std::bit_cast<double>(bits))));
  return std::nullopt;
}
