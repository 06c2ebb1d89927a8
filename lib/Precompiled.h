//===- Precompiled.h - headers that nearly every file includes ------------===//

#ifndef FOVEA_LIB_PRECOMPILED_H
#define FOVEA_LIB_PRECOMPILED_H

#include "fovea/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

#endif // FOVEA_LIB_PRECOMPILED_H
