//===- NpyReadTest.cpp - reading .npy files -------------------------------===//

#include "NpyTesting.h"
#include <cstring>
#include <random>

using namespace fovea;
using namespace fovea::test;

static std::string floats(std::initializer_list<float> values) {
  std::string data;
  for (float value : values)
    data.append(reinterpret_cast<const char *>(&value), sizeof(value));
  return data;
}

TEST(NpyReadTest, readsEveryVersion) {
  for (char major : {1, 2, 3}) {
    auto tensor = parseNpy(
        npyBytes(npyHeader("<f4", "(2, 1)"), floats({1.5f, -2}), major), "x");
    ASSERT_TRUE(bool(tensor)) << llvm::toString(tensor.takeError());
    EXPECT_EQ(tensor->getType(), HostType::F32);
    EXPECT_EQ(tensor->getShape(), llvm::ArrayRef<int64_t>({2, 1}));
    EXPECT_EQ(tensor->getFloat(1), -2.0);
  }
}

TEST(NpyReadTest, readsEveryType) {
  for (auto [descr, type] :
       {std::pair("<f8", HostType::F64), std::pair("<f4", HostType::F32),
        std::pair("<f2", HostType::F16), std::pair("|V2", HostType::BF16),
        std::pair("<V2", HostType::BF16), std::pair("<i8", HostType::I64),
        std::pair("<i4", HostType::I32), std::pair("|i1", HostType::I8),
        std::pair("|u1", HostType::U8), std::pair("|b1", HostType::Bool),
        std::pair("=f4", HostType::F32), std::pair(">i1", HostType::I8)}) {
    std::string data(3 * getHostTypeBytes(type), '\0');
    auto tensor = parseNpy(npyBytes(npyHeader(descr, "(3,)"), data), "x");
    ASSERT_TRUE(bool(tensor)) << llvm::toString(tensor.takeError());
    EXPECT_EQ(tensor->getType(), type) << descr;
  }
}

TEST(NpyReadTest, readsScalarAndEmpty) {
  auto scalar = parseNpy(npyBytes(npyHeader("<f4", "()"), floats({7})), "x");
  ASSERT_TRUE(bool(scalar));
  EXPECT_EQ(scalar->getRank(), 0);
  EXPECT_EQ(scalar->getFloat(0), 7.0);
  auto empty = parseNpy(npyBytes(npyHeader("<f4", "(4, 0, 3)"), ""), "x");
  ASSERT_TRUE(bool(empty));
  EXPECT_EQ(empty->getNumElements(), 0);
}

TEST(NpyReadTest, acceptsOtherSpellingsOfTheHeader) {
  EXPECT_EQ(parseMessage(npyBytes("{\"shape\":(1L,),\"fortran_order\":False,"
                                  "\"descr\":\"<f4\"}",
                                  floats({1}))),
            "");
}

TEST(NpyReadTest, takesAFortranVectorAsItIs) {
  EXPECT_EQ(parseMessage(
                npyBytes(npyHeader("<f4", "(1, 2)", "True"), floats({1, 2}))),
            "");
}

TEST(NpyReadTest, refusesFortranOrder) {
  EXPECT_EQ(parseMessage(npyBytes(npyHeader("<f4", "(2, 2)", "True"),
                                  floats({1, 2, 3, 4}))),
            "'x.npy': expects row-major (C) order, found Fortran order; save "
            "it with np.ascontiguousarray");
}

TEST(NpyReadTest, refusesBigEndian) {
  EXPECT_EQ(parseMessage(npyBytes(npyHeader(">f4", "(1,)"), floats({1}))),
            "'x.npy': expects little-endian numbers, found '>f4'; save it with "
            ".astype('<f4')");
}

TEST(NpyReadTest, refusesTruncatedData) {
  EXPECT_EQ(parseMessage(npyBytes(npyHeader("<f4", "(3,)"), floats({1, 2}))),
            "'x.npy': expects 12 bytes of data for shape [3] and type f32, "
            "found 8; it is truncated");
}

TEST(NpyReadTest, refusesTrailingData) {
  EXPECT_EQ(parseMessage(npyBytes(npyHeader("<f4", "(1,)"), floats({1, 2}))),
            "'x.npy': expects 4 bytes of data for shape [1] and type f32, "
            "found 8; it has trailing bytes");
}

TEST(NpyReadTest, refusesObjects) {
  EXPECT_EQ(parseMessage(npyBytes(npyHeader("|O", "(1,)"), "x")),
            "'x.npy': expects one of f8 f4 f2 V2 (bf16) i8 i4 i1 u1 b1, found "
            "an array of Python objects ('|O'); save it with .astype of a "
            "number type");
}

