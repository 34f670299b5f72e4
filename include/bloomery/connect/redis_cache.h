// A guard's cache in a Redis or Valkey server or cluster, with leases across processes.
//
//   PREFIX{HASH}v:KEY   the value, with its key and its fresh time (guard/value_cache.h)
//   PREFIX{HASH}l:KEY   the token of whoever loads the key; it expires by itself
//
// HASH is 16 hexadecimal digits of the key's hash. The braces give both keys one slot of a cluster.
//
// A lease is taken by SET NX PX with a random token. A value is put by a script that compares the token first, and
// the lease ends with it. remove() deletes both keys, so whoever loads meanwhile cannot put what he has read.
//
// Nothing is connected before the first call. Each call has its own limit of time, and one connection serves one call
// at a time; idle ones are kept. The user needs GET, SET, DEL and EVAL.
//
// Threads: all may use it.
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
  std::chrono::milliseconds answer{200};   // of one call, repeats included
};

// `url` is redis://[user:password@]host[:port][/database] or unix:///path. Errors: kInvalidArgument, kUnsupported, as
// src/connect/redis/url.h says.
Result<std::shared_ptr<guard::ValueCache>> redis_cache(const std::string& url,
                                                       const RedisCacheOptions& options = {});

}  // namespace bloomery
