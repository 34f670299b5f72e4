// The native hash: XXH3-128, the same for ever, since its values choose the bits of every stored filter.
#include "bloomery/hash/hash128.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kVectorSeed = 0x9e3779b97f4a7c15;

// Lengths on both sides of each of the algorithm's branches (0, 1-3, 4-8, 9-16, 17-128, 129-240, above).
struct SeededVector {
  std::size_t size;
  Hash128 unseeded;
  Hash128 seeded;  // with kVectorSeed
};

// Over the bytes 0, 1, ..., 250, 0, 1, ... as two builds that are not ours print them: `unseeded` by Debian's
// xxhsum 0.8.1 (xxhsum -H2 writes high, then low), `seeded` by XXH3_128bits_withSeed() of Debian's
// libxxhash.so.0.8.1 called from Python. Both agree with the self-test values in xxHash's own repository
// (cli/xsum_sanity_check.c), whose first one, of the empty input, is the first here. Never to be changed.
const SeededVector kXxh3Vectors[] = {
    {0, {0x6001c324468d497f, 0x99aa06d3014798d8}, {0x4ca5176998171787, 0xd142977a2cca554b}},
    {1, {0xc44bdff4074eecdb, 0xa6cd5e9392000f6a}, {0x062b185e4e01441a, 0xe366b8c99a31df50}},
    {3, {0x5f4299fc161c9cbb, 0xe3b55f57945a17cf}, {0xbe1fd1f503b5d59e, 0xbf2a55a01a4ef588}},
    {4, {0xa6111d53e80a3db5, 0xeb70bf5fc779e9e6}, {0x55d8df42be2c2082, 0x2a8b9789cf496def}},
    {8, {0xcfd50c61c8bb98c1, 0xe1e4432a62217fe4}, {0x549c1de02797ab53, 0x59d3dcef02ca1563}},
    {9, {0x907931979dca3746, 0x16c769d83e4aebce}, {0x97967290810c979c, 0xd8398d01b57318a6}},
    {16, {0x842812cc870dcae2, 0x72950631827607e2}, {0xe463c7e2458d78d5, 0x5071618c2d2c17b4}},
    {17, {0xc06e233df7729217, 0x685bc458b37d057f}, {0xcba03fc2363de8bc, 0x4edfa847c1b8df88}},
    {128, {0x05321a0b64d67b41, 0x14792fc3af88dc6c}, {0x1ea8c8dcd452ca0d, 0x04d3d3bfc357ddef}},
    {129, {0xbc30b63382b09a3b, 0xdd5e74ac6b45f54e}, {0x952bac83a81876ae, 0x47a798bb1fd7483f}},
    {240, {0xc92b68e16f83bbb6, 0x65b5be86da5540e7}, {0x5bd854a1231155f7, 0xf0bc4cae6b4ab7eb}},
    {241, {0x02e8cd95421c6d02, 0x1da1cb61bcb8a2a1}, {0x172114de208c5a80, 0xaa071ba293e7f7d8}},
    {1000, {0x33ef703fb2b20ed1, 0x18bf41bc8229e277}, {0x629f9f11706b5c21, 0xc1998c24d2fa0b67}},
};

std::string counting(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>(i % 251);
  }
  return text;
}

TEST(Hash128, IsXxh3) {
  for (const SeededVector& vector : kXxh3Vectors) {
    const std::string key = counting(vector.size);
    EXPECT_EQ(hash_bytes(key, HashSpec{.id = HashId::kXxh3}), vector.unseeded) << vector.size << " bytes";
    EXPECT_EQ(hash_bytes(key, HashSpec{.id = HashId::kXxh3, .seed = kVectorSeed}), vector.seeded)
        << vector.size << " bytes, seeded";
  }
}

TEST(Hash128, TextAndBytesAreOne) {
  for (const SeededVector& vector : kXxh3Vectors) {
    const std::string key = counting(vector.size);
    EXPECT_EQ(hash_bytes(bytes_of(key), HashSpec{.id = HashId::kXxh3, .seed = kVectorSeed}),
              hash_bytes(std::string_view(key), HashSpec{.id = HashId::kXxh3, .seed = kVectorSeed}));
  }
  EXPECT_EQ(hash_bytes(std::span<const std::byte>(), HashSpec{.id = HashId::kXxh3}),
            hash_bytes(std::string_view(), HashSpec{.id = HashId::kXxh3}));
}

