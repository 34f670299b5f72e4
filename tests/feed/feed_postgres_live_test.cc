// `bloomery feed postgres` with a live server: which keys the filter gets, by the scan and by the log; what is refused, and
// with which advice; what a schema that changes does to the lease; and that a restart goes on.
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/leased_filter.h"
#include "bloomery/guard/leased_source.h"
#include "bloomery/hash/hash_secret.h"
#include "tests/feed/feed_suite.h"

namespace bloomery {
namespace {

using namespace std::string_literals;

class FeedPostgres : public FeedSuite {};

TEST_F(FeedPostgres, TextsOfAnyBytesComeByTheScanAndByTheLog) {
  const std::vector<std::string> texts{"plain", "tab\there", "line\nend", "back\\slash", "\\N",
                                       "",      " blank ",   "ümläut",    "it's"};
  sql("CREATE TABLE t (id serial PRIMARY KEY, k text)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  for (const std::string& text : texts) {
    sql("INSERT INTO t (k) VALUES (" + postgres::quoted_text("scan " + text) + ")");
  }
  sql("INSERT INTO t (k) VALUES (NULL)");
  feed({"--key", "k", "-p", "1e-6"});
  for (const std::string& text : texts) {
    EXPECT_TRUE(filter->may_contain("scan " + text)) << text;
    EXPECT_FALSE(filter->may_contain("log " + text)) << text;
    sql("INSERT INTO t (k) VALUES (" + postgres::quoted_text("log " + text) + ")");
  }
  sql("UPDATE t SET k = 'updated' WHERE k = 'scan plain'");
  for (const std::string& text : texts) {
    EXPECT_TRUE(is_in("log " + text)) << text;
  }
  EXPECT_TRUE(is_in("updated"));
  EXPECT_TRUE(filter->may_contain("")) << "NULL counts as an empty text";
  EXPECT_FALSE(filter->may_contain("stranger"));
}

// A table may be empty, and the filter is then right to deny all. It learns the first row as any other.
TEST_F(FeedPostgres, AnEmptyTableIsFedAndItsFirstRowComes) {
  sql("CREATE TABLE t (k text PRIMARY KEY)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  feed({"--key", "k", "-p", "1e-6"});
  EXPECT_FALSE(filter->may_contain("first"));
  sql("INSERT INTO t VALUES ('first')");
  EXPECT_TRUE(is_in("first")) << feeder->log();
  sql("TRUNCATE t");
  sql("INSERT INTO t VALUES ('second')");
  EXPECT_TRUE(is_in("second")) << feeder->log();
}

TEST_F(FeedPostgres, CompositeKeysOfSeveralTypes) {
  sql("CREATE TABLE t (a bigint, u uuid, d date, PRIMARY KEY (a, u))");
  sql("INSERT INTO t VALUES (-7, 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '2026-02-03')");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  feed({"--key", "a,u,d", "-p", "1e-6"}, {.recorded_keys = RecordedKeys::kKnown});
  sql("INSERT INTO t VALUES (8, 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A12', NULL)");
  const auto has = [&](std::string_view a, std::string_view u, std::string_view d) {
    const std::array<std::string_view, 3> parts{a, u, d};
    return filter->may_contain(*filter->key_of(parts));
  };
  EXPECT_TRUE(has("-7", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "2026-02-03"));
  EXPECT_TRUE(comes_true([&] { return has("8", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12", ""); }, 20));
  EXPECT_FALSE(has("8", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "2026-02-03"));
}

// SELECT ok::text gives true, and psql prints t; an inet has a length in the former alone. Both are texts of the same row.
TEST_F(FeedPostgres, ABooleanAndAnAddressAreFoundByEachOfTheirTexts) {
  sql("CREATE TABLE t (ok bool, a inet, n int, PRIMARY KEY (ok, a, n))");
  sql("INSERT INTO t VALUES (true, '10.0.0.1', 1), (false, '::1', 2), (true, '10.1.0.0/16', 3)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  feed({"--key", "ok,a,n", "-p", "1e-6", "--status", folder.path("status")},
       {.recorded_keys = RecordedKeys::kKnown});
  sql("INSERT INTO t VALUES (false, 'fe80::1', 4)");
  const auto has = [&](std::string_view ok, std::string_view a, std::string_view n) {
    const std::array<std::string_view, 3> parts{ok, a, n};
    return filter->may_contain(*filter->key_of(parts));
  };
  EXPECT_TRUE(comes_true([&] { return has("f", "fe80::1", "4"); }, 20)) << feeder->log();
  for (const char* const yes : {"t", "true"}) {
    EXPECT_TRUE(has(yes, "10.0.0.1", "1")) << yes;
    EXPECT_TRUE(has(yes, "10.0.0.1/32", "1")) << yes;
    EXPECT_TRUE(has(yes, "10.1.0.0/16", "3")) << yes;
    EXPECT_FALSE(has(yes, "10.1.0.0", "3")) << yes;
    EXPECT_FALSE(has(yes, "::1", "2")) << yes;
  }
  for (const char* const no : {"f", "false"}) {
    EXPECT_TRUE(has(no, "::1", "2")) << no;
    EXPECT_TRUE(has(no, "::1/128", "2")) << no;
    EXPECT_TRUE(has(no, "fe80::1/128", "4")) << no;
  }
  EXPECT_FALSE(has("yes", "::1", "2"));
}

// psql prints another text of the same moment in each time zone, and all but that of UTC were denied.
TEST_F(FeedPostgres, ATimeWithAZoneIsAKeyOnlyIfSomebodyAsksInUtc) {
  sql("CREATE TABLE t (k timestamptz PRIMARY KEY)");
  sql("INSERT INTO t VALUES ('2026-02-03 06:05:06.25+02')");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  EXPECT_NE(refusal({"--key", "k"}).find("--utc"), std::string::npos) << folder.read("feed.log");
  feed({"--key", "k", "-p", "1e-6", "--utc"});
  EXPECT_TRUE(filter->may_contain("2026-02-03 04:05:06.25+00"));
  EXPECT_FALSE(filter->may_contain("2026-02-03 04:05:06.26+00"));
}

// The file records that its keys are moments.
TEST_F(FeedPostgres, ATimeWithAZoneIsAskedWithAnyOffset) {
  sql("CREATE TABLE t (k timestamptz PRIMARY KEY, l timestamp, m text)");
  sql("INSERT INTO t VALUES ('2026-02-03 06:05:06.25+02'), ('infinity'), ('0044-03-15 12:00:00+00 BC')");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  sql("ALTER TABLE t REPLICA IDENTITY FULL");
  EXPECT_NE(refusal({"--key", "k"}).find("--key-form timestamptz"), std::string::npos)
      << folder.read("feed.log");
  for (const char* const other : {"l", "m"}) {
    EXPECT_NE(
        refusal({"--key", other, "--key-form", "timestamptz"}).find("expected timestamptz for --key-form"),
        std::string::npos)
        << other << folder.read("feed.log");
  }
  feed({"--key", "k", "-p", "1e-6", "--key-form", "timestamptz"}, {.recorded_keys = RecordedKeys::kKnown});
  sql("INSERT INTO t VALUES ('1999-12-31 23:00:00-02')");
  const std::string query = std::string(BLOOMERY_COMMAND) + " query " + path + " -q -e ";
  const auto status = [&](const std::string& text) {
    const int ended = std::system((query + "'" + text + "' 2> " + folder.path("said")).c_str());
    return WEXITSTATUS(ended);
  };
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && status("2000-01-01T01:00:00.000Z") == 0; }));
  for (const char* const text : {"2026-02-03 04:05:06.25+00", "2026-02-03T09:50:06.250000+05:45", "infinity",
                                 "0044-03-15 12:00:00+00 BC", "1999-12-31 20:00:00-05"}) {
    EXPECT_EQ(status(text), 0) << text;
  }
  EXPECT_EQ(status("2026-02-03 04:05:06.25+01"), 1);
  EXPECT_EQ(status("2026-02-03 04:05:06.25"), 2) << "whose time it is, nobody knows";
  EXPECT_NE(folder.read("said").find("expected a time with its offset from UTC"), std::string::npos);
}

// The name was split at its comma, whatever stood around it.
TEST_F(FeedPostgres, AColumnMayHaveACommaOrAQuoteInItsName) {
  sql("CREATE TABLE t (\"a,b\" text PRIMARY KEY, \"q\"\"u\" text)");
  sql("INSERT INTO t VALUES ('one', 'two')");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  EXPECT_NE(refusal({"--key", "a,b"}).find("expected a column a "), std::string::npos);
  EXPECT_NE(refusal({"--key", "\"a,b"}).find("double quotes"), std::string::npos);
  EXPECT_NE(refusal({"--key", "\"a,b\","}).find("double quotes"), std::string::npos);
  feed({"--key", "\"a,b\",\"q\"\"u\"", "-p", "1e-6"}, {.recorded_keys = RecordedKeys::kKnown});
  const auto has = [&](std::string_view a, std::string_view u) {
    const std::array<std::string_view, 2> parts{a, u};
    return filter->may_contain(*filter->key_of(parts));
  };
  EXPECT_TRUE(has("one", "two"));
  EXPECT_FALSE(has("two", "one"));
}

// Whoever asked for the keys of before would be told no.
TEST_F(FeedPostgres, AFilterOfOtherColumnsOrOfAnotherTableIsReplacedOnlyIfSomebodySaysSo) {
  sql("CREATE TABLE t (id int PRIMARY KEY, k text)");
  sql("CREATE PUBLICATION bloomery FOR ALL TABLES");
  sql("INSERT INTO t VALUES (7, 'one')");
  sql("DROP TABLE IF EXISTS s");
  sql("CREATE TABLE s (k text PRIMARY KEY)");
  feed({"--key", "k", "-p", "1e-6"});
  feeder->end(SIGTERM);
  const std::string bytes = folder.read("t.leased.1");
  struct Other {
    const char* table;
    std::vector<std::string> words;
  };
  for (const Other& other : std::vector<Other>{{"t", {"--key", "id"}},
                                               {"t", {"--key", "k,id"}},
                                               {"s", {"--key", "k"}},
                                               {"t", {"--key", "id", "--unkeyed"}},
                                               {"t", {"--key", "id", "-i"}}}) {
    table = other.table;
    slot = "other";
    EXPECT_NE(refusal(other.words).find("--force"), std::string::npos) << folder.read("feed.log");
    EXPECT_EQ(folder.read("t.leased.1"), bytes);
    folder.write("feed.log", "");
  }
  table = "t";
  slot = "feed";
  EXPECT_EQ((*server)("SELECT count(*) FROM pg_replication_slots"), "1")
      << "no slot is made for what is refused";
  feeder->start();
  EXPECT_TRUE(is_in("one")) << feeder->log();
  EXPECT_EQ(filter->state().generation, 1U) << "what was refused has changed nothing: " << feeder->log();
  feeder->end(SIGTERM);
  filter.reset();
  feed({"--key", "id", "-p", "1e-6", "--force"});
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && filter->state().generation == 2; }))
      << feeder->log();
  EXPECT_TRUE(filter->may_contain("7"));
  EXPECT_FALSE(filter->may_contain("one"));
  sql("DROP TABLE s");
}

// Without this a slot that nobody follows made the server keep its log.
TEST_F(FeedPostgres, AFeedIsEndedForGoodByDrop) {
  sql("CREATE TABLE t (k text PRIMARY KEY)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  feed({"--key", "k"});
  folder.write("t.leased.7", "precious");
  EXPECT_NE(refusal({"--drop"}).find("stop that first"), std::string::npos);
  EXPECT_TRUE(comes_true([&] { return filter->state().holds; })) << "the feeder that runs goes on";
  feeder->end(SIGTERM);
  sql("DROP TABLE t");  // the order does not matter
  RunningFeeder dropped(folder, words({"--drop"}));
  EXPECT_EQ(dropped.wait(), 0) << dropped.log();
  EXPECT_EQ((*server)("SELECT count(*) FROM pg_replication_slots"), "0");
  for (const char* const suffix : {"", ".1", ".key"}) {
    EXPECT_FALSE(std::filesystem::exists(path + suffix)) << suffix;
  }
  EXPECT_EQ(folder.read("t.leased.7"), "precious");
  RunningFeeder again(folder, words({"--drop"}));
  EXPECT_EQ(again.wait(), 0) << again.log();
  EXPECT_FALSE(std::filesystem::exists(path + ".key"));
  // What is no leased file stays, and so does a slot of something else.
  folder.write("t.leased", "precious");
  EXPECT_NE(refusal({"--drop"}).find("expected a leased file"), std::string::npos) << folder.read("feed.log");
  EXPECT_EQ(folder.read("t.leased"), "precious");
  (void)(*server)("SELECT pg_create_logical_replication_slot('feed', 'test_decoding')");
  EXPECT_NE(refusal({"--drop"}).find("something else"), std::string::npos);
}

TEST_F(FeedPostgres, IntegersAsNumbersAndAPartitionedTable) {
  sql("CREATE TABLE t (k int PRIMARY KEY) PARTITION BY RANGE (k)");
  sql("CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (100)");
  sql("CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (100) TO (200)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t WITH (publish_via_partition_root)");
  sql("INSERT INTO t VALUES (1), (101)");
  feed({"--key", "k", "--key-form", "int64", "-p", "1e-6"}, {.recorded_keys = RecordedKeys::kKnown});
  EXPECT_TRUE(filter->may_contain(std::int64_t{101}));
  EXPECT_FALSE(filter->may_contain(std::int64_t{102}));
  sql("INSERT INTO t VALUES (102)");
  EXPECT_TRUE(comes_true([&] { return filter->may_contain(std::int64_t{102}); }, 20));
}

TEST_F(FeedPostgres, ATableWithoutAPrimaryKeyNeedsAnIdentity) {
  sql("CREATE TABLE t (k text)");
  sql("INSERT INTO t VALUES ('one'), ('one')");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  EXPECT_NE(refusal({"--key", "k"}).find("REPLICA IDENTITY FULL"), std::string::npos);
  sql("ALTER TABLE t REPLICA IDENTITY FULL");
  feed({"--key", "k", "-p", "1e-6"});
  sql("UPDATE t SET k = 'two'");
  EXPECT_TRUE(is_in("two"));
  EXPECT_TRUE(filter->may_contain("one")) << "until the next rebuild";
  feeder->signal(SIGUSR1);
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && !filter->may_contain("one"); }))
      << feeder->log();
  EXPECT_TRUE(filter->may_contain("two"));
}

