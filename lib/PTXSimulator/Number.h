//===- Number.h - numbers of PTX text as bits of a type -------------------===//

#ifndef FOVEA_PTXSIMULATOR_NUMBER_H
#define FOVEA_PTXSIMULATOR_NUMBER_H

#include "Syntax.h"

namespace fovea::ptx {

/// The bits of `number` as a value of `type`, zero-extended, or nothing if the
/// number is not of that kind.
std::optional<uint64_t> getNumberBits(const OperandSyntax &number, Type type);

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_NUMBER_H
