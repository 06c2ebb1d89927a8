//===- BuildRegions.h - Regions of a config's attention ---------*- C++ -*-===//

#ifndef FOVEA_LIB_CONFIG_BUILDREGIONS_H
#define FOVEA_LIB_CONFIG_BUILDREGIONS_H

#include "Expr.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace fovea::config {

/// Writes the offset, score and mask regions of a config. What they read is a
/// value of the enclosing function.
class RegionBuilder {
public:
  RegionBuilder(const Config &config, mlir::Type accumulator,
                const llvm::StringMap<mlir::Value> &inputs,
                mlir::MLIRContext *context)
      : config(config), accumulator(accumulator), inputs(inputs),
        builder(context) {}

  /// Values of the function that the regions read besides the inputs.
  mlir::Value queryLength, keyLength; // index; null where the regions need none
  mlir::Value slopes;                 // [Hq]; null without alibi

  /// True where the offset region needs the lengths of query and key.
  bool needsLengths() const;

  /// Each leaves its region empty where the config asks for nothing.
  void buildOffset(mlir::Region &region);
  void buildScore(mlir::Region &region);
  void buildMask(mlir::Region &region);

private:
  /// The fixed query offset, if it is one.
  std::optional<int64_t> constantOffset() const;

  mlir::Block &start(mlir::Region &region, bool withScore);
  mlir::Location place(Place where) const;
  mlir::Value index(mlir::Location loc, int64_t value);
  mlir::Value real(mlir::Location loc, double value);
  mlir::Value lengthOf(mlir::Location loc, llvm::StringRef input,
                       mlir::Value whole, mlir::Value batch);
  mlir::Value readIndex(mlir::Location loc, llvm::StringRef input,
                        mlir::Value batch);
  mlir::Value readBroadcast(mlir::Location loc, llvm::StringRef input,
                            const std::array<bool, 4> &full);
  mlir::Value softcap(mlir::Location loc, mlir::Value score, double cap);
  mlir::Value expression(const Expr &expr, Place where, mlir::Value score);
  mlir::Value alibi(mlir::Location loc, mlir::Value score);
  void buildMaskEntry(const MaskEntry &entry, mlir::Value &keep);

  const Config &config;
  mlir::Type accumulator;
  const llvm::StringMap<mlir::Value> &inputs;
  mlir::OpBuilder builder;
  mlir::Value batch, head, row, position, key; // of the region being built
};

} // namespace fovea::config

#endif // FOVEA_LIB_CONFIG_BUILDREGIONS_H