TEST_F(FeedPostgres, WhatCannotBeFedIsRefusedWithAdvice) {
  struct Case {
    const char* columns;
    const char* publication;
    const char* key;
    const char* advice;
  };
  const std::string all = "CREATE PUBLICATION bloomery FOR TABLE t";
  const std::vector<Case> cases{
      {"k float8 PRIMARY KEY", all.c_str(), "k", "expected a type whose equal values have one text"},
      {"k numeric PRIMARY KEY", all.c_str(), "k", "found numeric"},
      {"k char(5) PRIMARY KEY", all.c_str(), "k", "--trim"},
      {"k text COLLATE nocase PRIMARY KEY", all.c_str(), "k", "nondeterministic"},
      {"k int PRIMARY KEY", all.c_str(), "other", "expected a column other"},
      // Its values are renamed without a message in the log.
      {"i int PRIMARY KEY, k public.uuid", all.c_str(), "k", "found public.uuid"},
      {"i int PRIMARY KEY, k named", all.c_str(), "k", "found public.uuid"},
      {"k int PRIMARY KEY, g int GENERATED ALWAYS AS (k + 1) STORED", all.c_str(), "g", "generated"},
      {"k int PRIMARY KEY", "SELECT ''", "k", "CREATE PUBLICATION \"bloomery\" FOR TABLE"},
      {"k int PRIMARY KEY", "CREATE PUBLICATION bloomery", "k", "ADD TABLE"},
      {"k int PRIMARY KEY", "CREATE PUBLICATION bloomery FOR TABLE t WHERE (k > 5)", "k", "row filter"},
      {"k int PRIMARY KEY, x int", "CREATE PUBLICATION bloomery FOR TABLE t (k)", "x", "list of columns"},
      {"k int PRIMARY KEY", "CREATE PUBLICATION bloomery FOR TABLE t WITH (publish = 'insert')", "k",
       "--insert-only"},
  };
  sql("CREATE COLLATION IF NOT EXISTS nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = "
      "false)");
  sql("CREATE TYPE public.uuid AS ENUM ('a', 'b')");
  sql("CREATE DOMAIN named AS public.uuid");
  for (const Case& one : cases) {
    SetUp();
    sql(std::string("CREATE TABLE t (") + one.columns + ")");
    sql(one.publication);
    EXPECT_NE(refusal({"--key", one.key}).find(one.advice), std::string::npos)
        << one.columns << ", " << one.publication << ": " << folder.read("feed.log");
    folder.write("feed.log", "");
  }
  sql("DROP TYPE public.uuid CASCADE");
}

