//===- call.c - one call of a compiled kernel, with nothing around it -----===//

#include "causal.h"

#include <stdio.h>

static float q[8 * 5 * 64], k[2 * 7 * 64], v[2 * 7 * 64], out[8 * 5 * 64],
    lse[8 * 5];

/// A compact f32 tensor.
static fovea_tensor view(float *data, int rank, int64_t *shape) {
  fovea_tensor tensor = {.data = data, .ndim = rank, .shape = shape};
  tensor.device.device_type = FOVEA_DEVICE_CPU;
  tensor.dtype = (fovea_data_type){FOVEA_TYPE_FLOAT, 32, 1};
  return tensor;
}

int main(void) {
  for (int i = 0; i < 2 * 7 * 64; ++i)
    v[i] = (float)(i / 64); // all values of a key are its number

  int64_t queries[] = {1, 8, 5, 64}, keys[] = {1, 2, 7, 64};
  fovea_tensor tq = view(q, 4, queries), tk = view(k, 4, keys),
               tv = view(v, 4, keys), to = view(out, 4, queries),
               tl = view(lse, 3, queries);

  char message[256];
  fovea_context context;
  fovea_context_init(&context); // serial; the call allocates its workspace
  context.message = message;
  context.message_bytes = sizeof message;

  int status = causal_call(&context, &tq, &tk, &tv, &to, &tl);
  printf("status %d, out[0,0,4,0] = %g, lse[0,0,4] = %g\n", status, out[4 * 64],
         lse[4]);

  int64_t fewer[] = {1, 2, 6, 64};
  tv.shape = fewer;
  status = causal_call(&context, &tq, &tk, &tv, &to, &tl);
  printf("status %d: %s\n", status, message);
  return 0;
}
