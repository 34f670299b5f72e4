#include "bloomery/hash/hash128.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "base/endian.h"
#include "bloomery/hash/short_key_mix.h"
#include "hash/siphash128.h"

// The header's own inlined form. A call through the shared library would add a fifth to the hash of a short
// key.
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

BLOOMERY_FORCE_INLINE Hash128 mix8_xxh3(const void* data, std::size_t size, std::uint64_t seed,
                                        std::uint64_t base) {
  if (size > short_key_mix::kMaxBytes) {
    return xxh3_128(data, size, seed);
  }
  const std::uint64_t value = short_key_mix::value_of(data, size);
  return {.low = short_key_mix::low_word(value, size, base),
          .high = short_key_mix::high_word(value, size, base)};
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
    case HashId::kMix8Xxh3:
      return "mix8-xxh3-128";
  }
  return "unknown";
}

Hash128 hash_bytes(std::span<const std::byte> key, const HashSpec& spec) {
  assert(spec.id != HashId::kReadyDigest);
  switch (spec.id) {
    case HashId::kSipHash:
      return siphash_128(key.data(), key.size(), spec.secret);
    case HashId::kXxh3:
      return xxh3_128(key.data(), key.size(), spec.seed);
    default:
      return mix8_xxh3(key.data(), key.size(), spec.seed, short_key_mix::base(spec.seed));
  }
}

Hash128 hash_bytes(std::string_view key, const HashSpec& spec) {
  return hash_bytes(std::as_bytes(std::span(key)), spec);
}

Hash128 hash_little_endian(std::uint64_t value, std::size_t size, const HashSpec& spec) {
  assert(size >= 1 && size <= short_key_mix::kMaxBytes);
  std::array<std::byte, short_key_mix::kMaxBytes> bytes;
  store_little(bytes.data(), value);
  return hash_bytes(std::span(bytes).first(size), spec);
}

void hash_batch(std::span<const std::string_view> keys, const HashSpec& spec, std::span<Hash128> hashes) {
  assert(hashes.size() >= keys.size());
  if (spec.id != HashId::kMix8Xxh3) {
    std::ranges::transform(keys, hashes.begin(),
                           [&spec](std::string_view key) { return hash_bytes(key, spec); });
    return;
  }
  const std::uint64_t base = short_key_mix::base(spec.seed);
  std::ranges::transform(keys, hashes.begin(), [&](std::string_view key) {
    return mix8_xxh3(key.data(), key.size(), spec.seed, base);
  });
}

}  // namespace bloomery