TEST(NpyReadTest, refusesOtherTypes) {
  for (const char *descr : {"<c8", "<U3", "<u2", "<f16", "|V4", "f", "<", "V"})
    EXPECT_NE(parseMessage(npyBytes(npyHeader(descr, "()"), "xxxxxxxx"))
                  .find("found '" + std::string(descr) + "'; convert it"),
              std::string::npos)
        << descr;
}

TEST(NpyReadTest, refusesStructuredTypes) {
  std::string header = "{'descr': [('a', '<f4'), ('b', '<i4')], "
                       "'fortran_order': False, 'shape': (1,), }";
  EXPECT_NE(parseMessage(npyBytes(header, "xxxxxxxx")).find("structured"),
            std::string::npos);
}

TEST(NpyReadTest, refusesOtherFiles) {
  EXPECT_EQ(parseMessage("hello"),
            "'x.npy': expects a .npy file, which starts with '\\x93NUMPY'; "
            "save the array with np.save");
  EXPECT_NE(parseMessage("PK\3\4").find(".npz archive"), std::string::npos);
}

TEST(NpyReadTest, refusesUnknownVersions) {
  std::string bytes = npyBytes(npyHeader("<f4", "()"), floats({1}));
  bytes[6] = 4;
  EXPECT_EQ(parseMessage(bytes), "'x.npy': expects version 1.0, 2.0 or 3.0 of "
                                 "the format, found 4.0");
  bytes[6] = 1;
  bytes[7] = 9;
  EXPECT_NE(parseMessage(bytes).find("found 1.9"), std::string::npos);
}

TEST(NpyReadTest, refusesHugeHeaders) {
  std::string bytes = npyBytes("{}", "", 2);
  std::memset(&bytes[8], 0xff, 4);
  EXPECT_EQ(parseMessage(bytes), "'x.npy': expects a header of at most 65536 "
                                 "bytes, found 4294967295");
}

TEST(NpyReadTest, refusesHugeShapes) {
  EXPECT_EQ(
      parseMessage(npyBytes(npyHeader("<f4", "(4611686018427387904, 4)"), "")),
      "'x.npy': the bytes of shape [4611686018427387904, 4] do not fit "
      "64 bits");
  EXPECT_NE(
      parseMessage(npyBytes(npyHeader("<f4", "(99999999999999999999,)"), ""))
          .find("too large for 64 bits"),
      std::string::npos);
}

TEST(NpyReadTest, refusesManyDims) {
  std::string shape = "(";
  for (int i = 0; i < 33; ++i)
    shape += "1, ";
  EXPECT_NE(parseMessage(npyBytes(npyHeader("<f4", shape + ")"), floats({1})))
                .find("at most 32 dims, found 33"),
            std::string::npos);
}

TEST(NpyReadTest, saysWhatIsWrongInTheHeader) {
  for (auto [header, message] :
       {std::pair("", "expects '{', found its end"),
        std::pair("[1]", "expects '{', found '[1]'"),
        std::pair("{'descr': '<f4', 'shape': (1,), }",
                  "has no 'fortran_order'"),
        std::pair("{'descr': '<f4', 'descr': '<f4'}", "has 'descr' twice"),
        std::pair("{'data': 1}", "has the unknown key 'data'"),
        std::pair("{'shape': (-1,)}", "expects a size or ')'"),
        std::pair("{'shape': 3}", "expects a tuple"),
        std::pair("{'shape': (1 2)}", "expects ',' or ')'"),
        std::pair("{'shape': (1,), 'fortran_order': 0}",
                  "expects True or False"),
        std::pair("{'descr': '<f4", "expects a type in quotes"),
        std::pair("{'descr': [[[", "expects ']'"),
        std::pair("{'shape' (1,)}", "expects ':'")})
    EXPECT_NE(parseMessage(npyBytes(header, "")).find(message),
              std::string::npos)
        << header << ": " << parseMessage(npyBytes(header, ""));
}

TEST(NpyReadTest, failsOnEveryPrefix) {
  std::string bytes =
      npyBytes(npyHeader("<f4", "(2, 2)"), floats({1, 2, 3, 4}));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(parseMessage(llvm::StringRef(bytes).take_front(size)), "")
        << size;
}

// Whatever the bytes, there is a tensor or a message.
TEST(NpyReadTest, survivesChangedBytes) {
  std::string bytes =
      npyBytes(npyHeader("<f4", "(2, 2)"), floats({1, 2, 3, 4}));
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string changed = bytes;
    for (unsigned count = 1 + random() % 4; count > 0; --count)
      changed[random() % changed.size()] = char(random());
    parseMessage(changed);
  }
}

TEST(NpyReadTest, namesAFileThatIsNotThere) {
  TemporaryFolder folder;
  auto tensor = readNpy(folder.file("none.npy"));
  ASSERT_FALSE(bool(tensor));
  EXPECT_EQ(llvm::toString(tensor.takeError()),
            "can't read '" + folder.file("none.npy") +
                "': No such file or directory");
}
