//===- Npy.cpp - NumPy's .npy files ---------------------------------------===//

#include "fovea/Support/Npy.h"
#include "NpyHeader.h"
#include "fovea/Support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace fovea;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef magic("\x93NUMPY", 6);
/// NumPy itself reads at most 10000 bytes of header from a file it does not
/// trust; a shape needs far less.
static constexpr uint64_t maxHeaderBytes = 64 * 1024;
static constexpr size_t maxRank = 32;

static Error fail(StringRef fileName, const Twine &problem) {
  return llvm::createStringError("'" + fileName + "': " + problem);
}

/// The types by NumPy's name, without the byte order.
static std::optional<HostType> parseTypeCode(StringRef code) {
  static constexpr std::pair<StringRef, HostType> types[] = {
      {"f8", HostType::F64},  {"f4", HostType::F32}, {"f2", HostType::F16},
      {"V2", HostType::BF16}, {"i8", HostType::I64}, {"i4", HostType::I32},
      {"i1", HostType::I8},   {"u1", HostType::U8},  {"b1", HostType::Bool}};
  for (auto [name, type] : types)
    if (name == code)
      return type;
  return std::nullopt;
}

static StringRef getDescr(HostType type) {
  switch (type) {
  case HostType::F64:
    return "<f8";
  case HostType::F32:
    return "<f4";
  case HostType::F16:
    return "<f2";
  case HostType::BF16:
    return "<V2";
  case HostType::I64:
    return "<i8";
  case HostType::I32:
    return "<i4";
  case HostType::I8:
    return "|i1";
  case HostType::U8:
    return "|u1";
  case HostType::Bool:
    return "|b1";
  }
  llvm_unreachable("not a host type");
}

static Expected<HostType> parseType(StringRef descr, StringRef fileName) {
  constexpr llvm::StringLiteral types =
      "expects one of f8 f4 f2 V2 (bf16) i8 i4 i1 "
      "u1 b1, ";
  if (descr.empty())
    return fail(fileName, types + "found a structured type; save one field");
  std::string shown;
  llvm::raw_string_ostream os(shown);
  llvm::printEscapedString(descr.take_front(20), os);
  if (descr.ends_with("O") && descr.size() <= 2)
    return fail(fileName, types + "found an array of Python objects ('" +
                              shown +
                              "'); save it with .astype of a number "
                              "type");
  StringRef code = descr;
  char order = '|';
  if (StringRef("<>=|").contains(descr[0])) {
    order = descr[0];
    code = descr.drop_front();
  }
  std::optional<HostType> type = parseTypeCode(code);
  if (!type)
    return fail(fileName,
                types + "found '" + shown + "'; convert it with .astype");
  if (order == '>' && getHostTypeBytes(*type) > 1)
    return fail(fileName, "expects little-endian numbers, found '" + shown +
                              "'; save it with .astype('" + getDescr(*type) +
                              "')");
  return *type;
}

Expected<HostTensor> fovea::parseNpy(StringRef bytes, StringRef fileName) {
  using namespace llvm::support::endian;
  if (!bytes.starts_with(magic)) {
    if (bytes.starts_with("PK"))
      return fail(fileName, "expects a .npy file, found a .npz archive; save "
                            "one array with np.save");
    return fail(fileName, "expects a .npy file, which starts with "
                          "'\\x93NUMPY'; save the array with np.save");
  }
  StringRef rest = bytes.drop_front(magic.size());
  if (rest.size() < 4)
    return fail(fileName, "expects a version and a header length after the "
                          "first 6 bytes, but the file ends; it is truncated");
  unsigned major = uint8_t(rest[0]), minor = uint8_t(rest[1]);
  if (major < 1 || major > 3 || minor != 0)
    return fail(fileName, "expects version 1.0, 2.0 or 3.0 of the format, "
                          "found " +
                              Twine(major) + "." + Twine(minor));
  rest = rest.drop_front(2);
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (rest.size() < lengthBytes)
    return fail(fileName, "expects a header length after the version, but the "
                          "file ends; it is truncated");
  uint64_t length = major == 1 ? read16le(rest.data()) : read32le(rest.data());
  rest = rest.drop_front(lengthBytes);
  if (length > maxHeaderBytes)
    return fail(fileName, "expects a header of at most " +
                              Twine(maxHeaderBytes) + " bytes, found " +
                              Twine(length));
  if (rest.size() < length)
    return fail(fileName, "expects a header of " + Twine(length) +
                              " bytes, but the file has " + Twine(rest.size()) +
                              " more; it is truncated");
  Expected<NpyHeader> header = parseNpyHeader(rest.take_front(length));
  if (!header)
    return fail(fileName, "the header " + llvm::toString(header.takeError()));
  rest = rest.drop_front(length);

  Expected<HostType> type = parseType(header->descr, fileName);
  if (!type)
    return type.takeError();
  if (header->shape.size() > maxRank)
    return fail(fileName, "expects at most " + Twine(maxRank) +
                              " dims, found " + Twine(header->shape.size()));
  std::string shape = formatShape(header->shape);
  std::optional<int64_t> count =
      getNumElements(header->shape, getHostTypeBytes(*type));
  if (!count)
    return fail(fileName,
                "the bytes of shape " + shape + " do not fit 64 bits");
  // Both orders are the same for a vector, and NumPy may write either.
  bool isMatrix =
      llvm::count_if(header->shape, [](int64_t size) { return size != 1; }) > 1;
  if (header->fortranOrder && isMatrix && *count > 0)
    return fail(fileName, "expects row-major (C) order, found Fortran order; "
                          "save it with np.ascontiguousarray");
  uint64_t expected = *count * getHostTypeBytes(*type);
  if (rest.size() != expected)
    return fail(fileName,
                "expects " + Twine(expected) + " bytes of data for shape " +
                    shape + " and type " + getHostTypeName(*type) + ", found " +
                    Twine(rest.size()) +
                    (rest.size() < expected ? "; it is truncated"
                                            : "; it has trailing bytes"));
  Expected<HostTensor> tensor = HostTensor::create(*type, header->shape);
  if (!tensor)
    return fail(fileName, llvm::toString(tensor.takeError()));
  if (expected)
    std::memcpy(tensor->getData(), rest.data(), expected);
  return tensor;
}

Expected<HostTensor> fovea::readNpy(StringRef path) {
  // Volatile, so that the file is read and not mapped: another process may cut
  // it short while it is in use.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "can't read '" + path +
                                       "': " + buffer.getError().message());
  return parseNpy((*buffer)->getBuffer(), path);
}

Error fovea::writeNpy(StringRef path, const HostTensor &tensor) {
  std::string header;
  llvm::raw_string_ostream os(header);
  os << "{'descr': '" << getDescr(tensor.getType())
     << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(tensor.getShape(), os);
  os << (tensor.getRank() == 1 ? ",), }" : "), }");
  // Magic, version, length and the newline count too.
  uint64_t unpadded = magic.size() + 2 + 2 + header.size() + 1;
  header.append(llvm::alignTo(unpadded, 64) - unpadded, ' ');
  header += '\n';
  return writeAtomically(path, [&](llvm::raw_ostream &to) {
    char version[] = {1, 0};
    char length[2];
    llvm::support::endian::write16le(length, uint16_t(header.size()));
    to << magic << StringRef(version, 2) << StringRef(length, 2) << header;
    to.write(static_cast<const char *>(tensor.getData()), tensor.getNumBytes());
  });
}
