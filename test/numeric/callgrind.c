/* Calls the kernel of callgrind.py once, on tensors of one head:
 *
 *   callgrind QUERIES KEYS QUERY_OFFSET
 *
 * Ends with the kernel's status, and prints why where that is not FOVEA_OK.
 */
#include "attend.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef HALF
typedef uint16_t element;
static element make(uint32_t n) { return (uint16_t)(0x3f00 + n % 128); }
#define TYPE {FOVEA_TYPE_BFLOAT, 16, 1}
#else
typedef float element;
static element make(uint32_t n) { return (float)(n % 128) / 128; }
#define TYPE {FOVEA_TYPE_FLOAT, 32, 1}
#endif

/* A tensor [1,1,LENGTH,DIM] of finite values. */
static fovea_tensor tensor(int64_t *shape, int64_t length) {
  element *data = malloc((size_t)length * DIM * sizeof(element));
  for (int64_t i = 0; data && i < length * DIM; ++i)
    data[i] = make((uint32_t)i * 40503u);
  shape[0] = shape[1] = 1;
  shape[2] = length;
  shape[3] = DIM;
  fovea_tensor tensor = {data, {FOVEA_DEVICE_CPU, 0}, 4, TYPE, shape, NULL, 0};
  return tensor;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return -1;
  int64_t queries = atoll(argv[1]), keys = atoll(argv[2]);
  int64_t offset = atoll(argv[3]), one = 1, shapes[4][4];
  fovea_tensor q = tensor(shapes[0], queries), k = tensor(shapes[1], keys),
               v = tensor(shapes[2], keys), out = tensor(shapes[3], queries);
  fovea_tensor offsets = {
      &offset, {FOVEA_DEVICE_CPU, 0}, 1, {FOVEA_TYPE_INT, 64, 1}, &one, NULL,
      0};
  char message[200] = "";
  fovea_context context;
  fovea_context_init(&context);
  context.message = message;
  context.message_bytes = sizeof message;
  int status = attend_call(&context, &q, &k, &v, &offsets, &out);
  if (status != FOVEA_OK)
    puts(message);
  free(q.data);
  free(k.data);
  free(v.data);
  free(out.data);
  return status;
}
