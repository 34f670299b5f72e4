// The one interface of caches that a guard stands before: memory of this process, Redis, memcached.
//
// A value has a time until which it is fresh. A cache keeps it beyond that time. A value that is not fresh is still
// answered, and refreshed in the background, so a hot key that becomes stale does not send everybody to the database.
//
// A shared cache is one that several processes use. It may hand out leases. Whoever holds the lease of a key loads the
// key, and the others wait for the value. put() with a lease keeps the value only if the lease is still held. remove()
// ends the lease, so a load that began before a write cannot put its old value back after it. A shared cache without
// leases may show such a value for the moment between put() and the removal that follows it.
//
// Whoever writes a cache keeps these rules:
//
//   - Calls are thread-safe and end within a limit of their own.
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
// Reads them. Nothing if they are damaged, of another version, or of another key.
std::optional<CachedValue> read_stored(std::string_view key, std::string_view bytes);

// The right to load a key: a token that nobody can guess. An empty one is no lease.
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

  // Errors: kIo if the cache is away.
  virtual Result<std::optional<CachedValue>> get(std::string_view key) = 0;
  // Keeps the value for `keep_for`, or as long as there is room if that is 0. With a lease: see above. Errors: kIo; a
  // cache may refuse a value that is too large by kCapacity.
  virtual Status put(std::string_view key, const CachedValue& value, std::chrono::milliseconds keep_for,
                     const Lease& lease) = 0;
  virtual Status remove(std::string_view key) = 0;

  virtual bool is_shared() const = 0;
  virtual bool has_leases() const { return false; }
  // Returns a lease for at most `duration`, or nothing if somebody else holds it. Errors: kIo, kUnsupported.
  virtual Result<std::optional<Lease>> take_lease(std::string_view key, std::chrono::milliseconds duration);
  // Ends the lease if it is still held.
  virtual Status give_back(std::string_view key, const Lease& lease);
};

}  // namespace bloomery::guard
