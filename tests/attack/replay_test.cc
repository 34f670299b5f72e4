// Replay: keys that are found to match by asking the filter itself, collected and asked again.
//
// The attacker needs no hash, no secret and no file: he asks. Of n absent keys a filter answers maybe to
// about fpp * n, keyed or not, and every one of them again whenever it is asked: a secret hides which keys
// match, but not from those who may ask, and what was learnt stays true as long as the filter does. What ends
// it is that each false positive is reported when it is found out: as an exception it is answered no from
// then on. Not here: keys that match but were never asked; they go on matching at the fpp, and each works
// once.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/bloom_filter.h"
#include "bloomery/filter/exceptions.h"
#include "bloomery/filter/ribbon_exceptions.h"
#include "bloomery/filter/ribbon_filter.h"
#include "tests/attack/known_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kAsked = 100'000;
constexpr double kReplayedFpp = 0.005;

std::vector<std::string> named_keys(const std::string& name, std::uint64_t count) {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < count; ++i) {
    keys.push_back(name + " " + std::to_string(i));
  }
  return keys;
}

template <typename Filter>
std::vector<std::string> hit_keys(const Filter& filter, const std::vector<std::string>& keys) {
  std::vector<std::string> found;
  for (const std::string& key : keys) {
    if (filter.may_contain(key)) {
      found.push_back(key);
    }
  }
  return found;
}

// Collects, replays against the filter as it is, then against one to which each success is reported, as it is
// met.
template <typename Filter>
void expect_reports_end_a_replay(const Filter& control, Filter& reported) {
  const std::vector<std::string> collected = hit_keys(control, named_keys("stranger", kAsked));
  EXPECT_GT(collected.size(), kReplayedFpp * kAsked / 2);
  EXPECT_LT(collected.size(), kReplayedFpp * kAsked * 2);
  EXPECT_EQ(hit_keys(control, collected).size(), collected.size());  // all work, again and again
  for (const std::string& key : collected) {
    ASSERT_TRUE(reported.may_contain(key));  // works once
    const Hash128 hash = reported.hash(key);
    ASSERT_TRUE(add_exceptions(reported, {&hash, 1}));
    ASSERT_FALSE(reported.may_contain(key));
  }
  EXPECT_TRUE(hit_keys(reported, collected).empty());
  EXPECT_EQ(reported.exception_count(), collected.size());
  EXPECT_EQ(hit_keys(reported, named_keys("member", kMembers)).size(), kMembers);
  // Nobody else is denied for it: other strangers match as often as before.
  const std::vector<std::string> others = named_keys("other stranger", kAsked / 4);
  EXPECT_EQ(hit_keys(reported, others), hit_keys(control, others));
}

TEST(Replay, EndsForABloomFilterWhenEachIsReportedWhetherKeyedOrNot) {
  for (const bool keyed : {false, true}) {
    const auto made = [keyed] {
      return *BloomFilter::build(named_keys("member", kMembers), kReplayedFpp, options_for(keyed));
    };
    BloomFilter reported = made();
    expect_reports_end_a_replay(made(), reported);
  }
}

TEST(Replay, EndsForABlockedFilterToo) {
  for (const bool keyed : {false, true}) {
    const auto made = [keyed] {
      return *BlockedBloomFilter::build(named_keys("member", kMembers), kReplayedFpp, options_for(keyed));
    };
    BlockedBloomFilter reported = made();
    expect_reports_end_a_replay(made(), reported);
  }
}

TEST(Replay, EndsForARibbonToo) {
  for (const bool keyed : {false, true}) {
    const auto made = [keyed] {
      return *RibbonFilter::build(named_keys("member", kMembers), kReplayedFpp, options_for(keyed));
    };
    RibbonFilter reported = made();
    expect_reports_end_a_replay(made(), reported);
  }
}

// And for one with a column, on which nothing of the known set can be replayed to begin with.
TEST(Replay, FindsNothingInASetThatWasKnown) {
  const std::vector<std::string> known = named_keys("known", kAsked);
  const auto made = [&known] {
    return *build_with_exceptions(named_keys("member", kMembers), known, kReplayedFpp, options_for(true));
  };
  RibbonFilter reported = made();
  EXPECT_TRUE(hit_keys(reported, known).empty());
  expect_reports_end_a_replay(made(), reported);
  EXPECT_TRUE(hit_keys(reported, known).empty());
}

// A new secret ends a replay as well, at the price of a new filter: what was collected is worth no more than
// keys never asked.
TEST(Replay, EndsWhenTheSecretChanges) {
  const std::vector<std::string> members = named_keys("member", kMembers);
  const BloomFilter old = *BloomFilter::build(members, kReplayedFpp, options_for(true));
  HashSecret fresh = kSecret;
  fresh.bytes[0] ^= 1;
  const BloomFilter anew =
      *BloomFilter::build(members, kReplayedFpp, {.hash = keyed_hash(fresh), .keys = {}});
  const std::vector<std::string> collected = hit_keys(old, named_keys("stranger", kAsked));
  EXPECT_LT(hit_keys(anew, collected).size(), 20u);  // 2.5 expected
}

}  // namespace
}  // namespace bloomery
