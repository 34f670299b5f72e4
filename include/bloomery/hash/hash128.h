// The one native hash: every key becomes 128 bits once, and every filter works from those.
//
//   low   what filters use: choice of block, bits, fingerprint
//   high  with low, where exactness is promised (exceptions, exact sets)
//
// Because all filters share it, a key hashed once probes any number of them. The hash's id and seed are
// stored with a filter; ids are on disk since format version 1 and never renumbered. Source: XXH3-128 of
// libxxhash with a seed (https://xxhash.com). XXH3-64 is another function: its value
// is not the low word of XXH3-128 (for keys of 4 to 240 bytes). A seed is no defence against keys chosen by
// strangers; SipHash-2-4-128 under a secret is (Aumasson and Bernstein 2012; libsodium's
// crypto_shorthash_siphashx24).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/hash/hash_secret.h"

namespace bloomery {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Hash128&, const Hash128&) = default;
};

// On disk since format version 1.
enum class HashId : std::uint16_t {
  kReadyDigest = 0,  // the caller brings 64 well-mixed bits per key as `low`; string keys cannot be asked for
  kXxh3 = 1,         // XXH3-128 with a 64-bit seed
  kSipHash = 2,      // SipHash-2-4-128 under a secret, for keys that strangers choose
};

struct HashSpec {
  HashId id = HashId::kXxh3;
  std::uint64_t seed = 0;  // of kXxh3; otherwise 0
  HashSecret secret = {};  // of kSipHash

  friend bool operator==(const HashSpec&, const HashSpec&) = default;
};

// The keyed hash under a secret.
inline HashSpec keyed_hash(const HashSecret& secret) {
  return {.id = HashId::kSipHash, .seed = 0, .secret = secret};
}

// Returns the name shown by `inspect`, for example "xxh3-128".
const char* hash_name(HashId id);

// Returns XXH3-128 of `key` under `seed`; the empty key has a hash like any other. Thread-safe, about 10 ns
// for 62 bytes.
Hash128 hash_bytes(std::span<const std::byte> key, std::uint64_t seed = 0);
Hash128 hash_bytes(std::string_view key, std::uint64_t seed = 0);

// Returns the hash of `key` as a filter's HashSpec says; about 55 ns for 62 bytes under a secret.
// Precondition: the id is not kReadyDigest.
Hash128 hash_bytes(std::span<const std::byte> key, const HashSpec& spec);
Hash128 hash_bytes(std::string_view key, const HashSpec& spec);

// hashes[i] = hash_bytes(keys[i], spec) for every i.   Precondition: hashes.size() >= keys.size().
void hash_batch(std::span<const std::string_view> keys, const HashSpec& spec, std::span<Hash128> hashes);

}  // namespace bloomery
