// RUN: fovea-opt %s -attn-expand-math --remarks-filter="vectors|patterns" -verify-diagnostics -o /dev/null

// A pattern that does not apply says why.
func.func @scalar(%x: f32) -> f32 {
  // expected-remark@below {{attn-expand-math: not applied: 'math.exp' expects a rank-1 vector of f32 or f64, but got 'f32'}}
  %y = math.exp %x : f32
  return %y : f32
}

// What no pattern has code for is computed lane by lane, and which pattern came
// close.
func.func @tanh_of_f64(%x: vector<8xf64>) -> vector<8xf64> {
  // expected-remark@below {{'math.tanh' expects a rank-1 vector of f32, but got 'vector<8xf64>'}}
  // expected-remark@below {{Reason="there is no vector code for it in 'vector<8xf64>'", Remark="'math.tanh' is computed lane by lane"}}
  // expected-remark@below {{'math.tanh' expects a rank-1 vector of f32, but got 'f64'}}
  %y = math.tanh %x : vector<8xf64>
  return %y : vector<8xf64>
}

// Of what is not meant for a pattern nothing is said.
func.func @square_root(%x: vector<8xf64>, %y: vector<8xf64>) -> vector<8xf64> {
  %r = math.sqrt %x : vector<8xf64>
  %s = arith.addf %r, %y : vector<8xf64>
  return %s : vector<8xf64>
}
