//===- TileBuffers.h - scratch memory for tile values ---------------------===//

#ifndef FOVEA_LIB_TARGET_CPU_TILEBUFFERS_H
#define FOVEA_LIB_TARGET_CPU_TILEBUFFERS_H

#include "VectorBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace fovea::cpu {

/// Whether `type` is a tile or row value of `rows` rows.
bool isTileType(mlir::Type type, int64_t rows);

/// Assigns scratch buffers to the tile values of one row tile. How a tile lies
/// in its buffer is up to the strategy of vectorization; i1 tiles hold integers
/// of the element's width, 0 or -1.
///
/// A value dies at its last use. An operation may take over the buffer of an
/// operand that dies there (`takeOver`), and buffers of dead values are used
/// again, so that the loops over full and partial tiles share theirs.
class TileBuffers {
public:
  /// The sizes of the buffer of a tile or row value.
  using Sizes =
      std::function<llvm::SmallVector<int64_t>(mlir::VectorType type)>;

  TileBuffers(Sizes sizes, mlir::Block *body, mlir::Location loc,
              mlir::FloatType element)
      : sizes(std::move(sizes)), body(body), loc(loc), element(element) {}

  mlir::Value lookup(mlir::Value value) const { return buffers.lookup(value); }
  void assign(mlir::Value value, mlir::Value buffer) {
    buffers[value] = buffer;
  }

  /// A buffer for `value`: that of `donor` if it dies at `op`, else a free or
  /// new one.
  mlir::Value create(mlir::Value value, mlir::Operation *op,
                     mlir::Value donor = {});
  /// A buffer that belongs to no value, for use while `op` is lowered; give it
  /// back with `release`.
  mlir::Value createTemporary(llvm::ArrayRef<int64_t> sizes, mlir::Type type);
  void release(mlir::Value buffer);

  /// Gives back the buffers of operands that die at `op`.
  void releaseDead(mlir::Operation *op);

  /// A pinned buffer is not given back: a loop carries it.
  void pin(mlir::Value buffer) { pinned.insert(buffer); }
  void unpin(mlir::Value buffer) { pinned.erase(buffer); }

  /// Whether `op` is the last user of `value`, which is defined in its block.
  static bool diesAt(mlir::Value value, mlir::Operation *op);

  /// The same where `op` may stand in a branch of an scf.if of that block: no
  /// user follows it on its way through the branches.
  static bool diesInBranchAt(mlir::Value value, mlir::Operation *op);

  bool isPinned(mlir::Value buffer) const { return pinned.contains(buffer); }

  /// The buffer type for a value of type `type`.
  mlir::MemRefType getType(mlir::Type type) const;

private:
  mlir::Value allocate(mlir::MemRefType type);

  Sizes sizes;
  mlir::Block *body;
  mlir::Location loc;
  mlir::FloatType element;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::SmallVector<mlir::Value> unused;
  llvm::DenseSet<mlir::Value> pinned;
};

} // namespace fovea::cpu

#endif // FOVEA_LIB_TARGET_CPU_TILEBUFFERS_H
