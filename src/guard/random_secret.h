// A keyed hash for tables of this process.
#pragma once

#include "bloomery/hash/hash128.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery::guard {

// Returns SipHash under a random secret. Where the system has no random bytes, it is under a fixed one: tables then
// still answer rightly, and only somebody who knows this program can make them slow.
inline HashSpec random_keyed_hash() {
  const Result<HashSecret> secret = HashSecret::generate();
  return keyed_hash(secret ? *secret : HashSecret());
}

}  // namespace bloomery::guard
