//===- Shrink.h - smaller cases with the same fault -----------------------===//

#ifndef FOVEA_TEST_FUZZ_SHRINK_H
#define FOVEA_TEST_FUZZ_SHRINK_H

#include "RunCase.h"

namespace fovea::fuzz {

/// Makes a case plainer, step by step, as long as it gives a finding of the
/// same kind. `finding` becomes that of the result, which has one call.
Case shrink(Case drawn, Finding &finding,
            llvm::function_ref<std::optional<Finding>(const Case &)> run);

} // namespace fovea::fuzz

#endif // FOVEA_TEST_FUZZ_SHRINK_H
