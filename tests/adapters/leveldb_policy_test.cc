// Our filter policies beside LevelDB's own, alone and inside a live LevelDB.
#include "bloomery/adapters/leveldb_policy.h"

#include <algorithm>
#include <filesystem>
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/slice.h>
#include <leveldb/write_batch.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/base/uint128.h"
#include "bloomery/dialects/database.h"
#include "bloomery/dialects/dialects.h"
#include "bloomery/hash/hash128.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

using Policy = std::unique_ptr<const leveldb::FilterPolicy>;
using Keys = std::vector<std::string>;

Policy leveldb_own(int bits_per_key) {
  return Policy(leveldb::NewBloomFilterPolicy(bits_per_key));
}

// What stands before a filter in LevelDB's block stays as it is.
std::string filter_of(const leveldb::FilterPolicy& policy, const Keys& keys) {
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string bytes = "before";
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &bytes);
  EXPECT_TRUE(bytes.starts_with("before"));
  return bytes.substr(6);
}

// Of 0 to 40 bytes, any byte in them; some come twice.
Keys random_keys(std::mt19937_64& random, std::size_t count) {
  Keys keys;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && random() % 8 == 0) {
      keys.push_back(keys[random() % i]);
      continue;
    }
    std::string key(random() % 41, '\0');
    std::ranges::generate(key, [&] { return static_cast<char>(random()); });
    keys.push_back(key);
  }
  return keys;
}

Keys numbered(const std::string& prefix, std::size_t count) {
  Keys keys;
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back(prefix + std::to_string(i));
  }
  return keys;
}

double share_matched(const leveldb::FilterPolicy& policy, const std::string& filter, const Keys& keys) {
  const auto matched =
      std::ranges::count_if(keys, [&](const auto& k) { return policy.KeyMayMatch(k, filter); });
  return static_cast<double>(matched) / static_cast<double>(keys.size());
}

TEST(LevelDbBloomPolicy, WritesAndAnswersWhatLevelDbDoes) {
  constexpr std::uint64_t kSeed = 20261121;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  for (int bits_per_key = 1; bits_per_key <= 50; ++bits_per_key) {
    const Policy ours = new_leveldb_bloom_policy(bits_per_key);
    const Policy own = leveldb_own(bits_per_key);
    EXPECT_STREQ(ours->Name(), own->Name());
    for (const std::size_t count : {0U, 1U, 2U, 3U, 6U, 7U, 8U, 31U, 40U, 64U, 100U, 1000U}) {
      SCOPED_TRACE(std::to_string(count) + " keys, bits " + std::to_string(bits_per_key));
      const Keys keys = random_keys(random, count);
      const std::string filter = filter_of(*ours, keys);
      ASSERT_EQ(filter, filter_of(*own, keys));
      for (const std::string& key : keys) {
        ASSERT_TRUE(ours->KeyMayMatch(key, filter));
      }
      for (const std::string& key : random_keys(random, 200)) {
        ASSERT_EQ(ours->KeyMayMatch(key, filter), own->KeyMayMatch(key, filter));
      }
    }
  }
}

TEST(LevelDbBloomPolicy, BelowOneBitPerKeyItIsTheLeastFilter) {
  const Keys keys = numbered("k", 5);
  EXPECT_EQ(filter_of(*new_leveldb_bloom_policy(0), keys), filter_of(*leveldb_own(0), keys));
  EXPECT_EQ(filter_of(*new_leveldb_bloom_policy(-3), keys), filter_of(*leveldb_own(0), keys));
}

