// The hash of short keys: by its formula, and equal however a key is given.
#include "bloomery/hash/short_key_mix.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hash/key_writer.h"
#include "hash/low_words_kernel.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

// The documented formula, written out once more with half words.
Hash128 by_formula(std::uint64_t value, std::uint64_t size, std::uint64_t seed) {
  const auto scrambled = [](std::uint64_t word) {
    word ^= word >> 32;
    word *= 0xe9846af9b1a615dd;
    word ^= word >> 29;
    word *= 0x9fb21c651e98df25;
    return word ^ (word >> 32);
  };
  const std::uint64_t x = value ^ 0x1cad21f72c81017c ^ scrambled(seed) ^ ((8 - size) * 0xc2b2ae3d27d4eb4f);
  const std::uint64_t k = 0x9e3779b97f4a7c15;
  const std::uint64_t low_low = (x & 0xffffffff) * (k & 0xffffffff);
  const std::uint64_t high_low = (x >> 32) * (k & 0xffffffff);
  const std::uint64_t low_high = (x & 0xffffffff) * (k >> 32);
  const std::uint64_t middle = (low_low >> 32) + (high_low & 0xffffffff) + (low_high & 0xffffffff);
  const std::uint64_t product_high =
      (x >> 32) * (k >> 32) + (high_low >> 32) + (low_high >> 32) + (middle >> 32);
  const std::uint64_t product_low = x * k;
  return {.low = (product_low ^ product_high) * 0xd6e8feb86659fd93, .high = scrambled(product_low + size)};
}

const std::vector<std::uint64_t> kValues = {0,
                                            1,
                                            2,
                                            255,
                                            256,
                                            0xdeadbeef,
                                            std::uint64_t{1} << 63,
                                            std::numeric_limits<std::uint64_t>::max(),
                                            0x0123456789abcdef};

// Every kernel of a batch, at each length around the width of a vector.
TEST(ShortKeyMix, ABatchIsItsKeysOneAtATime) {
  std::mt19937_64 random(kTestSeed);
  for (const short_key_mix::LowWordsKernel& kernel : short_key_mix::low_words_kernels()) {
    for (std::size_t count = 0; count < 40 && kernel.available(); ++count) {
      std::vector<std::uint64_t> values = kValues;
      while (values.size() < 200) {
        values.push_back(random() >> (random() % 64));
      }
      std::shuffle(values.begin(), values.end(), random);
      values.resize(count);
      const std::uint64_t base = short_key_mix::base(random());
      std::vector<Hash64> hashes(count);
      kernel.run(values, base, hashes);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(hashes[i].low, short_key_mix::low_word(values[i], 8, base))
            << kernel.name << ": " << values[i] << ", seed " << kTestSeed;
      }
    }
  }
}

TEST(ShortKeyMix, FollowsItsFormula) {
  for (const std::uint64_t seed : {0u, 1u, 77u}) {
    for (const std::uint64_t value : kValues) {
      for (std::size_t size = 0; size <= 8; ++size) {
        const std::uint64_t bytes = size == 8 ? value : value & ((std::uint64_t{1} << (8 * size)) - 1);
        std::array<std::byte, 8> key;
        std::memcpy(key.data(), &bytes, sizeof bytes);
        EXPECT_EQ(hash_bytes(std::span(key).first(size), HashSpec{.seed = seed}),
                  by_formula(bytes, size, seed))
            << value << ", " << size << " bytes, seed " << seed;
      }
    }
  }
}

TEST(ShortKeyMix, ValuesAreTheSameForEver) {
  EXPECT_EQ(hash_key(std::uint64_t{0}, HashSpec{}), by_formula(0, 8, 0));
  EXPECT_EQ(hash_key(std::uint64_t{42}, HashSpec{}),
            (Hash128{.low = 0x028052fef00930d0, .high = 0x972db069b3d728e9}));
}

TEST(ShortKeyMix, AKeyHasOneHashHoweverItIsGiven) {
  const HashSpec spec{.seed = 5};
  for (const std::uint64_t value : kValues) {
    const auto number = static_cast<std::int64_t>(value);
    const auto half = static_cast<std::uint32_t>(value);
    const std::string eight(reinterpret_cast<const char*>(&value), 8);
    const std::string four(reinterpret_cast<const char*>(&half), 4);
    const std::vector<std::string_view> keys = {eight, four};
    std::vector<Hash128> batch(2);
    hash_batch(keys, spec, batch);
    EXPECT_EQ(batch[0], hash_key(number, spec));
    EXPECT_EQ(batch[0], hash_key(value, spec));
    EXPECT_EQ(batch[0], hash_key(eight, spec));
    EXPECT_EQ(batch[1], hash_key(half, spec));
    EXPECT_EQ(batch[1], hash_key(static_cast<std::int32_t>(half), spec));
    EXPECT_EQ(hash_key(static_cast<std::int8_t>(-1), spec), hash_key(static_cast<std::uint8_t>(255), spec));
  }
}

TEST(ShortKeyMix, LongerKeysAreHashedByXxh3) {
  const std::string nine = "nine char";
  EXPECT_EQ(hash_bytes(nine, HashSpec{.seed = 3}),
            hash_bytes(nine, HashSpec{.id = HashId::kXxh3, .seed = 3}));
}

TEST(ShortKeyMix, LengthAndSeedAreInBothWords) {
  std::set<std::uint64_t> lows;
  std::set<std::uint64_t> highs;
  std::size_t count = 0;
  for (std::size_t size = 0; size <= 8; ++size) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Hash128 hash = hash_bytes(std::string(size, '\0'), HashSpec{.seed = seed});
      lows.insert(hash.low);
      highs.insert(hash.high);
      ++count;
    }
  }
  EXPECT_EQ(lows.size(), count);
  EXPECT_EQ(highs.size(), count);
}

}  // namespace
}  // namespace bloomery
