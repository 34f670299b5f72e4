// The one native hash: every key becomes 128 bits once, and every filter works from those.
//
//   low   what filters use: choice of block, bits, fingerprint
//   high  with low, where exactness is promised (exceptions, exact sets)
//
// A filter records which hash it has: its id and its seed. New filters have kMix8Xxh3, whose hash of an integer takes
// about a nanosecond; files made before it have kXxh3 and keep it. Filters that record the same hash share it, so a key
// hashed once probes any number of them. Ask an opened filter for the hash of a key (NativeFilter::hash()), since only
// the filter knows which it is.
//
// Sources: XXH3-128 of libxxhash with a seed (https://xxhash.com). XXH3-64 is another function: its value is not the
// low word of XXH3-128 (for keys of 4 to 240 bytes). SipHash-2-4-128 (Aumasson and Bernstein 2012; libsodium's
// crypto_shorthash_siphashx24). A seed is no defence against keys chosen by strangers; SipHash under a secret is.
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

// In files since format version 1; never renumbered.
enum class HashId : std::uint16_t {
  kReadyDigest = 0,  // the caller brings 64 well-mixed bits per key as `low`; string keys cannot be asked for
  kXxh3 = 1,         // XXH3-128 with a 64-bit seed
  kSipHash = 2,      // SipHash-2-4-128 under a secret, for keys that strangers choose
  kMix8Xxh3 = 3,     // keys of at most 8 bytes by short_key_mix.h, longer ones as kXxh3; with a 64-bit seed
};

struct HashSpec {
  HashId id = HashId::kMix8Xxh3;
  std::uint64_t seed = 0;  // of kXxh3 and kMix8Xxh3; otherwise 0
  HashSecret secret = {};  // of kSipHash

  friend bool operator==(const HashSpec&, const HashSpec&) = default;
};

// The keyed hash under a secret.
inline HashSpec keyed_hash(const HashSecret& secret) {
  return {.id = HashId::kSipHash, .seed = 0, .secret = secret};
}

// Returns the name shown by `inspect`, for example "xxh3-128".
const char* hash_name(HashId id);

// Returns the hash of `key` under `spec`; the empty key has a hash like any other. Thread-safe. For 62 bytes about
// 10 ns, under a secret about 55. Precondition: the id is not kReadyDigest.
[[gnu::pure]] Hash128 hash_bytes(std::span<const std::byte> key, const HashSpec& spec);
[[gnu::pure]] Hash128 hash_bytes(std::string_view key, const HashSpec& spec);

// hashes[i] = hash_bytes(keys[i], spec) for every i.   Precondition: hashes.size() >= keys.size().
void hash_batch(std::span<const std::string_view> keys, const HashSpec& spec, std::span<Hash128> hashes);

// Returns the hash of the `size` bytes whose little-endian value is `value`: what hash_bytes() returns of these bytes.
// Precondition: 1 <= size <= 8.
[[gnu::pure]] Hash128 hash_little_endian(std::uint64_t value, std::size_t size, const HashSpec& spec);

}  // namespace bloomery
