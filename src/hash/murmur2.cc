#include "hash/murmur2.h"

#include "base/endian.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMurmur64Multiplier = 0xc6a4a7935bd1e995;

// Returns the little-endian value of fewer than eight bytes.
std::uint64_t load_tail(const std::byte* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

}  // namespace

std::uint64_t murmur64a(std::string_view key, std::uint64_t seed) {
  const auto* bytes = reinterpret_cast<const std::byte*>(key.data());
  std::size_t left = key.size();
  std::uint64_t hash = seed ^ (key.size() * kMurmur64Multiplier);
  for (; left >= 8; left -= 8, bytes += 8) {
    std::uint64_t word = load_little64(bytes) * kMurmur64Multiplier;
    word = (word ^ word >> 47) * kMurmur64Multiplier;
    hash = (hash ^ word) * kMurmur64Multiplier;
  }
  if (left > 0) {
    hash = (hash ^ load_tail(bytes, left)) * kMurmur64Multiplier;
  }
  hash = (hash ^ hash >> 47) * kMurmur64Multiplier;
  return hash ^ hash >> 47;
}

namespace {

constexpr std::uint32_t kMurmur2Multiplier = 0x5bd1e995;

enum class Tail { kZeroExtended, kSignExtended };

template <Tail kTail>
std::uint32_t murmur2_tail_byte(std::byte byte) {
  if constexpr (kTail == Tail::kSignExtended) {
    return static_cast<std::uint32_t>(static_cast<std::int8_t>(byte));
  } else {
    return std::to_integer<std::uint32_t>(byte);
  }
}

template <Tail kTail>
std::uint32_t hashed(std::string_view key, std::uint32_t seed) {
  const auto* bytes = reinterpret_cast<const std::byte*>(key.data());
  std::size_t left = key.size();
  std::uint32_t hash = seed ^ static_cast<std::uint32_t>(key.size());
  for (; left >= 4; left -= 4, bytes += 4) {
    std::uint32_t word = load_little32(bytes) * kMurmur2Multiplier;
    word = (word ^ word >> 24) * kMurmur2Multiplier;
    hash = hash * kMurmur2Multiplier ^ word;
  }
  for (std::size_t i = 0; i < left; ++i) {
    hash ^= murmur2_tail_byte<kTail>(bytes[i]) << (8 * i);
  }
  if (left > 0) {
    hash *= kMurmur2Multiplier;
  }
  hash = (hash ^ hash >> 13) * kMurmur2Multiplier;
  return hash ^ hash >> 15;
}

}  // namespace

std::uint32_t murmur2_32(std::string_view key, std::uint32_t seed) {
  return hashed<Tail::kZeroExtended>(key, seed);
}

std::uint32_t murmur2_32_signed_tail(std::string_view key, std::uint32_t seed) {
  return hashed<Tail::kSignExtended>(key, seed);
}

}  // namespace bloomery