// Random bytes are read alike, but where there is no filter: what no policy wrote denies nothing here.
TEST(LevelDbBloomPolicy, ReadsAnyBytesAsLevelDbDoesButDeniesNothingWithoutAFilter) {
  constexpr std::uint64_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  const Policy ours = new_leveldb_bloom_policy(10);
  const Policy own = leveldb_own(10);
  EXPECT_TRUE(ours->KeyMayMatch("key", ""));
  EXPECT_TRUE(ours->KeyMayMatch("key", leveldb::Slice("\6", 1)));
  for (int k = 0; k < 256; ++k) {
    std::string filter(1 + random() % 90, '\0');
    std::ranges::generate(filter, [&] { return static_cast<char>(random() | random()); });
    filter += static_cast<char>(k);
    for (const std::string& key : random_keys(random, 50)) {
      ASSERT_EQ(ours->KeyMayMatch(key, filter), own->KeyMayMatch(key, filter)) << "k = " << k;
    }
  }
}

TEST(LevelDbBlockedPolicy, HasEveryKeyInTheLeastNumberOfLines) {
  constexpr std::uint64_t kSeed = 42;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  for (const int bits_per_key : {-1, 0, 1, 5, 10, 15, 20, 40}) {
    const Policy policy = new_leveldb_blocked_policy(bits_per_key);
    EXPECT_STREQ(policy->Name(),
                 "bloomery.Line"
                 "Bloom1");
    for (const std::size_t count : {0U, 1U, 2U, 20U, 40U, 51U, 52U, 100U, 1000U}) {
      SCOPED_TRACE(std::to_string(count) + " keys, bits " + std::to_string(bits_per_key));
      const Keys keys = random_keys(random, count);
      const std::string filter = filter_of(*policy, keys);
      const std::size_t bits = count * static_cast<std::size_t>(std::max(bits_per_key, 0));
      EXPECT_EQ(filter.size(), std::max<std::size_t>((bits + 511) / 512, 1) * 64 + 1);
      // At any address.
      const std::string moved = "x" + filter;
      for (const std::string& key : keys) {
        ASSERT_TRUE(policy->KeyMayMatch(key, filter));
        ASSERT_TRUE(policy->KeyMayMatch(key, leveldb::Slice(moved.data() + 1, filter.size())));
      }
    }
  }
}

TEST(LevelDbBlockedPolicy, ErrsAsSeldomAsItsBitsAllow) {
  const Policy policy = new_leveldb_blocked_policy(10);
  const Keys absent = numbered("absent", 200000);
  EXPECT_EQ(share_matched(*policy, filter_of(*policy, {}), absent), 0);
  EXPECT_LT(share_matched(*policy, filter_of(*policy, numbered("k", 40)), absent), 0.005);
  EXPECT_LT(share_matched(*policy, filter_of(*policy, numbered("k", 51)), absent), 0.02);
  const double many = share_matched(*policy, filter_of(*policy, numbered("k", 20000)), absent);
  EXPECT_GT(many, 0.008);
  EXPECT_LT(many, 0.013);
}

// The bytes that the header describes, bit by bit.
std::string blocked_filter_of(const Keys& keys, std::uint64_t lines, std::uint32_t k) {
  constexpr std::uint32_t kSalts[] = {0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f,
                                      0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09};
  std::string bytes(lines * 64, '\0');
  for (const std::string& key : keys) {
    const Uint128 product = Uint128{hash_bytes(key, HashSpec{.id = HashId::kXxh3}).low} * lines;
    const auto line = static_cast<std::uint64_t>(product >> 64);
    const auto rest = static_cast<std::uint64_t>(product);
    const auto a = static_cast<std::uint32_t>(rest >> 32);
    const auto b = static_cast<std::uint32_t>((rest * 0x9fb21c651e98df25) >> 32);
    for (std::uint32_t word = 0; word < 8; ++word) {
      const std::uint32_t first = a * kSalts[word] >> 26;
      const std::uint32_t second = first ^ std::max(b * kSalts[word] >> 26, 1U);
      for (const std::uint32_t bit : {first, word < k - 8 ? second : first}) {
        char& byte = bytes[line * 64 + word * 8 + bit / 8];
        byte = static_cast<char>(static_cast<unsigned char>(byte) | 1U << bit % 8);
      }
    }
  }
  return bytes + static_cast<char>(k);
}

