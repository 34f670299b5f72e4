#include "hash/leveldb_hash.h"

#include <cstddef>

#include "base/endian.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kLevelDbMultiplier = 0xc6a4a793;

std::uint32_t widened_tail_byte(char byte, TailBytes tail) {
  return tail == TailBytes::kSigned ? static_cast<std::uint32_t>(static_cast<signed char>(byte))
                                    : static_cast<unsigned char>(byte);
}

}  // namespace

std::uint32_t leveldb_hash(std::string_view key, TailBytes tail, std::uint32_t seed) {
  std::uint32_t h = seed ^ (static_cast<std::uint32_t>(key.size()) * kLevelDbMultiplier);
  for (; key.size() >= 4; key.remove_prefix(4)) {
    h += load_little32(reinterpret_cast<const std::byte*>(key.data()));
    h *= kLevelDbMultiplier;
    h ^= h >> 16;
  }
  if (!key.empty()) {
    for (std::size_t i = 0; i < key.size(); ++i) {
      h += widened_tail_byte(key[i], tail) << (8 * i);
    }
    h *= kLevelDbMultiplier;
    h ^= h >> 24;
  }
  return h;
}

}  // namespace bloomery
