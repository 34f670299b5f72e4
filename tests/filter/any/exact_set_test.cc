// The exact set, alone and behind AnyFilter: exact up to its threshold, then the filter of its plan, with the
// bytes of one that was built directly; merged, saved, opened, and damaged in every bit.
#include "bloomery/filter/exact_set.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/exceptions.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kThreshold = 100;
constexpr std::uint64_t kSetCapacity = 1000;

FilterPlan set_plan(FilterType type, BlockedSetting setting = BlockedSetting::kFast) {
  return {.type = type,
          .capacity = kSetCapacity,
          .fpp = 0.01,
          .exact_below = kThreshold,
          .options = {.setting = setting}};
}

FilterPlan by_bits(FilterPlan plan, double bits_per_key) {
  plan.fpp.reset();
  plan.bits_per_key = bits_per_key;
  return plan;
}

// One for each type and wish, but for the scalable ones.
std::vector<FilterPlan> steady_plans() {
  return {set_plan(FilterType::kBloom),
          set_plan(FilterType::kBlocked),
          set_plan(FilterType::kBlocked, BlockedSetting::kDense),
          set_plan(FilterType::kCounting),
          set_plan(FilterType::kQuotient),
          by_bits(set_plan(FilterType::kBloom), 9.5),
          by_bits(set_plan(FilterType::kBlocked), 10),
          by_bits(set_plan(FilterType::kBlocked, BlockedSetting::kDense), 12),
          by_bits(set_plan(FilterType::kCounting), 40),
          by_bits(set_plan(FilterType::kQuotient), 30)};
}

std::vector<FilterPlan> all_plans() {
  std::vector<FilterPlan> plans = steady_plans();
  plans.push_back(set_plan(FilterType::kScalable));
  plans.push_back(set_plan(FilterType::kScalable, BlockedSetting::kDense));
  return plans;
}

bool counts(const FilterPlan& plan) {
  return plan.type == FilterType::kCounting || plan.type == FilterType::kQuotient;
}

ExactSet exact_set(const FilterPlan& plan = set_plan(FilterType::kBlocked)) {
  return *ExactSet::for_plan(plan);
}

// What the plan would be without a threshold.
AnyFilter directly(FilterPlan plan) {
  plan.exact_below = 0;
  return *make_filter(plan);
}

std::string bytes_of_set(const AnyFilter& filter) {
  return serialized(filter.native());
}

bool is_exact(const AnyFilter& filter) {
  return filter.type_name() == "exact";
}

Hashes numbered(std::uint64_t first, std::size_t count) {
  return numbered_hashes(first, count);
}

AnyFilter filled_set(const FilterPlan& plan, const Hashes& hashes) {
  AnyFilter filter = *make_filter(plan);
  EXPECT_EQ(filter.insert_batch(hashes), 0u);
  return filter;
}

ExactSet reopened_set(const ExactSet& set) {
  auto again = ExactSet::view(FileBytes(serialized(set)).span(), {.access = Access::kCopy});
  EXPECT_TRUE(again) << again.error().to_string();
  return std::move(*again);
}

// Keys in no order, some of them often: 20 times is beyond what a counter of 4 bits counts.
Hashes with_repeats(std::uint64_t different) {
  Hashes hashes;
  for (std::uint64_t key = 0; key < different; ++key) {
    hashes.insert(hashes.end(), key % 10 == 0 ? 20 : 1 + key % 3, hash_key(key, HashSpec{}));
  }
  std::shuffle(hashes.begin(), hashes.end(), std::mt19937_64(kTestSeed));
  return hashes;
}

// ---- by itself