TEST(LevelDbBlockedPolicy, WritesWhatItsHeaderDescribes) {
  const Policy policy = new_leveldb_blocked_policy(10);
  EXPECT_EQ(filter_of(*policy, {}), blocked_filter_of({}, 1, 16));
  EXPECT_EQ(filter_of(*policy, numbered("k", 20)), blocked_filter_of(numbered("k", 20), 1, 12));
  EXPECT_EQ(filter_of(*policy, numbered("k", 40)), blocked_filter_of(numbered("k", 40), 1, 8));
  EXPECT_EQ(filter_of(*policy, numbered("k", 1000)), blocked_filter_of(numbered("k", 1000), 20, 8));
}

// The bytes of a name are for ever.
TEST(LevelDbBlockedPolicy, ItsBytesStayAsTheyAre) {
  const std::string filter = filter_of(*new_leveldb_blocked_policy(10), {"apple", "banana"});
  ASSERT_EQ(filter.size(), 65u);
  EXPECT_EQ(filter.back(), 16);
  std::string hex;
  for (const char byte : filter) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(byte) >> 4];
    hex += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  EXPECT_EQ(hex,
            "00000022000c000000c0000040000002800000002000000a004000040022000002000400002001000000a00000040010"
            "0002021002000000000008001001000810");
}

TEST(LevelDbBlockedPolicy, WhatItCannotHaveWrittenDeniesNothing) {
  const Policy policy = new_leveldb_blocked_policy(10);
  const std::string filter = filter_of(*policy, numbered("k", 100));
  const Keys absent = numbered("absent", 1000);
  ASSERT_LT(share_matched(*policy, filter, absent), 0.1);
  for (std::size_t size = 0; size <= filter.size() + 64; ++size) {
    std::string other(size, '\0');
    if (size % 64 != 1 || size == 1) {
      ASSERT_EQ(share_matched(*policy, other, absent), 1) << size << " zeros";
      if (!other.empty()) {
        other.back() = '\10';
      }
      ASSERT_EQ(share_matched(*policy, other, absent), 1) << size << " bytes";
    }
  }
  for (int k = 0; k < 256; ++k) {
    std::string other = filter;
    other.back() = static_cast<char>(k);
    if (k < 8 || k > 16) {
      ASSERT_EQ(share_matched(*policy, other, absent), 1) << "k = " << k;
    }
  }
}

// A LevelDB in a folder of its own.
class LiveDatabase : public testing::Test {
 protected:
  static constexpr std::size_t kKeys = 100000;

  std::unique_ptr<leveldb::DB> open(const leveldb::FilterPolicy* policy) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.paranoid_checks = true;
    options.write_buffer_size = std::size_t{1} << 20;  // several tables
    options.filter_policy = policy;
    leveldb::DB* db = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, folder_.path("db"), &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return std::unique_ptr<leveldb::DB>(db);
  }

  static std::string key_of(std::size_t i) { return "key" + std::to_string(i * 7919 % kKeys); }

  static void fill(leveldb::DB& db) {
    for (std::size_t i = 0; i < kKeys; i += 1000) {
      leveldb::WriteBatch batch;
      for (std::size_t j = i; j < i + 1000; ++j) {
        batch.Put(key_of(j), "value of " + key_of(j));
      }
      ASSERT_TRUE(db.Write(leveldb::WriteOptions(), &batch).ok());
    }
  }

  static void expect_all(leveldb::DB& db) {
    std::string value;
    std::size_t found = 0;
    for (std::size_t i = 0; i < kKeys; ++i) {
      found += db.Get(leveldb::ReadOptions(), key_of(i), &value).ok() && value == "value of " + key_of(i)
                   ? 1U
                   : 0U;
    }
    EXPECT_EQ(found, kKeys);
    for (std::size_t i = 0; i < 1000; ++i) {
      EXPECT_TRUE(db.Get(leveldb::ReadOptions(), "key" + std::to_string(i) + "-", &value).IsNotFound());
    }
  }

  bool some_table_has(const std::string& text) const {
    return std::ranges::any_of(
        std::filesystem::directory_iterator(folder_.path("db")), [&](const auto& file) {
          return file.path().extension() == ".ldb" &&
                 folder_.read("db/" + file.path().filename().string()).find(text) != std::string::npos;
        });
  }

  // Written under `first`, read and compacted under `second`, read under `first` again.
  void write_and_swap(const leveldb::FilterPolicy* first, const leveldb::FilterPolicy* second) {
    {
      const auto db = open(first);
      ASSERT_TRUE(db);
      ASSERT_NO_FATAL_FAILURE(fill(*db));
      expect_all(*db);
    }
    {
      const auto db = open(second);
      ASSERT_TRUE(db);
      expect_all(*db);
      db->CompactRange(nullptr, nullptr);
      EXPECT_TRUE(some_table_has("filter." + std::string(second->Name())));
      expect_all(*db);
    }
    const auto db = open(first);
    ASSERT_TRUE(db);
    expect_all(*db);
  }

 private:
  TestFolder folder_;
};

