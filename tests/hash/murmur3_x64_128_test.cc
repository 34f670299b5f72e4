// MurmurHash3 x64 128 against published digests; the author's verification covers every length of a tail.
#include "hash/murmur3_x64_128.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/endian.h"

namespace bloomery {
namespace {

// The sixteen bytes of the digest.
std::string hex(const Hash128& digest) {
  std::string text;
  for (const std::uint64_t half : {digest.low, digest.high}) {
    for (int i = 0; i < 8; ++i) {
      char byte[3];
      std::snprintf(byte, sizeof(byte), "%02x", static_cast<unsigned>(half >> (8 * i) & 0xff));
      text += byte;
    }
  }
  return text;
}

TEST(Murmur3, PublishedVectors) {
  EXPECT_EQ(murmur3_x64_128(""), (Hash128{.low = 0, .high = 0}));
  EXPECT_EQ(hex(murmur3_x64_128("hello")), "029bbd41b3a7d8cb191dae486a901e5b");
  EXPECT_EQ(hex(murmur3_x64_128("The quick brown fox jumps over the lazy dog")),
            "6c1b07bc7bbc4be347939ac4a93c437a");
  EXPECT_EQ(murmur3_x64_128("\xff\x80\x01"),
            (Hash128{.low = 0x8458ae450e91a325, .high = 0xfad808902d0cb0b1}));
}

// The verification of the author's own test: the digests of the keys {}, {0}, {0,1}, ... under the seeds 256,
// 255, ..., hashed together.
TEST(Murmur3, TheAuthorsVerificationValue) {
  std::string key;
  std::string digests;
  for (unsigned i = 0; i < 256; ++i) {
    const Hash128 digest = murmur3_x64_128(key, 256 - i);
    for (const std::uint64_t half : {digest.low, digest.high}) {
      for (unsigned j = 0; j < 8; ++j) {
        digests += static_cast<char>(half >> (8 * j) & 0xff);
      }
    }
    key += static_cast<char>(i);
  }
  EXPECT_EQ(murmur3_x64_128(digests, 0).low & 0xffffffff, 0x6384ba69u);
}

TEST(Murmur3, ALongIsItsEightBytes) {
  std::mt19937_64 random(20261122);
  for (int i = 0; i < 1000; ++i) {
    std::array<std::byte, 8> bytes;
    const std::uint64_t word = random();
    store_little(bytes.data(), word);
    const std::string_view key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ASSERT_EQ(murmur3_x64_128_of_long(word), murmur3_x64_128(key)) << word;
  }
}

}  // namespace
}  // namespace bloomery
