//===- Device.cpp - the global memory of a simulated device ---------------===//

#include "fovea/PTXSimulator/Device.h"
#include "BlockMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <new>

using namespace fovea::ptx;
using llvm::StringRef;

llvm::Expected<DevicePointer>
Device::add(std::unique_ptr<Allocation> allocation) {
  if (allocations.size() >= maxAllocations)
    return llvm::createStringError("the device has more than " +
                                   llvm::Twine(maxAllocations) +
                                   " allocations");
  if (allocation->size >> windowBits)
    return llvm::createStringError("'" + allocation->name + "' has " +
                                   llvm::Twine(allocation->size) +
                                   " bytes, more than an allocation can have");
  allocations.push_back(std::move(allocation));
  return uint64_t(allocations.size()) << windowBits;
}

/// Null where there is not enough memory.
static std::unique_ptr<uint8_t[]> makeBytes(uint64_t bytes) {
  return std::unique_ptr<uint8_t[]>(new (std::nothrow)
                                        uint8_t[std::max<uint64_t>(bytes, 1)]);
}

static llvm::Error makeMemoryError(StringRef name, uint64_t bytes) {
  return llvm::createStringError("not enough memory for the " +
                                 llvm::Twine(bytes) + " bytes of '" + name +
                                 "'");
}

llvm::Expected<DevicePointer> Device::allocate(uint64_t bytes, StringRef name) {
  auto added = std::make_unique<Allocation>();
  added->name = name.str();
  added->size = bytes;
  added->ownedData = makeBytes(bytes);
  added->ownedStates = makeBytes(bytes);
  if (!added->ownedData || !added->ownedStates)
    return makeMemoryError(name, bytes);
  std::memset(added->ownedData.get(), 0xcd, bytes);
  std::memset(added->ownedStates.get(), 0, bytes);
  added->data = added->ownedData.get();
  added->states = added->ownedStates.get();
  return add(std::move(added));
}

llvm::Expected<DevicePointer> Device::map(void *host, uint64_t bytes,
                                          StringRef name, Content content) {
  auto added = std::make_unique<Allocation>();
  added->name = name.str();
  added->size = bytes;
  added->data = static_cast<uint8_t *>(host);
  if (content == Content::Uninitialized) {
    added->ownedStates = makeBytes(bytes);
    if (!added->ownedStates)
      return makeMemoryError(name, bytes);
    std::memset(added->ownedStates.get(), 0, bytes);
    added->states = added->ownedStates.get();
  }
  return add(std::move(added));
}

llvm::Expected<DevicePointer>
Device::mapReadOnly(const void *host, uint64_t bytes, StringRef name) {
  auto added = std::make_unique<Allocation>();
  added->name = name.str();
  added->size = bytes;
  added->data = static_cast<uint8_t *>(const_cast<void *>(host));
  added->readOnly = true;
  return add(std::move(added));
}

void Device::free(DevicePointer pointer) {
  if (!find(pointer))
    return;
  Allocation &found = *allocations[(pointer >> windowBits) - 1];
  found.freed = true;
  found.data = found.states = nullptr;
  found.ownedData.reset();
  found.ownedStates.reset();
}

llvm::Expected<const Allocation *> Device::findRange(DevicePointer pointer,
                                                     uint64_t bytes) const {
  const Allocation *found = find(pointer);
  if (!found || found->freed)
    return llvm::createStringError(
        llvm::formatv("no memory is allocated at {0:x}", pointer));
  uint64_t offset = getOffset(pointer);
  if (offset > found->size || bytes > found->size - offset)
    return llvm::createStringError(
        llvm::formatv("'{0}' has {1} bytes, but {2} from {3} on were asked for",
                      found->name, found->size, bytes, offset));
  return found;
}

llvm::Error Device::write(DevicePointer to, const void *from, uint64_t bytes) {
  llvm::Expected<const Allocation *> found = findRange(to, bytes);
  if (!found)
    return found.takeError();
  if ((*found)->readOnly)
    return llvm::createStringError("'" + (*found)->name + "' is read-only");
  std::memcpy((*found)->data + getOffset(to), from, bytes);
  if ((*found)->states)
    std::memset((*found)->states + getOffset(to), ShadowedMemory::Initialized,
                bytes);
  return llvm::Error::success();
}

llvm::Error Device::read(void *to, DevicePointer from, uint64_t bytes) const {
  llvm::Expected<const Allocation *> found = findRange(from, bytes);
  if (!found)
    return found.takeError();
  std::memcpy(to, (*found)->data + getOffset(from), bytes);
  return llvm::Error::success();
}

llvm::Expected<uint64_t> Device::countUninitialized(DevicePointer pointer,
                                                    uint64_t bytes) const {
  llvm::Expected<const Allocation *> found = findRange(pointer, bytes);
  if (!found)
    return found.takeError();
  if (!(*found)->states)
    return 0;
  return llvm::count_if(
      llvm::ArrayRef((*found)->states + getOffset(pointer), bytes),
      [](uint8_t state) { return state != ShadowedMemory::Initialized; });
}

llvm::Expected<DevicePointer>
Device::getVariable(uint64_t module, StringRef name,
                    llvm::ArrayRef<uint8_t> content, bool readOnly) {
  std::string key = llvm::formatv("{0}:{1}", module, name);
  auto known = variables.find(key);
  if (known != variables.end())
    return known->second;
  auto added = std::make_unique<Allocation>();
  added->name = name.str();
  added->size = content.size();
  added->ownedData = makeBytes(content.size());
  if (!added->ownedData)
    return makeMemoryError(name, content.size());
  llvm::copy(content, added->ownedData.get());
  added->data = added->ownedData.get();
  added->readOnly = readOnly;
  llvm::Expected<DevicePointer> pointer = add(std::move(added));
  if (pointer)
    variables[key] = *pointer;
  return pointer;
}
