//===- Entry.h - what a compiled kernel shares with its entry code --------===//
//
// The compiler links Entry.c, as LLVM bitcode, into every kernel's module. A
// generated kernel NAME is then no more than
//
//   int NAME(context, inputs, outputs) {
//     return fovea_entry_run(&code, context, inputs, outputs);
//   }
//   int64_t NAME_workspace_bytes(inputs, threads) {
//     return fovea_entry_workspace_bytes(&code, inputs, threads);
//   }
//
// beside a constant fovea_kernel_code and the function it points to. All of
// this header is the contract between the compiler and Entry.c of the same
// build; callers of a kernel never see it. Valid as C11 and as C++.
//
// Entry functions must keep the target attributes that clang gave them
// (baseline x86-64): they run before the CPU is known to have more. They may be
// marked internal after linking.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_ENTRY_ENTRY_H
#define FOVEA_ENTRY_ENTRY_H

#include "fovea/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

//===-- Signature ---------------------------------------------------------===//
//
// int64 words: a header, one word per dim symbol (string offset of its name,
// such as "key length"), then one record per tensor, inputs before outputs.
// String offsets count bytes from fovea_kernel_code.strings, where every string
// ends in NUL.

enum { FOVEA_SIGNATURE_VERSION = 1 };

/// Positions in the header.
enum {
  FOVEA_HEADER_VERSION = 0,      // FOVEA_SIGNATURE_VERSION
  FOVEA_HEADER_INPUTS = 1,       // number of inputs
  FOVEA_HEADER_OUTPUTS = 2,      // number of outputs
  FOVEA_HEADER_SYMBOLS = 3,      // number of dim symbols
  FOVEA_HEADER_CPU_FEATURES = 4, // mask of FOVEA_CPU_* bits
  FOVEA_HEADER_NAME = 5,         // string offset of the kernel's name
  FOVEA_HEADER_SCRATCH = 6,      // scratch bytes per worker, multiple of 64
  FOVEA_HEADER_RESERVED = 7,     // 0
  FOVEA_HEADER_WORDS = 8
};

/// Positions in a tensor's record. The rank's number of dims follow: a value of
/// 0 or more is a static size, a negative d is symbol number -(d + 1).
enum {
  FOVEA_RECORD_NAME = 0, // string offset
  FOVEA_RECORD_CODE = 1, // FOVEA_TYPE_*
  FOVEA_RECORD_BITS = 2,
  FOVEA_RECORD_RANK = 3,
  FOVEA_RECORD_FLAGS = 4, // FOVEA_TENSOR_* bits
  FOVEA_RECORD_WORDS = 5
};

enum {
  /// An input of int32 or int64 at any strides; the kernel's view is compact
  /// int64 (type code int, 64 bits), a copy where it has to be.
  FOVEA_TENSOR_INDEX = 1,
  /// Type bool or uint8, 8 bits; the kernel's view is bytes.
  FOVEA_TENSOR_BOOL = 2
};

/// Limits of one kernel, which size the arrays on the entry's stack. The
/// compiler refuses what is beyond; the entry refuses it too.
enum {
  FOVEA_MAX_TENSORS = 64, // inputs and outputs
  FOVEA_MAX_SYMBOLS = 32,
  FOVEA_MAX_RANK = 16,
  FOVEA_MAX_VIEW_WORDS = 64 * 11
};

//===-- Views -------------------------------------------------------------===//
//
// One per tensor, inputs before outputs, end to end: the words of an MLIR
// memref descriptor. Sizes and strides count elements. The offset is 0, as
// byte_offset is part of the pointers. Strides of dims of at most one element,
// which no address depends on, are never negative, and the innermost one is 1:
// a tensor whose innermost stride is another is seen as a copy.

enum {
  FOVEA_VIEW_ALLOCATED = 0, // pointer
  FOVEA_VIEW_ALIGNED = 1,   // the same pointer
  FOVEA_VIEW_OFFSET = 2,    // 0
  FOVEA_VIEW_SIZES = 3,     // rank sizes, then rank strides
  FOVEA_VIEW_FIXED_WORDS = 3
};

/// Words of the view of a tensor of this rank.
#define FOVEA_VIEW_WORDS(rank) (FOVEA_VIEW_FIXED_WORDS + 2 * (rank))

//===-- Generated code ----------------------------------------------------===//

