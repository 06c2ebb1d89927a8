//===- Pool.cpp - parallel loops on oneTBB --------------------------------===//

#include "fovea/runtime.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <memory>
#include <new>
#include <optional>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define FOVEA_WATCHED_BY_TSAN
#endif
#endif

struct fovea_pool {
  int threads;
  tbb::task_arena arena;
  /// oneTBB keeps to one thread per core unless told otherwise. Held only for
  /// pools with more, since it acts on the whole process.
  std::optional<tbb::global_control> extraThreads;

  explicit fovea_pool(int threads) : threads(threads), arena(threads) {
    if (threads > tbb::info::default_concurrency())
      extraThreads.emplace(tbb::global_control::max_allowed_parallelism,
                           static_cast<size_t>(threads));
    arena.initialize();
  }
};

namespace {

// oneTBB orders a loop after what its caller did before, and what the caller
// does next after the loop. ThreadSanitizer can't see that inside a library
// that was built without it: these tell it. They do nothing in other builds.
void release([[maybe_unused]] void *address) {
#ifdef FOVEA_WATCHED_BY_TSAN
  __tsan_release(address);
#endif
}
void acquire([[maybe_unused]] void *address) {
#ifdef FOVEA_WATCHED_BY_TSAN
  __tsan_acquire(address);
#endif
}

/// A loop whose indices are handed out by a counter: in ascending order, each
/// once, to whoever is free.
struct Loop {
  fovea_task task;
  void *argument;
  int64_t count;
  std::atomic<int64_t> next{0};

  /// Runs what is left, with other workers. A task that throws ends here.
  void run(int32_t worker) noexcept {
    acquire(this);
    for (;;) {
      int64_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count)
        break;
      task(argument, index, worker);
    }
    release(&next);
  }
};

void runInArena(Loop &loop, fovea_pool &pool) {
  int runners = static_cast<int>(
      loop.count < pool.threads ? loop.count : int64_t{pool.threads});
  pool.arena.execute([&] {
    // While it waits for its loop, a thread must not pick up a task of an outer
    // loop: it would run that with a worker number which is taken.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          tbb::blocked_range<int>(0, runners, 1),
          [&](const tbb::blocked_range<int> &) {
            loop.run(tbb::this_task_arena::current_thread_index());
          },
          tbb::simple_partitioner());
    });
  });
}

} // namespace

extern "C" fovea_pool *fovea_pool_create(int threads) {
  if (threads < 0)
    return nullptr;
  try {
    if (threads == 0)
      threads = tbb::info::default_concurrency();
    return new fovea_pool(threads);
  } catch (...) {
    return nullptr;
  }
}

extern "C" void fovea_pool_destroy(fovea_pool *pool) { delete pool; }

extern "C" int fovea_pool_threads(const fovea_pool *pool) {
  return pool ? pool->threads : 1;
}

extern "C" void fovea_pool_parallel_for(void *pool, fovea_task task,
                                        void *argument, int64_t count) {
  if (count <= 0)
    return;
  Loop loop{task, argument, count};
  auto *threads = static_cast<fovea_pool *>(pool);
  if (threads && threads->threads > 1 && count > 1) {
    try {
      release(&loop);
      runInArena(loop, *threads);
      acquire(&loop.next);
    } catch (...) {
      // oneTBB had no memory for its own tasks. None of this loop is running
      // any more; the rest of the indices follow below.
    }
  }
  loop.run(0);
}

extern "C" void fovea_context_set_pool(fovea_context *context,
                                       fovea_pool *pool) {
  context->pool = pool;
  context->parallel_for = pool ? fovea_pool_parallel_for : nullptr;
  context->threads = fovea_pool_threads(pool);
}
