#include "hash/murmur64a.h"

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

}  // namespace bloomery
