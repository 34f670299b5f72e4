// Batches of string and integer keys are the same as their keys one at a time, for every filter and across the
// pieces' borders.
#include "bloomery/filter/key_batches.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/fuse_filter.h"
#include "bloomery/filter/ribbon_filter.h"

namespace bloomery {
namespace {

template <typename Filter>
class KeyBatches : public ::testing::Test {};
using FilterTypes = ::testing::Types<BloomFilter, BlockedBloomFilter>;
TYPED_TEST_SUITE(KeyBatches, FilterTypes);

std::vector<std::string> texts(std::size_t size) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < size; ++i) {
    texts.push_back("key number " + std::to_string(i));
  }
  return texts;
}

template <typename Integer>
std::vector<Integer> integers(std::size_t size) {
  std::vector<Integer> keys;
  for (std::size_t i = 0; i < size; ++i) {
    keys.push_back(static_cast<Integer>(i * 0x9e3779b97f4a7c15));
  }
  return keys;
}

// Inserts the first half of the keys, asks all, and tests and inserts all.
template <typename Filter, typename Key>
void expect_same(const std::vector<Key>& keys, const FilterOptions& options = {}) {
  const std::size_t size = keys.size();
  Filter batch = *Filter::for_capacity(8000, 0.001, options);
  Filter single = *Filter::for_capacity(8000, 0.001, options);
  insert_keys(batch, std::span(keys).first(size / 2));
  for (std::size_t i = 0; i < size / 2; ++i) {
    single.insert(keys[i]);
  }
  std::vector<std::uint64_t> answers(answer_words(size));
  may_contain_keys(batch, keys, answers);
  for (std::size_t i = 0; i < size; ++i) {
    ASSERT_EQ((answers[i / 64] >> (i % 64)) & 1, single.may_contain(keys[i]) ? 1u : 0u)
        << i << " of " << size;
  }
  test_and_insert_keys(batch, keys, answers);
  for (std::size_t i = 0; i < size; ++i) {
    ASSERT_EQ((answers[i / 64] >> (i % 64)) & 1, single.test_and_insert(keys[i]) ? 1u : 0u)
        << i << " of " << size;
  }
  std::string batch_bytes;
  std::string single_bytes;
  batch.serialize(batch_bytes);
  single.serialize(single_bytes);
  ASSERT_EQ(batch_bytes.substr(192), single_bytes.substr(192));
  ASSERT_EQ(batch.inserted(), single.inserted());
}

TYPED_TEST(KeyBatches, AreTheirKeysOneAtATime) {
  for (const std::size_t size : {0u, 1u, 511u, 512u, 513u, 2047u, 2048u, 2049u, 6000u}) {
    const std::vector<std::string> owned = texts(size);
    expect_same<TypeParam>(std::vector<std::string_view>(owned.begin(), owned.end()));
    expect_same<TypeParam>(integers<std::uint64_t>(size));
    expect_same<TypeParam>(integers<std::int64_t>(size));
    expect_same<TypeParam>(integers<std::uint16_t>(size));
    expect_same<TypeParam>(integers<std::uint64_t>(size), {.hash = {.id = HashId::kXxh3, .seed = 5}});
  }
}

// With an exception a filter reads whole hashes again.
TYPED_TEST(KeyBatches, IntegersThatAreExceptionsAreDenied) {
  const std::vector<std::uint64_t> keys = integers<std::uint64_t>(3000);
  TypeParam filter = *TypeParam::for_capacity(8000, 0.001);
  insert_keys(filter, std::span(keys).first(1500));
  std::vector<Hash128> others;
  for (std::size_t i = 1500; i < keys.size(); ++i) {
    others.push_back(filter.hash(keys[i]));
  }
  ASSERT_TRUE(filter.add_as_exceptions(others));
  std::vector<std::uint64_t> answers(answer_words(keys.size()));
  may_contain_keys(filter, keys, answers);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ((answers[i / 64] >> (i % 64)) & 1, i < 1500 ? 1u : 0u) << i;
  }
}

// A filter that never changes: only its queries.
TEST(KeyBatches, IntegersAskStaticFilters) {
  const std::vector<std::uint64_t> keys = integers<std::uint64_t>(6000);
  const auto ask = [&](const auto& filter) {
    std::vector<std::uint64_t> answers(answer_words(keys.size()));
    may_contain_keys(filter, keys, answers);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ((answers[i / 64] >> (i % 64)) & 1, filter.may_contain(keys[i]) ? 1u : 0u) << i;
      ASSERT_TRUE(i >= 3000 || filter.may_contain(keys[i])) << i;
    }
  };
  const std::span<const std::uint64_t> members = std::span(keys).first(3000);
  ask(*FuseFilter::build(members, 0.001));
  ask(*RibbonFilter::build(members, 0.001));
}

}  // namespace
}  // namespace bloomery
