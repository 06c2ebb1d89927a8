//===- Entry.c - argument checks and workspace of a compiled kernel -------===//
//
// Linked into every kernel (see Entry.h), so it may need nothing but libc and
// may use no instruction beyond the baseline of the architecture. One
// translation unit, so that it makes one piece of bitcode.
//
//===----------------------------------------------------------------------===//

#include "Entry.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

// Inlined into a kernel's function, an entry function would lose its baseline
// target and could fault before the CPU check.
#define FOVEA_ENTRY __attribute__((noinline))

enum {
  kAlignment = 64,
  // One past the largest size of a dim: products of a size and a small count
  // stay far from overflow in generated code.
  kSizeLimit = 1 << 30,
  // The context of version 1. Larger ones begin with it.
  kContextSize =
      (int)(offsetof(fovea_context, message_bytes) + sizeof(uint64_t))
};

/// The last position in a tensor, in elements, so that its bytes fit int64.
static const int64_t kSpanLimit = INT64_MAX / 64;

/// What a call knows of one tensor.
typedef struct {
  const char *name;
  const int64_t *record;
  const fovea_tensor *tensor;
  int64_t *view;
  uintptr_t begin; // bytes [begin, end) hold the elements;
  uintptr_t end;   // equal where there is none
  int64_t copy;    // bytes of the copy that the kernel sees, 0 for none
} Argument;

/// A dim symbol: its value, and the argument that fixed it (-1 = none yet).
typedef struct {
  int64_t value;
  int argument;
} Symbol;

typedef struct {
  const fovea_kernel_code *code;
  const fovea_context *context;
  // Whether tensors must have their data, as they need not when only the size
  // of the workspace is asked for.
  bool needsData;
  int count; // of arguments: inputs, then outputs
  int inputs;
  Argument arguments[FOVEA_MAX_TENSORS];
  Symbol symbols[FOVEA_MAX_SYMBOLS];
  int64_t views[FOVEA_MAX_VIEW_WORDS];
} Call;

/// Where the parts of the workspace start, counted from its aligned base.
typedef struct {
  int64_t temporaries;
  int64_t copies;
  int64_t total;
} Layout;

#include "EntryMessages.inc"

#include "EntryCPU.inc"

static int64_t roundUp(int64_t bytes) {
  return (bytes + kAlignment - 1) & -(int64_t)kAlignment;
}

static bool hasFlag(const Argument *argument, int flag) {
  return argument->record[FOVEA_RECORD_FLAGS] & flag;
}

static bool isEmpty(const Argument *argument) {
  for (int i = 0; i < argument->record[FOVEA_RECORD_RANK]; ++i)
    if (argument->view[FOVEA_VIEW_SIZES + i] == 0)
      return true;
  return false;
}

#include "EntryCopies.inc"

#include "EntryTensors.inc"

static int checkContext(const fovea_context *context) {
  if (!context)
    return FOVEA_OK;
  // A smaller struct may have no message field to explain this.
  if (context->size < kContextSize)
    return FOVEA_INVALID_ARGUMENT;
  if (context->message && context->message_bytes)
    context->message[0] = '\0';
  if (context->version != FOVEA_CONTEXT_VERSION)
    return fail(context, FOVEA_INVALID_ARGUMENT,
                "context: expects version %d, but got %u (use "
                "fovea_context_init)",
                FOVEA_CONTEXT_VERSION, (unsigned)context->version);
  if (context->parallel_for && context->threads < 1)
    return fail(context, FOVEA_INVALID_ARGUMENT,
                "context: expects at least 1 thread with parallel_for, but got "
                "%d",
                (int)context->threads);
  return FOVEA_OK;
}

static int workers(const fovea_context *context) {
  return context && context->parallel_for ? (int)context->threads : 1;
}

