// A guard's way to its cache: counts failures, leaves a cache that is down alone, and keeps copies of a shared cache.
//
//   up ── three failures in a row ──> down ── one call in a while tries again, and succeeds ──> up
//
// While the cache is down no call waits for it but the one that tries. The pause between tries doubles from 100 ms to
// 2 s.
//
// The copies are answered only while the cache is down, and while it recovers, if it does not have the key. A copy
// that is found then is put back into the cache, so that the database is spared.
//
// A removal that failed is owed: the key counts as absent until the removal has succeeded. So a write while the cache
// was down is not hidden by an old value when it is back. At most 65,536 are owed; further ones are only reported.
//
// Threads: all calls may run together.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/guard/value_cache.h"
#include "guard/load_gate.h"

namespace bloomery::guard {

struct Found {
  CachedValue value;
  bool is_fresh = false;
  bool is_copy = false;
};

class CacheAccess {
 public:
  // `gate` hears when the cache goes down and comes back. It must outlive this.
  CacheAccess(std::shared_ptr<ValueCache> cache, const FreshTimes& times, std::uint64_t copy_bytes,
              LoadGate& gate);

  std::optional<Found> get(std::string_view key);
  // Keeps a loaded value for its times.
  void put(std::string_view key, std::string_view bytes, const Lease& lease);
  // Errors: kIo if the cache may still have the value.
  Status remove(std::string_view key);

  bool has_leases() const { return cache_->has_leases() && !is_down(); }
  // Nothing: somebody else holds it. A lease that is not held: leases cannot be had now, so load without.
  std::optional<Lease> take_lease(std::string_view key, std::chrono::milliseconds duration);
  void give_back(std::string_view key, const Lease& lease);

  bool is_shared() const { return cache_->is_shared(); }
  bool is_down() const { return is_down_.load(std::memory_order_acquire); }
  std::uint64_t errors() const { return errors_.load(std::memory_order_relaxed); }

 private:
  bool may_try();
  void note(bool has_worked);
  std::optional<Found> from_copies(std::string_view key);
  void owe(std::string_view key);
  void settle(std::string_view key);
  bool owes(std::string_view key);

  std::shared_ptr<ValueCache> cache_;
  FreshTimes times_;
  LoadGate& gate_;
  std::shared_ptr<MemoryCache> copies_;  // null for a cache of this process
  std::atomic<bool> is_down_{false};
  std::atomic<std::uint32_t> failures_{0};  // in a row
  std::atomic<std::int64_t> next_try_ns_{0};
  std::atomic<std::int64_t> pause_ns_{0};
  std::atomic<std::uint64_t> errors_{0};
  std::atomic<std::uint64_t> owed_count_{0};
  std::mutex owed_mutex_;  // guards `owed_`
  std::unordered_set<std::string> owed_;
};

}  // namespace bloomery::guard
