//===- ProjectTile.h - register-tiled projections -------------------------===//

#ifndef FOVEA_LIB_TARGET_CPU_PROJECTTILE_H
#define FOVEA_LIB_TARGET_CPU_PROJECTTILE_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "fovea/Target/CPU/CPUInfo.h"

namespace fovea::cpu {

/// Writes `op` as vector code before it: columns of the weight in lanes, packed
/// panel by panel into scratch, tokens as scalars.
void lowerProjectTile(attn::ProjectTileOp op, const CPUInfo &info);

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_PROJECTTILE_H
