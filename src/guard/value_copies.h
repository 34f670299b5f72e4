// Copies of the values of a shared cache in this process, for the time when that cache is down.
//
// A copy must not outlive a write. So the caller calls removals() before it reads the value. put() keeps the
// copy only if the key was not removed in between.
//
//   seen = removals(key) ──> read the value ──> put(key, value, seen)     remove(key): counts, drops the copy
//
// Keys share 256 counters, so a put() may be refused needlessly. The next reader tries again.
//
// A copy is kept no longer than the cache keeps its value. The expiry is computed from the value's fresh
// time, so it is exact only up to the jitter of both times.
//
// Threads: all calls may run together.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/guard/value_cache.h"

namespace bloomery::guard {

class ValueCopies {
 public:
  // With 0 bytes no copies are kept.
  ValueCopies(std::uint64_t bytes, const FreshTimes& times)
      : times_(times), values_(bytes > 0 ? MemoryCache::make(bytes) : nullptr) {}

  // Returns a number that changes when the key is removed.
  std::uint64_t removals(std::string_view key) const {
    return part_of(key).removals.load(std::memory_order_acquire);
  }

  std::optional<CachedValue> get(std::string_view key) const {
    return values_ == nullptr ? std::nullopt : *values_->get(key);
  }

  // Stores a value that was read after removals() returned `seen`.
  void put(std::string_view key, const CachedValue& value, std::uint64_t seen) {
    const std::optional<std::chrono::milliseconds> keep_for = time_left(value);
    if (values_ == nullptr || !keep_for || has(key, value)) {
      return;
    }
    const Part& part = part_of(key);
    const std::lock_guard lock(part.mutex);
    if (part.removals.load(std::memory_order_relaxed) == seen) {
      (void)values_->put(key, value, *keep_for, {});  // a value larger than the limit gets no copy
    }
  }

  void remove(std::string_view key) {
    if (values_ == nullptr) {
      return;
    }
    Part& part = part_of(key);
    const std::lock_guard lock(part.mutex);
    part.removals.fetch_add(1, std::memory_order_acq_rel);
    (void)values_->remove(key);
  }

 private:
  struct alignas(64) Part {
    mutable std::mutex mutex;  // locked while a copy is put or removed
    std::atomic<std::uint64_t> removals{0};
  };

  const Part& part_of(std::string_view key) const {
    return parts_[std::hash<std::string_view>()(key) % parts_.size()];
  }
  Part& part_of(std::string_view key) { return parts_[std::hash<std::string_view>()(key) % parts_.size()]; }

  bool has(std::string_view key, const CachedValue& value) const {
    const std::optional<CachedValue> copy = get(key);
    return copy && copy->fresh_until_ms == value.fresh_until_ms;
  }
  // Returns how long a copy may be kept: nothing if the value has expired, 0 if it never expires.
  std::optional<std::chrono::milliseconds> time_left(const CachedValue& value) const {
    if (times_.keep.count() == 0) {
      return times_.keep;
    }
    // The fresh time of a value that is loaded now.
    const std::int64_t latest = unix_now_ms() + times_.fresh.count();
    const std::int64_t over = latest - times_.keep.count();  // the fresh time of a value that expires now
    if (value.fresh_until_ms <= over) {
      return std::nullopt;
    }
    return std::chrono::milliseconds(std::min(value.fresh_until_ms, latest) - over);
  }

  FreshTimes times_;
  std::shared_ptr<MemoryCache> values_;  // null if no copies are kept
  std::array<Part, 256> parts_;
};

}  // namespace bloomery::guard
