//===- CPUInfo.h - what the lowering knows about a processor --------------===//

#ifndef FOVEA_TARGET_CPU_CPUINFO_H
#define FOVEA_TARGET_CPU_CPUINFO_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include <optional>
#include <string>

namespace fovea::cpu {

/// The part of a processor's description that decides tile sizes and
/// instructions.
struct CPUInfo {
  /// Width of the widest useful vector register, in bytes.
  int64_t vectorBytes;
  /// Number of vector registers.
  int64_t registers;
  /// Whether there is a product of bf16 pairs summed in f32 (AVX512_BF16).
  bool hasBF16Dot;
  /// FOVEA_CPU_* bits that the generated code relies on.
  int64_t requiredFeatures;

  /// Lanes of a vector of elements of `bits` bits.
  int64_t getLanes(unsigned bits) const { return vectorBytes * 8 / bits; }
  /// Vectors of queries in a register tile.
  int64_t getTileVectors() const { return 3; }
  /// Rows of a register tile of `vectors` vectors: accumulators, one operand
  /// vector for each column and one broadcast must fit the registers.
  int64_t getTileRows(int64_t vectors) const;
};

/// A target that `--target` can name: the name, LLVM's name of the processor
/// and what it is.
struct TargetName {
  llvm::StringLiteral name, cpu, description;
};
llvm::ArrayRef<TargetName> getTargetNames();

/// The attribute for a `--target` name: `host` or one of getTargetNames().
/// Nothing if there is no such target.
std::optional<attn::TargetAttr> getTarget(llvm::StringRef name,
                                          mlir::MLIRContext *context);

/// Describes the processor of `target`, or says why it can't be used through
/// `emitError`.
mlir::FailureOr<CPUInfo>
getCPUInfo(attn::TargetAttr target,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The same for the module's `attn.target`.
mlir::FailureOr<CPUInfo> getCPUInfo(mlir::ModuleOp module);

} // namespace fovea::cpu

#endif // FOVEA_TARGET_CPU_CPUINFO_H
