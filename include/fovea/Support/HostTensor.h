//===- HostTensor.h - a compact tensor in this process's memory -----------===//

#ifndef FOVEA_SUPPORT_HOSTTENSOR_H
#define FOVEA_SUPPORT_HOSTTENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace fovea {

/// Element types that tensors in files can have. A Bool is one byte, any
/// nonzero byte true.
enum class HostType { F64, F32, F16, BF16, I64, I32, I8, U8, Bool };

/// `f32`, `i64`, `bool`, ...
llvm::StringRef getHostTypeName(HostType type);
int64_t getHostTypeBytes(HostType type);
bool isFloat(HostType type);

/// Conversions to and from the 16-bit floats, rounding to nearest even.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(double value);
float bfloatToFloat(uint16_t bits);
uint16_t floatToBfloat(double value);

/// `value` rounded to a float type.
double roundTo(HostType type, double value);

/// `[2, 3, 4]`.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

/// The product of `shape`, or nothing if it or its bytes do not fit an int64.
std::optional<int64_t> getNumElements(llvm::ArrayRef<int64_t> shape,
                                      int64_t elementBytes);

/// A row-major tensor that owns its memory, 64-byte aligned.
class HostTensor {
public:
  HostTensor() = default;
  /// Memory of unspecified content; fails where there is not enough of it.
  static llvm::Expected<HostTensor> create(HostType type,
                                           llvm::ArrayRef<int64_t> shape);

  HostType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return numElements; }
  int64_t getNumBytes() const { return numElements * getHostTypeBytes(type); }

  void *getData() { return memory.get(); }
  const void *getData() const { return memory.get(); }
  template <typename T> llvm::ArrayRef<T> as() const {
    return {static_cast<const T *>(getData()), size_t(numElements)};
  }
  template <typename T> llvm::MutableArrayRef<T> as() {
    return {static_cast<T *>(getData()), size_t(numElements)};
  }

  /// Element number `index`, in row-major order, as a number. Bools give 0
  /// or 1.
  double getFloat(int64_t index) const;
  int64_t getInteger(int64_t index) const;
  /// Sets an element, rounding to its type.
  void setFloat(int64_t index, double value);
  void setInteger(int64_t index, int64_t value);

  /// `count` elements from `index` on, as doubles.
  void readFloats(int64_t index, int64_t count, double *to) const;

private:
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  HostType type = HostType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  int64_t numElements = 0;
  std::unique_ptr<void, Free> memory;
};

} // namespace fovea

#endif // FOVEA_SUPPORT_HOSTTENSOR_H
