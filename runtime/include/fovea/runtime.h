//===- runtime.h - the interface of compiled kernels ----------------------===//
//
// A compiled kernel is one C function over tensors (fovea_kernel). Including
// this header is all a caller of a kernel needs; libfovea_runtime adds a thread
// pool and the names of the status codes and is optional.
//
// Valid as C11 and as C++. Everything here is a schema: fields keep their place
// and their meaning, and new ones only come at the end of fovea_context.
//
// Errors: a function that can fail returns a fovea_status. No call throws,
// aborts or exits. After any status but FOVEA_OK the outputs hold unspecified
// values within their own elements; nothing else was written.
//
// Threads: kernels are reentrant. Calls may run at the same time when no output
// of one is a tensor of another and they share no workspace and no message
// buffer; inputs, pools and fovea_tensor structs may be shared.
//
//===----------------------------------------------------------------------===//

#ifndef FOVEA_RUNTIME_H
#define FOVEA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define FOVEA_API
#else
#define FOVEA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

//===-- Status ------------------------------------------------------------===//

/// What a kernel returns. The sentence in fovea_context.message names the
/// argument at fault, what was expected and what was found.
typedef enum fovea_status {
  FOVEA_OK = 0,
  /// A tensor or the context is not what the kernel was compiled for.
  FOVEA_INVALID_ARGUMENT = 1,
  /// The workspace that the kernel allocates for itself was refused.
  FOVEA_OUT_OF_MEMORY = 2,
  /// The CPU lacks an instruction set that the kernel was compiled for.
  FOVEA_UNSUPPORTED_CPU = 3,
  /// fovea_context.workspace is smaller than NAME_workspace_bytes says.
  FOVEA_WORKSPACE_TOO_SMALL = 4,
  /// The device's driver reported an error.
  FOVEA_DEVICE_ERROR = 5
} fovea_status;

//===-- Tensors -----------------------------------------------------------===//

/// Device types and type codes have DLPack's numbers.
enum { FOVEA_DEVICE_CPU = 1, FOVEA_DEVICE_CUDA = 2 };

enum {
  FOVEA_TYPE_INT = 0,
  FOVEA_TYPE_UINT = 1,
  FOVEA_TYPE_FLOAT = 2,
  FOVEA_TYPE_BFLOAT = 4,
  /// One byte an element, any nonzero byte is true.
  FOVEA_TYPE_BOOL = 6
};

typedef struct fovea_device {
  int32_t device_type;
  int32_t device_id; // not looked at for the CPU
} fovea_device;

/// f32 is {FOVEA_TYPE_FLOAT, 32, 1}; lanes other than 1 are refused.
typedef struct fovea_data_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} fovea_data_type;

/// A view of memory that the caller owns, laid out as DLPack's DLTensor, so
/// that a DLTensor pointer may be passed as it is. A kernel reads the struct
/// during the call only, writes to the data of outputs only and frees nothing.
///
/// data + byte_offset must be aligned to the size of an element. The bytes from
/// an output's first to its last element may not meet those of any other tensor
/// of the call, even where strides would interleave them. Gaps between an
/// output's elements are never written.
typedef struct fovea_tensor {
  /// Start of the memory; may be null when the tensor has no element.
  void *data;
  fovea_device device;
  /// Number of dims; 0 is a scalar.
  int32_t ndim;
  fovea_data_type dtype;
  /// ndim sizes, each in [0, 2^30); may be null when ndim is 0.
  int64_t *shape;
  /// ndim strides in elements; null means compact and row-major. The stride of
  /// a dim of 2 or more elements may not be negative. An input's may be 0
  /// (broadcast). An output's elements may not share memory: taken in ascending
  /// order, each stride must step past everything that the smaller ones reach.
  /// A kernel works on rows of stride 1: a tensor whose last dim has another
  /// stride is copied at the call, an output back at its end.
  int64_t *strides;
  /// Bytes from data to the first element.
  uint64_t byte_offset;
} fovea_tensor;

//===-- Context -----------------------------------------------------------===//

/// One iteration of a parallel loop: `index` is in [0, count), `worker` in
/// [0, threads). No two iterations of one loop that run at the same time have
/// the same worker number (it selects scratch memory). A task never throws.
typedef void (*fovea_task)(void *argument, int64_t index, int32_t worker);

