// Rules of a store that its simulation does not name: what is refused, what STORE has, what a change of tables
// leaves, and which writes survive a process that was killed.
#include <cerrno>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

constexpr const char* kStorePath = "/root/.bloomery/STORE";

std::size_t descriptors_in_store(SimulatedStore& machine) {
  const std::string text = machine.disk().read_all(kStorePath).value();
  std::size_t count = 0;
  for (std::size_t at = text.find("\ndescriptor "); at != std::string::npos;
       at = text.find("\ndescriptor ", at + 1)) {
    ++count;
  }
  return count;
}

// Readers that do not find the tracker in the descriptor would count files that a compaction has replaced.
TEST(StoreRules, ATableHasTheFileTrackerWhateverItsSchemaSays) {
  const auto tracker = [](const StoreTable& table) {
    const TableSchema schema = table.schema();
    const auto found = schema.settings.find("hbase.store.file-tracker.impl");
    return found == schema.settings.end() ? "none" : found->second;
  };
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  TableSchema schema;
  schema.name = "t";
  schema.families.push_back({.name = "f"});
  {
    const auto table = machine.store().create_table(schema);
    ASSERT_TRUE(table) << table.error().to_string();
    EXPECT_EQ(tracker(*table), "FILE");
  }
  schema.families.push_back({.name = "g"});
  ASSERT_TRUE(machine.store().alter_table(schema));
  EXPECT_EQ(tracker(machine.table("t")), "FILE");
  ASSERT_TRUE(machine.close()) << machine.error();
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_EQ(tracker(machine.table("t")), "FILE");
}

TEST(StoreRules, StoreHasOneSumForEachTable) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  StoreTable table = machine.make_table("t", {"f"});
  EXPECT_EQ(descriptors_in_store(machine), 1U);
  ASSERT_TRUE(table.put("row", "f", "q", "value"));
  TableSchema schema = table.schema();
  ASSERT_TRUE(schema.add_family("g"));
  ASSERT_TRUE(machine.store().alter_table(schema));
  EXPECT_EQ(descriptors_in_store(machine), 1U);
  const auto& region = *StoreAccess::state_of(machine.store())->table("t")->regions.front();
  EXPECT_EQ(region.memory_bytes(), 0U);  // an alteration flushes first
  ASSERT_TRUE(machine.store().drop_table("t"));
  EXPECT_EQ(descriptors_in_store(machine), 0U);
  EXPECT_EQ(table.put("row", "f", "q", "value").error().code(), ErrorCode::kNotFound);
}

TEST(StoreRules, DamageAndLaterVersionsOfStoreAreRefused) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  ASSERT_TRUE(machine.close()) << machine.error();
  std::string text = machine.disk().read_all(kStorePath).value();
  text[text.find("id ") + 5] ^= 1;
  ASSERT_TRUE(machine.disk().overwrite(kStorePath, text));
  EXPECT_FALSE(machine.open());
  EXPECT_NE(machine.error().find("checksum in the last line"), std::string::npos) << machine.error();
  const std::string later = "bloomery store 2\nid 00\ncreated 5\n";
  char end[16];
  (void)std::snprintf(end, sizeof(end), "end %08x\n",
                      crc32c(std::as_bytes(std::span(later.data(), later.size()))));
  ASSERT_TRUE(machine.disk().overwrite(kStorePath, later + end));
  EXPECT_FALSE(machine.open());
  EXPECT_NE(machine.error().find("expected version 1 of a store, found 2"), std::string::npos)
      << machine.error();
}

TEST(StoreRules, WhatExistsIsNotMadeAgain) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.disk().make_directory("/root"));
  ASSERT_TRUE(machine.disk().open("/root/file", OpenFor::kCreatingExclusively));
  EXPECT_FALSE(machine.create());
  EXPECT_NE(machine.error().find("found file in it"), std::string::npos) << machine.error();
  ASSERT_TRUE(machine.disk().remove("/root/file"));
  ASSERT_TRUE(machine.create()) << machine.error();
  const StoreTable table = machine.make_table("t", {"f"});
  EXPECT_EQ(machine.store().create_table(table.schema()).error().errno_value(), EEXIST);
}

