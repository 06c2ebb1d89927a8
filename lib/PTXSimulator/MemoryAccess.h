//===- MemoryAccess.h - checked accesses of a warp's lanes ----------------===//

#ifndef FOVEA_PTXSIMULATOR_MEMORYACCESS_H
#define FOVEA_PTXSIMULATOR_MEMORYACCESS_H

#include "Decoder.h"
#include "Warp.h"

namespace fovea::ptx {

/// The address space that an instruction names.
enum class AddressedSpace : uint8_t { Generic, Global, Shared, Local, Param };

/// Takes `.global`, `.shared`, `.shared::cta`, ... and gives `otherwise` if
/// there is none. `.const` is read as global memory.
AddressedSpace takeSpace(Decoder &decoder, AddressedSpace otherwise);

/// One memory instruction of a warp. It checks each lane's access, tells the
/// observer of those that were good when it ends, and reports the others.
class MemoryAccess {
public:
  MemoryAccess(Warp &warp, AddressedSpace space, AccessKind kind)
      : warp(warp), space(space), kind(kind) {}
  ~MemoryAccess();

  /// The memory at `address`, or null after a report.
  uint8_t *find(unsigned lane, uint64_t address, uint32_t bytes,
                uint32_t alignment);
  /// Reports bytes found by the last `find` that nothing has written.
  void checkInitialized(unsigned lane, uint32_t bytes);
  /// Marks the bytes found by the last `find` as written.
  void markInitialized(uint32_t bytes);
  /// The address in its own space, as found by the last `find`.
  uint64_t getAddress() const { return lastAddress; }

private:
  void report(unsigned lane, ReportKind kind, uint32_t bytes,
              const llvm::Twine &where);
  std::string describePlace(MemorySpace place, uint64_t address) const;

  Warp &warp;
  AddressedSpace space;
  AccessKind kind;
  MemorySpace lastSpace = MemorySpace::Global;
  uint64_t lastAddress = 0;
  uint8_t *lastStates = nullptr;

  Mask mask = 0;
  MemorySpace observedSpace = MemorySpace::Global;
  Row<uint64_t> addresses;
  Row<uint32_t> sizes;
};

} // namespace fovea::ptx

#endif // FOVEA_PTXSIMULATOR_MEMORYACCESS_H
