//===- Report.h - what a simulated kernel did wrong -----------------------===//
//
// A report is a fault of the kernel that was run, such as an access out of
// bounds; a fault of the caller or of the PTX text is an llvm::Error.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_REPORT_H
#define FOVEA_PTXSIMULATOR_REPORT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace fovea::ptx {

/// Sizes or coordinates of a grid or a block.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;

  uint64_t getVolume() const { return uint64_t(x) * y * z; }
  friend bool operator==(const Dim3 &, const Dim3 &) = default;
};

enum class ReportKind {
  /// An access outside of the allocation, variable or parameter that it
  /// points into, or to no memory at all.
  OutOfBounds,
  /// An address that is no multiple of the access's size.
  Misaligned,
  /// A read of bytes or of a register that nothing has written.
  Uninitialized,
  /// A write to constant or read-only memory.
  ReadOnly,
  /// An instruction for several lanes that only some of them reach, or a
  /// barrier that only part of a warp reaches.
  Divergence,
  /// No thread of the block can go on.
  Deadlock,
  /// `trap`, or a branch through a table beyond its end.
  Trap,
  /// The block executed more instructions than LaunchOptions::stepLimit.
  StepLimit,
  /// What an observer found (see Observer.h).
  Observed,
};

/// `out-of-bounds`, `misaligned`, `uninitialized`, ...
llvm::StringRef getReportKindName(ReportKind kind);

/// One fault, named once per kind and PTX line.
struct Report {
  ReportKind kind = ReportKind::Trap;
  /// Line of the PTX text, counted from 1.
  unsigned line = 0;
  /// The instruction as written, without its predicate's comment.
  std::string instruction;
  /// What the instruction came from: `FILE:LINE:COLUMN` of the `.loc` that
  /// holds there, or the text of a `// source:` comment. Empty if unknown.
  std::string source;
  /// The first block, warp and lane that it happened to.
  Dim3 block = {0, 0, 0};
  unsigned warp = 0, lane = 0;
  /// How many lanes it happened to, over all blocks.
  uint64_t count = 0;
  /// What happened, with addresses and sizes.
  std::string sentence;

  /// All of it as text of a few lines, without a newline at the end.
  std::string format() const;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_REPORT_H
