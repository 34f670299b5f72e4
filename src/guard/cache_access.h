// A guard's way to its cache: counts failures, leaves a cache that is down alone (server_health.h), and keeps copies of a
// shared cache.
//
// The copies are answered only while the cache is down, and while it recovers, if it does not have the key. A copy that is
// found in a cache that recovers counts as stale. So the value is loaded in the background, and put into the cache under a
// lease. The copy itself is not put back: another process may have removed the key meanwhile, and would read its old value.
//
// A removal that failed is owed: the key counts as absent until the removal has succeeded. So a write while the cache
// was down is not hidden by an old value when it is back. At most 65,536 are owed. When one more fails, every value that may
// have been loaded before counts as absent from then on; its fresh time tells, up to the jitter.
//
// Threads: all calls may run together.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "bloomery/guard/guard_options.h"
#include "bloomery/guard/value_cache.h"
#include "guard/load_gate.h"
#include "guard/server_health.h"
#include "guard/value_copies.h"

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
  // Returns a number that changes when this process removes the key.
  std::uint64_t removals(std::string_view key) const { return copies_.removals(key); }
  // Keeps a loaded value for its times. There is no copy of it if the key was removed since removals() returned `seen`.
  void put(std::string_view key, std::string_view bytes, const Lease& lease, std::uint64_t seen);
  // Errors: kIo if the cache may still have the value.
  Status remove(std::string_view key);

  bool has_leases() const { return cache_->has_leases() && !is_down(); }
  // Nothing: somebody else holds it. A lease that is not held: leases cannot be had now, so load without.
  std::optional<Lease> take_lease(std::string_view key, std::chrono::milliseconds duration);
  void give_back(std::string_view key, const Lease& lease);

  bool is_shared() const { return cache_->is_shared(); }
  bool is_down() const { return health_.is_down(); }
  std::uint64_t errors() const { return errors_.load(std::memory_order_relaxed); }

 private:
  void note(bool has_worked);
  std::optional<Found> from_copies(std::string_view key);
  void owe(std::string_view key);
  bool is_believed(const CachedValue& value) const;
  void settle(std::string_view key);
  bool owes(std::string_view key);

  std::shared_ptr<ValueCache> cache_;
  FreshTimes times_;
  LoadGate& gate_;
  ValueCopies copies_;  // none of a cache of this process
  ServerHealth health_;
  std::atomic<std::uint64_t> errors_{0};
  std::atomic<std::uint64_t> owed_count_{0};
  // A value that is not fresh past this time may be older than a removal that is not owed.
  std::atomic<std::int64_t> fresh_after_ms_{std::numeric_limits<std::int64_t>::min()};
  std::mutex owed_mutex_;  // guards `owed_`
  std::unordered_set<std::string> owed_;
};

}  // namespace bloomery::guard
