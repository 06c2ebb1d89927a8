//===- DrawExpr.h - random expressions ------------------------------------===//

#ifndef FOVEA_TEST_FUZZ_DRAWEXPR_H
#define FOVEA_TEST_FUZZ_DRAWEXPR_H

#include "Case.h"

namespace fovea::fuzz {

/// A condition on b, h, i, p and j. With `readsTensors` it reads one or two,
/// whose names begin with `prefix`.
MaskEntry drawMaskExpr(Dice &dice, const Case &drawn, llvm::StringRef prefix,
                       bool readsTensors);

/// The same documents, ids in ascending order or any.
MaskEntry drawDocuments(Dice &dice);

/// j < prefix[b] || j <= p.
MaskEntry drawPrefix(Dice &dice);

/// A change of s that is continuous in it.
ScoreEntry drawScoreExpr(Dice &dice, const Case &drawn, llvm::StringRef prefix,
                         bool readsTensors);

} // namespace fovea::fuzz

#endif // FOVEA_TEST_FUZZ_DRAWEXPR_H