/// What a running call offers its body. Generated code reads the fields by
/// their position: order and types are part of the contract.
typedef struct fovea_frame {
  /// `threads` blocks of scratch_bytes, 64-byte aligned; the task of worker w
  /// owns scratch + w * scratch_bytes while it runs. Null when scratch_bytes
  /// is 0.
  char *scratch;
  /// The header's FOVEA_HEADER_SCRATCH.
  int64_t scratch_bytes;
  /// Memory of the size that temporary_bytes gave, 64-byte aligned, of
  /// unspecified content, shared by all workers. Null when that is 0.
  char *temporaries;
  /// The caller's context, which may be null.
  const fovea_context *context;
  /// Number of workers, at least 1.
  int32_t threads;
} fovea_frame;

typedef struct fovea_kernel_code {
  const int64_t *signature;
  const char *strings;
  /// The kernel. It may run parallel loops one after the other, never nested
  /// (a worker has one scratch block).
  void (*body)(fovea_frame *frame, int64_t *views);
  /// Bytes of fovea_frame.temporaries, negative when they exceed int64; null
  /// means 0. It may depend on sizes and strides of the inputs only, since
  /// NAME_workspace_bytes calls it with the outputs' views zero and the inputs'
  /// pointers unspecified.
  int64_t (*temporary_bytes)(int64_t *views);
} fovea_kernel_code;

/// A call of the kernel: checks every argument, builds the views, provides the
/// workspace, converts index inputs, runs the body. Returns a fovea_status.
int fovea_entry_run(const fovea_kernel_code *code, const fovea_context *context,
                    const fovea_tensor *const *inputs,
                    fovea_tensor *const *outputs);

/// The workspace such a call takes, with 63 bytes to align it (0 when it takes
/// none); -1 when an input is wrong, threads is below 1, or the CPU lacks a
/// feature (temporary_bytes is compiled for them too).
int64_t fovea_entry_workspace_bytes(const fovea_kernel_code *code,
                                    const fovea_tensor *const *inputs,
                                    int threads);

/// Runs task(argument, i, worker) for i in [0, count) on the context's hook, or
/// serially as worker 0. A count of 0 or less does nothing.
void fovea_entry_parallel_for(fovea_frame *frame, fovea_task task,
                              void *argument, int64_t count);

//===-- CPU features ------------------------------------------------------===//

#define FOVEA_CPU_SSE3 (INT64_C(1) << 0)
#define FOVEA_CPU_SSSE3 (INT64_C(1) << 1)
#define FOVEA_CPU_SSE4_1 (INT64_C(1) << 2)
#define FOVEA_CPU_SSE4_2 (INT64_C(1) << 3)
#define FOVEA_CPU_POPCNT (INT64_C(1) << 4)
#define FOVEA_CPU_MOVBE (INT64_C(1) << 5)
#define FOVEA_CPU_LZCNT (INT64_C(1) << 6)
#define FOVEA_CPU_AVX (INT64_C(1) << 7)
#define FOVEA_CPU_F16C (INT64_C(1) << 8)
#define FOVEA_CPU_FMA (INT64_C(1) << 9)
#define FOVEA_CPU_AVX2 (INT64_C(1) << 10)
#define FOVEA_CPU_BMI (INT64_C(1) << 11)
#define FOVEA_CPU_BMI2 (INT64_C(1) << 12)
#define FOVEA_CPU_GFNI (INT64_C(1) << 13)
#define FOVEA_CPU_VAES (INT64_C(1) << 14)
#define FOVEA_CPU_VPCLMULQDQ (INT64_C(1) << 15)
#define FOVEA_CPU_AVX_VNNI (INT64_C(1) << 16)
#define FOVEA_CPU_AVX512F (INT64_C(1) << 17)
#define FOVEA_CPU_AVX512BW (INT64_C(1) << 18)
#define FOVEA_CPU_AVX512CD (INT64_C(1) << 19)
#define FOVEA_CPU_AVX512DQ (INT64_C(1) << 20)
#define FOVEA_CPU_AVX512VL (INT64_C(1) << 21)
#define FOVEA_CPU_AVX512_IFMA (INT64_C(1) << 22)
#define FOVEA_CPU_AVX512_VBMI (INT64_C(1) << 23)
#define FOVEA_CPU_AVX512_VBMI2 (INT64_C(1) << 24)
#define FOVEA_CPU_AVX512_VNNI (INT64_C(1) << 25)
#define FOVEA_CPU_AVX512_BITALG (INT64_C(1) << 26)
#define FOVEA_CPU_AVX512_VPOPCNTDQ (INT64_C(1) << 27)
#define FOVEA_CPU_AVX512_BF16 (INT64_C(1) << 28)
#define FOVEA_CPU_AVX512_FP16 (INT64_C(1) << 29)
#define FOVEA_CPU_AMX_TILE (INT64_C(1) << 30)
#define FOVEA_CPU_AMX_INT8 (INT64_C(1) << 31)
#define FOVEA_CPU_AMX_BF16 (INT64_C(1) << 32)
#define FOVEA_CPU_AMX_FP16 (INT64_C(1) << 33)

