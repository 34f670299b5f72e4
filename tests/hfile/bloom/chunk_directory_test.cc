// The directory answers as chunk_of() does, for keys of every relation to the first keys.
#include "hfile/bloom/chunk_directory.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery::hbase {
namespace {

BloomMeta meta_of(const std::vector<std::string>& first_keys) {
  BloomMeta meta;
  for (const std::string& key : first_keys) {
    meta.chunks.push_back({.first_key = key});
  }
  return meta;
}

void expect_equal(const std::vector<std::string>& first_keys, const std::vector<std::string>& asked) {
  const BloomMeta meta = meta_of(first_keys);
  std::vector<ChunkDirectory> directories = {ChunkDirectory(meta)};
  for (std::size_t i = 0; i < asked.size(); i += std::max<std::size_t>(asked.size() / 4, 1)) {
    directories.emplace_back(meta, asked[i]);  // also such that are no last key
  }
  for (const ChunkDirectory& directory : directories) {
    for (const std::string& key : asked) {
      const std::size_t expected = chunk_of(meta, key).value_or(ChunkDirectory::kNone);
      EXPECT_EQ(directory.chunk_of(meta, key), expected) << '"' << key << '"';
      if (!directory.has_heads() || !key.starts_with(directory.shared())) {
        continue;
      }
      // Also chunks that are not before the key.
      for (std::size_t near = 0; near < first_keys.size();
           near += std::max<std::size_t>(first_keys.size() / 4, 1)) {
        const std::size_t chunk = directory.chunk_of_head(directory.head_of(key), near);
        EXPECT_TRUE(chunk == expected || chunk == ChunkDirectory::kUndecided)
            << '"' << key << "\" from " << near;
      }
    }
  }
}

TEST(ChunkDirectory, OfNoChunkAndOfOne) {
  const std::vector<std::string> asked = {"", "a", "abc", std::string("abc\0", 4), "abcd", "abd", "b"};
  expect_equal({}, asked);
  expect_equal({"abc"}, asked);
  expect_equal({""}, asked);
}

TEST(ChunkDirectory, KeysThatDifferOnlyBehindTheEightBytes) {
  const std::vector<std::string> keys = {"row-12345678a", "row-12345678b", "row-12345678bb", "row-12345679"};
  std::vector<std::string> asked = keys;
  asked.insert(asked.end(),
               {"row-", "row-1234567", "row-12345678", "row-12345678az", "row-12345678c", "rox"});
  expect_equal(keys, asked);
}

TEST(ChunkDirectory, ZerosAreNotTheEndOfAKey) {
  const std::string zeros(12, '\0');
  std::vector<std::string> keys;
  for (const std::size_t size : {0U, 1U, 7U, 8U, 9U}) {
    keys.push_back("k" + zeros.substr(0, size));
  }
  std::vector<std::string> asked = keys;
  asked.insert(asked.end(), {"k" + zeros, "", "k\x01", "k" + zeros.substr(0, 8) + "\x01", "j", "l"});
  expect_equal(keys, asked);
}

TEST(ChunkDirectory, RandomKeysOfFewLetters) {
  constexpr std::uint64_t kSeed = 9;
  RecordProperty("seed", std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  const auto random_key = [&](std::size_t longest) {
    std::string key(random() % (longest + 1), '\0');
    std::ranges::generate(key, [&] { return "\0a\xff"[random() % 3]; });
    return key;
  };
  for (int round = 0; round < 500; ++round) {
    const std::string shared = random_key(6);
    std::vector<std::string> keys;
    for (std::size_t i = random() % 40 + 1; i > 0; --i) {
      keys.push_back(shared + random_key(round % 2 == 0 ? 4 : 12));
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::vector<std::string> asked = keys;
    for (int i = 0; i < 100; ++i) {
      asked.push_back(i % 3 == 0 ? random_key(8) : shared + random_key(13));
    }
    expect_equal(keys, asked);
  }
}

}  // namespace
}  // namespace bloomery::hbase
