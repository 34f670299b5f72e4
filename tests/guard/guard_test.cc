// One question at a time: which state lets a *no* through, what caches keep, and what a write undoes.
#include "bloomery/guard/guard.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/guard/guard_parts.h"

namespace bloomery::guard {
namespace {

using Keys = std::vector<std::string>;

// Returns a key that the filter certainly does not have.
std::string rejected_key(const FilterSource& source) {
  for (int i = 0;; ++i) {
    std::string key = "absent " + std::to_string(i);
    if (!source.ask(key).may_contain) {
      return key;
    }
  }
}

TEST(Guard, EverythingPassesUnlessTheFilterIsCompleteAndWithinTheBound) {
  Database database;
  database.commit("row", "value");
  const auto live = made_filter();
  GuardOptions options = patient();
  options.bound = {.time = 1h, .bytes = 1000};
  options.negative.keep = 0ms;
  const auto guarded = made_guard(live, database, options);
  options.bound.time = 20ms;
  const auto impatient = made_guard(live, database, options);

  EXPECT_EQ(guarded->state(), GuardState::kCold);
  EXPECT_TRUE(finds(*guarded, "row"));
  EXPECT_FALSE(finds(*guarded, "absent"));
  ASSERT_TRUE(live->begin_rebuild(10));
  EXPECT_EQ(guarded->state(), GuardState::kLoading);
  EXPECT_FALSE(finds(*guarded, "absent"));
  EXPECT_EQ(guarded->metrics().rejected, 0U);
  EXPECT_EQ(database.loads(), 3U);
  live->abandon_rebuild();

  // An empty filter that is complete: every key is rejected, also the row, which a stranger has put there.
  fill(*live, Keys{});
  EXPECT_EQ(guarded->state(), GuardState::kActive);
  EXPECT_FALSE(finds(*guarded, "row"));
  EXPECT_EQ(guarded->get("row")->from, Answer::From::kFilter);
  EXPECT_EQ(database.loads(), 3U);

  live->report(2, 1001, machine_now_ns());  // too many bytes behind
  EXPECT_EQ(guarded->state(), GuardState::kStale);
  EXPECT_TRUE(finds(*guarded, "row"));
  live->report(3, 0, machine_now_ns());
  EXPECT_FALSE(finds(*guarded, "row"));
  std::this_thread::sleep_for(30ms);  // nobody moves the horizon
  EXPECT_EQ(impatient->state(), GuardState::kStale);
  EXPECT_TRUE(finds(*impatient, "row"));
  live->report(4, 0, machine_now_ns());
  live->doubt();
  EXPECT_EQ(guarded->state(), GuardState::kCold);
  EXPECT_TRUE(finds(*guarded, "row"));
}

TEST(Guard, TheKillSwitchAndABypassLetKeysPass) {
  Database database;
  database.commit("row", "value");
  const auto live = made_filter();
  fill(*live, Keys{});
  const auto guarded = made_guard(live, database);
  EXPECT_TRUE(guarded->rejects("row"));
  EXPECT_FALSE(finds(*guarded, "row"));
  guarded->bypass("row");
  EXPECT_FALSE(guarded->rejects("row"));
  EXPECT_TRUE(finds(*guarded, "row"));
  EXPECT_TRUE(guarded->rejects("other"));
  guarded->end_bypass("row");
  EXPECT_FALSE(finds(*guarded, "row"));
  guarded->set_mode(GuardMode::kOff);
  EXPECT_TRUE(finds(*guarded, "row"));
  EXPECT_FALSE(guarded->rejects("other"));
}

TEST(Guard, ShadowModeEnforcesNothingAndCountsWhatWouldHaveBeenWrong) {
  Database database;
  database.commit("known", "value");
  database.commit("behind its back", "value");
  const auto live = made_filter();
  fill(*live, Keys{"known"});
  GuardOptions options = patient();
  options.mode = GuardMode::kShadow;
  const auto guarded = made_guard(live, database, options);
  const std::string absent = rejected_key(*live);
  EXPECT_TRUE(finds(*guarded, "known"));
  EXPECT_TRUE(finds(*guarded, "behind its back"));
  EXPECT_FALSE(finds(*guarded, absent));
  EXPECT_FALSE(finds(*guarded, absent));
  const GuardMetrics metrics = guarded->metrics();
  EXPECT_EQ(metrics.would_reject, 3U);
  EXPECT_EQ(metrics.wrong_rejections, 1U);
  EXPECT_EQ(metrics.rejected, 0U);
  // The truth is asked each time, not the negative cache.
  EXPECT_EQ(metrics.loads, 4U);
}

TEST(Guard, AnAbsentKeyThatPassesIsLoadedOnceUntilItsTimeIsOver) {
  Database database;
  const auto live = made_filter();
  fill(*live, Keys{"ghost"});
  GuardOptions options = patient();
  options.negative.keep = 500ms;
  const auto guarded = made_guard(live, database, options);
  EXPECT_FALSE(finds(*guarded, "ghost"));
  EXPECT_FALSE(finds(*guarded, "ghost"));
  EXPECT_EQ(guarded->get("ghost")->from, Answer::From::kNegative);
  EXPECT_EQ(database.loads(), 1U);
  std::this_thread::sleep_for(530ms);
  EXPECT_FALSE(finds(*guarded, "ghost"));
  EXPECT_EQ(database.loads(), 2U);
  EXPECT_EQ(guarded->metrics().passed_absent, 4U);
  EXPECT_EQ(guarded->metrics().measured_fpp(), 1.0);
}

TEST(Guard, AToldAbsenceIsKeptUntilItsRowComesTheFilterIsReplacedOrNotBelieved) {
  Database database;
  const auto live = made_filter();
  fill(*live, Keys{"ghost"});
  GuardOptions options = patient();
  options.negative = {.keep = 1ms, .keep_if_told = 1h};
  const auto guarded = made_guard(live, database, options);
  live->on_insert([&](std::string_view key) { guarded->changed(key); });
  const auto loads_after = [&] {
    std::this_thread::sleep_for(20ms);  // longer than `keep`, by the coarse clock too
    (void)finds(*guarded, "ghost");
    return database.loads();
  };
  EXPECT_EQ(loads_after(), 1U);
  EXPECT_EQ(loads_after(), 1U);
  live->report(2, std::uint64_t{1} << 40, machine_now_ns());  // not believed
  EXPECT_EQ(loads_after(), 2U);
  live->report(2, 0, machine_now_ns());
  EXPECT_EQ(loads_after(), 2U);  // it was loaded anew for this filter
  fill(*live, Keys{"ghost"});    // rows of which nobody was told
  EXPECT_EQ(loads_after(), 3U);
  database.commit("ghost", "a row");  // by a stranger, and the feeder hears of it
  ASSERT_TRUE(live->insert("ghost"));
  EXPECT_TRUE(finds(*guarded, "ghost"));
}

TEST(Guard, AWriteIsReadAtOnceAlthoughOnlyAFeederFillsTheFilter) {
  // A source that takes no inserts, as a file that is mapped.
  class ReadOnly final : public FilterSource {
   public:
    explicit ReadOnly(std::shared_ptr<LiveFilter> live) : live_(std::move(live)) {}
    Asked ask(std::string_view key) const override { return live_->ask(key); }
    Status insert(std::string_view) override { return Error::unsupported("file", 0, "read only"); }
    Completeness completeness() const override { return live_->completeness(); }
    SourceFigures figures() const override { return live_->figures(); }

   private:
    std::shared_ptr<LiveFilter> live_;
  };
  Database database;
  const auto live = made_filter();
  fill(*live, Keys{});
  const auto guarded = made_guard(std::make_shared<ReadOnly>(live), database);
  EXPECT_FALSE(finds(*guarded, "row"));
  {
    Write write = guarded->write("row");
    EXPECT_FALSE(guarded->rejects("row"));
    database.commit("row", "value");
    EXPECT_TRUE(write.end());
  }
  EXPECT_TRUE(finds(*guarded, "row"));
  EXPECT_EQ(guarded->metrics().open_writes, 1U);
  // It passes until the horizon is past the commit, and then by the filter.
  live->report(2, 0, machine_now_ns());
  EXPECT_FALSE(guarded->rejects("row"));
  ASSERT_TRUE(live->insert("row"));
  std::this_thread::sleep_for(30ms);
  live->report(3, 0, machine_now_ns());
  EXPECT_FALSE(guarded->rejects("row"));
  EXPECT_FALSE(guarded->rejects("row"));
  EXPECT_EQ(guarded->metrics().open_writes, 0U);
  EXPECT_FALSE(guarded->rejects("row"));
}

TEST(Guard, AWriteThatBeganBeforeARebuildAndCommitsBehindItsScanIsNotDenied) {
  Database database;
  const auto live = made_filter();
  fill(*live, Keys{});
  const auto guarded = made_guard(live, database);
  Write write = guarded->write("row");  // in the old filter
  fill(*live, Keys{});                  // scans a table that does not show the row yet
  ASSERT_FALSE(live->ask("row").may_contain);
  database.commit("row", "value");
  EXPECT_FALSE(guarded->rejects("row"));
  EXPECT_TRUE(write.end());
  EXPECT_TRUE(finds(*guarded, "row"));
}

TEST(Guard, MoreOpenWritesThanItRemembersMakeItPassEverything) {
  Database database;
  const auto live = made_filter();
  fill(*live, Keys{});
  GuardOptions options = patient();
  options.open_writes = 2;
  const auto guarded = made_guard(live, database, options);
  std::vector<Write> writes;
  for (const char* const key : {"a", "b"}) {
    writes.push_back(guarded->write(key));
  }
  EXPECT_TRUE(guarded->rejects("other"));
  writes.push_back(guarded->write("c"));
  EXPECT_FALSE(guarded->rejects("other"));
  writes.clear();
  EXPECT_FALSE(guarded->rejects("other"));
  std::this_thread::sleep_for(30ms);
  live->report(2, 0, machine_now_ns());
  EXPECT_TRUE(guarded->rejects("other"));
}

TEST(Guard, AWriteRemovesTheOldValueAndTheAbsence) {
  Database database;
  const auto live = made_filter();
  fill(*live, Keys{"row"});
  const auto guarded = made_guard(live, database);
  EXPECT_FALSE(finds(*guarded, "row"));  // the absence is kept
  for (const char* const value : {"first", "second"}) {
    Write write = guarded->write("row");
    database.commit("row", value);
    ASSERT_TRUE(write.end());
    EXPECT_EQ(guarded->get("row")->value, value);
  }
  {
    Write write = guarded->erase("row");
    database.remove("row");
  }
  EXPECT_FALSE(finds(*guarded, "row"));
}

TEST(Guard, ALoadThatFoundNothingDoesNotHideARowThatCameMeanwhile) {
  Database database;
  const auto live = made_filter();
  fill(*live, Keys{"row"});
  const auto guarded = made_guard(live, database);
  database.meanwhile = [&](const std::string& key) {
    database.meanwhile = nullptr;
    Write write = guarded->write(key);
    database.commit(key, "value");
  };
  EXPECT_FALSE(finds(*guarded, "row"));  // as it was when it was read
  EXPECT_TRUE(finds(*guarded, "row"));
  EXPECT_EQ(guarded->metrics().spoiled, 1U);
}

TEST(Guard, ALoadDuringAnOpenWriteKeepsNoAbsence) {
  Database database;
  const auto live = made_filter();
  fill(*live, Keys{"row"});
  const auto guarded = made_guard(live, database);
  Write write = guarded->write("row");
  EXPECT_FALSE(finds(*guarded, "row"));
  database.commit("row", "value");
  EXPECT_TRUE(finds(*guarded, "row"));  // also before end()
  EXPECT_TRUE(write.end());
}

TEST(Guard, ALoadThatReadAnOldValueDoesNotKeepItPastAWrite) {
  Database database;
  database.commit("row", "old");
  const auto live = made_filter();
  fill(*live, Keys{"row"});
  const auto guarded = made_guard(live, database);
  database.meanwhile = [&](const std::string& key) {
    database.meanwhile = nullptr;
    Write write = guarded->write(key);
    database.commit(key, "new");
  };
  EXPECT_EQ(guarded->get("row")->value, "old");
  EXPECT_EQ(guarded->get("row")->value, "new");
}

TEST(Guard, AStaleValueIsAnsweredAndRefreshedOnce) {
  Database database;
  database.commit("row", "old");
  const auto live = made_filter();
  fill(*live, Keys{"row"});
  GuardOptions options = patient();
  options.times = {.fresh = 200ms, .keep = 1h, .jitter = 0};
  const auto guarded = made_guard(live, database, options);
  EXPECT_EQ(guarded->get("row")->value, "old");
  database.commit("row", "new");
  std::this_thread::sleep_for(220ms);
  database.takes_us = 400'000;
  const Result<Answer> stale = guarded->get("row");
  EXPECT_EQ(stale->value, "old");
  EXPECT_TRUE(stale->is_stale);
  EXPECT_TRUE(guarded->get("row")->is_stale);
  ASSERT_TRUE(comes_true([&] { return guarded->get("row")->value == "new"; }));
  EXPECT_EQ(database.loads(), 2U);
  EXPECT_EQ(guarded->metrics().refreshes, 1U);
}

TEST(Guard, AStaleValueGoesWithItsRowAndStaysWhenTheDatabaseIsDown) {
  Database database;
  database.commit("row", "value");
  const auto live = made_filter();
  fill(*live, Keys{"row"});
  GuardOptions options = patient();
  options.times = {.fresh = 20ms, .keep = 1h, .jitter = 0};
  options.negative.keep = 0ms;
  const auto guarded = made_guard(live, database, options);
  EXPECT_TRUE(finds(*guarded, "row"));
  std::this_thread::sleep_for(30ms);
  database.fails = true;
  EXPECT_TRUE(finds(*guarded, "row"));
  ASSERT_TRUE(comes_true([&] { return guarded->metrics().load_errors == 1; }));
  EXPECT_TRUE(finds(*guarded, "row"));
  database.fails = false;
  database.remove("row");
  ASSERT_TRUE(comes_true([&] { return !finds(*guarded, "row"); }));
}

TEST(Guard, AnErrorOfTheLoaderIsPassedOnAndKeptNowhere) {
  Database database;
  database.commit("row", "value");
  const auto live = made_filter();
  const auto guarded = made_guard(live, database);
  database.fails = true;
  const Result<Answer> answer = guarded->get("row");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().subject(), "database");
  database.fails = false;
  EXPECT_TRUE(finds(*guarded, "row"));
}

TEST(Guard, ALoaderThatThrowsLandsItsFlight) {
  const auto live = made_filter();
  bool throws = true;
  const auto guarded = *Guard::make(live, MemoryCache::make(1 << 20),
                                    [&](std::string_view, const LoadContext&) -> Result<Loaded> {
                                      if (throws) {
                                        throw std::runtime_error("a loader of somebody else");
                                      }
                                      return Loaded("value");
                                    });
  EXPECT_THROW((void)guarded->get("row"), std::runtime_error);
  throws = false;
  EXPECT_TRUE(finds(*guarded, "row"));
  EXPECT_EQ(guarded->metrics().loads_now, 0U);
}

TEST(Guard, KeysAreBytesOfAnyKind) {
  Database database;
  const Keys keys = {"", std::string(1, '\0'), std::string("a\0b", 3), "\xff\xfe", std::string(100'000, 'k')};
  const auto live = made_filter();
  fill(*live, keys);
  const auto guarded = made_guard(live, database);
  for (const std::string& key : keys) {
    EXPECT_FALSE(finds(*guarded, key));
    Write write = guarded->write(key);
    database.commit(key, "value of " + std::to_string(key.size()));
    ASSERT_TRUE(write.end());
    EXPECT_EQ(guarded->get(key)->value, "value of " + std::to_string(key.size()));
  }
}

TEST(Guard, OptionsThatNoGuardCanKeepAreRefused) {
  const auto refuses = [](auto change) {
    GuardOptions options;
    change(options);
    const Status status = check_options(options);
    return !status && status.error().code() == ErrorCode::kInvalidArgument;
  };
  EXPECT_TRUE(check_options({}));
  EXPECT_TRUE(refuses([](GuardOptions& o) { o.bound.time = 0s; }));
  EXPECT_TRUE(refuses([](GuardOptions& o) { o.negative.keep = 2s; }));  // longer than the bound
  EXPECT_TRUE(refuses([](GuardOptions& o) { o.times.jitter = 1; }));
  EXPECT_TRUE(refuses([](GuardOptions& o) { o.times.jitter = std::nan(""); }));
  EXPECT_TRUE(refuses([](GuardOptions& o) { o.times.keep = 1s; }));
  EXPECT_TRUE(refuses([](GuardOptions& o) { o.loads_without_cache = 0; }));
  EXPECT_TRUE(refuses([](GuardOptions& o) { o.loads_without_cache = 65; }));
  EXPECT_TRUE(refuses([](GuardOptions& o) { o.load_deadline = 0ms; }));
  EXPECT_TRUE(refuses([](GuardOptions& o) { o.load_deadline = std::chrono::milliseconds::max(); }));
  EXPECT_TRUE(refuses([](GuardOptions& o) { o.refresh_threads = 0; }));
  Database database;
  EXPECT_FALSE(Guard::make(nullptr, MemoryCache::make(1), database.loader()));
  EXPECT_FALSE(Guard::make(made_filter(), nullptr, database.loader()));
  EXPECT_FALSE(Guard::make(made_filter(), MemoryCache::make(1), Loader()));
}

}  // namespace
}  // namespace bloomery::guard
