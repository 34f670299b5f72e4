#include "hash/xxh_checksums.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery {
namespace {

// Never null, which an empty span's may be.
const void* first_byte(std::span<const std::byte> bytes) {
  static constexpr std::byte kNothing{};
  return bytes.data() == nullptr ? &kNothing : bytes.data();
}

}  // namespace

std::uint32_t xxh32(std::span<const std::byte> bytes) {
  return XXH32(first_byte(bytes), bytes.size(), 0);
}

std::uint64_t xxh64(std::span<const std::byte> bytes) {
  return XXH64(first_byte(bytes), bytes.size(), 0);
}

std::uint64_t xxh3_64(std::span<const std::byte> bytes) {
  return XXH3_64bits(first_byte(bytes), bytes.size());
}

}  // namespace bloomery