// A partition is part of the table. A child by INHERITS is another table, whose rows a query of the parent finds too.
TEST_F(FeedPostgres, ANewPartitionIsFedAndAChildByInheritsIsNot) {
  sql("CREATE TABLE t (k int PRIMARY KEY) PARTITION BY RANGE (k)");
  sql("CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (100)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t WITH (publish_via_partition_root)");
  feed({"--key", "k", "-p", "1e-6"});
  sql("CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (100) TO (200)");
  sql("INSERT INTO t VALUES (150)");
  sql("INSERT INTO t2 VALUES (160)");
  EXPECT_TRUE(is_in("150")) << feeder->log();
  EXPECT_TRUE(is_in("160")) << feeder->log();
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && !filter->may_contain("170"); }))
      << feeder->log();
  feeder->end(SIGTERM);
  sql("DROP PUBLICATION bloomery");
  sql("DROP TABLE t CASCADE");
  sql("CREATE TABLE t (k int PRIMARY KEY)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  feeder->start();
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && !filter->may_contain("150"); }))
      << feeder->log();
  sql("CREATE TABLE child (PRIMARY KEY (k)) INHERITS (t)");
  sql("INSERT INTO child VALUES (7)");
  EXPECT_TRUE(comes_true([&] { return !filter->state().holds; })) << feeder->log();
  EXPECT_EQ((*server)("SELECT k FROM t"), "7");
  EXPECT_TRUE(filter->may_contain("7"));
  EXPECT_TRUE(feeder->says("children by INHERITS")) << feeder->log();
  feeder->end(SIGTERM);
  EXPECT_NE(refusal({"--key", "k"}).find("children by INHERITS"), std::string::npos);
}

