// A table of keys answers by their bytes, whatever their hashes, and gives them back in order with their
// counts.
#include "dedup/key_table.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/native_filter.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

struct Counted {
  std::string line;
  std::uint64_t count;
  friend bool operator==(const Counted&, const Counted&) = default;
};

class Model {
 public:
  bool insert(const std::string& key, const std::string& line) {
    const auto [at, is_new] = places_.try_emplace(key, all_.size());
    if (is_new) {
      all_.push_back({line, 0});
    }
    ++all_[at->second].count;
    return is_new;
  }
  const std::vector<Counted>& all() const { return all_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<Counted> all_;
};

// Keys of any bytes, most short, some long; hashes of so few bits that different keys share them.
void expect_table_as_model(KeyTable::Keep keep, std::uint64_t hash_mask, std::size_t count) {
  std::mt19937_64 random(kTestSeed);
  KeyTable table(keep);
  Model model;
  for (std::size_t done = 0; done < count;) {
    const std::size_t size = 1 + random() % 500;
    std::vector<std::string> keys(size);
    std::vector<std::string> lines(size);
    for (std::size_t i = 0; i < size; ++i) {
      keys[i] = std::to_string(random() % (count / 2));
      if (random() % 50 == 0) {
        keys[i] += std::string(250 + keys[i].size(), '\0');  // on both sides of the short sizes
      }
      lines[i] = keep.lines ? "line " + std::to_string(done + i) : keys[i];
    }
    std::vector<std::string_view> key_views(keys.begin(), keys.end());
    std::vector<std::string_view> line_views(lines.begin(), lines.end());
    std::vector<Hash128> hashes(size);
    hash_batch(key_views, {}, hashes);
    for (Hash128& hash : hashes) {
      hash.low &= hash_mask;
    }
    std::vector<std::uint64_t> answers(answer_words(size), ~std::uint64_t{0});
    ASSERT_TRUE(table.test_and_insert_batch(key_views, hashes, line_views, answers));
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(((answers[i / 64] >> (i % 64)) & 1) != 0, model.insert(keys[i], lines[i]))
          << keys[i] << ", seed " << kTestSeed;
    }
    done += size;
  }
  EXPECT_EQ(table.size(), model.all().size());
  if (keep.counts) {
    std::vector<Counted> found;
    ASSERT_TRUE(table.for_each([&](std::uint64_t key_count, std::string_view line) {
      found.push_back({std::string(line), key_count});
      return Status();
    }));
    EXPECT_TRUE(found == model.all());
  }
}

TEST(KeyTable, AsTheModel) {
  expect_table_as_model({}, ~std::uint64_t{0}, 200'000);
  expect_table_as_model({.counts = true}, ~std::uint64_t{0}, 100'000);
  expect_table_as_model({.counts = true, .lines = true}, ~std::uint64_t{0}, 100'000);
}

TEST(KeyTable, KeysOfOneHashAreToldApart) {
  for (const std::uint64_t mask : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{0xff} << 56}) {
    expect_table_as_model({.counts = true}, mask, 3000);
  }
}

TEST(KeyTable, ARecordMayBeLargerThanAChunk) {
  KeyTable table({.counts = true});
  const std::string large(std::size_t{9} << 20, 'x');
  const std::vector<std::string_view> keys = {"before", large, "behind", large, "before"};
  std::vector<Hash128> hashes(keys.size());
  hash_batch(keys, {}, hashes);
  std::uint64_t answers = 0;
  ASSERT_TRUE(table.test_and_insert_batch(keys, hashes, keys, {&answers, 1}));
  EXPECT_EQ(answers, 0b00111u);
  std::vector<std::uint64_t> counts;
  ASSERT_TRUE(table.for_each([&](std::uint64_t count, std::string_view line) {
    EXPECT_TRUE(line == keys[counts.size()]);
    counts.push_back(count);
    return Status();
  }));
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{2, 2, 1}));
}

// 255 marks a size that takes nine bytes, so that a key of 255 bytes is the first long one.
TEST(KeyTable, EveryKeySizeAroundTheShortOnes) {
  for (const KeyTable::Keep keep :
       {KeyTable::Keep{}, KeyTable::Keep{.counts = true}, KeyTable::Keep{.counts = true, .lines = true}}) {
    KeyTable table(keep);
    std::vector<std::string> keys;
    for (std::size_t size = 0; size <= 600; ++size) {
      keys.push_back(std::string(size, 'k'));
    }
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    std::vector<Hash128> hashes(keys.size());
    hash_batch(views, {}, hashes);
    for (const std::size_t is_new : {std::size_t{1}, std::size_t{0}}) {
      std::vector<std::uint64_t> answers(answer_words(keys.size()), ~std::uint64_t{0});
      ASSERT_TRUE(table.test_and_insert_batch(views, hashes, views, answers));
      for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(answers[i / 64] >> (i % 64) & 1, is_new) << "size " << i;
      }
    }
    EXPECT_EQ(table.size(), keys.size());
    if (keep.counts) {
      std::size_t size = 0;
      ASSERT_TRUE(table.for_each([&](std::uint64_t count, std::string_view line) {
        EXPECT_EQ(count, 2u);
        EXPECT_EQ(line.size(), size++);
        return Status();
      }));
    }
  }
}

}  // namespace
}  // namespace bloomery
