#include <fovea/runtime.h>
#include <stdio.h>

int main(void) {
  fovea_pool *pool = fovea_pool_create(2);
  printf("%d threads, status 0 is '%s'\n", fovea_pool_threads(pool),
         fovea_status_string(FOVEA_OK));
  fovea_pool_destroy(pool);
  return 0;
}
