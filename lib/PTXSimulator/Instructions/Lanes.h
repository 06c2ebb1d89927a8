//===- Lanes.h - functions of one lane as handlers of a warp --------------===//

#ifndef FOVEA_PTXSIMULATOR_LANES_H
#define FOVEA_PTXSIMULATOR_LANES_H

#include "../Warp.h"

namespace fovea::ptx {

/// Handlers that apply `F`, a function object of one lane's values, to all
/// lanes: those that are not active are computed too and dropped, so that the
/// loop has no branch. `F` must therefore be defined for all values.
template <typename F, typename R, typename A>
Flow unary(Warp &warp, const Op &op, Mask mask) {
  Row<A> a = warp.read<A>(op.source(0));
  Row<R> result;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result[lane] = F()(a[lane]);
  warp.write(op.result(), result, mask);
  return Flow::Next;
}

template <typename F, typename R, typename A, typename B = A>
Flow binary(Warp &warp, const Op &op, Mask mask) {
  Row<A> a = warp.read<A>(op.source(0));
  Row<B> b = warp.read<B>(op.source(1));
  Row<R> result;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result[lane] = F()(a[lane], b[lane]);
  warp.write(op.result(), result, mask);
  return Flow::Next;
}

template <typename F, typename R, typename A, typename B = A, typename C = A>
Flow ternary(Warp &warp, const Op &op, Mask mask) {
  Row<A> a = warp.read<A>(op.source(0));
  Row<B> b = warp.read<B>(op.source(1));
  Row<C> c = warp.read<C>(op.source(2));
  Row<R> result;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    result[lane] = F()(a[lane], b[lane], c[lane]);
  warp.write(op.result(), result, mask);
  return Flow::Next;
}

/// The handler that `make` gives for the C++ type of an integer type of 16 to
/// 64 bits, or null. `make` is called with a zero of the type.
template <typename Make> Handler pickInteger(Type type, Make make) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return make(uint16_t());
  case Type::B32:
  case Type::U32:
    return make(uint32_t());
  case Type::B64:
  case Type::U64:
    return make(uint64_t());
  case Type::S16:
    return make(int16_t());
  case Type::S32:
    return make(int32_t());
  case Type::S64:
    return make(int64_t());
  default:
    return nullptr;
  }
}

/// The same for types without a sign.
template <typename Make> Handler pickBits(Type type, Make make) {
  switch (type) {
  case Type::B16:
    return make(uint16_t());
  case Type::B32:
    return make(uint32_t());
  case Type::B64:
    return make(uint64_t());
  default:
    return nullptr;
  }
}

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_LANES_H
