//===- GuardedTensor.h - tensors beside unreadable memory -----------------===//

#ifndef FOVEA_TEST_FUZZ_GUARDEDTENSOR_H
#define FOVEA_TEST_FUZZ_GUARDEDTENSOR_H

#include "fovea/Pipeline/LoadedKernel.h"

namespace fovea::fuzz {

/// Pages of memory between two that can't be touched, filled with one byte. An
/// access of the two ends the process with a report; see catchFaults.
class GuardedMemory {
public:
  /// `bytes` of memory that end at the guard after them, or begin at the guard
  /// before. `name` is what a fault is reported as and must outlive it.
  GuardedMemory(const char *name, int64_t bytes, bool isGuardBefore,
                uint8_t fill);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  char *getData() const { return data; }
  /// The pages as a whole, what is beside the data included.
  llvm::MutableArrayRef<char> getPages() const;
  /// The guard that the data touches.
  char *getGuard() const { return guard; }

private:
  char *mapping = nullptr, *data = nullptr, *guard = nullptr;
  int64_t pageBytes = 0;
};

/// Makes faults at guards, and other fatal signals, write a line to `fd` and
/// end the process.
void catchFaults(int fd);

/// A strided tensor in guarded memory. What lies between and beside the
/// elements reads as NaN, true and -1.
class GuardedTensor {
public:
  /// `strides` are in elements, none negative; with `shifts` the data pointer
  /// stands before the tensor and byte_offset makes up for it.
  GuardedTensor(std::string name, const HostTensor &tensor,
                llvm::ArrayRef<int64_t> strides, bool isGuardBefore,
                bool shifts);

  fovea_tensor *getView() { return &view; }
  llvm::StringRef getName() const { return name; }
  GuardedMemory &getMemory() { return *memory; }

  /// Makes the last element another number, whatever its type.
  void perturb();
  /// Copies the elements out.
  void read(HostTensor &tensor) const;
  /// A sentence if a byte has changed, one of an element only if it must not.
  std::string findChange(bool mayElementsChange) const;

private:
  void forEachElement(llvm::function_ref<void(int64_t, char *)> visit) const;

  std::string name;
  llvm::SmallVector<int64_t, 4> shape, strides;
  int64_t elementBytes = 0;
  std::unique_ptr<GuardedMemory> memory;
  char *first = nullptr;
  std::vector<char> before;
  fovea_tensor view = {};
};

} // namespace fovea::fuzz

#endif // FOVEA_TEST_FUZZ_GUARDEDTENSOR_H