/// Runs task(argument, i, worker) once for every i in [0, count), in any order,
/// and returns when all are done.
typedef void (*fovea_parallel_for_function)(void *pool, fovea_task task,
                                            void *argument, int64_t count);

enum { FOVEA_CONTEXT_VERSION = 1 };

/// How to run a call. Every kernel takes a null context: serial, workspace
/// allocated by the call, no message. Initialise with fovea_context_init, then
/// set what you need. The caller owns all that it points to.
typedef struct fovea_context {
  /// sizeof(fovea_context) as the caller compiled it. A kernel accepts a larger
  /// struct and refuses a smaller one.
  uint32_t size;
  /// FOVEA_CONTEXT_VERSION as the caller compiled it. A kernel refuses others.
  uint32_t version;
  /// First argument of parallel_for.
  void *pool;
  /// The loop hook; null means serial.
  fovea_parallel_for_function parallel_for;
  /// Number of workers of parallel_for, at least 1. Not looked at when that is
  /// null.
  int32_t threads;
  /// Memory that the call may use, of the size that NAME_workspace_bytes gives,
  /// at any alignment. Null: the call allocates and frees. A workspace serves
  /// one call at a time.
  void *workspace;
  uint64_t workspace_bytes;
  /// CUDA stream of a GPU kernel, null for the default stream.
  void *stream;
  /// Buffer for the sentence that explains a status: always NUL-terminated, cut
  /// where it does not fit, empty after FOVEA_OK. Null: none. Untouched when
  /// `size` is too small.
  char *message;
  uint64_t message_bytes;
} fovea_context;

/// Serial, no workspace, no message.
static inline void fovea_context_init(fovea_context *context) {
  context->size = (uint32_t)sizeof(fovea_context);
  context->version = FOVEA_CONTEXT_VERSION;
  context->pool = NULL;
  context->parallel_for = NULL;
  context->threads = 1;
  context->workspace = NULL;
  context->workspace_bytes = 0;
  context->stream = NULL;
  context->message = NULL;
  context->message_bytes = 0;
}

//===-- Kernels -----------------------------------------------------------===//

/// A kernel: a fovea_status. Inputs and outputs come in the order that the
/// kernel's generated header lists. The context may be null; neither array, nor
/// an entry of it, may be.
typedef int (*fovea_kernel)(const fovea_context *context,
                            const fovea_tensor *const *inputs,
                            fovea_tensor *const *outputs);

/// The bytes of workspace that a call with such inputs takes on so many threads
/// (1 when the context has no parallel_for), at any alignment of the workspace;
/// -1 when the inputs are wrong, threads is below 1 or the CPU cannot run the
/// kernel. It looks at types, shapes and strides; data may still be null.
typedef int64_t (*fovea_kernel_workspace_bytes)(
    const fovea_tensor *const *inputs, int threads);

//===-- libfovea_runtime --------------------------------------------------===//

/// A static English phrase for a status; "unknown status" for other numbers.
FOVEA_API const char *fovea_status_string(int status);

/// Threads of oneTBB. One pool serves any number of calls at the same time,
/// from any threads, and from within its own tasks.
typedef struct fovea_pool fovea_pool;

/// A pool of so many workers, the calling thread included; 0 means one for each
/// core that the process may use. Null when threads is negative or memory or
/// threads are refused. Release it with fovea_pool_destroy.
FOVEA_API fovea_pool *fovea_pool_create(int threads);

/// Releases a pool, or does nothing for null. No call may be using it.
FOVEA_API void fovea_pool_destroy(fovea_pool *pool);

/// The number of workers; 1 for null.
FOVEA_API int fovea_pool_threads(const fovea_pool *pool);

/// A fovea_parallel_for_function over a fovea_pool. Indices are handed out one
/// by one in ascending order, so that uneven tasks balance. A null pool is
/// serial, and a count of 0 or less does nothing.
FOVEA_API void fovea_pool_parallel_for(void *pool, fovea_task task,
                                       void *argument, int64_t count);

/// Sets the context's pool, parallel_for and threads; a null pool makes it
/// serial. The pool must outlive the context's use.
FOVEA_API void fovea_context_set_pool(fovea_context *context, fovea_pool *pool);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // FOVEA_RUNTIME_H
