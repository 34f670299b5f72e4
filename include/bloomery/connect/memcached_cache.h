// A guard's cache in memcached servers. It has no leases, so several processes may load the same key at once.
//
// An entry's name is PREFIX and the 32 hexadecimal digits of the key's hash, because memcached accepts names
// of at most 250 bytes without spaces. The entry stores the key with the value, and an entry of another key
// counts as absent.
//
// libmemcached distributes the keys over several servers by a consistent hash. memcached's times are in full
// seconds; a keep time is rounded up. A value above the server's limit, 1 MiB by default, is refused with
// kCapacity.
//
// Threads: all calls may run concurrently. Idle connections are kept.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/guard/value_cache.h"

namespace bloomery {

struct MemcachedServer {
  std::string host = "127.0.0.1";  // or the path of a Unix socket, which begins with /
  std::uint16_t port = 11211;
};

struct MemcachedCacheOptions {
  std::string prefix = "guard:";  // at most 200 bytes, without spaces and control characters
  std::chrono::milliseconds connect{200};
  std::chrono::milliseconds answer{200};
};

// Errors: kInvalidArgument without a server, or for a prefix or host that memcached does not accept.
// Connects with the first call.
Result<std::shared_ptr<guard::ValueCache>> memcached_cache(const std::vector<MemcachedServer>& servers,
                                                           const MemcachedCacheOptions& options = {});

}  // namespace bloomery
