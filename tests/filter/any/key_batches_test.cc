// Batches of string keys are the same as their keys one at a time, for every filter and across the pieces'
// borders.
#include "bloomery/filter/key_batches.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"

namespace bloomery {
namespace {

template <typename Filter>
class KeyBatches : public ::testing::Test {};
using FilterTypes = ::testing::Types<BloomFilter, BlockedBloomFilter>;
TYPED_TEST_SUITE(KeyBatches, FilterTypes);

TYPED_TEST(KeyBatches, AreTheirKeysOneAtATime) {
  for (const std::size_t size : {0u, 1u, 511u, 512u, 513u, 2000u}) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < size; ++i) {
      texts.push_back("key number " + std::to_string(i));
    }
    const std::vector<std::string_view> keys(texts.begin(), texts.end());
    TypeParam batch = *TypeParam::for_capacity(4000, 0.001);
    TypeParam single = *TypeParam::for_capacity(4000, 0.001);
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
  }
}

}  // namespace
}  // namespace bloomery
