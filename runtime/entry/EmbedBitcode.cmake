# Writes the bytes of a file as a C++ array.
#
#   cmake -DINPUT=entry.bc -DOUTPUT=EntryBitcode.cpp -P EmbedBitcode.cmake

file(READ "${INPUT}" hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
if(size EQUAL 0)
  message(FATAL_ERROR "expects bitcode in '${INPUT}', but the file is empty")
endif()
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
# CMake's regular expressions have no {16}.
string(REPEAT "0x..," 16 line)
string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
get_filename_component(name "${INPUT}" NAME)
file(WRITE "${OUTPUT}" "// Made from ${name} by EmbedBitcode.cmake.

#include \"EntryBitcode.h\"

alignas(16) const unsigned char fovea_entry_bitcode[] = {
${bytes}
};
const size_t fovea_entry_bitcode_size = ${size};
")