TEST(ExactSet, AnswersExactlyUpToItsThreshold) {
  for (const FilterPlan& plan : all_plans()) {
    SCOPED_TRACE(plan.type_name());
    ExactSet set = exact_set(plan);
    EXPECT_EQ(set.target_fpp(), directly(plan).native().target_fpp());
    EXPECT_EQ(set.capacity(), kSetCapacity);
    for (std::uint64_t key = 0; key < kThreshold; ++key) {
      ASSERT_FALSE(set.may_contain(key));
      ASSERT_TRUE(set.insert(key));
      ASSERT_TRUE(set.may_contain(key));
    }
    EXPECT_EQ(set.size(), kThreshold);
    EXPECT_EQ(set.fill_ratio(), 1.0);
    const std::string full = serialized(set);
    EXPECT_FALSE(set.insert(kThreshold));
    EXPECT_EQ(serialized(set), full);
    EXPECT_TRUE(set.insert(std::uint64_t{0}));  // it is in
    EXPECT_EQ(set.count(hash_key(std::uint64_t{0}, HashSpec{})), counts(plan) ? 2u : 1u);
    EXPECT_EQ(set.inserted(), kThreshold + 1);
    EXPECT_EQ(count_maybes(set, 0, kThreshold), kThreshold);
    EXPECT_EQ(count_maybes(set, kThreshold, 200'000), 0u);
    EXPECT_EQ(set.current_fpp(), 0);
    EXPECT_EQ(set.estimated_count(), static_cast<double>(kThreshold));
    EXPECT_FALSE(set.over_capacity());
    set.clear();
    EXPECT_EQ(serialized(set), serialized(exact_set(plan)));
    EXPECT_FALSE(set.may_contain(std::uint64_t{0}));
  }
}

TEST(ExactSet, RemovesExactlyWhereItsPlanCounts) {
  for (const FilterPlan& plan : all_plans()) {
    SCOPED_TRACE(plan.type_name());
    ExactSet set = exact_set(plan);
    ASSERT_EQ(set.can_remove(), counts(plan));
    if (!counts(plan)) {
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(set.insert("thrice"));
    }
    ASSERT_TRUE(set.insert("once"));
    EXPECT_FALSE(set.remove("never"));
    EXPECT_TRUE(set.remove("once"));
    EXPECT_FALSE(set.remove("once"));
    EXPECT_FALSE(set.may_contain("once"));
    EXPECT_TRUE(set.remove("thrice"));
    EXPECT_EQ(set.count(hash_key("thrice", HashSpec{})), 2u);
    EXPECT_EQ(set.inserted(), 2u);
    std::vector<std::uint64_t> answers(1, ~std::uint64_t{0});
    const Hashes hashes = {hash_key("thrice", HashSpec{}), hash_key("never", HashSpec{}),
                           hash_key("thrice", HashSpec{}), hash_key("thrice", HashSpec{})};
    EXPECT_EQ(set.remove_batch(hashes, answers), 2u);
    EXPECT_EQ(answers[0], 0b0101u);
    EXPECT_EQ(serialized(set), serialized(exact_set(plan)));
  }
}

// A key of which the low word is another's is another key: no filter knows them apart.
TEST(ExactSet, TellsKeysApartByAllBits) {
  ExactSet set = exact_set();
  ASSERT_TRUE(set.insert(Hash128{.low = 1, .high = 2}));
  EXPECT_FALSE(set.may_contain(Hash128{.low = 1, .high = 3}));
  EXPECT_FALSE(set.may_contain(Hash128{.low = 2, .high = 2}));
}

TEST(ExactSet, PlansThatItCannotBecomeAreErrors) {
  const auto refused = [](const FilterPlan& plan) {
    const Result<ExactSet> set = ExactSet::for_plan(plan);
    return set ? std::string("none") : set.error().to_string();
  };
  const auto names = [](const std::string& error, const std::string& what) {
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  FilterPlan plan = set_plan(FilterType::kBloom);
  plan.exact_below = 0;
  names(refused(plan), "threshold");
  names(refused(set_plan(FilterType::kRibbon)), "ribbon");
  names(refused(set_plan(FilterType::kExact)), "exact");
  plan = set_plan(FilterType::kWindowed);
  plan.options.window = Window::keys(1000);
  names(refused(plan), "windowed");
  plan = set_plan(FilterType::kBloom);
  plan.options.hash.id = HashId::kReadyDigest;
  names(refused(plan), "ready digests");
  plan = set_plan(FilterType::kBloom);
  plan.options.keys.parts = 0;
  names(refused(plan), "parts");
  names(refused(by_bits(set_plan(FilterType::kScalable), 10)), "bits per key");
  names(refused(by_bits(set_plan(FilterType::kQuotient), std::numeric_limits<double>::infinity())),
        "bits per key");
  plan = set_plan(FilterType::kBloom);
  plan.capacity = ~std::uint64_t{0};
  EXPECT_NE(refused(plan), "none");
  plan = set_plan(FilterType::kBloom);
  plan.fpp.reset();
  EXPECT_NE(refused(plan), "none");
}

// A plan of no keys has an fpp that a file can say, and any number of bits comes back.
TEST(ExactSet, EveryPlanThatIsTakenComesBackFromAFile) {
  for (FilterPlan plan : all_plans()) {
    for (const std::uint64_t capacity : {0u, 1u, 1000u}) {
      plan.capacity = capacity;
      if (plan.bits_per_key) {
        plan.bits_per_key = plan.type == FilterType::kQuotient ? 1e7 : 4096;
      }
      const ExactSet set = exact_set(plan);
      EXPECT_EQ(set.target_fpp(), directly(plan).native().target_fpp());
      EXPECT_GE(set.target_fpp(), DBL_MIN);
      const ExactSet again = reopened_set(set);
      EXPECT_EQ(again.plan().type, plan.type);
      EXPECT_EQ(again.plan().capacity, plan.capacity);
      EXPECT_EQ(again.plan().fpp, plan.fpp);
      EXPECT_EQ(again.plan().bits_per_key, plan.bits_per_key);
      EXPECT_EQ(again.plan().exact_below, plan.exact_below);
      EXPECT_EQ(serialized(again), serialized(set));
    }
  }
}

// ---- becoming a filter

TEST(ExactSet, TheKeyBeyondTheThresholdMakesItTheFilterOfItsPlan) {
  for (const FilterPlan& plan : all_plans()) {
    SCOPED_TRACE(plan.type_name());
    AnyFilter filter = filled_set(plan, numbered(0, kThreshold));
    ASSERT_TRUE(is_exact(filter));
    EXPECT_EQ(filter.insert_batch(numbered(0, kThreshold)), 0u);  // repeats are not beyond
    ASSERT_TRUE(is_exact(filter));
    EXPECT_EQ(filter.native().set_bit_count(), 0u);
    EXPECT_EQ(filter.hash_count(), 0u);
    EXPECT_FALSE(filter.is_static());
    EXPECT_FALSE(filter.updates_in_place());
    EXPECT_EQ(filter.can_remove(), counts(plan));
    EXPECT_EQ(filter.room(), kSetCapacity - 2 * kThreshold);
    ASSERT_TRUE(filter.insert(hash_key(kThreshold, HashSpec{})));
    EXPECT_EQ(filter.type_name(), plan.type_name());
    EXPECT_EQ(filter.can_remove(), counts(plan));
    EXPECT_EQ(filter.native().inserted(), 2 * kThreshold + 1);
    EXPECT_EQ(maybes(filter, numbered(0, kThreshold + 1)), kThreshold + 1);
    EXPECT_LT(maybes(filter, numbered(kAbsentKeys, 10'000)), 150u);
    ASSERT_TRUE(filter.clear());
    EXPECT_EQ(filter.type_name(), plan.type_name());  // what has become a filter stays one
  }
}

TEST(ExactSet, WhatItBecomesHasTheBytesOfADirectBuild) {
  for (const FilterPlan& plan : steady_plans()) {
    SCOPED_TRACE(plan.type_name());
    for (const std::uint64_t different : {kThreshold + 1, 3 * kThreshold}) {
      const Hashes hashes = with_repeats(different);
      AnyFilter direct = directly(plan);
      ASSERT_EQ(direct.insert_batch(hashes), 0u);
      EXPECT_TRUE(bytes_of_set(filled_set(plan, hashes)) == bytes_of_set(direct));
    }
  }
  // A scalable filter depends on the order of its keys: that of the hashes, and then as they come.
  for (const BlockedSetting setting : {BlockedSetting::kFast, BlockedSetting::kDense}) {
    const FilterPlan plan = set_plan(FilterType::kScalable, setting);
    AnyFilter direct = directly(plan);
    Hashes first = numbered(0, kThreshold);
    std::ranges::sort(first, {}, [](const Hash128& hash) { return std::tie(hash.low, hash.high); });
    ASSERT_EQ(direct.insert_batch(first), 0u);
    ASSERT_EQ(direct.insert_batch(numbered(kThreshold, 5 * kSetCapacity)), 0u);
    EXPECT_TRUE(bytes_of_set(filled_set(plan, numbered(0, kThreshold + 5 * kSetCapacity))) ==
                bytes_of_set(direct));
  }
}

TEST(ExactSet, ItsNoteSecretAndExceptionsGoOn) {
  const HashSecret secret = *HashSecret::generate();
  for (FilterPlan plan : all_plans()) {
    SCOPED_TRACE(plan.type_name());
    plan.options = {.hash = keyed_hash(secret), .keys = {.form = KeyForm::kHex, .trim = true}};
    AnyFilter direct = directly(plan);
    AnyFilter filter = *make_filter(plan);
    const auto hash = [&](std::uint64_t key) { return direct.native().hash(key); };
    Hashes white;
    for (std::uint64_t key = 0; key < 20; ++key) {
      white.push_back(hash(kAbsentKeys + key));
    }
    Hashes members;
    for (std::uint64_t key = 0; key <= kThreshold; ++key) {
      members.push_back(hash(key));
    }
    std::ranges::sort(members, {}, [](const Hash128& each) { return std::tie(each.low, each.high); });
    for (AnyFilter* const each : {&direct, &filter}) {
      ASSERT_TRUE(each->native().set_metadata("a note"));
      ASSERT_TRUE(each->add_as_exceptions(white));
      ASSERT_TRUE(each->insert(white.front()));  // it is one no longer
      ASSERT_EQ(each->insert_batch(members), 0u);
      EXPECT_EQ(each->native().withdrawn_exceptions(), 1u);
    }
    ASSERT_EQ(filter.type_name(), plan.type_name());
    if (plan.type != FilterType::kScalable) {  // of which the order differs
      EXPECT_TRUE(bytes_of_set(filter) == bytes_of_set(direct));
    }
    EXPECT_EQ(filter.native().hash_key_id(), secret.id());
    EXPECT_EQ(filter.native().metadata(), "a note");
    EXPECT_TRUE(filter.native().key_treatment() == plan.options.keys);
    EXPECT_EQ(filter.native().exception_count(), 19u);
    EXPECT_EQ(maybes(filter, white), 1u);
    EXPECT_EQ(maybes(filter, members), members.size());
  }
}

// Where the filter cannot take its keys it stays exact, and takes what it has.
TEST(ExactSet, ItStaysOneWhereTheFilterIsRefused) {
  FilterPlan plan = set_plan(FilterType::kQuotient);
  plan.capacity = 1;
  plan.exact_below = 20'000;
  AnyFilter filter = filled_set(plan, numbered(0, 20'000));
  const std::string full = bytes_of_set(filter);
  EXPECT_FALSE(filter.insert(hash_key(kAbsentKeys, HashSpec{})));
  EXPECT_EQ(bytes_of_set(filter), full);
  const Hashes mixed = {hash_key(kAbsentKeys, HashSpec{}), hash_key(std::uint64_t{1}, HashSpec{}),
                        hash_key(kAbsentKeys + 1, HashSpec{})};
  EXPECT_EQ(filter.insert_batch(mixed), 2u);
  EXPECT_TRUE(is_exact(filter));
  EXPECT_EQ(filter.native().inserted(), 20'001u);
  EXPECT_EQ(maybes(filter, mixed), 1u);
}

// Counts near 2^64 cost what small ones cost.
TEST(ExactSet, HugeCountsAreCountedAndBecomeFullCounters) {
  for (const FilterType type : {FilterType::kCounting, FilterType::kQuotient}) {
    FilterPlan plan = set_plan(type);
    ExactSet set = exact_set(plan);
    ASSERT_TRUE(set.insert("a key"));
    for (int i = 0; i < 63; ++i) {
      ASSERT_TRUE(set.merge(set));
    }
    EXPECT_EQ(set.count(hash_key("a key", HashSpec{})), std::uint64_t{1} << 63);
    const std::string before = serialized(set);
    const auto beyond = set.merge(set);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().code(), ErrorCode::kCapacity);
    EXPECT_EQ(serialized(set), before);
    set = reopened_set(set);
    EXPECT_EQ(serialized(set), before);
    AnyFilter filter(std::move(set));
    EXPECT_EQ(filter.insert_batch(numbered(0, kThreshold)), 0u);
    EXPECT_FALSE(is_exact(filter));
    EXPECT_TRUE(filter.may_contain(hash_key("a key", HashSpec{})));
    std::uint64_t answer = 0;
    for (int i = 0; i < 100; ++i) {
      filter.remove_batch(std::vector<Hash128>{hash_key("a key", HashSpec{})}, {&answer, 1});
    }
    EXPECT_TRUE(filter.may_contain(hash_key("a key", HashSpec{})));  // a full counter stays
  }
}

// ---- merges

TEST(ExactSet, AMergeHasTheBytesOfOneBuildOfBoth) {
  struct Case {
    std::uint64_t left;   // keys, from 0 on
    std::uint64_t right;  // keys, from kFrom on
    bool exact;
  };
  constexpr std::uint64_t kFrom = 30;
  for (const FilterPlan& plan : steady_plans()) {
    for (const Case& each :
         {Case{.left = 40, .right = 40, .exact = true}, Case{.left = 0, .right = 100, .exact = true},
          Case{.left = 100, .right = 70, .exact = true}, Case{.left = 100, .right = 71, .exact = false},
          Case{.left = 60, .right = 99, .exact = false}, Case{.left = 0, .right = 101, .exact = false},
          Case{.left = 40, .right = 200, .exact = false}, Case{.left = 200, .right = 40, .exact = false},
          Case{.left = 200, .right = 0, .exact = false}, Case{.left = 200, .right = 200, .exact = false}}) {
      SCOPED_TRACE(plan.type_name() + " " + std::to_string(each.left) + " " + std::to_string(each.right));
      Hashes both = numbered(0, each.left);
      AnyFilter left = filled_set(plan, both);
      const AnyFilter right = filled_set(plan, numbered(kFrom, each.right));
      const std::string before = bytes_of_set(right);
      const Status merged = left.merge(right);
      ASSERT_TRUE(merged) << merged.error().to_string();
      EXPECT_EQ(is_exact(left), each.exact);
      const Hashes more = numbered(kFrom, each.right);
      both.insert(both.end(), more.begin(), more.end());
      // A build in which no key is beyond the threshold stays exact, others become the filter.
      EXPECT_TRUE(bytes_of_set(left) == bytes_of_set(filled_set(plan, both)));
      EXPECT_TRUE(bytes_of_set(right) == before);
    }
  }
}

TEST(ExactSet, AScalableMergeKnowsAllKeysOfBoth) {
  for (const std::uint64_t left_keys : {50u, 200u}) {
    for (const std::uint64_t right_keys : {51u, 5000u}) {
      AnyFilter left = filled_set(set_plan(FilterType::kScalable), numbered(0, left_keys));
      ASSERT_TRUE(left.merge(filled_set(set_plan(FilterType::kScalable), numbered(10'000, right_keys))));
      EXPECT_EQ(left.type_name(), "scalable");
      EXPECT_EQ(left.native().inserted(), left_keys + right_keys);
      EXPECT_EQ(maybes(left, numbered(0, left_keys)), left_keys);
      EXPECT_EQ(maybes(left, numbered(10'000, right_keys)), right_keys);
    }
  }
}

TEST(ExactSet, ASetMergesWithItself) {
  for (const FilterPlan& plan : all_plans()) {
    AnyFilter filter = filled_set(plan, numbered(0, 60));
    ASSERT_TRUE(filter.merge(filter));
    EXPECT_TRUE(is_exact(filter));
    EXPECT_EQ(filter.native().inserted(), 120u);
    EXPECT_EQ(maybes(filter, numbered(0, 60)), 60u);
  }
}

TEST(ExactSet, AMergeKeepsTheExceptionsThatBothDeny) {
  for (const std::uint64_t right_keys : {20u, 90u}) {
    AnyFilter left = filled_set(set_plan(FilterType::kBloom), numbered(0, 20));
    AnyFilter right = filled_set(set_plan(FilterType::kBloom), numbered(1000, right_keys));
    const Hashes white = {hash_key(std::uint64_t{1000}, HashSpec{}), hash_key(kAbsentKeys, HashSpec{}),
                          hash_key(kAbsentKeys + 1, HashSpec{})};
    ASSERT_TRUE(left.add_as_exceptions(white));  // the first is a key of the right one
    ASSERT_TRUE(left.merge(right));
    EXPECT_EQ(is_exact(left), right_keys == 20);
    EXPECT_EQ(left.native().exception_count(), 2u);
    EXPECT_EQ(maybes(left, white), 1u);
    EXPECT_EQ(maybes(left, numbered(1000, right_keys)), right_keys);
  }
}

// Also where one of the two is a filter, or the union is beyond the threshold.
TEST(ExactSet, MergingUnlikePlansNamesWhatDiffersAndChangesNothing) {
  const FilterPlan ours = set_plan(FilterType::kBlocked);
  const auto changed = [&](auto change) {
    FilterPlan plan = ours;
    change(plan);
    return plan;
  };
  struct Case {
    FilterPlan plan;
    const char* exact;   // what is named of two sets
    const char* filter;  // where one of them is a filter; none: it is the same filter
  };
  const std::vector<Case> cases = {
      {changed([](FilterPlan& plan) { plan.capacity = 2000; }), "capacity (1000 and 2000)",
       "capacity (1000 and 2000)"},
      {changed([](FilterPlan& plan) { plan.fpp = 0.02; }), "target fpp (0.01 and 0.02)",
       "target fpp (0.01 and 0.02)"},
      {changed([](FilterPlan& plan) { plan.options.hash.seed = 5; }), "seed (0 and 5)", "seed (0 and 5)"},
      {changed([](FilterPlan& plan) { plan.type = FilterType::kBloom; }), "planned type (blocked and bloom)",
       "different type"},
      {changed([](FilterPlan& plan) { plan.options.setting = BlockedSetting::kDense; }),
       "planned stride (64 and 8)", "stride (64 and 8)"},
      {changed([](FilterPlan& plan) { plan.exact_below = 101; }), "threshold (100 and 101)", nullptr},
      {by_bits(ours, 11), "bits per key (none and 11", "target fpp"}};
  const auto check = [](AnyFilter left, const AnyFilter& right, const char* named) {
    const std::string before = bytes_of_set(left);
    const Status merged = left.merge(right);
    ASSERT_EQ(merged.has_value(), named == nullptr);
    if (!merged) {
      EXPECT_EQ(merged.error().code(), ErrorCode::kInvalidArgument);
      EXPECT_NE(merged.error().detail().find(named), std::string::npos) << merged.error().to_string();
      EXPECT_TRUE(bytes_of_set(left) == before);
    }
  };
  for (const Case& each : cases) {
    const Hashes few = numbered(0, 60);
    const Hashes other_few = numbered(100, 60);
    const Hashes many = numbered(0, 500);
    check(filled_set(ours, few), filled_set(each.plan, few), each.exact);
    check(filled_set(ours, few), filled_set(each.plan, other_few), each.exact);
    check(filled_set(ours, few), filled_set(each.plan, many), each.filter);
    check(filled_set(ours, many), filled_set(each.plan, few), each.filter);
  }
}

// ---- files

TEST(ExactSet, OpensInEveryWayButForAnUpdateInPlace) {
  const TestFolder folder;
  const std::string path = folder.path("set");
  const Hashes white = numbered(kAbsentKeys, 50);
  for (const FilterPlan& plan : all_plans()) {
    SCOPED_TRACE(plan.type_name());
    AnyFilter made = filled_set(plan, numbered(0, 50));
    ASSERT_TRUE(made.native().set_metadata("note"));
    ASSERT_TRUE(made.add_as_exceptions(white));
    ASSERT_TRUE(made.native().save(path, {.replace = true}));
    EXPECT_EQ(made.native().file_bytes(), folder.read("set").size());
    for (const Access access : {Access::kMap, Access::kCopy, Access::kMapLocked, Access::kCopyLocked}) {
      auto set = ExactSet::open(path, {.access = access});
      ASSERT_TRUE(set) << set.error().to_string();
      EXPECT_TRUE(set->is_writable());
      EXPECT_TRUE(set->may_grow());
      EXPECT_EQ(serialized(*set), bytes_of_set(made));
      EXPECT_EQ(count_maybes(*set, 0, 50), 50u);
      EXPECT_EQ(set->exceptions(), made.native().exceptions());
      EXPECT_EQ(maybes(*set, white), 0u);
    }
    const auto updated = ExactSet::open(path, {.access = Access::kUpdateInPlace});
    ASSERT_FALSE(updated);
    EXPECT_NE(updated.error().to_string().find("kCopyLocked"), std::string::npos);
    EXPECT_NE(updated.error().to_string().find(path), std::string::npos);
    const FileBytes bytes(bytes_of_set(made));
    const auto view = ExactSet::view(bytes.span());
    ASSERT_TRUE(view) << view.error().to_string();
    EXPECT_TRUE(view->is_writable());
    EXPECT_EQ(serialized(*view), bytes_of_set(made));
    EXPECT_FALSE(ExactSet::view(bytes.span(), {.access = Access::kUpdateInPlace}));
  }
}

// One at a time, also after it became a filter; then the file is that.
TEST(ExactSet, KeepsItsLockAndFileWhenItBecomesAFilter) {
  const TestFolder folder;
  const std::string path = folder.path("set");
  for (const FilterPlan& plan : all_plans()) {
    for (const bool by_merge : {false, true}) {
      SCOPED_TRACE(plan.type_name());
      ASSERT_TRUE(filled_set(plan, numbered(0, 50)).native().save(path, {.replace = true}));
      {
        AnyFilter filter = *AnyFilter::open(path, {.access = Access::kCopyLocked});
        if (by_merge) {
          ASSERT_TRUE(filter.merge(filled_set(plan, numbered(1000, 51))));
        } else {
          EXPECT_EQ(filter.insert_batch(numbered(1000, 51)), 0u);
        }
        ASSERT_EQ(filter.type_name(), plan.type_name());
        EXPECT_FALSE(AnyFilter::open(path, {.access = Access::kCopyLocked}));
        ASSERT_TRUE(filter.native().save(path, {.replace = true}));
      }
      const Result<AnyFilter> again = AnyFilter::open(path, {.access = Access::kCopyLocked});
      ASSERT_TRUE(again) << again.error().to_string();
      EXPECT_EQ(again->type_name(), plan.type_name());
      EXPECT_EQ(maybes(*again, numbered(0, 50)), 50u);
      EXPECT_EQ(maybes(*again, numbered(1000, 51)), 51u);
    }
  }
}

TEST(ExactSet, OfAKeyedPlanIsMergedWithoutItsSecret) {
  const HashSecret secret = *HashSecret::generate();
  for (const std::uint64_t keys : {50u, 60u}) {
    FilterPlan plan = set_plan(FilterType::kBloom);
    plan.options.hash = keyed_hash(secret);
    const FileBytes left_bytes(bytes_of_set(filled_set(plan, numbered(0, 50))));
    const FileBytes right_bytes(bytes_of_set(filled_set(plan, numbered(1000, keys))));
    EXPECT_FALSE(AnyFilter::view(left_bytes.span(), {.access = Access::kCopy}));
    auto left = *AnyFilter::view(left_bytes.span(), {.access = Access::kCopy, .without_secret = true});
    const auto right = *AnyFilter::view(right_bytes.span(), {.without_secret = true});
    ASSERT_TRUE(left.merge(right));
    EXPECT_EQ(is_exact(left), keys == 50);
    EXPECT_EQ(left.native().hash_key_id(), secret.id());
    const FileBytes merged(bytes_of_set(left));
    const auto again = AnyFilter::view(merged.span(), {.access = Access::kCopy, .secret = &secret});
    ASSERT_TRUE(again) << again.error().to_string();
    EXPECT_EQ(maybes(*again, numbered(1000, keys)), keys);
  }
}

// ---- damage

// An error, or a set that every call can be made on and that knows its keys.
void open_and_use_set(std::span<const std::byte> bytes, const OpenOptions& options) {
  auto set = ExactSet::view(bytes, options);
  if (!set) {
    ASSERT_FALSE(set.error().to_string().empty());
    return;
  }
  ASSERT_LE(set->size(), set->plan().exact_below);
  (void)outgrown(*set);
  (void)set->fill_ratio();
  AnyFilter filter(std::move(*set));
  for (std::uint64_t key = 0; key < 8; ++key) {
    if (filter.insert(hash_key(key, HashSpec{}))) {
      ASSERT_TRUE(filter.may_contain(hash_key(key, HashSpec{})));
    }
  }
  std::string again;
  filter.native().serialize(again);
  ASSERT_TRUE(AnyFilter::view(FileBytes(again).span(), {.access = Access::kCopy}));
}

std::vector<FilterPlan> plans_of_damage() {
  std::vector<FilterPlan> plans = {set_plan(FilterType::kBloom), set_plan(FilterType::kQuotient),
                                   by_bits(set_plan(FilterType::kCounting), 40)};
  for (FilterPlan& plan : plans) {
    plan.exact_below = 6;
    plan.capacity = 100;
  }
  return plans;
}

TEST(ExactSet, DamageIsAnErrorOrSafe) {
  for (const FilterPlan& plan : plans_of_damage()) {
    AnyFilter made = filled_set(plan, numbered(0, 5));
    ASSERT_TRUE(made.insert(hash_key(std::uint64_t{2}, HashSpec{})));
    ASSERT_TRUE(made.native().set_metadata("note"));
    const Hashes white = numbered(kAbsentKeys, 2);
    ASSERT_TRUE(made.add_as_exceptions(white));
    expect_damage_is_an_error_or_safe<ExactSet>(bytes_of_set(made), open_and_use_set);
  }
}

// A file whose checksums are right and whose fields are not names the field.
class WrongFields : public ::testing::Test {
 protected:
  explicit WrongFields(const FilterPlan& plan = plans_of_damage()[1])
      : parts_(FileParts::of(bytes_of_set(filled_set(plan, numbered(0, 3))))) {}

  std::string error_of(const FileParts& parts) const {
    const FileBytes bytes(parts.joined());
    const auto set = ExactSet::view(bytes.span(), {.access = Access::kCopy});
    return set ? std::string("none") : set.error().to_string();
  }
  std::string error_of(std::size_t at, std::uint64_t value, std::size_t size) const {
    FileParts changed = parts_;
    for (std::size_t i = 0; i < size; ++i) {
      changed.payload[at + i] = static_cast<char>(value >> (8 * i) & 255);
    }
    return error_of(changed);
  }
  static void expect_named(const std::string& error, const std::string& field) {
    EXPECT_NE(error.find(field), std::string::npos) << error;
  }

  FileParts parts_;
};

TEST_F(WrongFields, OfThePlanAreNamed) {
  ASSERT_EQ(error_of(parts_), "none");
  for (const std::uint64_t type : {0U, 3U, 7U, 8U, 9U, 65'535U}) {
    expect_named(error_of(0, type, 2), "planned type");
  }
  expect_named(error_of(2, 8, 2), "stride: expected 0");
  expect_named(error_of(0, 2, 2), "stride: expected 8 or 64");
  expect_named(error_of(4, 1, 1), "reserved");
  expect_named(error_of(7, 1, 1), "reserved");
  expect_named(error_of(8, 0, 8), "threshold");
  expect_named(error_of(8, 2, 8), "at most 2");  // there are three keys
  for (const std::uint64_t keys :
       {std::uint64_t{2}, std::uint64_t{4}, std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
    expect_named(error_of(16, keys, 8), "keys: expected 3");
  }
  for (const double bits : {-1.0, -0.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    expect_named(error_of(24, std::bit_cast<std::uint64_t>(bits), 8), "bits per key: expected 0");
  }
  for (std::size_t at = 32; at < 64; ++at) {
    expect_named(error_of(at, 128, 1), "reserved");
  }
}

TEST_F(WrongFields, OfKeysAreNamed) {
  FileParts changed = parts_;
  std::swap_ranges(changed.payload.begin() + 64, changed.payload.begin() + 80, changed.payload.begin() + 80);
  expect_named(error_of(changed), "hash: expected more than the one before");
  changed = parts_;
  std::copy_n(changed.payload.begin() + 64, 16, changed.payload.begin() + 80);
  expect_named(error_of(changed), "hash: expected more than the one before");
  expect_named(error_of(64 + 3 * 16, 0, 8), "count: expected at least 1");
  expect_named(error_of(64 + 3 * 16 + 8, ~std::uint64_t{0}, 8), "count: expected at least 1, and a sum");
  expect_named(error_of(64 + 3 * 16, 2, 8), "inserted: expected 4");
  changed = parts_;
  changed.payload += std::string(24, '\1');
  expect_named(error_of(changed), "keys: expected 4");
}

TEST_F(WrongFields, OfTheHeaderAreNamed) {
  const auto error_with = [this](auto change) {
    FileParts changed = parts_;
    change(changed.header);
    return error_of(changed);
  };
  expect_named(error_with([](NativeHeader& header) { header.hash.id = HashId::kReadyDigest; }), "hash id");
  expect_named(error_with([](NativeHeader& header) { header.hash_count = 1; }), "hash count");
  expect_named(error_with([](NativeHeader& header) { header.bits = 64; }), "bits");
  expect_named(error_with([](NativeHeader& header) { header.inserted = 4; }), "inserted");
  expect_named(error_with([](NativeHeader& header) { header.stride_bytes = 64; }), "stride");
  expect_named(error_with([](NativeHeader& header) { header.type = FilterType::kBloom; }), "type");
  FileParts dirty = parts_;
  dirty.header.dirty = true;
  const FileBytes bytes(dirty.joined());
  expect_named(
      ExactSet::view(bytes.span(), {.access = Access::kCopy, .accept_dirty = true}).error().to_string(),
      "state");
}

// A plan that no memory holds is found when the set outgrows it: it stays exact, and knows its keys.
TEST_F(WrongFields, OfACapacityThatCannotBeRefuseFurtherKeys) {
  FileParts changed = parts_;
  changed.header.capacity = ~std::uint64_t{0};
  auto opened = AnyFilter::view(FileBytes(changed.joined()).span(), {.access = Access::kCopy});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(opened->insert_batch(numbered(0, 10)), 4u);
  EXPECT_TRUE(is_exact(*opened));
  EXPECT_EQ(maybes(*opened, numbered(0, 10)), 6u);
}

// Where keys are not counted, more may have been given than are in, but not fewer.
TEST(ExactSet, FewerInsertedThanKeysIsNamed) {
  FileParts parts = FileParts::of(bytes_of_set(filled_set(set_plan(FilterType::kBloom), numbered(0, 3))));
  parts.header.inserted = 10;
  EXPECT_TRUE(ExactSet::view(FileBytes(parts.joined()).span(), {.access = Access::kCopy}));
  parts.header.inserted = 2;
  EXPECT_FALSE(ExactSet::view(FileBytes(parts.joined()).span(), {.access = Access::kCopy}));
}

// The count of keys that were given wrapped to 0, so that the file was damaged when it was read again.
TEST(ExactSet, ACountAtItsLargestStaysThere) {
  FileParts parts = FileParts::of(bytes_of_set(filled_set(set_plan(FilterType::kBloom), numbered(0, 3))));
  parts.header.inserted = ~std::uint64_t{0} - 1;
  auto opened = AnyFilter::view(FileBytes(parts.joined()).span(), {.access = Access::kCopy});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(opened->insert_batch(numbered(0, 3)), 0u);
  EXPECT_EQ(opened->native().inserted(), ~std::uint64_t{0});
  EXPECT_TRUE(AnyFilter::view(FileBytes(bytes_of_set(*opened)).span(), {.access = Access::kCopy}));
}

// The least of all hashes is a hash like another, also where hashes have to ascend.
TEST(ExactSet, KeepsTheHashOfZeroes) {
  for (const Hashes& hashes : {Hashes{Hash128{}}, Hashes{Hash128{}, Hash128{.low = 0, .high = 1}}}) {
    ExactSet set = exact_set();
    EXPECT_EQ(set.insert_batch(hashes), 0u);
    const ExactSet again = reopened_set(set);
    EXPECT_EQ(again.size(), hashes.size());
    EXPECT_EQ(maybes(again, hashes), hashes.size());
  }
}

// Keys that the filter refuses, once the set has become one in the middle of a batch, are all counted.
TEST(AnyFilter, CountsTheKeysThatWereRefusedInTheBatchInWhichItOutgrewTheSet) {
  AnyFilter filter = *make_filter(
      {.type = FilterType::kQuotient, .capacity = 64, .fpp = 0.5, .exact_below = 20, .options = {}});
  const Hashes hashes = numbered(0, 5000);
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  const std::uint64_t refused = filter.test_and_insert_batch(hashes, answers);
  EXPECT_FALSE(is_exact(filter));
  EXPECT_GT(refused, 1u);
  EXPECT_GE(refused, hashes.size() - maybes(filter, hashes));
}

}  // namespace
}  // namespace bloomery
