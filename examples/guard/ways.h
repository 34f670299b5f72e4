// Four ways to read a row through a cache in Redis. The first three are what people build by hand.
//
//   none         the cache, then the database
//   null cache   the cache also keeps "no such row", for a minute
//   fixed        a filter that is filled at the start, then the null cache
//   guard        this library's, over the leased file that `bloomery feed postgres` keeps current
#pragma once

#include <bloomery/connect/redis_cache.h>
#include <bloomery/filter/blocked_bloom_filter.h>
#include <bloomery/guard/guard.h>
#include <bloomery/guard/leased_source.h>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "database.h"

namespace guard = bloomery::guard;
using namespace std::chrono_literals;

// A key that begins so belongs to a page that takes 50 ms to make.
inline const char* query_for(const std::string& key) {
  return key.starts_with("hot") ? "page" : "row";
}

class Way {
 public:
  Way() = default;
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;
  virtual ~Way() = default;

  struct Answer {
    bool is_error = false;
    std::optional<std::string> row;
  };
  virtual Answer ask(const std::string& key) = 0;
  // A write of the row: what the cache has of it goes.
  virtual void forget(const std::string& key) = 0;
  virtual std::size_t filter_bytes() const { return 0; }
};

class ByHand final : public Way {
 public:
  // Without `nulls` no absence is kept. Without `fpp` there is no filter.
  ByHand(Database& database, const std::string& redis, bool nulls, double fpp, std::uint64_t rows)
      : database_(database),
        cache_(*bloomery::redis_cache(redis, {.prefix = fpp > 0 ? "f:"
                                                        : nulls ? "0:"
                                                                : "n:"})),
        nulls_(nulls) {
    if (fpp > 0) {
      filter_.emplace(*bloomery::BlockedBloomFilter::for_capacity(rows, fpp));
      database_.scan([&](const std::string& key) { filter_->insert(key); });
    }
  }

  Answer ask(const std::string& key) override {
    if (filter_ && !filter_->may_contain(key)) {
      return {};
    }
    const auto cached = cache_->get(key);
    if (cached && *cached) {
      return {false, (*cached)->bytes == kNoRow ? std::nullopt : std::optional((*cached)->bytes)};
    }
    std::optional<std::string> row = database_.row(key, query_for(key));
    if (row || nulls_) {
      (void)cache_->put(key, {row.value_or(kNoRow), guard::unix_now_ms() + 60'000}, row ? 1h : 60s, {});
    }
    return {false, std::move(row)};
  }
  void forget(const std::string& key) override { (void)cache_->remove(key); }
  std::size_t filter_bytes() const override { return filter_ ? filter_->file_bytes() : 0; }

 private:
  inline static const std::string kNoRow = std::string(1, '\0') + "no such row";

  Database& database_;
  std::shared_ptr<guard::ValueCache> cache_;
  bool nulls_;
  std::optional<bloomery::BlockedBloomFilter> filter_;
};

class Guarded final : public Way {
 public:
  Guarded(Database& database, const std::string& redis, const std::string& leased_file,
          std::uint32_t loads_without_cache) {
    guard::GuardOptions options;
    options.bound.time = 5s;  // the feeder's bound
    options.loads_without_cache = loads_without_cache;
    std::shared_ptr<guard::FilterSource> source = std::move(*guard::LeasedSource::open(leased_file));
    guard_ = *guard::Guard::make(
        std::move(source), *bloomery::redis_cache(redis, {.prefix = "g:"}),
        [&database](std::string_view key, const guard::LoadContext&) -> bloomery::Result<guard::Loaded> {
          return database.row(std::string(key), query_for(std::string(key)));
        },
        options);
  }

  Answer ask(const std::string& key) override {
    auto answer = guard_->get(key);
    return answer ? Answer{false, std::move(answer->value)} : Answer{true, std::nullopt};
  }
  void forget(const std::string& key) override { (void)guard_->write(key).end(); }
  bool is_active() const { return guard_->state() == guard::GuardState::kActive; }
  guard::GuardMetrics metrics() const { return guard_->metrics(); }

 private:
  std::unique_ptr<guard::Guard> guard_;
};
