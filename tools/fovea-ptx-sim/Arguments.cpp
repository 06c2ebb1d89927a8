//===- Arguments.cpp - arguments of a kernel from the command line --------===//

#include "Arguments.h"
#include "fovea/Support/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace fovea;
using namespace fovea::ptxsim;
using llvm::StringRef;
using ptx::DevicePointer;
using ptx::KernelArgument;

static llvm::Error fail(const llvm::Twine &text) {
  return llvm::createStringError(text);
}

llvm::Error Arguments::add(StringRef text) {
  auto [kind, value] = text.split(':');
  if (kind.size() >= 2 && (kind[0] == 'i' || kind[0] == 'u') &&
      llvm::isDigit(kind[1]))
    return addInteger(kind, value);
  if (kind == "f32" || kind == "f64")
    return addFloat(kind, value);
  if (kind == "buffer" || kind == "zeros")
    return addMemory(kind, value);
  if (kind == "in" || kind == "inout")
    return addFile(kind, value);
  if (kind == "out")
    return addOutput(value);
  if (kind == "hex")
    return addStructure(value);
  if (kind == "null" && value.empty()) {
    arguments.push_back(KernelArgument::of(DevicePointer(0)));
    return llvm::Error::success();
  }
  return fail("'--arg' expects a kind such as 'i32:' or 'in:' before its "
              "value, but got '" +
              text + "'; see '--help'");
}

llvm::Error Arguments::addInteger(StringRef kind, StringRef value) {
  unsigned bits = 0;
  if (kind.drop_front().getAsInteger(10, bits) ||
      (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return fail("'--arg' does not know the type '" + kind + "'");
  uint64_t number = 0;
  bool isGood;
  if (kind[0] == 'u') {
    isGood = !value.getAsInteger(0, number) && llvm::isUIntN(bits, number);
  } else {
    int64_t signedNumber = 0;
    isGood = !value.getAsInteger(0, signedNumber) &&
             llvm::isIntN(bits, signedNumber);
    number = signedNumber;
  }
  if (!isGood)
    return fail("'--arg=" + kind + ":' expects an integer of " +
                llvm::Twine(bits) + " bits, but got '" + value + "'");
  const auto *bytes = reinterpret_cast<const uint8_t *>(&number);
  arguments.emplace_back(llvm::ArrayRef(bytes, bits / 8));
  return llvm::Error::success();
}

llvm::Error Arguments::addFloat(StringRef kind, StringRef value) {
  double number;
  if (value.getAsDouble(number))
    return fail("'--arg=" + kind + ":' expects a number, but got '" + value +
                "'");
  arguments.push_back(kind == "f32" ? KernelArgument::of(float(number))
                                    : KernelArgument::of(number));
  return llvm::Error::success();
}

llvm::Error Arguments::addStructure(StringRef value) {
  std::string bytes;
  if (value.empty() || value.size() % 2 || !llvm::tryGetFromHex(value, bytes))
    return fail(
        "'--arg=hex:' expects two hexadecimal digits a byte, but got '" +
        value + "'");
  arguments.emplace_back(llvm::arrayRefFromStringRef(bytes));
  return llvm::Error::success();
}

llvm::Error Arguments::addMemory(StringRef kind, StringRef value) {
  uint64_t bytes;
  if (value.getAsInteger(0, bytes))
    return fail("'--arg=" + kind + ":' expects a number of bytes, but got '" +
                value + "'");
  std::string name = "argument " + std::to_string(arguments.size());
  llvm::Expected<DevicePointer> pointer = device.allocate(bytes, name);
  if (!pointer)
    return pointer.takeError();
  if (kind == "zeros") {
    std::vector<uint8_t> zeros(bytes);
    if (llvm::Error error = device.write(*pointer, zeros.data(), bytes))
      return error;
  }
  arguments.push_back(KernelArgument::of(*pointer));
  return llvm::Error::success();
}

llvm::Error Arguments::addFile(StringRef kind, StringRef value) {
  auto file = std::make_unique<File>();
  StringRef from = value;
  if (kind == "inout") {
    auto [first, second] = value.split(':');
    if (second.empty())
      return fail("'--arg=inout:' expects two files, as in 'a.npy:b.npy', but "
                  "got '" +
                  value + "'");
    from = first;
    file->path = second.str();
  }
  llvm::Expected<HostTensor> tensor = readNpy(from);
  if (!tensor)
    return tensor.takeError();
  file->tensor = std::move(*tensor);
  void *data = file->tensor.getData();
  uint64_t bytes = file->tensor.getNumBytes();
  llvm::Expected<DevicePointer> pointer =
      kind == "in"
          ? device.mapReadOnly(data, bytes, from)
          : device.map(data, bytes, from, ptx::Device::Content::Initialized);
  if (!pointer)
    return pointer.takeError();
  file->pointer = *pointer;
  arguments.push_back(KernelArgument::of(*pointer));
  files.push_back(std::move(file));
  return llvm::Error::success();
}

/// `FILE.npy:TYPE:SHAPE`.
llvm::Error Arguments::addOutput(StringRef value) {
  auto [rest, shapeText] = value.rsplit(':');
  auto [path, typeName] = rest.rsplit(':');
  std::optional<HostType> type =
      llvm::StringSwitch<std::optional<HostType>>(typeName)
          .Case("f64", HostType::F64)
          .Case("f32", HostType::F32)
          .Case("f16", HostType::F16)
          .Case("bf16", HostType::BF16)
          .Case("i64", HostType::I64)
          .Case("i32", HostType::I32)
          .Case("i8", HostType::I8)
          .Case("u8", HostType::U8)
          .Case("bool", HostType::Bool)
          .Default(std::nullopt);
  llvm::SmallVector<StringRef, 4> parts;
  shapeText.split(parts, 'x');
  llvm::SmallVector<int64_t, 4> shape(parts.size());
  bool isGood = type && !path.empty();
  for (size_t n = 0; isGood && n < parts.size(); ++n)
    isGood = !parts[n].getAsInteger(10, shape[n]) && shape[n] >= 0;
  if (!isGood)
    return fail("'--arg=out:' expects a file, a type and a shape, as in "
                "'o.npy:f16:2x64x128', but got '" +
                value + "'");
  auto file = std::make_unique<File>();
  file->path = path.str();
  llvm::Expected<HostTensor> tensor = HostTensor::create(*type, shape);
  if (!tensor)
    return tensor.takeError();
  file->tensor = std::move(*tensor);
  uint64_t bytes = file->tensor.getNumBytes();
  // NaN in floats, so that what is left out shows in the file too.
  std::memset(file->tensor.getData(), 0xff, bytes);
  llvm::Expected<DevicePointer> pointer = device.map(
      file->tensor.getData(), bytes, path, ptx::Device::Content::Uninitialized);
  if (!pointer)
    return pointer.takeError();
  file->pointer = *pointer;
  arguments.push_back(KernelArgument::of(*pointer));
  files.push_back(std::move(file));
  return llvm::Error::success();
}

llvm::Error Arguments::writeFiles(llvm::raw_ostream &os) {
  for (const auto &file : files) {
    if (file->path.empty())
      continue;
    if (llvm::Error error = writeNpy(file->path, file->tensor))
      return error;
    llvm::Expected<uint64_t> missing =
        device.countUninitialized(file->pointer, file->tensor.getNumBytes());
    if (!missing)
      return missing.takeError();
    if (*missing)
      os << file->path << ": the kernel left "
         << *missing / getHostTypeBytes(file->tensor.getType()) << " of "
         << file->tensor.getNumElements() << " elements unwritten\n";
  }
  return llvm::Error::success();
}
