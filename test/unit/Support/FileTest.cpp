//===- FileTest.cpp - files that appear whole or not at all ---------------===//

#include "fovea/Support/File.h"
#include "NpyTesting.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace fovea;
using namespace fovea::test;

static std::string contents(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

static std::string write(const std::string &path, llvm::StringRef text) {
  llvm::Error error =
      writeAtomically(path, [&](llvm::raw_ostream &os) { os << text; });
  return llvm::toString(std::move(error));
}

TEST(FileTest, replacesAndLeavesNothingElse) {
  TemporaryFolder folder;
  EXPECT_EQ(write(folder.file("a"), "one"), "");
  EXPECT_EQ(write(folder.file("a"), "two"), "");
  EXPECT_EQ(contents(folder.file("a")), "two");
  EXPECT_EQ(folder.names(), std::vector<std::string>({"a"}));
}

TEST(FileTest, keepsTheOldFileUntilTheNewOneIsWhole) {
  TemporaryFolder folder;
  std::string path = folder.file("a");
  EXPECT_EQ(write(path, "old"), "");
  llvm::Error error = writeAtomically(path, [&](llvm::raw_ostream &os) {
    os << "new";
    os.flush();
    EXPECT_EQ(contents(path), "old");
  });
  EXPECT_FALSE(bool(error));
  EXPECT_EQ(contents(path), "new");
}

TEST(FileTest, writesThroughALink) {
  TemporaryFolder folder;
  EXPECT_EQ(write(folder.file("a"), "old"), "");
  ASSERT_FALSE(llvm::sys::fs::create_link(folder.file("a"), folder.file("b")));
  EXPECT_EQ(write(folder.file("b"), "new"), "");
  EXPECT_EQ(contents(folder.file("a")), "new");
  bool isLink = false;
  EXPECT_FALSE(llvm::sys::fs::is_symlink_file(folder.file("b"), isLink));
  EXPECT_TRUE(isLink);
}

TEST(FileTest, leavesDevicesInPlace) {
  EXPECT_EQ(write("/dev/null", "text"), "");
  llvm::sys::fs::file_status status;
  ASSERT_FALSE(llvm::sys::fs::status("/dev/null", status));
  EXPECT_EQ(status.type(), llvm::sys::fs::file_type::character_file);
}

TEST(FileTest, namesWhatItCannotWrite) {
  TemporaryFolder folder;
  EXPECT_EQ(write(folder.file("no/a"), "text"),
            "can't write '" + folder.file("no/a") +
                "': No such file or directory");
  EXPECT_EQ(write(folder.file("."), "text"),
            "can't write '" + folder.file(".") + "': Is a directory");
  EXPECT_EQ(folder.names(), std::vector<std::string>());
}

TEST(FileTest, saysThatTheDiskIsFull) {
  if (!llvm::sys::fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(write("/dev/full", "text"),
            "can't write '/dev/full': No space left on device");
}
