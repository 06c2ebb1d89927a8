//===- MemoryAccess.cpp - checked accesses of a warp's lanes --------------===//

#include "MemoryAccess.h"
#include "AddressSpace.h"
#include "Block.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fovea::ptx;

AddressedSpace fovea::ptx::takeSpace(Decoder &decoder,
                                     AddressedSpace otherwise) {
  struct Name {
    llvm::StringLiteral name;
    AddressedSpace space;
  };
  static constexpr Name names[] = {
      {"global", AddressedSpace::Global},
      {"const", AddressedSpace::Global},
      {"shared", AddressedSpace::Shared},
      {"shared::cta", AddressedSpace::Shared},
      {"local", AddressedSpace::Local},
      {"param", AddressedSpace::Param},
      {"param::entry", AddressedSpace::Param},
      {"param::func", AddressedSpace::Local},
  };
  for (const Name &known : names)
    if (decoder.take(known.name))
      return known.space;
  return otherwise;
}

static llvm::StringRef getVerb(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return "reads";
  case AccessKind::Write:
    return "writes";
  case AccessKind::Atomic:
    return "updates";
  case AccessKind::AsyncRead:
    return "copies from";
  case AccessKind::AsyncWrite:
    return "copies to";
  }
  return "";
}

void MemoryAccess::report(unsigned lane, ReportKind reportKind, uint32_t bytes,
                          const llvm::Twine &where) {
  warp.report(reportKind, lane,
              llvm::formatv("{0} {1} bytes ", getVerb(kind), bytes).str() +
                  where);
}

/// The variable that an address lies in or, if in none, comes after.
static const MemoryRange *findRange(llvm::ArrayRef<MemoryRange> ranges,
                                    uint64_t address) {
  const MemoryRange *found = nullptr;
  for (const MemoryRange &range : ranges)
    if (range.begin <= address && (!found || range.begin > found->begin))
      found = &range;
  return found;
}

std::string MemoryAccess::describePlace(MemorySpace place,
                                        uint64_t address) const {
  const Program &program = warp.getBlock().program;
  llvm::StringRef name = place == MemorySpace::Shared      ? "shared"
                         : place == MemorySpace::Local     ? "local"
                         : place == MemorySpace::Parameter ? "parameter"
                                                           : "global";
  if (place == MemorySpace::Global) {
    const Allocation *allocation = warp.getBlock().launch.device.find(address);
    if (!allocation)
      return llvm::formatv("at global address {0:x}, where nothing is "
                           "allocated",
                           address);
    uint64_t offset = Device::getOffset(address);
    // An index below 0 wraps into the end of the window before.
    if (offset >> (Device::windowBits - 1))
      return llvm::formatv("at global address {0:x}, far from any allocation",
                           address);
    return llvm::formatv(
        "at offset {0} of '{1}', which {2}", offset, allocation->name,
        allocation->freed
            ? std::string("was freed")
            : llvm::formatv("has {0} bytes", allocation->size).str());
  }
  std::vector<MemoryRange> ranges =
      place == MemorySpace::Shared  ? program.shared
      : place == MemorySpace::Local ? program.local
                                    : program.parameters;
  if (place == MemorySpace::Shared)
    for (const std::string &dynamic : program.dynamicNames)
      ranges.push_back({dynamic, program.dynamicBase,
                        warp.getBlock().launch.dynamicSharedBytes});
  if (const MemoryRange *range = findRange(ranges, address))
    return llvm::formatv("at offset {0} of {1} variable '{2}', which has {3} "
                         "bytes",
                         address - range->begin, name, range->name,
                         range->size);
  return llvm::formatv("at {0} address {1:x}, where no variable is", name,
                       address);
}

uint8_t *MemoryAccess::find(unsigned lane, uint64_t address, uint32_t bytes,
                            uint32_t alignment) {
  Block &block = warp.getBlock();
  AddressedSpace in = space;
  if (in == AddressedSpace::Generic) {
    uint64_t window = address >> windowShift;
    in = window == 1   ? AddressedSpace::Shared
         : window == 2 ? AddressedSpace::Local
         : window == 3 ? AddressedSpace::Param
                       : AddressedSpace::Global;
    if (in != AddressedSpace::Global)
      address &= (uint64_t(1) << windowShift) - 1;
  }
  lastAddress = address;
  lastStates = nullptr;
  uint8_t *data = nullptr;
  bool readOnly = false;
  switch (in) {
  case AddressedSpace::Generic:
  case AddressedSpace::Global: {
    lastSpace = MemorySpace::Global;
    const Allocation *allocation = block.launch.device.find(address);
    uint64_t offset = Device::getOffset(address);
    if (allocation && !allocation->freed && bytes <= allocation->size &&
        offset <= allocation->size - bytes) {
      data = allocation->data + offset;
      readOnly = allocation->readOnly;
      if (allocation->states)
        lastStates = allocation->states + offset;
    }
    break;
  }
  case AddressedSpace::Shared:
    lastSpace = MemorySpace::Shared;
    if (block.shared.contains(address, bytes)) {
      data = block.shared.getData(address);
      lastStates = block.shared.getStates(address);
    }
    break;
  case AddressedSpace::Local: {
    lastSpace = MemorySpace::Local;
    uint64_t size = block.program.localBytes;
    uint64_t thread = warp.getNumber() * warpSize + lane;
    if (address < size && bytes <= size - address &&
        block.local.contains(thread * size + address, bytes)) {
      data = block.local.getData(thread * size + address);
      lastStates = block.local.getStates(thread * size + address);
    }
    break;
  }
  case AddressedSpace::Param: {
    lastSpace = MemorySpace::Parameter;
    std::vector<uint8_t> &parameters = block.launch.parameters;
    if (bytes <= parameters.size() && address <= parameters.size() - bytes)
      data = parameters.data() + address;
    readOnly = true;
    break;
  }
  }
  if (!data) {
    report(lane, ReportKind::OutOfBounds, bytes,
           describePlace(lastSpace, address));
    return nullptr;
  }
  if (address % alignment)
    report(lane, ReportKind::Misaligned, bytes,
           describePlace(lastSpace, address) +
               llvm::formatv(", not at a multiple of {0}", alignment).str());
  bool writes = kind != AccessKind::Read && kind != AccessKind::AsyncRead;
  if (readOnly && writes) {
    report(lane, ReportKind::ReadOnly, bytes,
           describePlace(lastSpace, address) + " and is read-only");
    return nullptr;
  }
  if (block.observer) {
    mask |= Mask(1) << lane;
    observedSpace = lastSpace;
    addresses[lane] = address;
    sizes[lane] = bytes;
  }
  return data;
}

void MemoryAccess::checkInitialized(unsigned lane, uint32_t bytes) {
  if (!lastStates)
    return;
  for (uint32_t n = 0; n < bytes; ++n)
    if (!(lastStates[n] & ShadowedMemory::Initialized)) {
      report(lane, ReportKind::Uninitialized, bytes,
             describePlace(lastSpace, lastAddress) +
                 "; nothing has written byte " + llvm::Twine(n) + " of them");
      return;
    }
}

void MemoryAccess::markInitialized(uint32_t bytes) {
  if (lastStates)
    std::memset(lastStates, ShadowedMemory::Initialized, bytes);
}

MemoryAccess::~MemoryAccess() {
  if (mask)
    warp.getBlock().observer->access({observedSpace, kind, warp.getNumber(),
                                      warp.getPosition(), mask, addresses,
                                      sizes});
}
