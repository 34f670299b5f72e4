// `bloomery feed postgres` with a live server whose schema is changed and changed back within one transaction, which inserts a
// row meanwhile. No look at the server comes between the two, and the log does not bring the row.
#include <memory>
#include <ostream>
#include <string>
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
  };
  return all;
}

class FeedUndone : public FeedSuite, public testing::WithParamInterface<Undone> {
 protected:
  void SetUp() override {
    FeedSuite::SetUp();
    if (server) {
      sql("DROP TABLE IF EXISTS p, g CASCADE");
      sql("DROP TYPE IF EXISTS row_of_t CASCADE");
      sql("DROP SCHEMA IF EXISTS side CASCADE");
    }
  }
};

TEST_P(FeedUndone, TheRowIsFoundByARebuild) {
  for (const char* const statement : GetParam().made) {
    sql(statement);
  }
  feed({"--key", "k", "-p", "1e-6"});
  EXPECT_FALSE(filter->may_contain("hidden"));
  (void)(*server)(GetParam().transaction);
  ASSERT_EQ((*server)("SELECT count(*) FROM t WHERE k = 'hidden'"), "1");
  const bool is_found = comes_true(
      [&] {
        return filter->state().holds && filter->may_contain("hidden") && !filter->may_contain("stranger");
      },
      15);
  EXPECT_TRUE(is_found) << "holds: " << filter->state().holds << ", found: " << filter->may_contain("hidden")
                        << "\n"
                        << feeder->log();
}

INSTANTIATE_TEST_SUITE_P(Ddl, FeedUndone, testing::ValuesIn(undone_changes()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace bloomery
