// A guard over a leased file believes a *no* only while the feeder's lease runs, and within its own bound.
#include "bloomery/guard/leased_source.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "bloomery/filter/blocked_bloom_filter.h"
#include "filter/leased/lease_page.h"
#include "tests/base/test_folder.h"
#include "tests/guard/guard_parts.h"

namespace bloomery::guard {
namespace {

constexpr std::uint64_t kFeedersBound = 60'000'000'000;

// A page and the filter of its first generation, which has the key "in".
class LeasedSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    page.emplace(std::move(*LeasePage::open_for_feeder(path)));
    page->set_bound(kFeedersBound);
    put_filter(1);
    source = std::move(*LeasedSource::open(path));
  }
  void put_filter(std::uint64_t generation, const FilterOptions& options = {}) {
    auto filter = BlockedBloomFilter::for_capacity(1000, 1e-6, options);
    filter->insert("in");
    ASSERT_TRUE(filter->save(page->filter_path(generation), {.replace = true}));
    page->set_generation(generation);
  }
  // The feeder vouches for the moment that was so long ago.
  void vouch(std::chrono::nanoseconds ago) {
    page->renew(boot_clock_ns() + kFeedersBound - static_cast<std::uint64_t>(ago.count()));
  }

  TestFolder folder;
  std::string path = folder.path("keys.leased");
  std::optional<LeasePage> page;
  std::shared_ptr<LeasedSource> source;
};

TEST_F(LeasedSourceTest, IsColdWithoutALease) {
  EXPECT_EQ(source->completeness().phase, FilterPhase::kCold);
  EXPECT_TRUE(source->ask("out").may_contain);
  vouch(0s);
  EXPECT_EQ(source->completeness().phase, FilterPhase::kComplete);
  EXPECT_FALSE(source->ask("out").may_contain);
  EXPECT_TRUE(source->ask("in").may_contain);
  page->make_void();
  EXPECT_TRUE(source->ask("out").may_contain);
}

TEST_F(LeasedSourceTest, TheHorizonIsTheMomentThatTheFeederVouchesFor) {
  vouch(10s);
  const Completeness seen = source->ask("out").seen;
  const std::int64_t lag = machine_now_ns() - seen.horizon_ns;
  EXPECT_GE(lag, 10'000'000'000 - kClockSlackNs);
  EXPECT_LT(lag, 20'000'000'000);
  EXPECT_EQ(seen.epoch, 1u);
}

TEST_F(LeasedSourceTest, TheSmallerOfTwoBoundsDecides) {
  Database database;
  const auto guarded = Guard::make(source, MemoryCache::make(std::uint64_t{1} << 20), database.loader(),
                                   {.bound = {.time = 5s}});
  ASSERT_TRUE(guarded);
  vouch(1s);
  EXPECT_TRUE((*guarded)->rejects("out"));
  vouch(10s);  // within the feeder's bound of a minute, and beyond the guard's
  EXPECT_FALSE((*guarded)->rejects("out"));
  EXPECT_EQ((*guarded)->state(), GuardState::kStale);
}

TEST_F(LeasedSourceTest, ARebuiltFilterAnswersFromItsSwapOn) {
  vouch(0s);
  EXPECT_FALSE(source->ask("out").may_contain);
  put_filter(2);
  EXPECT_TRUE(source->ask("out").may_contain) << "the lease of the first filter is not that of the second";
  vouch(0s);
  EXPECT_FALSE(source->ask("out").may_contain);
  EXPECT_EQ(source->completeness().epoch, 2u);
}

TEST_F(LeasedSourceTest, KeysAreMadeAsTheFileRecords) {
  put_filter(2, {.keys = {.form = KeyForm::kHex}});
  source = std::move(*LeasedSource::open(path));
  vouch(0s);
  EXPECT_TRUE(source->ask("no digits").may_contain);
  EXPECT_FALSE(source->ask("abcd").may_contain);
}

TEST_F(LeasedSourceTest, WasOpenedBeforeTheFirstFilterAndBelievesItAllTheSame) {
  path = folder.path("new.leased");
  page.emplace(std::move(*LeasePage::open_for_feeder(path)));
  page->set_bound(kFeedersBound);
  source = std::move(*LeasedSource::open(path));
  EXPECT_TRUE(source->ask("abcd").may_contain);
  put_filter(1, {.keys = {.form = KeyForm::kHex}});
  EXPECT_TRUE(source->ask("abcd").may_contain);
  vouch(0s);
  EXPECT_FALSE(source->ask("abcd").may_contain);
  EXPECT_TRUE(source->ask("no digits").may_contain);
}

TEST_F(LeasedSourceTest, OnlyTheFeederWrites) {
  const Status inserted = source->insert("new");
  ASSERT_FALSE(inserted);
  EXPECT_EQ(inserted.error().code(), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace bloomery::guard
