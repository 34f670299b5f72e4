// What tests of `bloomery feed postgres` have in common: a live server, which the tests of a suite share, the feeder of a
// test, and the filter that it feeds. The feeder's bound is 2 seconds.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/leased_filter.h"
#include "tests/feed/live_postgres.h"
#include "tests/feed/running_feeder.h"

namespace bloomery {

class FeedSuite : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!LivePostgres::programs().empty()) {
      server = std::make_unique<LivePostgres>();
    }
  }
  static void TearDownTestSuite() { server.reset(); }
  void SetUp() override {
    if (!server) {
      GTEST_SKIP() << "PostgreSQL's server is not installed";
    }
    sql("DROP PUBLICATION IF EXISTS bloomery");
    sql("DROP TABLE IF EXISTS t CASCADE");
  }
  void TearDown() override {
    if (server) {
      feeder.reset();
      EXPECT_TRUE(comes_true([] {
        const std::string dropped =
            (*server)("SELECT count(pg_drop_replication_slot(slot_name)) FROM pg_replication_slots");
        return dropped == "0" || dropped == "1";
      }));
    }
  }
  static void sql(const std::string& statement) { EXPECT_EQ((*server)(statement), "") << statement; }

  std::vector<std::string> words(std::vector<std::string> more) const {
    std::vector<std::string> all{"--db",    url,  "--table", table,  "--file", path,
                                 "--bound", "2s", "--watch", "50ms", "--save", "50ms"};
    if (!slot.empty()) {
      all.insert(all.end(), {"--slot", slot});
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  // Starts a feeder and waits until its lease runs. If it never does, the test ends, since there is no filter to ask.
  void feed(const std::vector<std::string>& more, const OpenOptions& options = {}) {
    feeder = std::make_unique<RunningFeeder>(folder, words(more));
    const bool has_lease = comes_true([&] {
      auto opened = LeasedFilter::open(path, options);
      if (opened && opened->state().holds) {
        filter.emplace(std::move(*opened));
      }
      return filter.has_value();
    });
    if (!has_lease) {
      throw std::runtime_error("no lease runs: " + feeder->log());
    }
  }
  // Runs a feeder that ends by itself, and returns what it says.
  std::string refusal(const std::vector<std::string>& more) {
    RunningFeeder refused(folder, words(more));
    EXPECT_EQ(refused.wait(), 2) << refused.log();
    return refused.log();
  }
  bool is_in(const std::string& key) const {
    return comes_true([&] { return filter->state().holds && filter->may_contain(key); }, 20);
  }

  inline static std::unique_ptr<LivePostgres> server;
  TestFolder folder;
  std::string path = folder.path("t.leased");
  std::string table = "t";
  std::string slot = "feed";  // empty: none is named
  std::string url = server ? server->url() : "";
  std::unique_ptr<RunningFeeder> feeder;
  std::optional<LeasedFilter> filter;
};

}  // namespace bloomery
