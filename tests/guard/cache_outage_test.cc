// A shared cache that fails, comes back and is written by others hides no write of this process, and a copy of its values
// outlives neither a write nor its time.
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/guard/guard_parts.h"

namespace bloomery::guard {
namespace {

// A shared cache without leases in this process's memory. It can be away, with what it has.
class Shared final : public ValueCache {
 public:
  Result<std::optional<CachedValue>> get(std::string_view key) override {
    std::optional<CachedValue> value;
    {
      const std::lock_guard lock(mutex_);
      if (is_away) {
        return away();
      }
      const auto known = values_.find(std::string(key));
      value = known == values_.end() ? std::nullopt : std::optional(known->second);
    }
    if (const auto action = std::exchange(after_read, nullptr)) {
      action();
    }
    return value;
  }
  Status put(std::string_view key, const CachedValue& value, std::chrono::milliseconds /*keep_for*/,
             const Lease& /*lease*/) override {
    const std::lock_guard lock(mutex_);
    if (is_away) {
      return away();
    }
    values_[std::string(key)] = value;
    return {};
  }
  Status remove(std::string_view key) override {
    const std::lock_guard lock(mutex_);
    if (is_away) {
      return away();
    }
    values_.erase(std::string(key));
    return {};
  }
  bool is_shared() const override { return true; }

  void forget_all() {
    const std::lock_guard lock(mutex_);
    values_.clear();
  }

  std::atomic<bool> is_away{false};
  std::function<void()> after_read;  // called once, by the next get() after it has read

 private:
  static Error away() { return {ErrorCode::kIo, "cache", "expected an answer, found that it is away"}; }

  std::mutex mutex_;
  std::map<std::string, CachedValue> values_;
};

class CacheOutage : public ::testing::Test {
 protected:
  std::unique_ptr<Guard> guarded(const GuardOptions& options = patient()) {
    return made_guard(made_filter(), database_, options, cache_);
  }
  void take_away(Guard& guard) {
    cache_->is_away = true;
    ASSERT_TRUE(comes_true([&] {
      (void)guard.get("any");
      return guard.metrics().is_cache_down;
    }));
  }
  void bring_back(Guard& guard) {
    cache_->is_away = false;
    ASSERT_TRUE(comes_true([&] {
      (void)guard.get("any");
      return !guard.metrics().is_cache_down;
    }));
  }

  Database database_;
  std::shared_ptr<Shared> cache_ = std::make_shared<Shared>();
};

TEST_F(CacheOutage, ACopyOfAnotherProcessDoesNotHideAWriteWhenTheCacheIsBack) {
  database_.commit("row", "old");
  const auto reader = guarded();
  const auto writer = guarded();
  EXPECT_EQ(reader->get("row")->value, "old");
  take_away(*reader);
  bring_back(*reader);
  cache_->forget_all();
  Write write = writer->write("row");
  database_.commit("row", "new");
  EXPECT_TRUE(write.end());
  const Result<Answer> copy = reader->get("row");  // no write of another process reaches it
  EXPECT_EQ(copy->value, "old");
  EXPECT_TRUE(copy->is_stale);
  EXPECT_EQ(writer->get("row")->value, "new");
  EXPECT_TRUE(comes_true([&] { return reader->get("row")->value == "new"; }))
      << "it was not loaded in the background";
}

TEST_F(CacheOutage, AValueThatWasReadBeforeAWriteIsNotCopiedAfterIt) {
  database_.commit("row", "old");
  const auto guard = guarded();
  EXPECT_EQ(guarded()->get("row")->value, "old");  // another process puts it into the cache
  cache_->after_read = [&] {
    Write write = guard->write("row");
    database_.commit("row", "new");
    EXPECT_TRUE(write.end());
  };
  EXPECT_EQ(guard->get("row")->value, "old");  // it was asked before the write ended
  take_away(*guard);
  EXPECT_EQ(guard->get("row")->value, "new");
}

TEST_F(CacheOutage, ACopyIsKeptNoLongerThanItsValue) {
  GuardOptions options = patient();
  options.times = {.fresh = 10s, .keep = 10s, .jitter = 0};
  database_.commit("row", "new");
  const auto guard = guarded(options);
  CachedValue value;
  ASSERT_TRUE(comes_true([&] {             // a machine that is busy may read it when it is over
    value = {"old", unix_now_ms() + 500};  // it was loaded nearly ten seconds ago
    return cache_->put("row", value, 500ms, {}) && guard->get("row")->value == "old";
  }));
  take_away(*guard);
  ASSERT_TRUE(comes_true([&] { return unix_now_ms() > value.fresh_until_ms; }));
  EXPECT_EQ(guard->get("row")->value, "new");
}

TEST_F(CacheOutage, MoreWritesThanItRemembersHideNoneOfThem) {
  constexpr int kWrites = 65'536 + 10;
  const std::string last = "row " + std::to_string(kWrites - 1);
  database_.commit(last, "old");
  const auto guard = guarded();
  EXPECT_EQ(guard->get(last)->value, "old");
  take_away(*guard);
  for (int i = 0; i < kWrites; ++i) {
    Write write = guard->write("row " + std::to_string(i));
    if (i == kWrites - 1) {
      database_.commit(last, "new");
    }
    EXPECT_FALSE(write.end());
  }
  bring_back(*guard);
  EXPECT_EQ(cache_->get(last)->value().bytes, "old") << "the test is pointless";
  EXPECT_EQ(guard->get(last)->value, "new");
}

}  // namespace
}  // namespace bloomery::guard
