#include "hash/murmur3_x86_32.h"

#include <bit>

#include "base/endian.h"

namespace bloomery {
namespace {

std::uint32_t mixed(std::uint32_t word) {
  return std::rotl(word * 0xcc9e2d51, 15) * 0x1b873593;
}

}  // namespace

std::uint32_t murmur3_x86_32(std::string_view key, std::uint32_t seed) {
  const auto* bytes = reinterpret_cast<const std::byte*>(key.data());
  std::size_t left = key.size();
  std::uint32_t hash = seed;
  for (; left >= 4; left -= 4, bytes += 4) {
    hash = std::rotl(hash ^ mixed(load_little32(bytes)), 13) * 5 + 0xe6546b64;
  }
  std::uint32_t tail = 0;
  for (std::size_t i = 0; i < left; ++i) {
    tail |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  }
  hash ^= mixed(tail);  // 0 for an empty tail
  hash ^= static_cast<std::uint32_t>(key.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return hash ^ hash >> 16;
}

}  // namespace bloomery
