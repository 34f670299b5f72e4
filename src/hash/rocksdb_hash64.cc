#include "hash/rocksdb_hash64.h"

#include <array>
#include <cstddef>

#include "base/endian.h"
#include "bloomery/base/uint128.h"

namespace bloomery {
namespace {

using Bytes = const std::byte*;

constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87;
constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4f;
constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9;
constexpr std::uint64_t kPrime4 = 0x85ebca77c2b2ae63;
constexpr std::uint64_t kPrime5 = 0x27d4eb2f165667c5;
constexpr std::uint64_t kShort1 = 0x9e3779b1;  // primes of 32 bits
constexpr std::uint64_t kShort2 = 0x85ebca77;
constexpr std::uint64_t kShort3 = 0xc2b2ae3d;

constexpr std::array<unsigned char, 192> kSecret = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

std::uint64_t secret64(std::size_t offset) {
  return load_little64(reinterpret_cast<Bytes>(kSecret.data()) + offset);
}
std::uint32_t secret32(std::size_t offset) {
  return load_little32(reinterpret_cast<Bytes>(kSecret.data()) + offset);
}

// Folds both halves of the product into one word.
std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const Uint128 product = Uint128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t avalanche(std::uint64_t h) {
  h ^= h >> 37;
  h *= kPrime3;
  return h ^ (h >> 32);
}

std::uint64_t mix16(Bytes key, std::size_t secret_offset) {
  return folded_product(load_little64(key) ^ secret64(secret_offset),
                        load_little64(key + 8) ^ secret64(secret_offset + 8));
}

std::uint64_t hash_1_to_3(Bytes key, std::size_t size) {
  const auto byte = [key](std::size_t i) { return static_cast<std::uint32_t>(key[i]); };
  const std::uint32_t packed =
      byte(0) | byte(size >> 1) << 8 | byte(size - 1) << 16 | static_cast<std::uint32_t>(size) << 24;
  return avalanche((packed ^ secret32(0)) * kPrime1);
}

std::uint64_t hash_4_to_8(Bytes key, std::size_t size) {
  const std::uint64_t both = load_little32(key) | std::uint64_t{load_little32(key + size - 4)} << 32;
  const std::uint64_t keyed = both ^ secret64(0);
  const std::uint64_t mixed = size + (keyed ^ (keyed >> 51)) * kShort1;
  return avalanche((mixed ^ (mixed >> 47)) * kPrime2);
}

std::uint64_t hash_9_to_16(Bytes key, std::size_t size) {
  const std::uint64_t low = load_little64(key) ^ secret64(0);
  const std::uint64_t high = load_little64(key + size - 8) ^ secret64(8);
  return avalanche(size + low + high + folded_product(low, high));
}

std::uint64_t hash_17_to_128(Bytes key, std::size_t size) {
  std::uint64_t sum = size * kPrime1;
  for (std::size_t i = 0; i <= (size - 1) / 32; ++i) {
    sum += mix16(key + 16 * i, 32 * i) + mix16(key + size - 16 * (i + 1), 32 * i + 16);
  }
  return avalanche(sum);
}

std::uint64_t hash_129_to_240(Bytes key, std::size_t size) {
  std::uint64_t sum = size * kPrime1;
  for (std::size_t i = 0; i < 8; ++i) {
    sum += mix16(key + 16 * i, 16 * i);
  }
  sum = avalanche(sum);
  for (std::size_t i = 8; i < size / 16; ++i) {
    sum += mix16(key + 16 * i, 16 * (i - 8) + 3);
  }
  return avalanche(sum + mix16(key + size - 16, 119));
}

// Absorbs stripes of 64 bytes into eight lanes. The lanes are scrambled after every 16 stripes.
class LongHash {
 public:
  std::uint64_t of(Bytes key, std::size_t size) {
    const std::size_t stripes = size / kStripeBytes;
    for (std::size_t i = 0; i < stripes; ++i) {
      accumulate(key + i * kStripeBytes, i % kBlockStripes * 8);
      if (i % kBlockStripes == kBlockStripes - 1) {
        scramble();
      }
    }
    if (size % kStripeBytes != 0) {
      accumulate(key + size - kStripeBytes, 121);
    }
    std::uint64_t sum = size * kPrime1;
    for (std::size_t i = 0; i < 4; ++i) {
      sum += folded_product(lanes_[2 * i] ^ secret64(11 + 16 * i), lanes_[2 * i + 1] ^ secret64(19 + 16 * i));
    }
    return avalanche(sum);
  }

 private:
  static constexpr std::size_t kStripeBytes = 64;
  static constexpr std::size_t kBlockStripes = 16;

  void accumulate(Bytes stripe, std::size_t secret_offset) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const std::uint64_t data = load_little64(stripe + 8 * i);
      const std::uint64_t keyed = data ^ secret64(secret_offset + 8 * i);
      lanes_[i] += data + (keyed & 0xffffffff) * (keyed >> 32);
    }
  }
  void scramble() {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      lanes_[i] = ((lanes_[i] ^ (lanes_[i] >> 47)) ^ secret64(128 + 8 * i)) * kShort1;
    }
  }

  std::array<std::uint64_t, 8> lanes_ = {kShort3, kPrime1, kPrime2, kPrime3,
                                         kPrime4, kShort2, kPrime5, kShort1};
};

}  // namespace

std::uint64_t rocksdb_hash64(std::string_view key) {
  const auto* const bytes = reinterpret_cast<Bytes>(key.data());
  const std::size_t size = key.size();
  if (size > 240) {
    return LongHash().of(bytes, size);
  }
  if (size > 128) {
    return hash_129_to_240(bytes, size);
  }
  if (size > 16) {
    return hash_17_to_128(bytes, size);
  }
  if (size > 8) {
    return hash_9_to_16(bytes, size);
  }
  if (size >= 4) {
    return hash_4_to_8(bytes, size);
  }
  return size > 0 ? hash_1_to_3(bytes, size) : folded_product(secret64(0), kPrime2);
}

}  // namespace bloomery