TEST(StoreRules, ATruncatedTableHasNewRegions) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  (void)machine.make_table("t", {"f"});
  const auto region = [&] { return StoreAccess::state_of(machine.store())->table("t")->regions.front(); };
  const auto old = region();
  machine.clock().set_now(5);  // the clock went back
  ASSERT_TRUE(machine.store().truncate_table("t"));
  EXPECT_GT(region()->info().id, old->info().id);
  EXPECT_NE(region()->name(), old->name());
}

// An earlier table of the name has edits in the log. No region of a later one may have the same name, though
// the clock stands still.
TEST(StoreRules, ANewTableHasNoEditsOfAnEarlierOneOfItsName) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  ASSERT_TRUE(machine.make_table("other", {"f"}).put("row", "f", "q", "keeps the log"));
  TableSchema schema = *TableSchema::of_table("t");
  ASSERT_TRUE(schema.add_family("f"));
  SplitKeys splits;
  ASSERT_TRUE(splits.append("n"));
  const auto make = [&] { ASSERT_TRUE(machine.store().create_table(schema, splits)); };
  const auto crash = [&] {
    machine.crash(1, sim::CrashMode::kDropAll);
    ASSERT_TRUE(machine.open()) << machine.error();
  };
  const auto expect_new_row_alone = [&] {
    ASSERT_TRUE(machine.table("t").put("new", "f", "q", "value"));
    crash();
    EXPECT_EQ(value_of(machine.table("t"), "new", "f", "q"), "value");
    EXPECT_EQ(value_of(machine.table("t"), "old", "f", "q"), "");
    ASSERT_TRUE(machine.table("t").put("old", "f", "q", "value"));
    ASSERT_TRUE(machine.store().drop_table("t"));
  };
  make();
  ASSERT_TRUE(machine.table("t").put("old", "f", "q", "value"));
  ASSERT_TRUE(machine.store().drop_table("t"));
  make();
  expect_new_row_alone();

  crash();  // nothing but the log knows of the regions that were
  make();
  expect_new_row_alone();

  make();
  ASSERT_TRUE(machine.store().snapshot("t", "empty"));
  ASSERT_TRUE(machine.table("t").put("old", "f", "q", "value"));
  ASSERT_TRUE(machine.store().drop_table("t"));
  ASSERT_TRUE(machine.store().clone_snapshot("empty", "t"));
  expect_new_row_alone();
}

TEST(StoreRules, AScanDoesNotSeeWhatIsWrittenMeanwhile) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  StoreTable table = machine.make_table("t", {"f"});
  for (const char* const row : {"a", "c", "e"}) {
    ASSERT_TRUE(table.put(row, "f", "q", "1"));
  }
  auto scanner = table.reader().scan({});
  ASSERT_TRUE(scanner && scanner->next().value());
  for (const char* const row : {"b", "d", "f"}) {
    ASSERT_TRUE(table.put(row, "f", "q", "2"));
  }
  for (const char* const row : {"c", "e"}) {
    ASSERT_TRUE(scanner->next().value());
    EXPECT_EQ(scanner->result().cells().front().cell().key.row, row);
  }
  EXPECT_FALSE(scanner->next().value());
  const auto& region = *StoreAccess::state_of(machine.store())->table("t")->regions.front();
  const std::uint64_t version = region.version();
  ASSERT_TRUE(table.flush());
  EXPECT_GT(region.version(), version);
}

TEST(StoreRules, ASyncWalWriteSurvivesAKilledProcess) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  ASSERT_TRUE(
      machine.make_table("t", {"f"}).put("row", "f", "q", "value", {.durability = Durability::kSyncWal}));
  machine.crash(1, sim::CrashMode::kProcessOnly);
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_EQ(value_of(machine.table("t"), "row", "f", "q"), "value");
}

TEST(StoreRules, CellsThatHBaseRefusesAreRefused) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  StoreTable table = machine.make_table("t", {"f"});
  const std::string row(kLongestRow + 1, 'r');
  EXPECT_EQ(table.put(row, "f", "q", "1", {.durability = Durability::kSkipWal}).error().code(),
            ErrorCode::kInvalidArgument);
  const Mutation mutation{.row = "row", .family = "f", .qualifier = "q", .type = CellType::kDeleteFamily};
  EXPECT_EQ(table.mutate({&mutation, 1}).error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace bloomery::store
