//===- Type.h - the types of PTX ------------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_TYPE_H
#define FOVEA_PTXSIMULATOR_TYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace fovea::ptx {

enum class Type : uint8_t {
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F64,
};

/// The type that `.NAME` stands for.
std::optional<Type> parseType(llvm::StringRef name);
llvm::StringRef getTypeName(Type type);
/// Bytes of a value in memory and in registers; 0 for a predicate.
unsigned getTypeBytes(Type type);
bool isFloat(Type type);
bool isSigned(Type type);
/// Signed, unsigned and untyped bits.
bool isInteger(Type type);

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_TYPE_H
