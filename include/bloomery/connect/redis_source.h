// A key of a Redis or Valkey server as the source of a guard's answers: `bloomery feed postgres --redis` keeps it current.
//
// Example:
//    auto source = redis_source("redis://cache.example.org", "users");
//    if (source) {
//      std::shared_ptr<guard::FilterSource> shared = *source;  // for Guard::make()
//    }
//
// A question is one transaction of BLOOM.INFO and BLOOM.EXISTS, so answer and lease are of one moment. The horizon follows
// from what is left of the lease and from the bound that the feeder wrote into the key. Nothing of an answer is kept for the
// next one.
//
// A server that is away or slow, a key that is missing, of another type or fed by nobody, and a lease that is over all give
// *maybe* in phase kCold. So does a lease that is longer than the bound. A server that fails three times in a row is left alone
// for a while.
//
// A lease that ends before the last one gives *maybe*, too. The server has come back with an older state, and may lack rows
// that the guard takes for known. But if it vouches for a later moment it is believed, since the feeder's leases end earlier
// after the server's clock was set back.
//
// The key of a question is its bytes. If the feeder makes keys in a form of its own (--key-form, -i, --trim), the caller does
// too.
//
// Cost: one round trip. Threads: all calls may run together.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/guard/filter_source.h"

namespace bloomery {

struct RedisSourceOptions {
  std::chrono::milliseconds connect{200};  // to connect and to log in
  std::chrono::milliseconds answer{200};   // of one question, repeats included
};

// `url` is as for redis_cache(). Nothing is connected before the first question. Errors: kInvalidArgument, kUnsupported.
Result<std::shared_ptr<guard::FilterSource>> redis_source(const std::string& url, const std::string& key,
                                                          const RedisSourceOptions& options = {});

}  // namespace bloomery
