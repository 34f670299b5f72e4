// A key of a Redis or Valkey server as the source of a guard: `bloomery feed postgres --redis` keeps it
// current.
//
// Example:
//    auto source = redis_source("redis://cache.example.org", "users");
//    if (source) {
//      std::shared_ptr<guard::FilterSource> shared = *source;  // for Guard::make()
//    }
//
// A query is one transaction of BLOOM.INFO and BLOOM.EXISTS, so answer and lease belong to the same moment.
// The horizon is computed from the remaining lease and from the bound that the feeder wrote into the key. No
// answer is cached for the next query.
//
// The answer is *maybe* in phase kCold if the server is down or slow, or if the key is missing, of another
// type or without a feeder. The same holds if the lease has expired or is longer than the bound. A server
// that fails three times in a row is not contacted for a while.
//
// A lease that ends before the previous one also makes the answer *maybe*: the server has come back with an
// older state, and may lack rows that the guard regards as known. An exception is a lease whose horizon is
// not earlier. It is believed, because after the server's clock was set back the feeder's leases end earlier.
//
// The key of a query is its bytes. If the feeder makes keys in a form of its own (--key-form, -i, --trim),
// the caller must do so, too.
//
// Cost: one round trip. Threads: all calls may run concurrently.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/guard/filter_source.h"

namespace bloomery {

struct RedisSourceOptions {
  std::chrono::milliseconds connect{200};  // to connect and to log in
  std::chrono::milliseconds answer{200};   // for one query, repeats included
};

// `url` has the form that redis_cache() accepts. Connects with the first query. Errors: kInvalidArgument,
// kUnsupported.
Result<std::shared_ptr<guard::FilterSource>> redis_source(const std::string& url, const std::string& key,
                                                          const RedisSourceOptions& options = {});

}  // namespace bloomery