// A hash must not read beside the key, and not care where it lies; the sanitizer watches the ends.
TEST(Hash128, DoesNotDependOnTheAddress) {
  for (const SeededVector& vector : kXxh3Vectors) {
    for (std::size_t offset = 0; offset < 8; ++offset) {
      const std::vector<char> memory(offset, 'x');
      std::vector<char> exact(memory);
      const std::string key = counting(vector.size);
      exact.insert(exact.end(), key.begin(), key.end());
      exact.shrink_to_fit();
      EXPECT_EQ(
          hash_bytes(std::string_view(exact.data() + offset, vector.size), HashSpec{.id = HashId::kXxh3}),
          vector.unseeded);
    }
  }
}

TEST(Hash128, EverySeedIsAnotherHash) {
  std::set<std::uint64_t> lows;
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    lows.insert(hash_bytes("key", HashSpec{.id = HashId::kXxh3, .seed = std::uint64_t{1} << bit}).low);
  }
  lows.insert(hash_bytes("key", HashSpec{.id = HashId::kXxh3, .seed = 0}).low);
  EXPECT_EQ(lows.size(), 65u);
}

// Whoever holds XXH3-64 digests cannot bring them as `low`: that the two agree at some lengths (below 4 bytes
// and above 240) makes the mistake only harder to see. The values are XXH3_64bits() of the same bytes.
TEST(Hash128, TheLowWordIsNotXxh3Of64Bits) {
  EXPECT_NE(hash_bytes(counting(0), HashSpec{.id = HashId::kXxh3}).low, 0x2d06800538d394c2u);
  EXPECT_NE(hash_bytes(counting(4), HashSpec{.id = HashId::kXxh3}).low, 0x60dab036a58211f2u);
  EXPECT_NE(hash_bytes(counting(16), HashSpec{.id = HashId::kXxh3}).low, 0x8355e3a6f61770dbu);
  EXPECT_NE(hash_bytes(counting(240), HashSpec{.id = HashId::kXxh3}).low, 0x375a384d957fe865u);
  EXPECT_EQ(hash_bytes(counting(3), HashSpec{.id = HashId::kXxh3}).low, 0x5f4299fc161c9cbbu);
  EXPECT_EQ(hash_bytes(counting(241), HashSpec{.id = HashId::kXxh3}).low, 0x02e8cd95421c6d02u);
}

TEST(Hash128, ABatchEqualsItsKeys) {
  constexpr std::uint64_t kRandomSeed = 20240301;
  std::mt19937_64 random(kRandomSeed);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < 300; ++i) {
    keys.push_back(text_of(random_bytes(random, random() % 300)));
  }
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  const Hash128 untouched{1, 2};
  std::vector<Hash128> hashes(keys.size() + 1, untouched);
  hash_batch(views, HashSpec{.id = HashId::kXxh3, .seed = kVectorSeed}, hashes);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(hashes[i], hash_bytes(keys[i], HashSpec{.id = HashId::kXxh3, .seed = kVectorSeed}))
        << "key " << i << ", random seed " << kRandomSeed;
  }
  EXPECT_EQ(hashes.back(), untouched);
  hash_batch({}, HashSpec{}, {});
}

TEST(Hash128, NamesAndNumbersOfHashes) {
  EXPECT_STREQ(hash_name(HashId::kXxh3), "xxh3-128");
  EXPECT_STREQ(hash_name(HashId::kReadyDigest), "ready-digest");
  EXPECT_STREQ(hash_name(HashId::kSipHash), "siphash-2-4-128");
  EXPECT_STREQ(hash_name(HashId::kMix8Xxh3), "mix8-xxh3-128");
  EXPECT_STREQ(hash_name(static_cast<HashId>(4)), "unknown");
  EXPECT_EQ(static_cast<int>(HashId::kReadyDigest), 0) << "on disk";
  EXPECT_EQ(static_cast<int>(HashId::kXxh3), 1) << "on disk";
  EXPECT_EQ(static_cast<int>(HashId::kSipHash), 2) << "on disk";
  EXPECT_EQ(static_cast<int>(HashId::kMix8Xxh3), 3) << "on disk";
}

}  // namespace
}  // namespace bloomery