/// X(mask, LLVM's name of the feature, cpuid word, bit, register state). The
/// words are numbered in Entry.c; the state is what the system must save: 0
/// none, 1 AVX, 2 AVX-512, 3 AMX tiles. The compiler derives a target's mask
/// from the names. (Linux grants a process AMX tiles on request only; that
/// request is the business of a kernel that uses them.)
#define FOVEA_CPU_FEATURES(X)                                                  \
  X(FOVEA_CPU_SSE3, "sse3", 0, 0, 0)                                           \
  X(FOVEA_CPU_SSSE3, "ssse3", 0, 9, 0)                                         \
  X(FOVEA_CPU_SSE4_1, "sse4.1", 0, 19, 0)                                      \
  X(FOVEA_CPU_SSE4_2, "sse4.2", 0, 20, 0)                                      \
  X(FOVEA_CPU_POPCNT, "popcnt", 0, 23, 0)                                      \
  X(FOVEA_CPU_MOVBE, "movbe", 0, 22, 0)                                        \
  X(FOVEA_CPU_LZCNT, "lzcnt", 5, 5, 0)                                         \
  X(FOVEA_CPU_AVX, "avx", 0, 28, 1)                                            \
  X(FOVEA_CPU_F16C, "f16c", 0, 29, 1)                                          \
  X(FOVEA_CPU_FMA, "fma", 0, 12, 1)                                            \
  X(FOVEA_CPU_AVX2, "avx2", 1, 5, 1)                                           \
  X(FOVEA_CPU_BMI, "bmi", 1, 3, 0)                                             \
  X(FOVEA_CPU_BMI2, "bmi2", 1, 8, 0)                                           \
  X(FOVEA_CPU_GFNI, "gfni", 2, 8, 0)                                           \
  X(FOVEA_CPU_VAES, "vaes", 2, 9, 1)                                           \
  X(FOVEA_CPU_VPCLMULQDQ, "vpclmulqdq", 2, 10, 1)                              \
  X(FOVEA_CPU_AVX_VNNI, "avxvnni", 4, 4, 1)                                    \
  X(FOVEA_CPU_AVX512F, "avx512f", 1, 16, 2)                                    \
  X(FOVEA_CPU_AVX512BW, "avx512bw", 1, 30, 2)                                  \
  X(FOVEA_CPU_AVX512CD, "avx512cd", 1, 28, 2)                                  \
  X(FOVEA_CPU_AVX512DQ, "avx512dq", 1, 17, 2)                                  \
  X(FOVEA_CPU_AVX512VL, "avx512vl", 1, 31, 2)                                  \
  X(FOVEA_CPU_AVX512_IFMA, "avx512ifma", 1, 21, 2)                             \
  X(FOVEA_CPU_AVX512_VBMI, "avx512vbmi", 2, 1, 2)                              \
  X(FOVEA_CPU_AVX512_VBMI2, "avx512vbmi2", 2, 6, 2)                            \
  X(FOVEA_CPU_AVX512_VNNI, "avx512vnni", 2, 11, 2)                             \
  X(FOVEA_CPU_AVX512_BITALG, "avx512bitalg", 2, 12, 2)                         \
  X(FOVEA_CPU_AVX512_VPOPCNTDQ, "avx512vpopcntdq", 2, 14, 2)                   \
  X(FOVEA_CPU_AVX512_BF16, "avx512bf16", 4, 5, 2)                              \
  X(FOVEA_CPU_AVX512_FP16, "avx512fp16", 3, 23, 2)                             \
  X(FOVEA_CPU_AMX_TILE, "amx-tile", 3, 24, 3)                                  \
  X(FOVEA_CPU_AMX_INT8, "amx-int8", 3, 25, 3)                                  \
  X(FOVEA_CPU_AMX_BF16, "amx-bf16", 3, 22, 3)                                  \
  X(FOVEA_CPU_AMX_FP16, "amx-fp16", 4, 21, 3)

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FOVEA_ENTRY_ENTRY_H
