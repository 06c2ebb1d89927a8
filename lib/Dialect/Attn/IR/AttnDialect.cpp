//===- AttnDialect.cpp - the attn dialect ---------------------------------===//

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fovea::attn;

#include "fovea/Dialect/Attn/IR/AttnDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "fovea/Dialect/Attn/IR/AttnAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "fovea/Dialect/Attn/IR/AttnOps.cpp.inc"

namespace {
/// Long attributes get a name at the top of the file, where they are easy to
/// find and edit.
struct AttnAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (isa<TargetAttr>(attribute))
      return os << "target", AliasResult::FinalAlias;
    if (isa<TilingAttr>(attribute))
      return os << "tiling", AliasResult::FinalAlias;
    return AliasResult::NoAlias;
  }
};
} // namespace

void AttnDialect::initialize() {
  addInterfaces<AttnAsmInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fovea/Dialect/Attn/IR/AttnAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "fovea/Dialect/Attn/IR/AttnOps.cpp.inc"
      >();
}

Type fovea::attn::getAccumulatorType(Type elementType) {
  return elementType.isF64() ? elementType
                             : Float32Type::get(elementType.getContext());
}

LogicalResult TilingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t heads, int64_t queries, int64_t keys) {
  if (heads < 1 || queries < 1 || keys < 1)
    return emitError() << "expects heads, queries and keys of at least 1, but "
                          "got "
                       << heads << ", " << queries << " and " << keys;
  // A tile is unrolled into registers and scratch; far past any cache it only
  // exhausts memory.
  if (heads > 4096 || queries > 4096 || keys > 65536)
    return emitError() << "expects at most 4096 heads and queries and 65536 "
                          "keys, but got "
                       << heads << ", " << queries << " and " << keys;
  return success();
}
