//===- PoolTest.cpp - parallel loops on oneTBB ----------------------------===//

#include "EntryTesting.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

using namespace fovea::testing;

namespace {

struct PoolDeleter {
  void operator()(fovea_pool *pool) const { fovea_pool_destroy(pool); }
};
using Pool = std::unique_ptr<fovea_pool, PoolDeleter>;

/// Counts how often each index ran, and notices a worker number that two
/// iterations hold at the same time.
struct Recorder {
  std::vector<std::atomic<int>> runs;
  std::vector<std::atomic<int>> busy;
  std::atomic<bool> clash{false}, outOfRange{false};
  /// Spun in each iteration, so that threads do meet.
  std::chrono::microseconds work{0};

  Recorder(int64_t count, int threads)
      : runs(static_cast<size_t>(count)), busy(static_cast<size_t>(threads)) {}

  void enter(int64_t index, int32_t worker) {
    if (worker < 0 || worker >= static_cast<int32_t>(busy.size())) {
      outOfRange = true;
      return;
    }
    if (busy[worker].fetch_add(1) != 0)
      clash = true;
    ++runs[index];
    auto end = std::chrono::steady_clock::now() + work;
    while (std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
  }
  void leave(int32_t worker) { --busy[worker]; }

  static void task(void *argument, int64_t index, int32_t worker) {
    auto *recorder = static_cast<Recorder *>(argument);
    recorder->enter(index, worker);
    recorder->leave(worker);
  }

  void expectEachOnce() {
    for (size_t i = 0; i < runs.size(); ++i)
      ASSERT_EQ(runs[i], 1) << "index " << i;
    EXPECT_FALSE(clash);
    EXPECT_FALSE(outOfRange);
  }
};

TEST(Pool, EachIndexRunsOnce) {
  for (int threads : {1, 2, 3, 4, 8}) {
    Pool pool(fovea_pool_create(threads));
    ASSERT_TRUE(pool);
    for (int64_t count : {1, 2, 3, 7, 64, 10000}) {
      Recorder recorder(count, threads);
      fovea_pool_parallel_for(pool.get(), Recorder::task, &recorder, count);
      recorder.expectEachOnce();
    }
  }
}

TEST(Pool, WorkersAreDistinctAtAnyTime) {
  Pool pool(fovea_pool_create(4));
  Recorder recorder(400, 4);
  recorder.work = std::chrono::microseconds(50);
  fovea_pool_parallel_for(pool.get(), Recorder::task, &recorder, 400);
  recorder.expectEachOnce();
}

TEST(Pool, ThreadsRunAtTheSameTime) {
  // Each task waits for the other: a serial loop would not end in time.
  struct Meeting {
    std::atomic<int> present{0};
    std::atomic<bool> met{true};
  } meeting;
  Pool pool(fovea_pool_create(2));
  fovea_pool_parallel_for(
      pool.get(),
      [](void *argument, int64_t, int32_t) {
        auto *meeting = static_cast<Meeting *>(argument);
        ++meeting->present;
        auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (meeting->present < 2)
          if (std::chrono::steady_clock::now() > end) {
            meeting->met = false;
            return;
          } else {
            std::this_thread::yield();
          }
      },
      &meeting, 2);
  EXPECT_TRUE(meeting.met);
}

TEST(Pool, OneThreadIsTheCaller) {
  Pool pool(fovea_pool_create(1));
  struct Order {
    std::thread::id caller = std::this_thread::get_id();
    std::vector<int64_t> indices;
  } order;
  fovea_pool_parallel_for(
      pool.get(),
      [](void *argument, int64_t index, int32_t worker) {
        auto *order = static_cast<Order *>(argument);
        EXPECT_EQ(std::this_thread::get_id(), order->caller);
        EXPECT_EQ(worker, 0);
        order->indices.push_back(index);
      },
      &order, 5);
  EXPECT_EQ(order.indices, (std::vector<int64_t>{0, 1, 2, 3, 4}));
}

void mustNotRun(void *, int64_t, int32_t) {
  ADD_FAILURE() << "ran a task of an empty loop";
}

TEST(Pool, LoopsOfNothing) {
  Pool pool(fovea_pool_create(2));
  fovea_pool_parallel_for(pool.get(), mustNotRun, nullptr, 0);
  fovea_pool_parallel_for(pool.get(), mustNotRun, nullptr, -7);
  fovea_pool_parallel_for(nullptr, mustNotRun, nullptr, 0);
}

TEST(Pool, NullIsSerial) {
  EXPECT_EQ(fovea_pool_threads(nullptr), 1);
  fovea_pool_destroy(nullptr);
  Recorder recorder(5, 1);
  fovea_pool_parallel_for(nullptr, Recorder::task, &recorder, 5);
  recorder.expectEachOnce();
}

TEST(Pool, Threads) {
  Pool three(fovea_pool_create(3));
  EXPECT_EQ(fovea_pool_threads(three.get()), 3);
  Pool all(fovea_pool_create(0));
  ASSERT_TRUE(all);
  EXPECT_GE(fovea_pool_threads(all.get()), 1);
  EXPECT_EQ(fovea_pool_create(-1), nullptr);
}

//===-- Loops within loops ------------------------------------------------===//

/// An outer loop each task of which runs an inner loop on the same pool.
struct Nest {
  fovea_pool *pool;
  Recorder outer;
  std::vector<std::unique_ptr<Recorder>> inner;