/// Lays out arguments, symbols and views as the signature says.
static int startCall(Call *call, const fovea_kernel_code *code,
                     const fovea_context *context) {
  const int64_t *signature = code->signature;
  call->code = code;
  call->context = context;
  if (signature[FOVEA_HEADER_VERSION] != FOVEA_SIGNATURE_VERSION)
    return fail(context, FOVEA_INVALID_ARGUMENT,
                "kernel: expects signature version %d, but got %lld",
                FOVEA_SIGNATURE_VERSION,
                (long long)signature[FOVEA_HEADER_VERSION]);
  int64_t count =
      signature[FOVEA_HEADER_INPUTS] + signature[FOVEA_HEADER_OUTPUTS];
  int64_t symbols = signature[FOVEA_HEADER_SYMBOLS];
  bool fits = count <= FOVEA_MAX_TENSORS && symbols <= FOVEA_MAX_SYMBOLS;
  int64_t words = 0;
  if (fits) {
    call->count = (int)count;
    call->inputs = (int)signature[FOVEA_HEADER_INPUTS];
    for (int i = 0; i < symbols; ++i)
      call->symbols[i].argument = -1;
    const int64_t *record = signature + FOVEA_HEADER_WORDS + symbols;
    for (int i = 0; i < count && fits; ++i) {
      int64_t rank = record[FOVEA_RECORD_RANK];
      Argument *argument = &call->arguments[i];
      argument->name = code->strings + record[FOVEA_RECORD_NAME];
      argument->record = record;
      argument->view = call->views + words;
      argument->copy = 0;
      words += FOVEA_VIEW_WORDS(rank);
      fits = rank <= FOVEA_MAX_RANK && words <= FOVEA_MAX_VIEW_WORDS;
      record += FOVEA_RECORD_WORDS + rank;
    }
  }
  if (!fits)
    return fail(context, FOVEA_INVALID_ARGUMENT,
                "kernel '%s': expects at most %d tensors, %d dim symbols, rank "
                "%d and %d view words, but its signature has more",
                kernelName(code), FOVEA_MAX_TENSORS, FOVEA_MAX_SYMBOLS,
                FOVEA_MAX_RANK, FOVEA_MAX_VIEW_WORDS);
  memset(call->views, 0, (size_t)words * sizeof(int64_t));
  return FOVEA_OK;
}

/// Checks arguments [begin, end), which `tensors` holds.
static int checkTensors(Call *call, const char *kind,
                        const fovea_tensor *const *tensors, int begin,
                        int end) {
  if (begin != end && !tensors)
    return fail(call->context, FOVEA_INVALID_ARGUMENT,
                "%ss: expects an array of %d tensor%s, but got null", kind,
                end - begin, plural(end - begin));
  for (int i = begin; i < end; ++i) {
    Argument *argument = &call->arguments[i];
    argument->tensor = tensors[i - begin];
    if (!argument->tensor)
      return fail(call->context, FOVEA_INVALID_ARGUMENT,
                  "'%s' (%s %d): expects a tensor, but got null",
                  argument->name, kind, i - begin);
    int status = checkTensor(call, i);
    if (status)
      return status;
  }
  return FOVEA_OK;
}

/// The workspace: scratch of the workers, temporaries, copies of inputs, each a
/// multiple of the alignment. False when the sum exceeds int64.
static bool layOut(Call *call, int threads, Layout *layout) {
  int64_t temporaries = call->code->temporary_bytes
                            ? call->code->temporary_bytes(call->views)
                            : 0;
  if (temporaries < 0 || temporaries > INT64_MAX / 2)
    return false;
  bool overflow = __builtin_mul_overflow(
      (int64_t)threads, call->code->signature[FOVEA_HEADER_SCRATCH],
      &layout->temporaries);
  overflow |= __builtin_add_overflow(layout->temporaries, roundUp(temporaries),
                                     &layout->copies);
  layout->total = layout->copies;
  for (int i = 0; i < call->inputs; ++i)
    overflow |= __builtin_add_overflow(layout->total, call->arguments[i].copy,
                                       &layout->total);
  // Room for the slack that aligns it.
  return !overflow && layout->total <= INT64_MAX - kAlignment;
}

