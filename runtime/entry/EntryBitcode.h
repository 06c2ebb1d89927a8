//===- EntryBitcode.h - Entry.c as bytes of LLVM bitcode ------------------===//

#ifndef FOVEA_ENTRY_ENTRYBITCODE_H
#define FOVEA_ENTRY_ENTRYBITCODE_H

#include <cstddef>

/// The module that the compiler links into every kernel. Its size is a multiple
/// of 4 and it is followed by no NUL.
extern "C" const unsigned char fovea_entry_bitcode[];
extern "C" const size_t fovea_entry_bitcode_size;

#endif // FOVEA_ENTRY_ENTRYBITCODE_H
