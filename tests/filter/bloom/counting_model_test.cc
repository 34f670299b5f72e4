// The counting filter against an exact multiset, under random inserts, removes, merges, saves and clears: no
// key that is in is ever denied, nothing that is certainly absent is ever removed, and the payload is what
// the counters of the multiset's history are. More operations than in CI:
//
//   BLOOMERY_MODEL_OPERATIONS=10000000 BLOOMERY_MODEL_SEED=1 filter_tests --gtest_filter='CountingModel.*'
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/base/uint128.h"
#include "bloomery/filter/counting_bloom_filter.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kOperations = 1'000'000;
constexpr std::uint64_t kCountingSeed = 20261122;
constexpr std::uint64_t kModelKeys = 3000;
constexpr BloomShape kModelShape = {.bits = 12'007, .hash_count = 6};
constexpr std::uint64_t kModelCapacity = 1200;

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no one sets it meanwhile
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Which keys are in, how often, and the counters that they make: by the header's words, not by the kernel.
struct CountedModel {
  std::vector<std::uint32_t> counts = std::vector<std::uint32_t>(kModelKeys);
  std::vector<std::uint8_t> counters = std::vector<std::uint8_t>((kModelShape.bits + 15) / 16 * 16);
  std::uint64_t inserted = 0;

  template <typename Change>
  static void for_each_position(const Hash128& hash, Change change) {
    std::uint64_t x = hash.low;
    for (std::uint32_t i = 0; i < kModelShape.hash_count; ++i, x *= 0xf1357aea2e62a9c5) {
      const auto wide = Uint128{x} * kModelShape.bits;
      change(static_cast<std::uint64_t>(wide >> 64));
    }
  }

  void insert(std::uint64_t key, const Hash128& hash) {
    ++counts[key];
    ++inserted;
    for_each_position(hash, [this](std::uint64_t position) {
      counters[position] = static_cast<std::uint8_t>(std::min(15, counters[position] + 1));
    });
  }

  void remove(std::uint64_t key, const Hash128& hash) {
    --counts[key];
    --inserted;
    for_each_position(hash, [this](std::uint64_t position) {
      counters[position] = static_cast<std::uint8_t>(counters[position] - (counters[position] < 15 ? 1 : 0));
    });
  }

  void merge(const CountedModel& other) {
    inserted += other.inserted;
    std::ranges::transform(counts, other.counts, counts.begin(), std::plus<>());
    std::ranges::transform(counters, other.counters, counters.begin(), [](int left, int right) {
      return static_cast<std::uint8_t>(std::min(15, left + right));
    });
  }

  std::string payload() const {
    std::string bytes;
    for (std::size_t i = 0; i < counters.size(); i += 2) {
      bytes += static_cast<char>(counters[i] | counters[i + 1] << 4);
    }
    return bytes;
  }
};

class CountingModel : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint64_t key = 0; key < kModelKeys; ++key) {
      hashes_.push_back(hash_key(key, HashSpec{}));
    }
    filter_.emplace(empty());
  }

  static CountingBloomFilter empty() { return *CountingBloomFilter::for_shape(kModelShape, kModelCapacity); }

  // Few keys are many of the inserts, so that some counters saturate.
  std::uint64_t some_key() { return random_() % 64 == 0 ? random_() % 20 : random_() % kModelKeys; }

  void insert() {
    const std::uint64_t key = some_key();
    model_.insert(key, hashes_[key]);
    filter_->insert(hashes_[key]);
    ASSERT_TRUE(filter_->may_contain(hashes_[key]));
  }

  // Removes a key that is in, or one that is certainly absent; a false positive is left alone.
  void remove() {
    const std::uint64_t key = some_key();
    if (model_.counts[key] != 0) {
      model_.remove(key, hashes_[key]);
      ASSERT_TRUE(filter_->remove(hashes_[key])) << "key " << key;
    } else if (!filter_->may_contain(hashes_[key])) {
      ASSERT_FALSE(filter_->remove(hashes_[key])) << "key " << key;
      ++refused_;
    }
  }

  void ask() {
    const std::uint64_t key = some_key();
    const std::optional<std::uint32_t> most = filter_->count_at_most(hashes_[key]);
    ASSERT_TRUE(model_.counts[key] == 0 || filter_->may_contain(hashes_[key])) << "key " << key;
    ASSERT_TRUE(!most || *most >= model_.counts[key]) << "key " << key;
    unbounded_ += most ? 0U : 1U;
  }

  void merge() {
    CountedModel more;
    CountingBloomFilter other = empty();
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t key = some_key();
      more.insert(key, hashes_[key]);
      other.insert(hashes_[key]);
    }
    model_.merge(more);
    ASSERT_TRUE(filter_->merge(other));
  }

  void save_and_open() {
    const std::string path = folder_.path("model.counting");
    ASSERT_TRUE(filter_->save(path, {.replace = true}));
    Result<CountingBloomFilter> opened = CountingBloomFilter::open(path, {.access = Access::kCopy});
    ASSERT_TRUE(opened) << opened.error().to_string();
    filter_.emplace(std::move(*opened));
  }

  void update_in_place() {
    const std::string path = folder_.path("updated.counting");
    ASSERT_TRUE(filter_->save(path, {.replace = true}));
    filter_.emplace(*CountingBloomFilter::open(path, {.access = Access::kUpdateInPlace}));
    for (int i = 0; i < 200; ++i) {
      insert();
      remove();
    }
    ASSERT_TRUE(filter_->finish_update());
    filter_.emplace(*CountingBloomFilter::open(path, {.access = Access::kCopy}));
  }

  void check_all() {
    std::string bytes;
    filter_->serialize(bytes);
    ASSERT_TRUE(bytes.substr(192) == model_.payload());
    ASSERT_EQ(filter_->inserted(), model_.inserted);
    std::vector<std::uint64_t> answers(answer_words(kModelKeys));
    filter_->may_contain_batch(hashes_, answers);
    for (std::uint64_t key = 0; key < kModelKeys; ++key) {
      ASSERT_TRUE(model_.counts[key] == 0 || ((answers[key / 64] >> (key % 64)) & 1) != 0) << "key " << key;
    }
  }

  void seldom() {
    switch (random_() % 4) {
      case 0:
        return merge();
      case 1:
        return save_and_open();
      case 2:
        return update_in_place();
      default:
        if (random_() % 4 == 0) {
          model_ = CountedModel();
          filter_->clear();
        }
    }
  }

  TestFolder folder_;
  std::vector<Hash128> hashes_;
  CountedModel model_;
  std::optional<CountingBloomFilter> filter_;
  std::mt19937_64 random_;
  std::uint64_t refused_ = 0;
  std::uint64_t unbounded_ = 0;
};

TEST_F(CountingModel, RandomOperationsAgreeWithAMultiset) {
  const std::uint64_t operations = number_from("BLOOMERY_MODEL_OPERATIONS", kOperations);
  const std::uint64_t seed = number_from("BLOOMERY_MODEL_SEED", kCountingSeed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  RecordProperty("seed", std::to_string(seed));
  random_.seed(seed);
  std::uint64_t saturated = 0;
  for (std::uint64_t i = 0; i < operations && !HasFatalFailure(); ++i) {
    const std::uint64_t choice = random_() % 16;
    choice < 5 ? insert() : choice < 12 ? remove() : ask();
    if (random_() % 10'000 == 0) {
      seldom();
      check_all();
      saturated += filter_->saturated_count();
    }
  }
  check_all();
  EXPECT_GT(refused_, operations / 100);
  EXPECT_GT(saturated, 0u);
  EXPECT_GT(unbounded_, 0u);
}

}  // namespace
}  // namespace bloomery