TEST_F(FeedPostgres, RowsOfOtherTablesOfThePublicationAreNoKeys) {
  sql("DROP TABLE IF EXISTS s, other");
  sql("CREATE TABLE t (k text PRIMARY KEY)");
  sql("CREATE TABLE s (k text PRIMARY KEY)");
  sql("CREATE TABLE other (n int PRIMARY KEY)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t, s, other");
  feed({"--key", "k", "-p", "1e-6", "--rebuild-after", "1"});
  sql("INSERT INTO s VALUES ('foreign'), ('gone')");
  sql("UPDATE s SET k = 'foreign too' WHERE k = 'foreign'");
  sql("DELETE FROM s WHERE k = 'gone'");
  sql("INSERT INTO other VALUES (1)");
  sql("INSERT INTO t VALUES ('mine')");
  EXPECT_TRUE(is_in("mine")) << feeder->log();
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && !filter->may_contain("stranger"); }));
  for (const char* const key : {"foreign", "foreign too", "gone", "1"}) {
    EXPECT_FALSE(filter->may_contain(key)) << key;
  }
  sql("INSERT INTO t VALUES ('mine too')");
  EXPECT_TRUE(is_in("mine too")) << "the feeder has been through all that came before";
  EXPECT_EQ(feeder->log().find("rows were deleted"), std::string::npos)
      << "the deletes of another table count for nothing: " << feeder->log();
  EXPECT_EQ(filter->state().generation, 1U) << feeder->log();
  sql("DROP TABLE s, other");
}

