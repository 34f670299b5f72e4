// What open() does with what it finds: edits that files have, logs that were begun, are gone or are not the
// store's, files that no list names. And what a flush writes.
#include "store/recovery.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/reader_access.h"
#include "tests/store/simulated_store.h"
#include "wal/log_reader.h"

namespace bloomery::store {
namespace {

std::vector<std::string> logs_of(SimulatedStore& machine) {
  const auto servers = machine.disk().list("/root/WALs").value();
  return logs_in(machine.disk(), "/root/WALs/" + servers.front().name).value();
}

Region& first_region(SimulatedStore& machine) {
  return *StoreAccess::state_of(machine.store())->table("t")->regions.front();
}

// A store with edits in three logs or more, and none of them in a file.
void make_logs(SimulatedStore& machine) {
  ASSERT_TRUE(machine.create()) << machine.error();
  {
    StoreTable table = machine.make_table("t", {"f"});
    for (int i = 0; i < 12; ++i) {
      ASSERT_TRUE(table.put("row" + std::to_string(i), "f", "q", "a value of some bytes"));
    }
  }
  ASSERT_TRUE(machine.close()) << machine.error();
}

StoreOptions logs_alone() {
  return {.log_bytes = 600, .most_logs = 100, .flushes_at_close = false};
}

TEST(Recovery, AddsNoEditThatAFileHas) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  {
    StoreTable table = machine.make_table("t", {"f"});
    ASSERT_TRUE(table.put("row", "f", "q", "value"));
    ASSERT_TRUE(table.flush());
    EXPECT_EQ(first_region(machine).families().front().frozen, nullptr);
    EXPECT_EQ(first_region(machine).families().front().flushed, 1);
  }
  machine.crash(1, sim::CrashMode::kKeepAll);
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_EQ(first_region(machine).memory_bytes(), 0U);
  EXPECT_EQ(value_of(machine.table("t"), "row", "f", "q"), "value");
}

TEST(Recovery, RemovesAFileThatNoListNames) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  std::string stray;
  {
    StoreTable table = machine.make_table("t", {"f"});
    ASSERT_TRUE(table.put("row", "f", "q", "value"));
    stray = first_region(machine).families().front().directory + "/0123456789abcdef0123456789abcdef";
  }
  ASSERT_TRUE(machine.close()) << machine.error();
  ASSERT_TRUE(machine.disk().open(stray, OpenFor::kCreatingExclusively));
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_FALSE(machine.disk().read_all(stray));
}

TEST(Recovery, RefusesAStoreOfWhichALogIsGone) {
  for (const bool is_newest : {false, true}) {
    SimulatedStore machine(1, logs_alone());
    ASSERT_NO_FATAL_FAILURE(make_logs(machine));
    const auto logs = logs_of(machine);
    ASSERT_GE(logs.size(), 3U);
    ASSERT_TRUE(machine.disk().remove(is_newest ? logs.back() : logs[1]));
    EXPECT_FALSE(machine.open());
    EXPECT_NE(machine.error().find(is_newest ? "of the mark" : "after the link"), std::string::npos)
        << machine.error();
  }
}

TEST(Recovery, RefusesADescriptorThatTheStoreDidNotWrite) {
  SimulatedStore machine(1, logs_alone());
  ASSERT_NO_FATAL_FAILURE(make_logs(machine));
  for (const std::string& path : machine.disk().all_files()) {
    if (path.find(".tableinfo") != std::string::npos) {
      ASSERT_TRUE(machine.disk().flip_bit(path, 300));
    }
  }
  EXPECT_FALSE(machine.open());
  EXPECT_NE(machine.error().find("a checksum that the store knows"), std::string::npos) << machine.error();
}

TEST(Recovery, RemovesALogWithoutAHeaderAndKeepsOneWithIt) {
  SimulatedStore machine(1, logs_alone());
  ASSERT_NO_FATAL_FAILURE(make_logs(machine));
  const std::string mark = machine.disk().read_all("/root/.bloomery/MARK").value();
  ASSERT_TRUE(machine.open()) << machine.error();
  const std::string begun = logs_of(machine).back();
  machine.crash(1, sim::CrashMode::kKeepAll);
  ASSERT_TRUE(machine.disk().overwrite("/root/.bloomery/MARK", mark));  // as if the power went before it
  machine.clock().advance(1000);                                        // the next log has another name
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_TRUE(machine.disk().read_all(begun));
  machine.crash(1, sim::CrashMode::kKeepAll);
  const std::string empty = begun.substr(0, begun.rfind('.')) + ".9000000000000";
  ASSERT_TRUE(machine.disk().open(empty, OpenFor::kCreatingExclusively));
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_FALSE(machine.disk().read_all(empty));
  EXPECT_TRUE(machine.disk().read_all(begun));
  machine.crash(1, sim::CrashMode::kKeepAll);
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_EQ(value_of(machine.table("t"), "row11", "f", "q"), "a value of some bytes");
}

TEST(Recovery, BringsNoEditOfAnOlderFamilyBack) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  {
    (void)machine.make_table("other", {"f"});
    ASSERT_TRUE(machine.table("other").put("row", "f", "q", "keeps the log"));
    StoreTable table = machine.make_table("t", {"c", "f"});
    ASSERT_TRUE(table.put("row", "c", "q", "old"));
    TableSchema schema = table.schema();
    ASSERT_TRUE(schema.remove_family("c"));
    ASSERT_TRUE(machine.store().alter_table(schema));
    ASSERT_TRUE(schema.add_family("c"));
    ASSERT_TRUE(machine.store().alter_table(schema));
  }
  machine.crash(1, sim::CrashMode::kKeepAll);
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_EQ(value_of(machine.table("t"), "row", "c", "q"), "");
  EXPECT_EQ(value_of(machine.table("other"), "row", "f", "q"), "keeps the log");
}

TEST(Flush, OfEqualCellsAFileHasTheLast) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  StoreTable table = machine.make_table("t", {"f"});
  for (const char* const value : {"1", "2", "3"}) {
    const Mutation put{.row = "row", .family = "f", .qualifier = "q", .timestamp = 5, .value = value};
    ASSERT_TRUE(table.mutate({&put, 1}));
  }
  ASSERT_TRUE(table.flush());
  const auto& files = first_region(machine).families().front().files->files;
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(hfile::ReaderAccess::reader_of(files.front()->file).facts().entry_count, 1U);
  EXPECT_EQ(value_of(table, "row", "f", "q"), "3");
}

TEST(Flush, OfARegionKeepsTheLogsOfItsFrozenEdits) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  StoreTable table = machine.make_table("t", {"f"});
  ASSERT_TRUE(table.put("row", "f", "q", "1"));
  Region& region = first_region(machine);
  const auto oldest = region.oldest_edit();
  ASSERT_TRUE(oldest && region.freeze());
  ASSERT_TRUE(table.put("row", "f", "q", "2"));
  EXPECT_EQ(region.oldest_edit(), oldest);
}

}  // namespace
}  // namespace bloomery::store
