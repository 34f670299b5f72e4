// Keyed filters of every type: only the right secret opens them, and nothing of it is in the file.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

const HashSecret kOurs = {.bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
const HashSecret kTheirs = {.bytes = {2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

std::vector<std::string> some_keys() {
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) {
    keys.push_back("key " + std::to_string(i));
  }
  return keys;
}

std::vector<AnyFilter> filters_of_every_type(const HashSecret& secret) {
  const FilterOptions options{.hash = keyed_hash(secret), .keys = {}};
  std::vector<AnyFilter> filters;
  filters.emplace_back(*BloomFilter::build(some_keys(), 0.01, options));
  filters.emplace_back(*BlockedBloomFilter::build(some_keys(), 0.01, options));
  filters.emplace_back(*CountingBloomFilter::build(some_keys(), 0.01, options));
  filters.push_back(*make_filter({.type = FilterType::kBloom,
                                  .capacity = 10'000,
                                  .fpp = 0.01,
                                  .exact_below = 1000,
                                  .options = options}));
  for (const std::string& key : some_keys()) {
    EXPECT_TRUE(filters.back().insert(filters.back().native().hash(key)));
  }
  EXPECT_EQ(filters.back().type_name(), "exact");
  filters.emplace_back(*RibbonFilter::build(some_keys(), 0.01, options));
  filters.emplace_back(*FuseFilter::build(some_keys(), 0.01, options));
  return filters;
}

TEST(KeyedFilter, OpensWithItsSecretAndKnowsItsKeys) {
  const TestFolder folder;
  for (const AnyFilter& filter : filters_of_every_type(kOurs)) {
    const std::string path = folder.path(filter.type_name());
    ASSERT_TRUE(filter.native().save(path));
    for (const Access access : {Access::kMap, Access::kCopy}) {
      const Result<AnyFilter> opened = AnyFilter::open(path, {.access = access, .secret = &kOurs});
      ASSERT_TRUE(opened) << opened.error().to_string();
      EXPECT_EQ(opened->native().hash_key_id(), kOurs.id());
      for (const std::string& key : some_keys()) {
        ASSERT_TRUE(opened->may_contain(opened->native().hash(key))) << key;
      }
    }
  }
}

TEST(KeyedFilter, WithoutTheRightSecretItIsAnErrorThatSaysSo) {
  for (const AnyFilter& filter : filters_of_every_type(kOurs)) {
    std::string bytes;
    filter.native().serialize(bytes);
    const Result<AnyFilter> none =
        AnyFilter::view(std::as_bytes(std::span(bytes)), {.access = Access::kCopy});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(none.error().detail().find("expected the key with id"), std::string::npos);
    EXPECT_NE(none.error().detail().find("found none"), std::string::npos);
    const Result<AnyFilter> wrong =
        AnyFilter::view(std::as_bytes(std::span(bytes)), {.access = Access::kCopy, .secret = &kTheirs});
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().detail().find("found the one with id"), std::string::npos)
        << wrong.error().to_string();
    EXPECT_TRUE(
        AnyFilter::view(std::as_bytes(std::span(bytes)), {.access = Access::kCopy, .without_secret = true}));
  }
}

// An update in place is refused before the file is marked.
TEST(KeyedFilter, AnUpdateWithTheWrongSecretLeavesTheFileAlone) {
  const TestFolder folder;
  const AnyFilter filter = std::move(filters_of_every_type(kOurs).front());
  ASSERT_TRUE(filter.native().save(folder.path("f")));
  const std::string before = folder.read("f");
  EXPECT_FALSE(AnyFilter::open(folder.path("f"), {.access = Access::kUpdateInPlace, .secret = &kTheirs}));
  EXPECT_FALSE(AnyFilter::open(folder.path("f"), {.access = Access::kUpdateInPlace}));
  EXPECT_EQ(folder.read("f"), before);
}

TEST(KeyedFilter, TheFileHoldsTheIdAndNothingElseOfTheSecret) {
  for (const AnyFilter& filter : filters_of_every_type(kOurs)) {
    std::string bytes;
    filter.native().serialize(bytes);
    const std::string secret(reinterpret_cast<const char*>(kOurs.bytes.data()), kOurs.bytes.size());
    for (std::size_t i = 0; i + 4 <= secret.size(); ++i) {
      EXPECT_EQ(bytes.substr(0, 192).find(secret.substr(i, 4)), std::string::npos);
    }
  }
}

TEST(KeyedFilter, DifferentSecretsDoNotMerge) {
  std::vector<AnyFilter> ours = filters_of_every_type(kOurs);
  const std::vector<AnyFilter> theirs = filters_of_every_type(kTheirs);
  for (std::size_t i = 0; i < 2; ++i) {
    const Status merged = ours[i].merge(theirs[i]);
    ASSERT_FALSE(merged);
    EXPECT_NE(merged.error().detail().find("key id"), std::string::npos) << merged.error().to_string();
    EXPECT_TRUE(ours[i].merge(filters_of_every_type(kOurs)[i]));
  }
}

// The secret, not the algorithm, decides the bits.
TEST(KeyedFilter, TwoSecretsShareNoAnswersButByChance) {
  const std::vector<AnyFilter> ours = filters_of_every_type(kOurs);
  for (const AnyFilter& filter : ours) {
    int found = 0;
    for (const std::string& key : some_keys()) {
      found += filter.may_contain(hash_key(key, keyed_hash(kTheirs))) ? 1 : 0;
    }
    EXPECT_LT(found, 40) << filter.type_name();  // 10 expected
  }
}

// A filter without a key passes a secret over.
TEST(KeyedFilter, AFilterWithoutAKeyNeedsNone) {
  BloomFilter filter = *BloomFilter::for_capacity(10, 0.1);
  filter.insert("a");
  std::string bytes;
  filter.serialize(bytes);
  const auto opened =
      BloomFilter::view(std::as_bytes(std::span(bytes)), {.access = Access::kCopy, .secret = &kOurs});
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->hash_key_id(), 0u);
  EXPECT_TRUE(opened->may_contain("a"));
}

}  // namespace
}  // namespace bloomery
