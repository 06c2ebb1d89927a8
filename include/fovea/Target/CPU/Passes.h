//===- Passes.h - passes of the CPU target --------------------------------===//

#ifndef FOVEA_TARGET_CPU_PASSES_H
#define FOVEA_TARGET_CPU_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fovea::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "fovea/Target/CPU/Passes.h.inc"

} // namespace fovea::cpu

#endif // FOVEA_TARGET_CPU_PASSES_H
