// `bloomery feed postgres` with a live server whose schema is changed and changed back within one transaction, which inserts a
// row meanwhile. No look at the server comes between the two, and the log does not bring the row.
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/feed/feed_suite.h"

namespace bloomery {
namespace {

struct Undone {
  const char* name;
  std::vector<const char*> made;  // the table t with the key column k, and the publication
  const char* transaction;        // brings the key 'hidden' into t
};

void PrintTo(const Undone& undone, std::ostream* out) {
  *out << undone.name;
}

constexpr const char* kTable = "CREATE TABLE t (k text PRIMARY KEY, other text)";
constexpr const char* kPartitioned = "CREATE TABLE t (k text PRIMARY KEY) PARTITION BY LIST (k)";
constexpr const char* kPublished = "CREATE PUBLICATION bloomery FOR TABLE t";
constexpr const char* kPublishedByRoot =
    "CREATE PUBLICATION bloomery FOR TABLE t WITH (publish_via_partition_root)";

// The statements of PostgreSQL 15 that can move rows out of sight of a publication. docs/design/feed.md has the list.
const std::vector<Undone>& undone_changes() {
  static const std::vector<Undone> all{
      {"APartitionIsDetached",
       {kPartitioned, "CREATE TABLE t1 PARTITION OF t DEFAULT", kPublishedByRoot},
       "ALTER TABLE t DETACH PARTITION t1; INSERT INTO t1 VALUES ('hidden'); "
       "ALTER TABLE t ATTACH PARTITION t1 DEFAULT"},
      {"APartitionOfAPartitionIsDetached",
       {kPartitioned, "CREATE TABLE t1 PARTITION OF t DEFAULT PARTITION BY LIST (k)",
        "CREATE TABLE t11 PARTITION OF t1 DEFAULT", kPublishedByRoot},
       "ALTER TABLE t1 DETACH PARTITION t11; INSERT INTO t11 VALUES ('hidden'); "
       "ALTER TABLE t1 ATTACH PARTITION t11 DEFAULT"},
      // Its rows are published as those of the parent meanwhile.
      {"TheTableIsAttachedToAPublishedParent",
       {kTable, "CREATE TABLE p (k text, other text) PARTITION BY LIST (k)",
        "CREATE PUBLICATION bloomery FOR TABLE t, p WITH (publish_via_partition_root)"},
       "ALTER TABLE p ATTACH PARTITION t DEFAULT; INSERT INTO t VALUES ('hidden'); "
       "ALTER TABLE p DETACH PARTITION t"},
      {"TheParentIsAttachedToAPublishedOne",
       {"CREATE TABLE p (k text, other text) PARTITION BY LIST (k)",
        "CREATE TABLE g (k text, other text) PARTITION BY LIST (k)",
        "CREATE TABLE t PARTITION OF p (PRIMARY KEY (k)) DEFAULT",
        "CREATE PUBLICATION bloomery FOR TABLE t, g WITH (publish_via_partition_root)"},
       "ALTER TABLE g ATTACH PARTITION p DEFAULT; INSERT INTO t VALUES ('hidden'); "
       "ALTER TABLE g DETACH PARTITION p"},
      {"TheParentMovesIntoAPublishedSchema",
       {"CREATE TABLE p (k text, other text) PARTITION BY LIST (k)",
        "CREATE TABLE t PARTITION OF p (PRIMARY KEY (k)) DEFAULT", "CREATE SCHEMA side",
        "CREATE PUBLICATION bloomery FOR TABLE t, TABLES IN SCHEMA side WITH (publish_via_partition_root)"},
       "ALTER TABLE p SET SCHEMA side; INSERT INTO t VALUES ('hidden'); ALTER TABLE side.p SET SCHEMA "
       "public"},
      {"TheTableLeavesAPublishedSchema",
       {kTable, "CREATE SCHEMA side", "CREATE PUBLICATION bloomery FOR TABLES IN SCHEMA public"},
       "ALTER TABLE t SET SCHEMA side; INSERT INTO side.t VALUES ('hidden'); "
       "ALTER TABLE side.t SET SCHEMA public"},
      {"TheSchemaLeavesThePublication",
       {kTable, "CREATE PUBLICATION bloomery FOR TABLES IN SCHEMA public"},
       "ALTER PUBLICATION bloomery DROP TABLES IN SCHEMA public; INSERT INTO t VALUES ('hidden'); "
       "ALTER PUBLICATION bloomery ADD TABLES IN SCHEMA public"},
      {"TheTableLeavesThePublication",
       {kTable, kPublished},
       "ALTER PUBLICATION bloomery DROP TABLE t; INSERT INTO t VALUES ('hidden'); "
       "ALTER PUBLICATION bloomery ADD TABLE t"},
      {"ThePublicationGetsARowFilter",
       {kTable, kPublished},
       "ALTER PUBLICATION bloomery SET TABLE t WHERE (k = 'x'); INSERT INTO t VALUES ('hidden'); "
       "ALTER PUBLICATION bloomery SET TABLE t"},
      {"ThePublicationPublishesDeletesAlone",
       {kTable, kPublished},
       "ALTER PUBLICATION bloomery SET (publish = 'delete'); INSERT INTO t VALUES ('hidden'); "
       "ALTER PUBLICATION bloomery SET (publish = 'insert, update, delete, truncate')"},
      {"ThePublicationPublishesPartitionsByTheirOwnNames",
       {kPartitioned, "CREATE TABLE t1 PARTITION OF t DEFAULT", kPublishedByRoot},
       "ALTER PUBLICATION bloomery SET (publish_via_partition_root = false); "
       "INSERT INTO t VALUES ('hidden'); "
       "ALTER PUBLICATION bloomery SET (publish_via_partition_root = true)"},
      {"ColumnsAreRenamedCrosswise",
       {kTable, kPublished},
       "ALTER TABLE t RENAME k TO x; ALTER TABLE t RENAME other TO k; ALTER TABLE t RENAME x TO other; "
       "INSERT INTO t (other, k) VALUES ('hidden', 'shown'); "
       "ALTER TABLE t RENAME k TO x; ALTER TABLE t RENAME other TO k; ALTER TABLE t RENAME x TO other"},
      {"AttributesOfATypedTableAreRenamedCrosswise",
       {"CREATE TYPE row_of_t AS (k text, other text)", "CREATE TABLE t OF row_of_t (PRIMARY KEY (k))",
        kPublished},
       "ALTER TYPE row_of_t RENAME ATTRIBUTE k TO x CASCADE; "
       "ALTER TYPE row_of_t RENAME ATTRIBUTE other TO k CASCADE; "
       "ALTER TYPE row_of_t RENAME ATTRIBUTE x TO other CASCADE; "
       "INSERT INTO t (other, k) VALUES ('hidden', 'shown'); "
       "ALTER TYPE row_of_t RENAME ATTRIBUTE k TO x CASCADE; "
       "ALTER TYPE row_of_t RENAME ATTRIBUTE other TO k CASCADE; "
       "ALTER TYPE row_of_t RENAME ATTRIBUTE x TO other CASCADE"},
      // PostgreSQL refuses it for a table that a publication names.
      {"TheTableIsUnlogged",
       {kTable, "CREATE PUBLICATION bloomery FOR ALL TABLES"},
       "ALTER TABLE t SET UNLOGGED; INSERT INTO t VALUES ('hidden'); ALTER TABLE t SET LOGGED"},
      {"ValuesAreRewritten",
       {kTable, "INSERT INTO t VALUES ('shown')", kPublished},
       "ALTER TABLE t ALTER k TYPE varchar USING 'hidden'; ALTER TABLE t ALTER k TYPE text"},
      {"TheColumnIsMadeAnew",
       {"CREATE TABLE t (i int PRIMARY KEY, k text)", "INSERT INTO t VALUES (1, 'shown')", kPublished},
       "ALTER TABLE t DROP k; ALTER TABLE t ADD k text DEFAULT 'hidden'"},
  };
  return all;
}

class FeedDdl : public FeedSuite {
 protected:
  void SetUp() override {
    FeedSuite::SetUp();
    if (server) {
      sql("DROP TABLE IF EXISTS p, g CASCADE");
      sql("DROP TYPE IF EXISTS row_of_t CASCADE");
      sql("DROP SCHEMA IF EXISTS side CASCADE");
    }
  }
  // Waits until a filter that is not in doubt has the key.
  bool is_found(const char* key) const {
    return comes_true(
        [&] { return filter->state().holds && filter->may_contain(key) && !filter->may_contain("stranger"); },
        15);
  }
  bool is_denied(const char* key) const {
    return comes_true([&] { return filter->state().holds && !filter->may_contain(key); }, 15);
  }
};

class FeedUndone : public FeedDdl, public testing::WithParamInterface<Undone> {};

TEST_P(FeedUndone, TheRowIsFoundByARebuild) {
  for (const char* const statement : GetParam().made) {
    sql(statement);
  }
  feed({"--key", "k", "-p", "1e-6"});
  EXPECT_FALSE(filter->may_contain("hidden"));
  (void)(*server)(GetParam().transaction);
  ASSERT_EQ((*server)("SELECT count(*) FROM t WHERE k = 'hidden'"), "1");
  EXPECT_TRUE(is_found("hidden")) << "holds: " << filter->state().holds
                                  << ", found: " << filter->may_contain("hidden") << "\n"
                                  << feeder->log();
}

INSTANTIATE_TEST_SUITE_P(Ddl, FeedUndone, testing::ValuesIn(undone_changes()),
                         [](const auto& one) { return std::string(one.param.name); });

// What docs/design/feed.md calls harmless is in the log.
TEST_F(FeedDdl, WhatIsHarmlessHidesNoRow) {
  sql(kTable);
  sql(kPublished);
  sql("INSERT INTO t VALUES ('first')");
  feed({"--key", "k", "-p", "1e-6"});
  // First, since a table with new storage is scanned again, and a scan waits for what is prepared.
  sql("BEGIN; INSERT INTO t VALUES ('prepared'); PREPARE TRANSACTION 'two'");
  sql("INSERT INTO t VALUES ('meanwhile')");
  EXPECT_TRUE(is_found("meanwhile")) << feeder->log();
  EXPECT_TRUE(is_denied("prepared")) << feeder->log();
  sql("COMMIT PREPARED 'two'");
  EXPECT_TRUE(is_found("prepared")) << feeder->log();
  const std::vector<std::pair<const char*, const char*>> harmless{
      {"truncated", "TRUNCATE t; INSERT INTO t VALUES ('truncated')"},
      {"clustered", "CLUSTER t USING t_pkey; INSERT INTO t VALUES ('clustered')"},
      {"copied", "COPY t (k) FROM PROGRAM 'echo copied'"},
      {"frozen", "TRUNCATE t; COPY t (k) FROM PROGRAM 'echo frozen' WITH (FREEZE)"},
      {"merged",
       "MERGE INTO t USING (SELECT 'merged' AS k) s ON t.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k)"},
      {"upserted", "INSERT INTO t VALUES ('upserted') ON CONFLICT (k) DO UPDATE SET other = 'x'"},
      {"replicated", "SET session_replication_role = replica; INSERT INTO t VALUES ('replicated')"}};
  for (const auto& [key, statements] : harmless) {
    EXPECT_TRUE(is_denied(key)) << key << "\n" << feeder->log();
    sql(statements);
    EXPECT_TRUE(is_found(key)) << key << "\n" << feeder->log();
  }
  sql("VACUUM FULL t");
  sql("INSERT INTO t VALUES ('vacuumed')");
  EXPECT_TRUE(is_found("vacuumed")) << feeder->log();
}

// What the follower of the log knows of the table is changed in one transaction. The rebuild found the rows of that, and the
// rows that came later were denied for ever.
struct Changed {
  const char* name;
  std::vector<const char*> made;
  const char* transaction;
  const char* found;              // the key of a row that the transaction brings
  const char* later;              // inserts a row behind the rebuild
  std::vector<const char*> keys;  // of that row
};

void PrintTo(const Changed& changed, std::ostream* out) {
  *out << changed.name;
}

const std::vector<Changed>& changes() {
  static const std::vector<Changed> all{
      {"AnotherTableTakesTheName",
       {kTable, "CREATE TABLE p (k text PRIMARY KEY)", "CREATE PUBLICATION bloomery FOR TABLE t, p",
        "INSERT INTO p VALUES ('found')"},
       "ALTER TABLE t RENAME TO g; ALTER TABLE p RENAME TO t",
       "found",
       "INSERT INTO t VALUES ('later')",
       {"later"}},
      {"TheTableIsMadeAnew",
       {kTable, "CREATE PUBLICATION bloomery FOR ALL TABLES"},
       "DROP TABLE t; CREATE TABLE t (other int, k text PRIMARY KEY); INSERT INTO t VALUES (1, 'found')",
       "found",
       "INSERT INTO t VALUES (2, 'later')",
       {"later"}},
      {"TextsBecomeBooleans",
       {kTable, "INSERT INTO t VALUES ('t')", kPublished},
       "ALTER TABLE t ALTER k TYPE bool USING k::bool",
       "true",
       "INSERT INTO t VALUES (false)",
       {"f", "false"}},
      {"TextsBecomeAddresses",
       {kTable, "INSERT INTO t VALUES ('10.0.0.1')", kPublished},
       "ALTER TABLE t ALTER k TYPE inet USING k::inet",
       "10.0.0.1/32",
       "INSERT INTO t VALUES ('10.0.0.2')",
       {"10.0.0.2", "10.0.0.2/32"}},
  };
  return all;
}

class FeedChanged : public FeedDdl, public testing::WithParamInterface<Changed> {};

TEST_P(FeedChanged, ARowThatComesLaterIsFound) {
  for (const char* const statement : GetParam().made) {
    sql(statement);
  }
  feed({"--key", "k", "-p", "1e-6"});
  EXPECT_EQ((*server)(GetParam().transaction), "");
  ASSERT_TRUE(is_found(GetParam().found)) << feeder->log();
  sql(GetParam().later);
  for (const char* const key : GetParam().keys) {
    EXPECT_TRUE(is_found(key)) << key << "\n" << feeder->log();
  }
}

INSTANTIATE_TEST_SUITE_P(Ddl, FeedChanged, testing::ValuesIn(changes()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace bloomery
