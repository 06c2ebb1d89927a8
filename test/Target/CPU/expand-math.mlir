// RUN: fovea-opt %s -attn-expand-math | FileCheck %s

// 2^x = (2^(x/2))^2: a polynomial for the fraction, the whole part into the
// exponent by integer arithmetic.
// CHECK-LABEL: @exp2(
// CHECK-SAME: %[[X:.+]]: vector<16xf32>)
// CHECK: %[[HALF:.+]] = arith.constant dense<5.000000e-01> : vector<16xf32>
// CHECK: arith.mulf %[[X]], %[[HALF]] : vector<16xf32>
// CHECK: %[[SHIFTED:.+]] = arith.addf %{{.+}}, %[[MAGIC:.+]] : vector<16xf32>
// CHECK: arith.subf %[[SHIFTED]], %[[MAGIC]]
// CHECK-COUNT-6: vector.fma
// CHECK: %[[BITS:.+]] = arith.bitcast %[[SHIFTED]] : vector<16xf32> to vector<16xi32>
// CHECK: %[[EXPONENT:.+]] = arith.shli %[[BITS]], %{{.+}} : vector<16xi32>
// CHECK: %[[SUM:.+]] = arith.addi %[[EXPONENT]], %{{.+}} : vector<16xi32>
// CHECK: %[[SCALE:.+]] = arith.bitcast %[[SUM]] : vector<16xi32> to vector<16xf32>
// CHECK: %[[ROOT:.+]] = arith.mulf %{{.+}}, %[[SCALE]] : vector<16xf32>
// CHECK: %[[Y:.+]] = arith.mulf %[[ROOT]], %[[ROOT]] : vector<16xf32>
// CHECK-NOT: math.exp2
// CHECK: return %[[Y]]
func.func @exp2(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp2 %x : vector<16xf32>
  return %y : vector<16xf32>
}

