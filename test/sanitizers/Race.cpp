//===- Race.cpp - a race that ThreadSanitizer must report -----------------===//
//
// Two tasks of one loop, on two threads at the same time, add to one number. A
// test of the test: were the tasks of a pool not watched, this would end well.
//
//===----------------------------------------------------------------------===//

#include "fovea/runtime.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace {

struct Racers {
  std::atomic<int> present{0};
  int64_t sum = 0;

  static void addWithoutOrder(void *argument, int64_t, int32_t) {
    auto *racers = static_cast<Racers *>(argument);
    // Relaxed: the tasks meet, but neither comes before the other.
    racers->present.fetch_add(1, std::memory_order_relaxed);
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (racers->present.load(std::memory_order_relaxed) < 2 &&
           std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    ++racers->sum;
  }
};

} // namespace

int main() {
  fovea_pool *pool = fovea_pool_create(2);
  int64_t sum = 0;
  // ThreadSanitizer may miss two accesses at the very same time.
  for (int round = 0; round < 20; ++round) {
    Racers racers;
    fovea_pool_parallel_for(pool, Racers::addWithoutOrder, &racers, 2);
    sum += racers.sum;
  }
  std::printf("sum %lld\n", static_cast<long long>(sum));
  fovea_pool_destroy(pool);
  return 0;
}
