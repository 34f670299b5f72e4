// Many threads at once: one load for a key, no more loads than the gate lets through, and no wrong *no* for a row
// that was written through the guard, whatever rebuilds, doubts and slow loads do meanwhile.
#include <atomic>
#include <deque>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/guard/guard_parts.h"

namespace bloomery::guard {
namespace {

// Runs `work(number of the thread)` in so many threads and waits for them.
template <typename Work>
void in_threads(int count, Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([i, &work] { work(i); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// A few threads that run what they are given: an executor, as a program has one.
class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] { run(); });
    }
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    came_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  Executor executor() {
    return [this](std::function<void()> work) {
      {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(work));
      }
      came_.notify_one();
    };
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      came_.wait(lock, [this] { return ends_ || !queue_.empty(); });
      if (queue_.empty()) {
        return;
      }
      const auto work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::function<void()>> queue_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

TEST(GuardThreads, AHotKeyIsLoadedOnce) {
  Database database;
  database.commit("hot", "value");
  const auto guarded = made_guard(made_filter(), database);
  // The load ends when everybody else waits for it.
  database.meanwhile = [&](const std::string&) {
    EXPECT_TRUE(comes_true([&] { return guarded->metrics().joined == 15; }));
  };
  in_threads(16, [&](int) {
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(finds(*guarded, "hot"));
    }
  });
  EXPECT_EQ(database.loads(), 1U);
  EXPECT_EQ(guarded->metrics().joined, 15U);
}

TEST(GuardThreads, AHotKeyThatBecomesStaleAgainAndAgainIsLoadedOnceEachTime) {
  Database database;
  database.commit("hot", "value");
  database.takes_us = 5'000;
  GuardOptions options = patient();
  options.times = {.fresh = 50ms, .keep = 1h, .jitter = 0};
  const auto guarded = made_guard(made_filter(), database, options);
  const auto begin = std::chrono::steady_clock::now();
  in_threads(8, [&](int) {
    while (std::chrono::steady_clock::now() < begin + 500ms) {
      ASSERT_TRUE(finds(*guarded, "hot"));
    }
  });
  // A value lives for 50 ms before the next load begins.
  const auto lasted = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(database.loads(), 1U + static_cast<std::uint64_t>(lasted / 50ms));
  EXPECT_GE(database.loads(), 2U);
  EXPECT_EQ(database.most_at_once(), 1U);
}

TEST(GuardThreads, TheGateBoundsLoadsAndWhoFindsNoRoomGetsAnError) {
  Database database;
  database.takes_us = 200'000;
  GuardOptions options = patient();
  options.loads_at_once = 4;
  options.loads_without_cache = 2;
  options.load_deadline = 120ms;
  const auto guarded = made_guard(made_filter(), database, options);
  std::atomic<int> errors{0};
  in_threads(24, [&](int i) { errors += guarded->get("key " + std::to_string(i)).has_value() ? 0 : 1; });
  EXPECT_LE(database.most_at_once(), 4U);
  EXPECT_GE(errors, 1);
  EXPECT_EQ(guarded->metrics().gate_refusals, static_cast<std::uint64_t>(errors));
  EXPECT_EQ(guarded->metrics().loads_now, 0U);
}

TEST(GuardThreads, ALoaderThatHangsCostsItsDeadlineAndIsReplaced) {
  Database database;
  database.commit("row", "value");
  std::atomic<bool> hangs{true};
  database.meanwhile = [&](const std::string&) {
    while (hangs) {
      std::this_thread::sleep_for(1ms);
    }
  };
  Pool pool(4);
  GuardOptions options = patient();
  options.load_deadline = 50ms;
  options.executor = pool.executor();
  const auto guarded = made_guard(made_filter(), database, options);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(guarded->get("row"));
  EXPECT_FALSE(guarded->get("row"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_EQ(database.loads(), 2U);  // the second one replaced the first
  hangs = false;
  ASSERT_TRUE(comes_true([&] { return database.loads_now() == 0; }));
  EXPECT_TRUE(finds(*guarded, "row"));
}

TEST(GuardThreads, CallbacksComeOnceAndOneLoadServesAll) {
  Database database;
  database.commit("row", "value");
  database.takes_us = 20'000;
  const auto live = made_filter();
  fill(*live, std::vector<std::string>{"row"});
  std::atomic<int> found{0};
  std::atomic<int> absent{0};
  {
    Pool pool(2);
    GuardOptions options = patient();
    options.executor = pool.executor();
    const auto guarded = made_guard(live, database, options);
    for (int i = 0; i < 100; ++i) {
      guarded->get("row", [&](const Result<Answer>& answer) { found += answer && answer->value ? 1 : 0; });
      guarded->get("rejected",
                   [&](const Result<Answer>& answer) { absent += answer && !answer->value ? 1 : 0; });
    }
    ASSERT_TRUE(comes_true([&] { return found + absent == 200; }));
  }
  EXPECT_EQ(found, 100);
  EXPECT_EQ(absent, 100);
  EXPECT_LE(database.loads(), 2U);  // "rejected" may be a false positive
}

TEST(GuardThreads, WorkThatComesAfterTheGuardIsGoneEndsWithAnError) {
  Database database;
  std::vector<std::function<void()>> later;
  int errors = 0;
  {
    GuardOptions options = patient();
    options.executor = [&](std::function<void()> work) { later.push_back(std::move(work)); };
    const auto guarded = made_guard(made_filter(), database, options);
    guarded->get("row", [&](const Result<Answer>& answer) { errors += answer ? 0 : 1; });
  }
  ASSERT_EQ(later.size(), 1U);
  later[0]();
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(database.loads(), 0U);
}

// Writers insert, commit, end, and ask at once. A feeder follows some milliseconds behind, rebuilds all the time from
// what is committed, doubts now and then, and never sees the guard's writes but through the log. Readers provoke
// loads of keys that do not exist yet, so that absences are about to be kept when their rows come.
void write_and_ask(std::uint64_t seed, bool is_told) {
  Database database;
  database.takes_us = 200;
  const auto live = made_filter(0.01, 1000);
  GuardOptions options = patient();
  options.negative = {.keep = 1h, .keep_if_told = is_told ? 1h : 0h};
  options.load_deadline = 60s;
  const auto guarded = made_guard(live, database, options);
  if (is_told) {
    live->on_insert([&](std::string_view key) { guarded->changed(key); });
  }

  std::mutex log_mutex;
  std::vector<std::string> log;  // commits in order
  std::atomic<bool> ends{false};
  std::thread feeder([&] {
    std::mt19937_64 random(seed);
    std::size_t taken = 0;
    while (!ends) {
      const std::int64_t horizon = machine_now_ns();
      std::size_t until = 0;
      {
        const std::lock_guard lock(log_mutex);
        until = log.size();
      }
      std::vector<std::string> scanned;
      if (random() % 8 == 0) {
        ASSERT_TRUE(live->begin_rebuild(1000));
        const std::lock_guard lock(log_mutex);
        scanned.assign(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(until));
      }
      for (; taken < until; ++taken) {
        std::string key;
        {
          const std::lock_guard lock(log_mutex);
          key = log[taken];
        }
        ASSERT_TRUE(live->insert(key));
      }
      for (const std::string& key : scanned) {
        ASSERT_TRUE(live->insert_scanned(key));
      }
      if (live->finish_rebuild({FilterPhase::kComplete, until, 0, horizon})) {
        if (random() % 4 == 0) {
          live->doubt();
        }
      }
      live->report(until, 0, horizon);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    }
    live->abandon_rebuild();
  });

  constexpr int kWriters = 4;
  constexpr int kRows = 300;
  std::atomic<int> wrong{0};
  std::array<std::atomic<int>, kWriters> next = {};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&, reader] {
      std::mt19937_64 random(seed + 100 + static_cast<std::uint64_t>(reader));
      while (!ends) {
        const auto writer = random() % kWriters;
        (void)guarded->get(std::to_string(writer) + " " +
                           std::to_string(next[writer] + static_cast<int>(random() % 3)));
      }
    });
  }
  in_threads(kWriters, [&](int writer) {
    for (int i = 0; i < kRows; ++i) {
      const std::string key = std::to_string(writer) + " " + std::to_string(i);
      next[static_cast<std::size_t>(writer)] = i;
      Write write = guarded->write(key);
      database.commit(key, key);
      {
        const std::lock_guard lock(log_mutex);
        log.push_back(key);
      }
      ASSERT_TRUE(write.end());
      for (int again = 0; again < 3; ++again) {
        const Result<Answer> answer = guarded->get(key);
        wrong += answer && answer->value == key ? 0 : 1;
      }
    }
  });
  ends = true;
  feeder.join();
  for (std::thread& reader : readers) {
    reader.join();
  }
  for (const std::string& key : log) {
    wrong += finds(*guarded, key) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0) << "seed " << seed;
}

TEST(GuardThreads, NoRowThatWasWrittenThroughItIsEverDenied) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  write_and_ask(seed, false);
  write_and_ask(seed + 1, true);
}

}  // namespace
}  // namespace bloomery::guard