TEST_F(LiveDatabase, FindsEveryKeyUnderTheBloomPolicy) {
  const Policy policy = new_leveldb_bloom_policy(10);
  write_and_swap(policy.get(), policy.get());
}

TEST_F(LiveDatabase, FindsEveryKeyUnderTheBlockedPolicy) {
  const Policy policy = new_leveldb_blocked_policy(10);
  write_and_swap(policy.get(), policy.get());
}

TEST_F(LiveDatabase, OfLevelDbsOwnPolicyGoesOnUnderOursAndBack) {
  const Policy own = leveldb_own(10);
  const Policy ours = new_leveldb_bloom_policy(10);
  write_and_swap(own.get(), ours.get());
}

TEST_F(LiveDatabase, OfOurPolicyGoesOnUnderLevelDbsOwnAndBack) {
  const Policy own = leveldb_own(10);
  const Policy ours = new_leveldb_bloom_policy(10);
  write_and_swap(ours.get(), own.get());
}

TEST_F(LiveDatabase, GoesFromLevelDbsOwnPolicyToBlocksAndBack) {
  const Policy own = leveldb_own(10);
  const Policy lines = new_leveldb_blocked_policy(10);
  write_and_swap(own.get(), lines.get());
}

// From the highest key to the lowest.
class Backwards final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override { return b.compare(a); }
  const char* Name() const override { return "bloomery.tests.Backwards"; }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

// Its table has one data block, whose separator is the lowest key: asked bytewise, all others lie behind it.
TEST(LevelDbDatabase, OfAnotherOrderDeniesNoKey) {
  const TestFolder folder;
  const Policy policy = leveldb_own(10);
  const Backwards backwards;
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = policy.get();
  options.comparator = &backwards;
  leveldb::DB* opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, folder.path("db"), &opened).ok());
  const std::unique_ptr<leveldb::DB> db(opened);
  const Keys keys = numbered("key", 50);
  for (const std::string& key : keys) {
    ASSERT_TRUE(db->Put(leveldb::WriteOptions(), key, "value").ok());
  }
  db->CompactRange(nullptr, nullptr);
  const auto database = Database::open(folder.path("db"));
  ASSERT_TRUE(database);
  ASSERT_EQ(database->families().size(), 1u);
  ASSERT_EQ(database->families()[0].files.size(), 1u);
  const DatabaseFile& table = database->families()[0].files.front();
  for (const std::string& key : keys) {
    EXPECT_EQ(database->ask(key), DatabaseAnswer::kForced) << key;
  }
  EXPECT_NE(table.trouble.find("bloomery.tests.Backwards"), std::string::npos) << table.trouble;
  const auto alone = open_dialect(folder.path("db/" + table.name));
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().code(), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace bloomery