/// The aligned base of the workspace: the caller's, or else one that must be
/// freed. Null with FOVEA_OK when the call needs none.
static int takeWorkspace(const Call *call, int64_t bytes, char **base,
                         void **allocated) {
  const fovea_context *context = call->context;
  *base = NULL;
  *allocated = NULL;
  if (!bytes)
    return FOVEA_OK;
  if (context && context->workspace) {
    uintptr_t slack = -(uintptr_t)context->workspace & (kAlignment - 1);
    int threads = workers(context);
    if (context->workspace_bytes < (uint64_t)bytes + slack)
      return fail(context, FOVEA_WORKSPACE_TOO_SMALL,
                  "context workspace: expects %llu bytes for %d thread%s (as "
                  "%s_workspace_bytes says), but got %llu",
                  (unsigned long long)((uint64_t)bytes + kAlignment - 1),
                  threads, plural(threads), kernelName(call->code),
                  (unsigned long long)context->workspace_bytes);
    *base = (char *)context->workspace + slack;
    return FOVEA_OK;
  }
  *base = *allocated = aligned_alloc(kAlignment, (size_t)bytes);
  if (!*base)
    return fail(context, FOVEA_OUT_OF_MEMORY,
                "kernel '%s': expects %lld bytes of workspace, but the system "
                "has refused them",
                kernelName(call->code), (long long)bytes);
  return FOVEA_OK;
}

FOVEA_ENTRY int fovea_entry_run(const fovea_kernel_code *code,
                                const fovea_context *context,
                                const fovea_tensor *const *inputs,
                                fovea_tensor *const *outputs) {
  int status = checkContext(context);
  if (!status)
    status = checkCPU(code, context);
  if (status)
    return status;

  Call call;
  call.needsData = true;
  status = startCall(&call, code, context);
  if (!status)
    status = checkTensors(&call, "input", inputs, 0, call.inputs);
  if (!status)
    status = checkTensors(&call, "output", (const fovea_tensor *const *)outputs,
                          call.inputs, call.count);
  if (!status)
    status = checkOverlap(&call);
  if (status)
    return status;

  int threads = workers(context);
  Layout layout;
  if (!layOut(&call, threads, &layout))
    return fail(context, FOVEA_OUT_OF_MEMORY,
                "kernel '%s': expects a workspace within the address space, "
                "but these sizes on %d thread%s take more",
                kernelName(code), threads, plural(threads));
  char *base;
  void *allocated;
  status = takeWorkspace(&call, layout.total, &base, &allocated);
  if (status)
    return status;

  char *outputCopies;
  status = takeOutputs(&call, &outputCopies);
  if (status) {
    free(allocated);
    return status;
  }
  copyInputs(&call, base + layout.copies);

  fovea_frame frame;
  frame.scratch = layout.temporaries ? base : NULL;
  frame.scratch_bytes = code->signature[FOVEA_HEADER_SCRATCH];
  frame.temporaries =
      layout.copies > layout.temporaries ? base + layout.temporaries : NULL;
  frame.context = context;
  frame.threads = threads;
  code->body(&frame, call.views);
  copyOutputsBack(&call);
  free(outputCopies);
  free(allocated);
  return FOVEA_OK;
}

FOVEA_ENTRY int64_t
fovea_entry_workspace_bytes(const fovea_kernel_code *code,
                            const fovea_tensor *const *inputs, int threads) {
  Call call;
  Layout layout;
  call.needsData = false;
  if (threads < 1 || checkCPU(code, NULL) || startCall(&call, code, NULL) ||
      checkTensors(&call, "input", inputs, 0, call.inputs) ||
      !layOut(&call, threads, &layout))
    return -1;
  return layout.total ? layout.total + kAlignment - 1 : 0;
}

FOVEA_ENTRY void fovea_entry_parallel_for(fovea_frame *frame, fovea_task task,
                                          void *argument, int64_t count) {
  if (count <= 0)
    return;
  const fovea_context *context = frame->context;
  if (context && context->parallel_for) {
    context->parallel_for(context->pool, task, argument, count);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    task(argument, i, 0);
}
