// Makes a keyed hash for the hash tables of this process.
#pragma once

#include "bloomery/hash/hash128.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery::guard {

// Returns SipHash under a random secret. If the system has no random bytes, the secret is fixed. Tables then
// still answer correctly, but an attacker who knows this program can slow them down.
inline HashSpec random_keyed_hash() {
  const Result<HashSecret> secret = HashSecret::generate();
  return keyed_hash(secret ? *secret : HashSecret());
}

}  // namespace bloomery::guard
