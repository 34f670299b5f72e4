#include "bloomery/hash/hash128.h"

#include <cassert>

#include "hash/siphash128.h"

// The header's own inlined form: a call through the shared library costs a short key a fifth of its hash.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery {
namespace {

Hash128 xxh3_128(const void* data, std::size_t size, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(data, size, seed);
  return {.low = hash.low64, .high = hash.high64};
}

Hash128 siphash_128(const void* data, std::size_t size, const HashSecret& secret) {
  const auto [low, high] = siphash128(data, size, secret.bytes);
  return {.low = low, .high = high};
}

}  // namespace

const char* hash_name(HashId id) {
  switch (id) {
    case HashId::kReadyDigest:
      return "ready-digest";
    case HashId::kXxh3:
      return "xxh3-128";
    case HashId::kSipHash:
      return "siphash-2-4-128";
  }
  return "unknown";
}

Hash128 hash_bytes(std::span<const std::byte> key, std::uint64_t seed) {
  return xxh3_128(key.data(), key.size(), seed);
}

Hash128 hash_bytes(std::string_view key, std::uint64_t seed) {
  return xxh3_128(key.data(), key.size(), seed);
}

Hash128 hash_bytes(std::span<const std::byte> key, const HashSpec& spec) {
  assert(spec.id != HashId::kReadyDigest);
  return spec.id == HashId::kSipHash ? siphash_128(key.data(), key.size(), spec.secret)
                                     : xxh3_128(key.data(), key.size(), spec.seed);
}

Hash128 hash_bytes(std::string_view key, const HashSpec& spec) {
  return hash_bytes(std::as_bytes(std::span(key)), spec);
}

void hash_batch(std::span<const std::string_view> keys, const HashSpec& spec, std::span<Hash128> hashes) {
  assert(hashes.size() >= keys.size());
  if (spec.id == HashId::kSipHash) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      hashes[i] = siphash_128(keys[i].data(), keys[i].size(), spec.secret);
    }
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    hashes[i] = xxh3_128(keys[i].data(), keys[i].size(), spec.seed);
  }
}

}  // namespace bloomery
