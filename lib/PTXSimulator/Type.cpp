//===- Type.cpp - the types of PTX ----------------------------------------===//

#include "Type.h"

using namespace fovea::ptx;

namespace {
struct TypeInfo {
  llvm::StringLiteral name;
  unsigned bytes;
};
} // namespace

// In the order of the enumeration.
static constexpr TypeInfo typeInfos[] = {
    {"pred", 0},  {"b8", 1},   {"b16", 2},    {"b32", 4},  {"b64", 8},
    {"b128", 16}, {"u8", 1},   {"u16", 2},    {"u32", 4},  {"u64", 8},
    {"s8", 1},    {"s16", 2},  {"s32", 4},    {"s64", 8},  {"f16", 2},
    {"f16x2", 4}, {"bf16", 2}, {"bf16x2", 4}, {"tf32", 4}, {"f32", 4},
    {"f64", 8}};

std::optional<Type> fovea::ptx::parseType(llvm::StringRef name) {
  for (size_t n = 0; n < std::size(typeInfos); ++n)
    if (typeInfos[n].name == name)
      return Type(n);
  return std::nullopt;
}

llvm::StringRef fovea::ptx::getTypeName(Type type) {
  return typeInfos[unsigned(type)].name;
}

unsigned fovea::ptx::getTypeBytes(Type type) {
  return typeInfos[unsigned(type)].bytes;
}

bool fovea::ptx::isFloat(Type type) { return type >= Type::F16; }

bool fovea::ptx::isSigned(Type type) {
  return type >= Type::S8 && type <= Type::S64;
}

bool fovea::ptx::isInteger(Type type) {
  return type >= Type::B8 && type <= Type::S64;
}
