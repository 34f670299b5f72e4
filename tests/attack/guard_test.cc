// Two attackers before a database, against the guard, over a filter in this process and over a leased file, and against what
// many services have: a Guava filter, whose seed is fixed, before the database. Both attackers know the code, the plan and every row; the unit is database queries.
//
//   forger   computes keys offline that pass a filter with the hash that he can compute, and sends each once
//   replay   learns by timing which of his keys passed, and sends these again and again
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/dialects/dialects.h"
#include "bloomery/filter/blocked_bloom_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/guard/leased_source.h"
#include "filter/leased/lease_page.h"
#include "tests/base/test_folder.h"
#include "tests/guard/guard_parts.h"

namespace bloomery::guard {
namespace {

constexpr std::uint64_t kRows = 20'000;
constexpr double kGuardedFpp = 0.01;
constexpr std::size_t kForged = 5'000;

std::vector<std::string> rows() {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < kRows; ++i) {
    keys.push_back("row " + std::to_string(i));
  }
  return keys;
}

// The first `count` keys that are no rows and that `passes` lets through.
template <typename Passes>
std::vector<std::string> passing_keys(std::size_t count, Passes passes) {
  std::vector<std::string> forged;
  for (std::uint64_t i = 0; forged.size() < count; ++i) {
    std::string key = "forged " + std::to_string(i);
    if (passes(key)) {
      forged.push_back(std::move(key));
    }
  }
  return forged;
}

std::unique_ptr<DialectFilter> guava_filter(const std::vector<std::string>& keys) {
  auto builder = *build_dialect("guava", {.capacity = kRows, .fpp = kGuardedFpp, .bits_per_key = {}});
  std::vector<std::string_view> views(keys.begin(), keys.end());
  EXPECT_TRUE(builder->add(views));
  return *builder->finish();
}

// What a service does with a filter and a loader: it asks the database about whatever passes.
std::uint64_t queries(const DialectFilter& filter, const std::vector<std::string>& keys) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(keys, [&](const std::string& key) { return filter.may_contain(key); }));
}

std::uint64_t queries(Guard& guarded, Database& database, const std::vector<std::string>& keys) {
  const std::uint64_t before = database.loads();
  for (const std::string& key : keys) {
    (void)guarded.get(key);
  }
  return database.loads() - before;
}

TEST(GuardAttack, AForgerReachesTheDatabaseWithEveryKeyThroughGuavaAndWithTheFppThroughTheGuard) {
  const std::vector<std::string> keys = rows();
  const auto guava = guava_filter(keys);
  const auto copy = guava_filter(keys);  // the attacker's
  const auto for_guava =
      passing_keys(kForged, [&](const std::string& key) { return copy->may_contain(key); });
  EXPECT_EQ(queries(*guava, for_guava), kForged);

  // The same against the guard: his copy is the same filter under a secret that he guesses.
  Database database;
  const auto live = made_filter(kGuardedFpp);
  fill(*live, keys);
  const auto guarded = made_guard(live, database);
  auto guess = *ScalableFilter::for_capacity(kRows, kGuardedFpp, {.hash = keyed_hash(HashSecret())});
  for (const std::string& key : keys) {
    ASSERT_TRUE(guess.insert(key));
  }
  const auto for_guard =
      passing_keys(kForged, [&](const std::string& key) { return guess.may_contain(key); });
  const std::uint64_t reached = queries(*guarded, database, for_guard);
  EXPECT_LE(reached, 2 * kGuardedFpp * kForged);
  RecordProperty("queries_through_the_guard", std::to_string(reached));
}

TEST(GuardAttack, AReplayReachesTheDatabaseEachTimeThroughGuavaAndOnceThroughAGuardThatIsTold) {
  constexpr std::uint64_t kRounds = 20;
  const std::vector<std::string> keys = rows();
  const auto guava = guava_filter(keys);
  const auto collected = passing_keys(200, [&](const std::string& key) { return guava->may_contain(key); });
  std::uint64_t through_guava = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    through_guava += queries(*guava, collected);
  }
  EXPECT_EQ(through_guava, kRounds * collected.size());

  Database database;
  const auto live = made_filter(kGuardedFpp);
  fill(*live, keys);
  GuardOptions options = patient();
  options.negative = {.keep = std::chrono::milliseconds(50), .keep_if_told = std::chrono::hours(1)};
  const auto guarded = made_guard(live, database, options);
  live->on_insert([&](std::string_view key) { guarded->changed(key); });
  const auto passing = passing_keys(200, [&](const std::string& key) { return live->ask(key).may_contain; });
  std::uint64_t through_guard = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    through_guard += queries(*guarded, database, passing);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(through_guard, passing.size());  // each works once

  // A rebuild takes another secret, so what was collected is worth no more than keys that were never asked.
  fill(*live, keys);
  EXPECT_LE(queries(*guarded, database, passing), 12U);  // 2 expected
}

