//===- attention.c - one compiled kernel, called for many shapes ----------===//
//
// Links causal.o, which `fovea compile` makes from causal.yaml, and nothing
// else but libm. Prints a line per shape with the largest difference from two
// nested loops; ends in 1 if one of them is too large.
//
//===----------------------------------------------------------------------===//

#include "causal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { kHeads = 4, kKVHeads = 2, kHeadDim = 64 };

/// A compact f32 tensor and its memory.
typedef struct {
  fovea_tensor tensor;
  int64_t shape[4];
  float *data;
} Array;

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory) {
    fprintf(stderr, "attention: out of memory\n");
    exit(1);
  }
  return memory;
}

static void makeArray(Array *array, int rank, int64_t batch, int64_t heads,
                      int64_t length, int64_t headDim) {
  int64_t shape[4] = {batch, heads, length, headDim};
  size_t count = 1;
  for (int i = 0; i < rank; ++i) {
    array->shape[i] = shape[i];
    count *= (size_t)shape[i];
  }
  array->data = allocate(count * sizeof(float));
  array->tensor.data = array->data;
  array->tensor.device.device_type = FOVEA_DEVICE_CPU;
  array->tensor.device.device_id = 0;
  array->tensor.ndim = rank;
  array->tensor.dtype.code = FOVEA_TYPE_FLOAT;
  array->tensor.dtype.bits = 32;
  array->tensor.dtype.lanes = 1;
  array->tensor.shape = array->shape;
  array->tensor.strides = NULL; // compact
  array->tensor.byte_offset = 0;

  // Numbers in [-1, 1) that are the same on every machine.
  static uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    array->data[i] = (float)(state >> 8) / 8388608.0f - 1.0f;
  }
}

/// Row i of head h of a [batch, heads, length, head dim] array.
static const float *row(const Array *array, int64_t b, int64_t h, int64_t i) {
  return array->data +
         ((b * array->shape[1] + h) * array->shape[2] + i) * array->shape[3];
}

static double scoreOf(const float *q, const float *k) {
  double sum = 0;
  for (int d = 0; d < kHeadDim; ++d)
    sum += (double)q[d] * k[d];
  return sum / sqrt(kHeadDim);
}

/// Keeps the larger difference; one that is not a number is infinite.
static void compare(double found, double expected, double *worst) {
  if (found == expected) // -inf too
    return;
  double difference = fabs(found - expected);
  if (!(difference <= *worst))
    *worst = isnan(difference) ? INFINITY : difference;
}

/// One row of attention in double, compared with what the kernel wrote.
static void checkRow(const Array *q, const Array *k, const Array *v,
                     const Array *out, const Array *lse, int64_t b, int64_t h,
                     int64_t i, double *worst) {
  int64_t queryLength = q->shape[2], keyLength = k->shape[2];
  int64_t kvHead = h / (kHeads / kKVHeads);
  // query_offset: end. Query i sits at this position among the keys, and sees
  // those up to it; there may be none.
  int64_t keys = i + keyLength - queryLength + 1;

  double max = -INFINITY, sum = 0, expected[kHeadDim] = {0};
  for (int64_t j = 0; j < keys; ++j)
    max = fmax(max, scoreOf(row(q, b, h, i), row(k, b, kvHead, j)));
  for (int64_t j = 0; j < keys; ++j) {
    double weight = exp(scoreOf(row(q, b, h, i), row(k, b, kvHead, j)) - max);
    sum += weight;
    for (int d = 0; d < kHeadDim; ++d)
      expected[d] += weight * row(v, b, kvHead, j)[d];
  }
  for (int d = 0; d < kHeadDim; ++d)
    compare(row(out, b, h, i)[d], keys > 0 ? expected[d] / sum : 0, worst);
  compare(lse->data[(b * kHeads + h) * queryLength + i],
          keys > 0 ? max + log(sum) : -INFINITY, worst);
}

static int runShape(int64_t batch, int64_t queryLength, int64_t keyLength) {
  Array q, k, v, out, lse;
  makeArray(&q, 4, batch, kHeads, queryLength, kHeadDim);
  makeArray(&k, 4, batch, kKVHeads, keyLength, kHeadDim);
  makeArray(&v, 4, batch, kKVHeads, keyLength, kHeadDim);
  makeArray(&out, 4, batch, kHeads, queryLength, kHeadDim);
  makeArray(&lse, 3, batch, kHeads, queryLength, 0);

  // A null context would do: the call would then allocate its workspace. Here
  // it gets one, and a buffer for the sentence that explains an error.
  const fovea_tensor *inputs[] = {&q.tensor, &k.tensor, &v.tensor};
  int64_t bytes = causal_workspace_bytes(inputs, 1);
  char message[256] = "";
  fovea_context context;
  fovea_context_init(&context);
  context.message = message;
  context.message_bytes = sizeof(message);
  if (bytes > 0) {
    context.workspace = allocate((size_t)bytes);
    context.workspace_bytes = (uint64_t)bytes;
  }
  int status = causal_call(&context, &q.tensor, &k.tensor, &v.tensor,
                           &out.tensor, &lse.tensor);

  double worst = 0;
  if (status == FOVEA_OK)
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < kHeads; ++h)
        for (int64_t i = 0; i < queryLength; ++i)
          checkRow(&q, &k, &v, &out, &lse, b, h, i, &worst);
  int good = status == FOVEA_OK && worst < 1e-5;
  printf("batch %lld, query length %4lld, key length %4lld: ", (long long)batch,
         (long long)queryLength, (long long)keyLength);
  if (status == FOVEA_OK)
    printf("largest error %.1e %s\n", worst, good ? "ok" : "WRONG");
  else
    printf("status %d: %s\n", status, message);

  free(context.workspace);
  free(q.data);
  free(k.data);
  free(v.data);
  free(out.data);
  free(lse.data);
  return good;
}

/// What a wrong tensor gets: a status and a sentence.
static int runWrongShape(void) {
  Array q, k, v, out, lse;
  makeArray(&q, 4, 1, kHeads, 5, kHeadDim);
  makeArray(&k, 4, 1, kKVHeads, 7, kHeadDim);
  makeArray(&v, 4, 1, kKVHeads, 9, kHeadDim);
  makeArray(&out, 4, 1, kHeads, 5, kHeadDim);
  makeArray(&lse, 3, 1, kHeads, 5, 0);
  char message[256] = "";
  fovea_context context;
  fovea_context_init(&context);
  context.message = message;
  context.message_bytes = sizeof(message);
  int status = causal_call(&context, &q.tensor, &k.tensor, &v.tensor,
                           &out.tensor, &lse.tensor);
  printf("7 keys and 9 values: status %d: %s\n", status, message);
  free(q.data);
  free(k.data);
  free(v.data);
  free(out.data);
  free(lse.data);
  return status == FOVEA_INVALID_ARGUMENT;
}

int main(void) {
  // batch, query length, key length: equal ones, tails, decode, more queries
  // than keys (the first see none), and nothing at all.
  static const int64_t shapes[][3] = {
      {1, 1, 1},     {1, 16, 16}, {2, 7, 33},  {1, 128, 128},
      {2, 129, 257}, {1, 1, 300}, {3, 65, 64}, {1, 48, 500},
      {1, 5, 0},     {2, 0, 9},   {0, 4, 4},
  };
  int good = 1;
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i)
    good &= runShape(shapes[i][0], shapes[i][1], shapes[i][2]);
  good &= runWrongShape();
  return good ? 0 : 1;
}
