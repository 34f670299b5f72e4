#include "hash/murmur3_x64_128.h"

#include <bit>

#include "base/endian.h"

namespace bloomery {
namespace {

using murmur3::finished;
using murmur3::kFirst;
using murmur3::kSecond;
using murmur3::mixed_first;

std::uint64_t mixed_second(std::uint64_t word) {
  return std::rotl(word * kSecond, 33) * kFirst;
}

// Returns the little-endian value of 1 to 8 bytes, read as overlapping words instead of byte by byte.
std::uint64_t load_some(const std::byte* bytes, std::size_t count) {
  if (count >= 4) {
    return load_little32(bytes) | std::uint64_t{load_little32(bytes + count - 4)} << (8 * (count - 4));
  }
  const std::size_t middle = count / 2;
  return std::to_integer<std::uint64_t>(bytes[0]) |
         std::to_integer<std::uint64_t>(bytes[middle]) << (8 * middle) |
         std::to_integer<std::uint64_t>(bytes[count - 1]) << (8 * (count - 1));
}

// Policies: how the words of a tail are transformed before they are mixed.
struct AsTheyAre {
  static std::uint64_t word(std::uint64_t tail) { return tail; }
};
struct SignExtended {
  static std::uint64_t word(std::uint64_t tail) { return murmur3::sign_extended_bytes(tail); }
};

template <typename Tail>
Hash128 digest(std::string_view key, std::uint64_t seed) {
  std::uint64_t h1 = seed;
  std::uint64_t h2 = seed;
  const auto* bytes = reinterpret_cast<const std::byte*>(key.data());
  std::size_t left = key.size();
  for (; left >= 16; left -= 16, bytes += 16) {
    h1 = (std::rotl(h1 ^ mixed_first(load_little64(bytes)), 27) + h2) * 5 + 0x52dce729;
    h2 = (std::rotl(h2 ^ mixed_second(load_little64(bytes + 8)), 31) + h1) * 5 + 0x38495ab5;
  }
  if (left > 8) {
    h2 ^= mixed_second(Tail::word(load_some(bytes + 8, left - 8)));
  }
  if (left > 0) {
    h1 ^= mixed_first(Tail::word(left >= 8 ? load_little64(bytes) : load_some(bytes, left)));
  }
  h1 ^= key.size();
  h2 ^= key.size();
  h1 += h2;
  h2 += h1;
  h1 = finished(h1);
  h2 = finished(h2);
  h1 += h2;
  h2 += h1;
  return {.low = h1, .high = h2};
}

}  // namespace

Hash128 murmur3_x64_128(std::string_view key, std::uint64_t seed) {
  return digest<AsTheyAre>(key, seed);
}

Hash128 murmur3_x64_128_signed_tail(std::string_view key) {
  return digest<SignExtended>(key, 0);
}

}  // namespace bloomery
