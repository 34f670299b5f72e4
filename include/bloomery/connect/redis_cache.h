// A guard's cache in a Redis or Valkey server or cluster, with leases across processes.
//
//   PREFIX{HASH}v:KEY   the value, with its key and its fresh time (guard/value_cache.h)
//   PREFIX{HASH}l:KEY   the token of the client that loads the key; it expires by itself
//
// HASH is 16 hexadecimal digits of the key's hash. The braces put both keys into one slot of a cluster.
//
// SET NX PX with a random token acquires a lease. A script compares the token, stores the value and ends the
// lease. remove() deletes both keys, so a client that is loading meanwhile cannot store the old value that it
// has read.
//
// Connects with the first call. Each call has its own time limit, and one connection serves one call at a
// time; idle connections are kept. The user needs GET, SET, DEL and EVAL.
//
// Threads: all calls may run concurrently.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/guard/value_cache.h"

namespace bloomery {

struct RedisCacheOptions {
  std::string prefix = "guard:";
  std::chrono::milliseconds connect{200};  // to connect and to log in
  std::chrono::milliseconds answer{200};   // for one call, repeats included
};

// `url` is redis://[user:password@]host[:port][/database], rediss:// for TLS, or unix:///path. docs/guard.md lists
// its parameters.
// Errors: kInvalidArgument, kUnsupported.
Result<std::shared_ptr<guard::ValueCache>> redis_cache(const std::string& url,
                                                       const RedisCacheOptions& options = {});

}  // namespace bloomery
