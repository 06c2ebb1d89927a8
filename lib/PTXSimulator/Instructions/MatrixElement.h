//===- MatrixElement.h - what mma and wmma multiply -----------------------===//

#ifndef FOVEA_PTXSIMULATOR_MATRIXELEMENT_H
#define FOVEA_PTXSIMULATOR_MATRIXELEMENT_H

#include "../FloatFormats.h"
#include "../Warp.h"
#include <optional>

namespace fovea::ptx {

enum class MatrixElement : uint8_t { F16, BF16, TF32, F64, S8, U8 };

inline unsigned getElementBytes(MatrixElement element) {
  switch (element) {
  case MatrixElement::F16:
  case MatrixElement::BF16:
    return 2;
  case MatrixElement::TF32:
    return 4;
  case MatrixElement::F64:
    return 8;
  case MatrixElement::S8:
  case MatrixElement::U8:
    return 1;
  }
  return 0;
}

inline std::optional<MatrixElement> getMatrixElement(Type type) {
  switch (type) {
  case Type::F16:
    return MatrixElement::F16;
  case Type::BF16:
    return MatrixElement::BF16;
  case Type::TF32:
    return MatrixElement::TF32;
  case Type::F64:
    return MatrixElement::F64;
  case Type::S8:
    return MatrixElement::S8;
  case Type::U8:
    return MatrixElement::U8;
  default:
    return std::nullopt;
  }
}

/// The element in the low bits of `bits`, as what is multiplied.
template <typename T> T decodeElement(MatrixElement element, uint64_t bits) {
  switch (element) {
  case MatrixElement::F16:
    return T(Half::decode(bits));
  case MatrixElement::BF16:
    return T(BFloat::decode(bits));
  case MatrixElement::TF32:
    // The hardware does not look at the lower bits.
    return T(toFloat(bits & 0xffffe000));
  case MatrixElement::F64:
    return T(std::bit_cast<double>(bits));
  case MatrixElement::S8:
    return T(int8_t(bits));
  case MatrixElement::U8:
    return T(uint8_t(bits));
  }
  return T();
}

/// Whether all lanes of the warp are there. If not, the op is to return
/// Flow::Wait; if some can never come, that is reported.
bool hasWholeWarp(Warp &warp, Mask mask);

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_MATRIXELEMENT_H
