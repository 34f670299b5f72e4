#include "bloomery/hash/hash128.h"

#include <cassert>

// The header's own inlined form: a call through the shared library costs a short key a fifth of its hash.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery {
namespace {

Hash128 xxh3_128(const void* data, std::size_t size, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(data, size, seed);
  return {.low = hash.low64, .high = hash.high64};
}

}  // namespace

const char* hash_name(HashId id) {
  switch (id) {
    case HashId::kReadyDigest:
      return "ready-digest";
    case HashId::kXxh3:
      return "xxh3-128";
  }
  return "unknown";
}

Hash128 hash_bytes(std::span<const std::byte> key, std::uint64_t seed) {
  return xxh3_128(key.data(), key.size(), seed);
}

Hash128 hash_bytes(std::string_view key, std::uint64_t seed) {
  return xxh3_128(key.data(), key.size(), seed);
}

void hash_batch(std::span<const std::string_view> keys, std::uint64_t seed, std::span<Hash128> hashes) {
  assert(hashes.size() >= keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    hashes[i] = xxh3_128(keys[i].data(), keys[i].size(), seed);
  }
}

}  // namespace bloomery
