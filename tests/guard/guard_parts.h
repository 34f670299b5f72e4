// What tests of the guard are made of: a database in memory that counts, sleeps and fails, and a feeder by hand.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "bloomery/guard/guard.h"
#include "bloomery/guard/live_filter.h"
#include "bloomery/guard/memory_cache.h"

namespace bloomery::guard {

using namespace std::chrono_literals;

class Database {
 public:
  void commit(const std::string& key, const std::string& value) {
    const std::lock_guard lock(mutex_);
    rows_[key] = value;
  }
  void remove(const std::string& key) {
    const std::lock_guard lock(mutex_);
    rows_.erase(key);
  }

  Loader loader() {
    return
        [this](std::string_view key, const LoadContext& context) { return load(std::string(key), context); };
  }

  std::uint64_t loads() const { return loads_; }
  std::uint64_t most_at_once() const { return most_; }
  void forget_most() { most_ = 0; }
  std::uint64_t loads_now() const { return now_; }

  std::atomic<std::int64_t> takes_us{0};
  std::atomic<bool> fails{false};
  // Called after the row was read and before it is returned.
  std::function<void(const std::string&)> meanwhile;

 private:
  Result<Loaded> load(const std::string& key, const LoadContext& /*context*/) {
    ++loads_;
    const std::uint64_t now = ++now_;
    for (std::uint64_t most = most_; most < now && !most_.compare_exchange_weak(most, now);) {
    }
    Loaded row;
    {
      const std::lock_guard lock(mutex_);
      const auto known = rows_.find(key);
      row = known == rows_.end() ? Loaded() : Loaded(known->second);
    }
    if (takes_us > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(takes_us));
    }
    if (meanwhile) {
      meanwhile(key);
    }
    --now_;
    if (fails) {
      return Error(ErrorCode::kIo, "database", "expected a row, found that it is down");
    }
    return row;
  }

  std::mutex mutex_;
  std::map<std::string, std::string> rows_;
  std::atomic<std::uint64_t> loads_{0};
  std::atomic<std::uint64_t> now_{0};
  std::atomic<std::uint64_t> most_{0};
};

inline std::shared_ptr<LiveFilter> made_filter(double fpp = 0.01, std::uint64_t capacity = 10'000) {
  auto made = LiveFilter::make({.capacity = capacity, .fpp = fpp});
  EXPECT_TRUE(made.has_value());
  return *made;
}

// Makes the filter complete as of now, with these keys.
template <typename Keys>
void fill(LiveFilter& live, const Keys& keys) {
  const std::int64_t horizon = machine_now_ns();
  ASSERT_TRUE(live.begin_rebuild(std::max<std::size_t>(keys.size(), 1)));
  for (const auto& key : keys) {
    ASSERT_TRUE(live.insert_scanned(key));
  }
  ASSERT_TRUE(live.finish_rebuild({FilterPhase::kComplete, 1, 0, horizon}));
}

// A bound that no test reaches by being slow.
inline GuardOptions patient() {
  GuardOptions options;
  options.bound.time = 1h;
  options.load_deadline = 10s;
  return options;
}

inline std::unique_ptr<Guard> made_guard(std::shared_ptr<FilterSource> source, Database& database,
                                         const GuardOptions& options = patient(),
                                         std::shared_ptr<ValueCache> cache = nullptr) {
  if (cache == nullptr) {
    cache = MemoryCache::make(std::uint64_t{16} << 20);
  }
  auto made = Guard::make(std::move(source), std::move(cache), database.loader(), options);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().to_string());
  return std::move(*made);
}

inline bool finds(Guard& guard, std::string_view key) {
  const Result<Answer> answer = guard.get(key);
  EXPECT_TRUE(answer.has_value()) << answer.error().to_string();
  return answer && answer->value.has_value();
}

// Waits until a condition holds; false after 10 s.
template <typename Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

}  // namespace bloomery::guard
