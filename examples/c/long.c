//===- long.c - memory of attention over a long sequence ------------------===//
//
// Links long.o, which `fovea compile` makes from long.yaml. Runs one head of
// causal attention over 65536 positions, or as many as the first argument says,
// and prints the memory that the process took beyond inputs and outputs. A
// matrix of scores would take 16 GiB; ends in 1 above 16 MiB, or if one of the
// rows that it checks is wrong.
//
//===----------------------------------------------------------------------===//

#include "long.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { kHeadDim = 64, kRows = 9 };

/// The most memory that the process has held, in KiB. getrusage counts the
/// process that started this one too, when that was larger, so Linux's own
/// figure for this program comes first.
static long peakKiB(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[128];
  long peak = -1;
  while (file && peak < 0 && fgets(line, sizeof(line), file))
    if (strncmp(line, "VmHWM:", 6) == 0)
      peak = strtol(line + 6, NULL, 10);
  if (file)
    fclose(file);
  if (peak >= 0)
    return peak;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static fovea_tensor makeTensor(int64_t *shape, float *data) {
  fovea_tensor tensor = {0};
  tensor.data = data;
  tensor.device.device_type = FOVEA_DEVICE_CPU;
  tensor.ndim = 4;
  tensor.dtype.code = FOVEA_TYPE_FLOAT;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = shape;
  return tensor;
}

static double scoreOf(const float *q, const float *k) {
  double sum = 0;
  for (int d = 0; d < kHeadDim; ++d)
    sum += (double)q[d] * k[d];
  return sum / sqrt(kHeadDim);
}

/// Largest difference of row i from two nested loops in double.
static double checkRow(const float *q, const float *k, const float *v,
                       const float *out, int64_t i) {
  double max = -INFINITY, sum = 0, expected[kHeadDim] = {0}, worst = 0;
  for (int64_t j = 0; j <= i; ++j)
    max = fmax(max, scoreOf(q + i * kHeadDim, k + j * kHeadDim));
  for (int64_t j = 0; j <= i; ++j) {
    double weight = exp(scoreOf(q + i * kHeadDim, k + j * kHeadDim) - max);
    sum += weight;
    for (int d = 0; d < kHeadDim; ++d)
      expected[d] += weight * v[j * kHeadDim + d];
  }
  for (int d = 0; d < kHeadDim; ++d) {
    double difference = fabs(out[i * kHeadDim + d] - expected[d] / sum);
    if (!(difference <= worst))
      worst = isnan(difference) ? INFINITY : difference;
  }
  return worst;
}

int main(int argc, char **argv) {
  int64_t length = argc > 1 ? strtoll(argv[1], NULL, 10) : 65536;
  if (length < 1 || length >= 1 << 30) {
    fprintf(stderr, "usage: long [LENGTH], from 1 to 1073741823\n");
    return 1;
  }
  size_t count = (size_t)length * kHeadDim;
  float *q = malloc(count * sizeof(float));
  float *k = malloc(count * sizeof(float));
  float *v = malloc(count * sizeof(float));
  float *out = malloc(count * sizeof(float));
  if (!q || !k || !v || !out) {
    fprintf(stderr, "long: out of memory\n");
    return 1;
  }
  // Numbers in [-1, 1) that are the same on every machine.
  uint32_t state = 1;
  float *arrays[] = {q, k, v};
  for (int a = 0; a < 3; ++a)
    for (size_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      arrays[a][i] = (float)(state >> 8) / 8388608.0f - 1.0f;
    }

  int64_t shape[4] = {1, 1, length, kHeadDim};
  fovea_tensor qTensor = makeTensor(shape, q), kTensor = makeTensor(shape, k);
  fovea_tensor vTensor = makeTensor(shape, v);
  fovea_tensor outTensor = makeTensor(shape, out);
  char message[256] = "";
  fovea_context context;
  fovea_context_init(&context);
  context.message = message;
  context.message_bytes = sizeof(message);

  struct timespec start, end;
  timespec_get(&start, TIME_UTC);
  int status =
      causal_long_call(&context, &qTensor, &kTensor, &vTensor, &outTensor);
  timespec_get(&end, TIME_UTC);
  if (status != FOVEA_OK) {
    fprintf(stderr, "long: status %d: %s\n", status, message);
    return 1;
  }
  double seconds = (double)(end.tv_sec - start.tv_sec) +
                   1e-9 * (double)(end.tv_nsec - start.tv_nsec);
  double mebibytes = 1024.0 * 1024.0;
  double tensors = 4.0 * (double)count * sizeof(float) / mebibytes;
  double peak = (double)peakKiB() / 1024.0;
  printf("length %lld: %.2f s\n", (long long)length, seconds);
  printf("peak memory %.1f MiB - inputs and outputs %.1f MiB = extra %.1f "
         "MiB\n",
         peak, tensors, peak - tensors);

  double worst = 0;
  for (int r = 0; r < kRows; ++r)
    worst = fmax(worst, checkRow(q, k, v, out, (length - 1) * r / (kRows - 1)));
  int good = worst < 1e-5 && peak - tensors < 16;
  printf("%d rows checked: largest error %.1e %s\n", kRows, worst,
         good ? "ok" : "WRONG");
  free(q);
  free(k);
  free(v);
  free(out);
  return good ? 0 : 1;
}
