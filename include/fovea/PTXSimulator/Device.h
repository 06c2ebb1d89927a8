//===- Device.h - the global memory of a simulated device -----------------===//
//
// Every allocation has a window of addresses of its own, so that an address
// tells which allocation it was computed from, however far out of bounds.
// Bytes that neither the host nor a kernel wrote count as uninitialised.
//
// A device may be used by one launch at a time; between launches by one thread.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_PTXSIMULATOR_DEVICE_H
#define FOVEA_PTXSIMULATOR_DEVICE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fovea::ptx {

/// An address of global memory, to be passed to a kernel as a 64-bit argument.
/// Adding bytes to it stays in the same allocation.
using DevicePointer = uint64_t;

/// A piece of global memory.
struct Allocation {
  std::string name;
  uint64_t size = 0;
  uint8_t *data = nullptr;
  /// A byte for each byte of `data`: 2 where it is initialised, else 0. Null
  /// if all of it is initialised.
  uint8_t *states = nullptr;
  bool readOnly = false;
  bool freed = false;

  std::unique_ptr<uint8_t[]> ownedData, ownedStates;
};

class Device {
public:
  /// An allocation starts at a multiple of 2^windowBits, and may not be larger;
  /// no other starts within that many bytes.
  static constexpr unsigned windowBits = 40;
  static constexpr uint64_t maxAllocations = (uint64_t(1) << 15) - 1;

  /// Memory that nothing has written yet. `name` is for reports.
  llvm::Expected<DevicePointer> allocate(uint64_t bytes, llvm::StringRef name);

  /// What the host memory behind a mapping holds.
  enum class Content { Initialized, Uninitialized };

  /// Lets kernels use `bytes` of host memory, which is not copied and must
  /// outlive the device or `free`. The device's address is aligned whatever the
  /// host's is; for a tensor at some offset map what it lies in, and add to the
  /// pointer.
  llvm::Expected<DevicePointer> map(void *host, uint64_t bytes,
                                    llvm::StringRef name, Content content);
  /// The same for memory that kernels may only read.
  llvm::Expected<DevicePointer> mapReadOnly(const void *host, uint64_t bytes,
                                            llvm::StringRef name);

  /// Later accesses to the allocation of `pointer` are out of bounds.
  void free(DevicePointer pointer);

  /// Copies from the host; the bytes become initialised.
  llvm::Error write(DevicePointer to, const void *from, uint64_t bytes);
  /// Copies to the host, whether initialised or not.
  llvm::Error read(void *to, DevicePointer from, uint64_t bytes) const;

  /// How many of the `bytes` from `pointer` on nothing has written.
  llvm::Expected<uint64_t> countUninitialized(DevicePointer pointer,
                                              uint64_t bytes) const;

  /// The allocation whose window holds `address`, or null. The address may be
  /// beyond its end.
  const Allocation *find(DevicePointer address) const {
    uint64_t window = address >> windowBits;
    return window - 1 < allocations.size() ? allocations[window - 1].get()
                                           : nullptr;
  }
  static uint64_t getOffset(DevicePointer address) {
    return address & ((uint64_t(1) << windowBits) - 1);
  }

  /// The `.global` or `.const` variable `name` of a module, made at its first
  /// use from `content` and kept for later launches. `module` only tells
  /// modules apart.
  llvm::Expected<DevicePointer> getVariable(uint64_t module,
                                            llvm::StringRef name,
                                            llvm::ArrayRef<uint8_t> content,
                                            bool readOnly);

private:
  llvm::Expected<DevicePointer> add(std::unique_ptr<Allocation> allocation);
  llvm::Expected<const Allocation *> findRange(DevicePointer pointer,
                                               uint64_t bytes) const;

  std::vector<std::unique_ptr<Allocation>> allocations;
  llvm::StringMap<DevicePointer> variables;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_DEVICE_H