  Nest(fovea_pool *pool, int64_t count, int64_t innerCount)
      : pool(pool), outer(count, fovea_pool_threads(pool)) {
    for (int64_t i = 0; i < count; ++i) {
      inner.push_back(
          std::make_unique<Recorder>(innerCount, fovea_pool_threads(pool)));
      inner.back()->work = std::chrono::microseconds(20);
    }
  }

  static void task(void *argument, int64_t index, int32_t worker) {
    auto *nest = static_cast<Nest *>(argument);
    Recorder &inner = *nest->inner[static_cast<size_t>(index)];
    // The worker stays busy during the inner loop: a thread that took another
    // outer task meanwhile would clash.
    nest->outer.enter(index, worker);
    fovea_pool_parallel_for(nest->pool, Recorder::task, &inner,
                            static_cast<int64_t>(inner.runs.size()));
    nest->outer.leave(worker);
  }
};

TEST(Pool, Nested) {
  for (int threads : {1, 2, 4, 8}) {
    Pool pool(fovea_pool_create(threads));
    // Many short nests: a thread is tempted by an outer task at the start only.
    for (int round = 0; round < 25; ++round) {
      Nest nest(pool.get(), 8, 20);
      fovea_pool_parallel_for(pool.get(), Nest::task, &nest, 8);
      nest.outer.expectEachOnce();
      for (auto &inner : nest.inner)
        inner->expectEachOnce();
    }
  }
}

TEST(Pool, CallersShareOne) {
  Pool pool(fovea_pool_create(2));
  std::vector<std::unique_ptr<Recorder>> recorders;
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    recorders.push_back(std::make_unique<Recorder>(200, 2));
    recorders.back()->work = std::chrono::microseconds(5);
    callers.emplace_back([&pool, recorder = recorders.back().get()] {
      fovea_pool_parallel_for(pool.get(), Recorder::task, recorder, 200);
    });
  }
  for (std::thread &caller : callers)
    caller.join();
  for (auto &recorder : recorders)
    recorder->expectEachOnce();
}

//===-- Contexts ----------------------------------------------------------===//

TEST(Pool, ContextTakesAPool) {
  Pool pool(fovea_pool_create(3));
  fovea_context context;
  fovea_context_init(&context);
  fovea_context_set_pool(&context, pool.get());
  EXPECT_EQ(context.pool, pool.get());
  EXPECT_EQ(context.parallel_for, fovea_pool_parallel_for);
  EXPECT_EQ(context.threads, 3);
  fovea_context_set_pool(&context, nullptr);
  EXPECT_EQ(context.pool, nullptr);
  EXPECT_EQ(context.parallel_for, nullptr);
  EXPECT_EQ(context.threads, 1);
}

TEST(Pool, RunsTheLoopsOfAKernel) {
  Pool pool(fovea_pool_create(2));
  fovea_context context;
  fovea_context_init(&context);
  fovea_context_set_pool(&context, pool.get());
  fovea_frame frame{};
  frame.context = &context;
  Recorder recorder(50, 2);
  fovea_entry_parallel_for(&frame, Recorder::task, &recorder, 50);
  recorder.expectEachOnce();
}

} // namespace
