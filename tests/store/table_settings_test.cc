// Attributes of a table that a store obeys: DURABILITY, READONLY, COMPACTION_ENABLED, MEMSTORE_FLUSHSIZE.
#include <string>

#include <gtest/gtest.h>

#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

class TableSettings : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(machine_.create()) << machine_.error();
    (void)machine_.make_table("t", {"f"});
  }
  StoreTable table() { return machine_.table("t"); }
  void set(std::string_view attribute, std::string_view value) {
    TableSchema schema = table().schema();
    ASSERT_TRUE(schema.set(attribute, value)) << attribute;
    ASSERT_TRUE(machine_.store().alter_table(schema)) << attribute;
  }
  std::string after_killed_process(const std::string& row) {
    machine_.crash(1, sim::CrashMode::kProcessOnly);
    EXPECT_TRUE(machine_.open()) << machine_.error();
    return value_of(table(), row, "f", "q");
  }

  SimulatedStore machine_;
};

TEST_F(TableSettings, AWriteThatAsksForNoDurabilityHasTheTables) {
  const auto syncs = [&] { return machine_.store().counters().syncs; };
  const auto before = syncs();
  ASSERT_TRUE(table().put("1", "f", "q", "on the disk"));
  EXPECT_EQ(syncs(), before + 1);  // FSYNC_WAL without an attribute
  set("DURABILITY", "SYNC_WAL");
  const auto altered = syncs();
  ASSERT_TRUE(table().put("2", "f", "q", "with the kernel"));
  EXPECT_EQ(syncs(), altered);
  EXPECT_EQ(after_killed_process("2"), "with the kernel");
  set("DURABILITY", "SKIP_WAL");
  ASSERT_TRUE(table().put("3", "f", "q", "in memory"));
  EXPECT_EQ(after_killed_process("3"), "");
  ASSERT_TRUE(table().put("4", "f", "q", "asked for", {.durability = Durability::kFsyncWal}));
  EXPECT_EQ(after_killed_process("4"), "asked for");
  set("DURABILITY", "USE_DEFAULT");
  const auto last = syncs();
  ASSERT_TRUE(table().put("5", "f", "q", "on the disk"));
  EXPECT_EQ(syncs(), last + 1);
}

TEST_F(TableSettings, CloseWritesWhatNoLogHas) {
  machine_.options().flushes_at_close = false;
  ASSERT_TRUE(machine_.close() && machine_.open()) << machine_.error();
  (void)machine_.make_table("logged", {"f"});
  set("DURABILITY", "SKIP_WAL");
  ASSERT_TRUE(table().put("row", "f", "q", "in memory"));
  ASSERT_TRUE(machine_.table("logged").put("row", "f", "q", "in the log"));
  const auto flushes = machine_.store().counters().flushes;
  ASSERT_TRUE(machine_.close()) << machine_.error();
  ASSERT_TRUE(machine_.open()) << machine_.error();
  EXPECT_EQ(value_of(table(), "row", "f", "q"), "in memory");
  EXPECT_EQ(value_of(machine_.table("logged"), "row", "f", "q"), "in the log");
  const auto& region = *StoreAccess::state_of(machine_.store())->table("logged")->regions.front();
  EXPECT_GT(region.memory_bytes(), 0U) << flushes;  // came from the log: its region was not written
}

TEST_F(TableSettings, ATableThatIsReadOnlyRefusesWrites) {
  ASSERT_TRUE(table().put("row", "f", "q", "value"));
  set("READONLY", "true");
  EXPECT_EQ(table().put("row", "f", "q", "other").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(table().increment("new", "f", "q", 1).error().code(), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(machine_.close() && machine_.open()) << machine_.error();
  EXPECT_EQ(table().delete_row("row").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(value_of(table(), "row", "f", "q"), "value");
  ASSERT_TRUE(machine_.store().health());
  set("READONLY", "false");
  ASSERT_TRUE(table().put("row", "f", "q", "other"));
  EXPECT_EQ(value_of(table(), "row", "f", "q"), "other");
}

TEST_F(TableSettings, CompactionsCanBeForbidden) {
  set("COMPACTION_ENABLED", "false");
  const auto write_files = [&](std::size_t files) {
    for (std::size_t i = 0; i < files; ++i) {
      ASSERT_TRUE(table().put("row", "f", "q", "value"));
      ASSERT_TRUE(table().flush());
    }
    machine_.executor().run_due();
  };
  const auto files = [&] {
    return StoreAccess::state_of(machine_.store())->table("t")->regions.front()->most_files();
  };
  write_files(20);  // more than StoreOptions::most_files
  EXPECT_EQ(files(), 20U);
  set("COMPACTION_ENABLED", "true");
  write_files(1);
  EXPECT_LT(files(), 20U);
}

TEST_F(TableSettings, AFlushComesAtTheSizeOfTheTable) {
  set("MEMSTORE_FLUSHSIZE", "1 MB");
  const auto flushes = machine_.store().counters().flushes;
  const std::string value(100'000, 'v');
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(table().put("row " + std::to_string(i), "f", "q", value));
  }
  machine_.executor().run_due();
  EXPECT_EQ(machine_.store().counters().flushes, flushes + 1);
}

}  // namespace
}  // namespace bloomery::store