// A long value that an update does not touch is not sent. The new key is not known then, unless the identity is the whole row.
TEST_F(FeedPostgres, AnUpdateThatBringsAPartOfTheKeyEndsInARebuild) {
  const std::string text = "(SELECT string_agg(md5(i::text), '') FROM generate_series(1, 300) i)";
  sql("CREATE TABLE t (id int PRIMARY KEY, a text, b text)");
  sql("ALTER TABLE t ALTER a SET STORAGE EXTERNAL");
  sql("INSERT INTO t VALUES (1, " + text + ", 'one')");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  const std::string a = (*server)("SELECT a FROM t");
  feed({"--key", "a,b", "-p", "1e-6"}, {.recorded_keys = RecordedKeys::kKnown});
  const auto has = [&](std::string_view b) {
    const std::array<std::string_view, 2> parts{a, b};
    return filter->may_contain(*filter->key_of(parts));
  };
  const auto holds_with = [&](std::string_view b) {
    return comes_true([&] { return filter->state().holds && has(b) && !has("stranger"); });
  };
  sql("UPDATE t SET b = 'two'");
  EXPECT_TRUE(holds_with("two")) << feeder->log();
  EXPECT_EQ(filter->state().generation, 2U) << feeder->log();
  sql("ALTER TABLE t REPLICA IDENTITY FULL");
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && filter->state().generation == 3; }))
      << feeder->log();
  sql("UPDATE t SET b = 'three'");
  EXPECT_TRUE(holds_with("three")) << feeder->log();
  EXPECT_EQ(filter->state().generation, 3U) << "the old row has the value: " << feeder->log();
}

