#include "hash/murmur2_32.h"

#include "base/endian.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kMultiplier = 0x5bd1e995;

}  // namespace

std::uint32_t murmur2_32(std::string_view key, std::uint32_t seed) {
  const auto* bytes = reinterpret_cast<const std::byte*>(key.data());
  std::size_t left = key.size();
  std::uint32_t hash = seed ^ static_cast<std::uint32_t>(key.size());
  for (; left >= 4; left -= 4, bytes += 4) {
    std::uint32_t word = load_little32(bytes) * kMultiplier;
    word = (word ^ word >> 24) * kMultiplier;
    hash = hash * kMultiplier ^ word;
  }
  for (std::size_t i = 0; i < left; ++i) {
    hash ^= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  }
  if (left > 0) {
    hash *= kMultiplier;
  }
  hash = (hash ^ hash >> 13) * kMultiplier;
  return hash ^ hash >> 15;
}

}  // namespace bloomery
