//===- NpyTesting.h - what the tests of .npy files share ------------------===//

#ifndef FOVEA_TEST_UNIT_SUPPORT_NPYTESTING_H
#define FOVEA_TEST_UNIT_SUPPORT_NPYTESTING_H

#include "fovea/Support/Npy.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

namespace fovea::test {

/// A file of version `major` with this header text and data.
inline std::string npyBytes(std::string header, std::string data,
                            char major = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += {major, 0};
  uint32_t size = header.size();
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    bytes += char(size >> (8 * i));
  return bytes + header + data;
}

/// A header for this type and shape, as NumPy writes it.
inline std::string npyHeader(std::string descr, std::string shape,
                             std::string order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

/// The message of parsing `bytes`, empty where that succeeds.
inline std::string parseMessage(llvm::StringRef bytes) {
  llvm::Expected<HostTensor> tensor = parseNpy(bytes, "x.npy");
  return tensor ? "" : llvm::toString(tensor.takeError());
}

/// A folder that goes away with the test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("fovea-test", path));
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(path); }

  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> whole(path);
    llvm::sys::path::append(whole, name);
    return std::string(whole);
  }

  /// The names in the folder, in order.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(path, code), end;
         it != end && !code; it.increment(code))
      found.push_back(llvm::sys::path::filename(it->path()).str());
    std::sort(found.begin(), found.end());
    return found;
  }

private:
  llvm::SmallString<128> path;
};

} // namespace fovea::test

#endif // FOVEA_TEST_UNIT_SUPPORT_NPYTESTING_H