TEST(GuardAttack, AReplayAgainstAGuardThatIsNotToldReachesItOncePerNegativeTime) {
  Database database;
  const auto live = made_filter(kGuardedFpp);
  fill(*live, rows());
  GuardOptions options = patient();
  options.negative = {.keep = std::chrono::milliseconds(100)};
  const auto guarded = made_guard(live, database, options);
  const auto passing = passing_keys(100, [&](const std::string& key) { return live->ask(key).may_contain; });
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t asked = 0;
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(350)) {
    (void)queries(*guarded, database, passing);
    asked += passing.size();
  }
  const auto lasted = std::chrono::steady_clock::now() - begin;
  const auto times = static_cast<std::uint64_t>(lasted / std::chrono::milliseconds(100)) + 1;
  EXPECT_LE(database.loads(), times * passing.size());
  EXPECT_GT(asked, 5 * database.loads());
}

// A leased file as a feeder leaves it: its filter, complete, with a lease of a minute.
class LeasedRows {
 public:
  LeasedRows(const std::vector<std::string>& keys, const HashSpec& hash) {
    auto page = LeasePage::open_for_feeder(path_);
    auto filter = BlockedBloomFilter::for_capacity(keys.size(), kGuardedFpp, {.hash = hash});
    for (const std::string& key : keys) {
      filter->insert(key);
    }
    EXPECT_TRUE(filter->save(page->filter_path(1)));
    if (hash.id == HashId::kSipHash) {
      EXPECT_TRUE(hash.secret.save_new(path_ + ".key"));
    }
    page->set_bound(60'000'000'000);
    page->set_generation(1);
    page->renew(boot_clock_ns() + 60'000'000'000);
  }
  std::shared_ptr<FilterSource> source() const { return std::move(*LeasedSource::open(path_)); }

 private:
  TestFolder folder_;
  std::string path_ = folder_.path("rows.leased");
};

TEST(GuardAttack, AForgerReachesTheDatabaseThroughALeasedFileOnlyIfItHasNoSecret) {
  const std::vector<std::string> keys = rows();
  const auto forged_for = [&](const HashSpec& guess) {
    auto copy = BlockedBloomFilter::for_capacity(kRows, kGuardedFpp, {.hash = guess});
    for (const std::string& key : keys) {
      copy->insert(key);
    }
    return passing_keys(kForged, [&](const std::string& key) { return copy->may_contain(key); });
  };
  Database database;
  const LeasedRows unkeyed(keys, HashSpec());
  EXPECT_EQ(queries(*made_guard(unkeyed.source(), database), database, forged_for(HashSpec())), kForged);

  const LeasedRows keyed(keys, keyed_hash(*HashSecret::generate()));
  const std::uint64_t reached =
      queries(*made_guard(keyed.source(), database), database, forged_for(keyed_hash(HashSecret())));
  EXPECT_LE(reached, 2 * kGuardedFpp * kForged);
}

TEST(GuardAttack, AReplayThroughALeasedFileReachesTheDatabaseOncePerNegativeTime) {
  constexpr std::uint64_t kRounds = 20;
  Database database;
  const LeasedRows keyed(rows(), keyed_hash(*HashSecret::generate()));
  GuardOptions options = patient();
  options.negative = {.keep = std::chrono::minutes(10)};
  const auto guarded = made_guard(keyed.source(), database, options);
  const auto passing = passing_keys(200, [&](const std::string& key) { return !guarded->rejects(key); });
  std::uint64_t reached = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    reached += queries(*guarded, database, passing);
  }
  EXPECT_EQ(reached, passing.size());
}

// Bulk: more absent keys than the negative cache has room for. It stays within its bytes, and a key that the database
// has is answered all the same.
TEST(GuardAttack, InventedKeysInBulkTakeNoMoreMemoryThanTheBound) {
  Database database;
  database.commit("row 1", "value");
  GuardOptions options = patient();
  options.mode = GuardMode::kEnforce;
  options.negative = {.bytes = 100'000, .keep = std::chrono::milliseconds(1000)};
  const auto guarded = made_guard(made_filter(), database, options);  // cold: everything passes
  for (int i = 0; i < 20'000; ++i) {
    (void)guarded->get("invented " + std::to_string(i));
  }
  EXPECT_EQ(database.loads(), 20'000U);
  EXPECT_TRUE(finds(*guarded, "row 1"));
  EXPECT_LE(guarded->metrics().negative_bytes, options.negative.bytes);
  EXPECT_GT(guarded->metrics().negative_bytes, options.negative.bytes / 2);
}

}  // namespace
}  // namespace bloomery::guard
