// A keyed hash for tables of this process.
#pragma once

#include "bloomery/hash/hash128.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery::guard {

// Returns SipHash under a random secret. If the system has no random bytes, the secret is fixed: tables then
// still answer correctly, and only somebody who knows this program can make them slow.
inline HashSpec random_keyed_hash() {
  const Result<HashSecret> secret = HashSecret::generate();
  return keyed_hash(secret ? *secret : HashSecret());
}

}  // namespace bloomery::guard