TEST_F(FeedPostgres, ALongKeyThatAnUpdateDoesNotTouchIsInAlready) {
  sql("CREATE TABLE t (id int PRIMARY KEY, k text, n int)");
  sql("ALTER TABLE t ALTER k SET STORAGE EXTERNAL");
  sql("INSERT INTO t SELECT 1, string_agg(md5(i::text), ''), 0 FROM generate_series(1, 300) i");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  feed({"--key", "k", "-p", "1e-6"});
  sql("UPDATE t SET n = 1");
  sql("INSERT INTO t VALUES (2, 'two', 0)");
  EXPECT_TRUE(is_in("two")) << feeder->log();
  EXPECT_TRUE(is_in((*server)("SELECT k FROM t WHERE id = 1")));
  EXPECT_EQ(filter->state().generation, 1U) << feeder->log();
}

// A row that is gone, or whose key is another one now, leaves a key behind. So many of them are enough for a rebuild.
TEST_F(FeedPostgres, DeletesAndUpdatesOfKeysAreCountedAndAFullFilterIsBuiltAnew) {
  sql("CREATE TABLE t (k text PRIMARY KEY)");
  sql("INSERT INTO t SELECT 'old ' || i FROM generate_series(1, 6) i");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  feed({"--key", "k", "-p", "1e-6", "--rebuild-after", "6"});
  const auto is_gone = [&](const char* key) {
    return comes_true([&] { return filter->state().holds && !filter->may_contain(key); }, 20);
  };
  sql("DELETE FROM t WHERE k <= 'old 3'");
  sql("UPDATE t SET k = 'new ' || k WHERE k <= 'old 5'");
  EXPECT_TRUE(is_in("new old 5")) << feeder->log();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(filter->may_contain("old 1")) << "five are not enough: " << feeder->log();
  sql("UPDATE t SET k = 'new ' || k WHERE k = 'old 6'");
  EXPECT_TRUE(is_gone("old 1") && is_gone("old 6")) << feeder->log();
  EXPECT_TRUE(filter->may_contain("new old 6"));
  EXPECT_EQ(filter->state().generation, 2U) << feeder->log();
  EXPECT_EQ(filter->capacity(), 10'000U);
  sql("INSERT INTO t SELECT 'more ' || i FROM generate_series(1, 12000) i");
  EXPECT_TRUE(comes_true([&] { return filter->state().holds && filter->state().generation == 3; }))
      << feeder->log();
  EXPECT_TRUE(is_in("more 12000"));
  // A quarter more than the keys that it had when it was full.
  EXPECT_GT(filter->capacity(), 10'000U + 10'000U / 4) << feeder->log();
  EXPECT_LE(filter->capacity(), 12'003U + 12'003U / 4) << feeder->log();
}

TEST_F(FeedPostgres, IdentitiesByAnIndexAndDomainsAreTaken) {
  sql("DROP DOMAIN IF EXISTS word, measure");
  sql("CREATE DOMAIN word AS text");
  sql("CREATE DOMAIN measure AS float8");
  sql("CREATE TABLE t (k word NOT NULL UNIQUE, m measure NOT NULL UNIQUE)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  EXPECT_NE(refusal({"--key", "k"}).find("replica identity"), std::string::npos) << folder.read("feed.log");
  sql("ALTER TABLE t REPLICA IDENTITY USING INDEX t_k_key");
  EXPECT_NE(refusal({"--key", "m"}).find("found float8"), std::string::npos) << folder.read("feed.log");
  feed({"--key", "k", "-p", "1e-6"});
  sql("INSERT INTO t VALUES ('one', 1)");
  sql("UPDATE t SET k = 'two'");
  EXPECT_TRUE(is_in("two")) << feeder->log();
  EXPECT_TRUE(filter->may_contain("one"));
  EXPECT_EQ(filter->state().generation, 1U) << feeder->log();
}

TEST_F(FeedPostgres, TooManyColumnsOfSeveralTextsAndASlotOfAnotherDatabaseAreRefused) {
  sql("CREATE TABLE t (a bool, b bool, c bool, d bool, e bool, PRIMARY KEY (a, b, c, d, e))");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  EXPECT_NE(refusal({"--key", "a,b,c,d,e"}).find("expected at most 4 key columns"), std::string::npos)
      << folder.read("feed.log");
  sql("CREATE DATABASE elsewhere");
  {
    auto there = postgres::Connection::open(
        {.url = std::string(url).replace(url.find("dbname=postgres"), 15, "dbname=elsewhere"),
         .application = "test"});
    ASSERT_TRUE(there);
    ASSERT_TRUE(there->query("SELECT pg_create_logical_replication_slot('feed', 'pgoutput')"));
    EXPECT_NE(refusal({"--key", "a,b"}).find("belongs to something else"), std::string::npos)
        << folder.read("feed.log");
    ASSERT_TRUE(there->query("SELECT pg_drop_replication_slot('feed')"));
  }
  EXPECT_TRUE(comes_true([] { return (*server)("DROP DATABASE elsewhere") == ""; }));
}

// The server must have been started with it.
TEST(FeedServer, WithoutALogicalLogIsRefusedWithAdvice) {
  if (LivePostgres::programs().empty()) {
    GTEST_SKIP() << "PostgreSQL's server is not installed";
  }
  const LivePostgres plain("wal_level = replica");
  const TestFolder folder;
  RunningFeeder refused(folder,
                        {"--db", plain.url(), "--table", "t", "--key", "k", "--file", folder.path("f")});
  EXPECT_EQ(refused.wait(), 2);
  EXPECT_NE(refused.log().find("ALTER SYSTEM SET wal_level = logical"), std::string::npos) << refused.log();
}

TEST_F(FeedPostgres, UnloggedTablesViewsAndRolesWithoutTheRightAreRefused) {
  sql("CREATE UNLOGGED TABLE t (k int PRIMARY KEY)");
  EXPECT_NE(refusal({"--key", "k"}).find("SET LOGGED"), std::string::npos);
  sql("ALTER TABLE t SET LOGGED");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  sql("DROP ROLE IF EXISTS weak");
  sql("CREATE ROLE weak LOGIN");
  url.replace(url.find("user=postgres"), 13, "user=weak");
  EXPECT_NE(refusal({"--key", "k"}).find("REPLICATION;"), std::string::npos) << folder.read("feed.log");
}

TEST_F(FeedPostgres, ASchemaThatChangesTakesTheLeaseAwayUntilItIsUndone) {
  sql("CREATE TABLE t (k text PRIMARY KEY)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  sql("INSERT INTO t VALUES ('one')");
  feed({"--key", "k", "-p", "1e-6"});
  EXPECT_FALSE(filter->may_contain("stranger"));
  const std::vector<std::pair<const char*, const char*>> changes{
      {"ALTER TABLE t RENAME COLUMN k TO j", "ALTER TABLE t RENAME COLUMN j TO k"},
      {"ALTER TABLE t RENAME TO s", "ALTER TABLE s RENAME TO t"},
      {"ALTER PUBLICATION bloomery SET (publish = 'delete')",
       "ALTER PUBLICATION bloomery SET (publish = 'insert, update')"},
      {"DROP PUBLICATION bloomery", "CREATE PUBLICATION bloomery FOR TABLE t"},
  };
  for (const auto& [change, undo] : changes) {
    sql(change);
    EXPECT_TRUE(comes_true([&] { return !filter->state().holds; })) << change << feeder->log();
    EXPECT_TRUE(filter->may_contain("stranger"));
    sql(undo);
    EXPECT_TRUE(comes_true([&] { return filter->state().holds; })) << undo << feeder->log();
    EXPECT_FALSE(filter->may_contain("stranger")) << undo;
    EXPECT_TRUE(filter->may_contain("one"));
  }
}

TEST_F(FeedPostgres, KeysAreHashedUnderASecretUnlessSomebodyWantsItOtherwise) {
  sql("CREATE TABLE t (k text PRIMARY KEY)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  sql("INSERT INTO t VALUES ('one')");
  feed({"--key", "k", "-p", "1e-6"});
  EXPECT_EQ(filter->hash_spec().id, HashId::kSipHash);
  EXPECT_TRUE(filter->may_contain("one"));
  EXPECT_FALSE(filter->may_contain("stranger"));
  EXPECT_EQ(std::filesystem::status(path + ".key").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  feeder->end(SIGTERM);
  filter.reset();
  std::filesystem::remove(path + ".key");
  feed({"--key", "k", "-p", "1e-6", "--unkeyed"});  // which is another filter
  EXPECT_EQ(filter->hash_spec().id, HashId::kXxh3) << "the hash of the command, whose keys are text";
  EXPECT_TRUE(filter->may_contain("one"));
  EXPECT_FALSE(filter->may_contain("stranger"));
  EXPECT_NE(refusal({"--key", "k", "--unkeyed", "--key-file", "x"}).find("--key-file"), std::string::npos);
  EXPECT_NE(refusal({"--key", "k", "--metrics", path}).find("which it would replace"), std::string::npos);
}

TEST_F(FeedPostgres, KeysOfAFormAreAskedForInThatForm) {
  struct Form {
    std::vector<std::string> options;
    const char* row;
    const char* asked;
    const char* other;
  };
  const std::vector<Form> forms{{{"-i"}, "Ann", "aNN", "bob"},
                                {{"--trim"}, "  ann ", "ann", "bob"},
                                {{"--key-form", "hex"}, "abCD01", "ABcd01", "abcd02"},
                                {{"--key-form", "int64"}, "42", "42", "43"}};
  for (const Form& form : forms) {
    sql("DROP PUBLICATION IF EXISTS bloomery");
    sql("DROP TABLE IF EXISTS t");
    sql("CREATE TABLE t (k text PRIMARY KEY)");
    sql("CREATE PUBLICATION bloomery FOR TABLE t");
    std::vector<std::string> words{"--key", "k", "-p", "1e-6"};
    words.insert(words.end(), form.options.begin(), form.options.end());
    feed(words, {.recorded_keys = RecordedKeys::kKnown});
    sql("INSERT INTO t VALUES ('" + std::string(form.row) + "')");
    const auto source = guard::LeasedSource::open(path);
    ASSERT_TRUE(source);
    EXPECT_TRUE(comes_true([&] { return (*source)->ask(form.asked).may_contain && filter->state().holds; }))
        << form.row;
    EXPECT_TRUE(comes_true([&] { return !(*source)->ask(form.other).may_contain; })) << form.row;
    EXPECT_TRUE((*source)->ask(form.asked).may_contain) << form.row;
    const std::string query = std::string(BLOOMERY_COMMAND) + " query " + path + " -q -e ";
    EXPECT_EQ(std::system((query + form.asked).c_str()), 0) << form.row;
    EXPECT_NE(std::system((query + form.other).c_str()), 0) << form.row;
    feeder.reset();
    filter.reset();
    for (const char* const suffix : {"", ".key", ".1"}) {
      std::filesystem::remove(path + suffix);
    }
  }
}

TEST_F(FeedPostgres, ARestartGoesOnWithoutARebuild) {
  sql("CREATE TABLE t (k text PRIMARY KEY)");
  sql("CREATE PUBLICATION bloomery FOR TABLE t");
  const auto secret = HashSecret::generate();
  const std::string key_file = folder.path("secret");
  ASSERT_TRUE(secret && secret->save_new(key_file));
  feed({"--key", "k", "-p", "1e-6", "--key-file", key_file, "--status", folder.path("status")},
       {.secret = &*secret});
  EXPECT_EQ(filter->state().generation, 1u);
  EXPECT_FALSE(LeasedFilter::open(path)) << "without the secret";
  for (const int signal : {SIGKILL, SIGTERM}) {
    const int status = feeder->end(signal);
    EXPECT_EQ(status, signal == SIGTERM ? 0 : 128 + SIGKILL);
    sql("INSERT INTO t VALUES ('while away " + std::to_string(signal) + "')");
    folder.write("status", "");
    feeder->start();
    const std::string key = "while away " + std::to_string(signal);
    const auto is_active = [&] { return folder.read("status").find("\"active\"") != std::string::npos; };
    EXPECT_TRUE(comes_true([&] { return is_active() && filter->state().holds && filter->may_contain(key); }))
        << feeder->log();
    EXPECT_EQ(filter->state().generation, 1u) << feeder->log();
    EXPECT_FALSE(filter->may_contain("stranger"));
  }
}

}  // namespace
}  // namespace bloomery
