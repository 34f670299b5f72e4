// The interface of the caches that a guard can use: memory of this process, Redis, memcached.
//
// A value is fresh until a given time. A cache keeps it longer. A stale value is still returned, and
// refreshed in the background, so a hot key that becomes stale does not send every query to the database.
//
// Several processes use a shared cache. It may grant leases. The holder of a key's lease loads the key; the
// others wait for the value. With a lease, put() stores the value only if the lease is still held. Because
// remove() ends the lease, a load that began before a write cannot store the old value after it. A shared
// cache without leases may show such a value for the moment between put() and the removal that follows it.
//
// An implementation of a cache must keep these rules:
//
//   - Calls are thread-safe and end within their own time limit.
//   - A key is bytes of any length.
//   - A damaged entry, or one of another key, counts as absent.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::guard {

struct CachedValue {
  std::string bytes;
  std::int64_t fresh_until_ms = 0;  // milliseconds since 1970, so that machines can share it

  friend bool operator==(const CachedValue&, const CachedValue&) = default;
};

// Returns the milliseconds since 1970.
std::int64_t unix_now_ms();

// Returns the bytes that shared caches keep: the value with its key and its time (src/guard/stored_value.cc).
std::string stored_bytes(std::string_view key, const CachedValue& value);
// Parses stored bytes. Returns nothing if they are damaged, of another version, or of another key.
std::optional<CachedValue> read_stored(std::string_view key, std::string_view bytes);

// The right to load a key: a token that nobody can guess. An empty token is no lease.
struct Lease {
  std::string token;
  bool is_held() const { return !token.empty(); }
};

class ValueCache {
 public:
  ValueCache() = default;
  ValueCache(const ValueCache&) = delete;
  ValueCache& operator=(const ValueCache&) = delete;
  virtual ~ValueCache() = default;

  // Errors: kIo if the cache is down.
  virtual Result<std::optional<CachedValue>> get(std::string_view key) = 0;
  // Stores the value for `keep_for`; 0: until it is evicted. With a lease, it stores the value only if the
  // lease is still held. Errors: kIo; kCapacity if a cache refuses a value because of its size.
  virtual Status put(std::string_view key, const CachedValue& value, std::chrono::milliseconds keep_for,
                     const Lease& lease) = 0;
  virtual Status remove(std::string_view key) = 0;

  virtual bool is_shared() const = 0;
  virtual bool has_leases() const { return false; }
  // Returns a lease for at most `duration`, or nothing if another client holds it. Errors: kIo, kUnsupported.
  virtual Result<std::optional<Lease>> take_lease(std::string_view key, std::chrono::milliseconds duration);
  // Ends the lease if it is still held.
  virtual Status give_back(std::string_view key, const Lease& lease);
};

}  // namespace bloomery::guard
