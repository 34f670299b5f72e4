// A guard's access to its cache: counts failures, bypasses a cache that is down (server_health.h), and keeps
// copies of a shared cache.
//
// Copies answer only when the cache fails or is down, and, while it recovers, for keys that it lacks. A copy
// that is served during recovery counts as stale. So the value is loaded in the background, and stored in the
// cache under a lease. The copy itself is not put back: another process may have removed the key meanwhile,
// and would read its old value.
//
// A failed removal stays pending: the key counts as absent until it was removed or stored again. So a write
// during an outage is not hidden by an old value afterwards. At most 65,536 removals are pending. If one more
// fails, every value that may have been loaded before counts as absent from then on. The value's fresh time
// shows when it was loaded, up to the jitter.
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
  // Tells `gate` when the cache goes down and comes back. `gate` must outlive this object.
  CacheAccess(std::shared_ptr<ValueCache> cache, const FreshTimes& times, std::uint64_t copy_bytes,
              LoadGate& gate);

  std::optional<Found> get(std::string_view key);
  // Returns a number that changes when this process removes the key.
  std::uint64_t removals(std::string_view key) const { return copies_.removals(key); }
  // Stores a loaded value in the cache, and a copy of it in this process. It is fresh and kept for the
  // FreshTimes of the constructor, each varied by the jitter. No copy is kept if the key was removed since
  // removals() returned `seen`.
  void put(std::string_view key, std::string_view bytes, const Lease& lease, std::uint64_t seen);
  // Errors: kIo if the cache may still have the value.
  Status remove(std::string_view key);

  bool has_leases() const { return cache_->has_leases() && !is_down(); }
  // Returns nothing if somebody else holds the lease, and an empty lease if leases are unavailable: then load
  // without one.
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
  ValueCopies copies_;  // stores nothing if the cache belongs to this process
  ServerHealth health_;
  std::atomic<std::uint64_t> errors_{0};
  std::atomic<std::uint64_t> owed_count_{0};
  // Values whose fresh time is not later count as absent: a removal that was not recorded may have removed
  // them.
  std::atomic<std::int64_t> fresh_after_ms_{std::numeric_limits<std::int64_t>::min()};
  std::mutex owed_mutex_;  // guards `owed_`
  std::unordered_set<std::string> owed_;
};

}  // namespace bloomery::guard