// The natural one multiplies by log2(e)/2 and makes up for what that rounds.
// CHECK-LABEL: @exp(
// CHECK-SAME: %[[X:.+]]: vector<16xf32>)
// CHECK: %[[HALF:.+]] = arith.constant dense<0.72134751> : vector<16xf32>
// CHECK: arith.mulf %[[X]], %[[HALF]] : vector<16xf32>
// CHECK: vector.fma %[[X]], %[[HALF]], %{{.+}} : vector<16xf32>
// CHECK: arith.shli
// CHECK: %[[Y:.+]] = arith.mulf %[[ROOT:.+]], %[[ROOT]] : vector<16xf32>
// CHECK-NOT: math.exp
// CHECK: return %[[Y]]
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: @exp_double(
// CHECK-COUNT-9: vector.fma {{.*}} : vector<8xf64>
// CHECK: arith.shli {{.*}} : vector<8xi64>
// CHECK-NOT: math.exp
// CHECK: return
func.func @exp_double(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.exp %x : vector<8xf64>
  return %y : vector<8xf64>
}

// A polynomial near 0, a quotient with an exponential elsewhere.
// CHECK-LABEL: @tanh(
// CHECK-COUNT-5: vector.fma {{.*}} : vector<8xf32>
// CHECK: arith.divf {{.*}} : vector<8xf32>
// CHECK: %[[FAR:.+]] = math.copysign
// CHECK: arith.select %{{.+}}, %{{.+}}, %[[FAR]]
// CHECK-NOT: math.tanh
// CHECK: return
func.func @tanh(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.tanh %x : vector<8xf32>
  return %y : vector<8xf32>
}

// Doubles have none: element by element.
// CHECK-LABEL: @tanh_double(
// CHECK-SAME: %[[X:.+]]: vector<2xf64>)
// CHECK: %[[X0:.+]] = vector.extract %[[X]][0]
// CHECK: %[[Y0:.+]] = math.tanh %[[X0]] : f64
// CHECK: %[[V0:.+]] = vector.insert %[[Y0]], %{{.+}} [0]
// CHECK: %[[X1:.+]] = vector.extract %[[X]][1]
// CHECK: %[[Y1:.+]] = math.tanh %[[X1]] : f64
// CHECK: %[[V1:.+]] = vector.insert %[[Y1]], %[[V0]] [1]
// CHECK: return %[[V1]]
func.func @tanh_double(%x: vector<2xf64>) -> vector<2xf64> {
  %y = math.tanh %x : vector<2xf64>
  return %y : vector<2xf64>
}

// CHECK-LABEL: @other_function(
// CHECK-COUNT-4: math.sin %{{.+}} : f32
// CHECK-NOT: math.sin
// CHECK: return
func.func @other_function(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.sin %x : vector<4xf32>
  return %y : vector<4xf32>
}

// CHECK-LABEL: @two_operands(
// CHECK-SAME: %[[X:.+]]: vector<2xf32>, %[[P:.+]]: vector<2xf32>)
// CHECK: %[[X0:.+]] = vector.extract %[[X]][0]
// CHECK: %[[P0:.+]] = vector.extract %[[P]][0]
// CHECK: math.powf %[[X0]], %[[P0]] : f32
// CHECK: math.powf %{{.+}}, %{{.+}} : f32
// CHECK-NOT: math.powf
// CHECK: return
func.func @two_operands(%x: vector<2xf32>, %p: vector<2xf32>)
    -> vector<2xf32> {
  %y = math.powf %x, %p : vector<2xf32>
  return %y : vector<2xf32>
}

// The result need not be of the operand's type.
// CHECK-LABEL: @predicate(
// CHECK: %[[B:.+]] = math.isnan %{{.+}} : f32
// CHECK: vector.insert %[[B]], %{{.+}} [0] : i1 into vector<2xi1>
func.func @predicate(%x: vector<2xf32>) -> vector<2xi1> {
  %y = math.isnan %x : vector<2xf32>
  return %y : vector<2xi1>
}

// No vector of halves has a polynomial of its own.
// CHECK-LABEL: @exp_half(
// CHECK-COUNT-2: math.exp %{{.+}} : f16
func.func @exp_half(%x: vector<2xf16>) -> vector<2xf16> {
  %y = math.exp %x : vector<2xf16>
  return %y : vector<2xf16>
}

// Flags of the operation stay with its elements.
// CHECK-LABEL: @flags(
// CHECK: math.sin %{{.+}} fastmath<nnan> : f32
func.func @flags(%x: vector<2xf32>) -> vector<2xf32> {
  %y = math.sin %x fastmath<nnan> : vector<2xf32>
  return %y : vector<2xf32>
}

// What it leaves alone: operations with an instruction of their own, scalars,
// vectors of rank 2 and operations with several results.
// CHECK-LABEL: @instructions(
// CHECK: math.sqrt %{{.+}} : vector<4xf32>
// CHECK: math.absf %{{.+}} : vector<4xf32>
// CHECK: math.floor %{{.+}} : vector<4xf32>
// CHECK: math.roundeven %{{.+}} : vector<4xf32>
// CHECK: math.fma %{{.+}}, %{{.+}}, %{{.+}} : vector<4xf32>
func.func @instructions(%x: vector<4xf32>) -> vector<4xf32> {
  %a = math.sqrt %x : vector<4xf32>
  %b = math.absf %a : vector<4xf32>
  %c = math.floor %b : vector<4xf32>
  %d = math.roundeven %c : vector<4xf32>
  %e = math.fma %d, %x, %a : vector<4xf32>
  return %e : vector<4xf32>
}

// CHECK-LABEL: @scalar(
// CHECK: math.exp %{{.+}} : f32
func.func @scalar(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// CHECK-LABEL: @rank_2(
// CHECK: math.exp %{{.+}} : vector<2x2xf32>
func.func @rank_2(%x: vector<2x2xf32>) -> vector<2x2xf32> {
  %y = math.exp %x : vector<2x2xf32>
  return %y : vector<2x2xf32>
}

// CHECK-LABEL: @two_results(
// CHECK: math.sincos %{{.+}} : vector<2xf32>
func.func @two_results(%x: vector<2xf32>) -> (vector<2xf32>, vector<2xf32>) {
  %s, %c = math.sincos %x : vector<2xf32>
  return %s, %c : vector<2xf32>, vector<2xf32>
}

// A bf16 is the upper half of an f32, and every f32 is an f64.
// CHECK-LABEL: @bf16_to_f64(
// CHECK-SAME: %[[X:.+]]: bf16, %[[V:.+]]: vector<8xbf16>)
// CHECK: %[[BITS:.+]] = arith.bitcast %[[X]] : bf16 to i16
// CHECK: %[[WORD:.+]] = arith.extui %[[BITS]] : i16 to i32
// CHECK: %[[UPPER:.+]] = arith.shli %[[WORD]], %c16_i32 : i32
// CHECK: %[[SINGLE:.+]] = arith.bitcast %[[UPPER]] : i32 to f32
// CHECK: arith.extf %[[SINGLE]] : f32 to f64
// CHECK: arith.bitcast %[[V]] : vector<8xbf16> to vector<8xi16>
// CHECK: arith.extf %{{.+}} : vector<8xf32> to vector<8xf64>
func.func @bf16_to_f64(%x: bf16, %v: vector<8xbf16>) -> (f64, vector<8xf64>) {
  %y = arith.extf %x : bf16 to f64
  %w = arith.extf %v : vector<8xbf16> to vector<8xf64>
  return %y, %w : f64, vector<8xf64>
}
