// The native hash has 128 bits for every key. A key is hashed once, and every filter works from its hash.
//
//   low    the word that filters use, to choose windows, bits and fingerprints
//   high   together with low, where exactness is promised (exceptions, exact sets)
//
// Example:
//    const HashSpec spec = {};   // the hash of new filters, with seed 0
//    const Hash128 hash = hash_bytes("a key", spec);
//
// A filter records the id and the seed of its hash. New filters have kMix8Xxh3, which hashes an integer in
// about a nanosecond. Older files have kXxh3 and keep it. Filters with the same id and seed accept the same
// hashes, so a key that is hashed once can be looked up in any number of them. Only the filter knows its
// hash: ask an opened filter (NativeFilter::hash()).
//
// A seed does not protect against keys chosen by an attacker. SipHash under a secret does.
//
// Sources:
//
//   XXH3-128          libxxhash, with a seed (https://xxhash.com). XXH3-64 is another function: for keys of
//                     4 to 240 bytes its value is not the low word of XXH3-128.
//   SipHash-2-4-128   Aumasson and Bernstein 2012; libsodium's crypto_shorthash_siphashx24
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

// The low word of a Hash128 alone, for batches of filters that read no more: half of the memory.
struct Hash64 {
  std::uint64_t low;

  friend bool operator==(const Hash64&, const Hash64&) = default;
};

// These numbers are in files since format version 1; never renumber them.
enum class HashId : std::uint16_t {
  kReadyDigest = 0,  // the caller sets `low` to 64 well-mixed bits; there are no string keys
  kXxh3 = 1,         // XXH3-128 with a 64-bit seed
  kSipHash = 2,      // SipHash-2-4-128 under a secret, for keys that an attacker may choose
  kMix8Xxh3 = 3,     // short_key_mix.h up to 8 bytes, longer keys as kXxh3; with a 64-bit seed
};

struct HashSpec {
  HashId id = HashId::kMix8Xxh3;
  std::uint64_t seed = 0;  // for kXxh3 and kMix8Xxh3; otherwise 0
  HashSecret secret = {};  // for kSipHash

  friend bool operator==(const HashSpec&, const HashSpec&) = default;
};

// Returns the keyed hash under a secret.
inline HashSpec keyed_hash(const HashSecret& secret) {
  return {.id = HashId::kSipHash, .seed = 0, .secret = secret};
}

// Returns the name that `inspect` shows, for example "xxh3-128".
const char* hash_name(HashId id);

// Returns the hash of `key` under `spec`; the empty key has a hash like any other. 62 bytes cost about 10
// ns, under a secret about 55 ns. Thread-safe. Precondition: the id is not kReadyDigest.
[[gnu::pure]] Hash128 hash_bytes(std::span<const std::byte> key, const HashSpec& spec);
[[gnu::pure]] Hash128 hash_bytes(std::string_view key, const HashSpec& spec);

// Sets hashes[i] = hash_bytes(keys[i], spec) for every i. Precondition: hashes.size() >= keys.size().
void hash_batch(std::span<const std::string_view> keys, const HashSpec& spec, std::span<Hash128> hashes);

// Returns the hash of the `size` bytes whose little-endian value is `value`; it equals hash_bytes() of
// these bytes. Precondition: 1 <= size <= 8.
[[gnu::pure]] Hash128 hash_little_endian(std::uint64_t value, std::size_t size, const HashSpec& spec);

}  // namespace bloomery
