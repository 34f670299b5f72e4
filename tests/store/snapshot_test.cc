// Snapshots and clones of a store on a simulated machine: what they have never changes, and a power loss at any
// call leaves a whole one or none. All calls of a clone need BLOOMERY_LONG_TESTS=1.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/table/table.h"
#include "tests/base/long_tests.h"
#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

std::string rows_of(const Table& table) {
  std::string rows;
  auto scanner = table.scan({});
  if (!scanner) {
    return scanner.error().to_string();
  }
  for (auto found = scanner->next(); !found || *found; found = scanner->next()) {
    if (!found) {
      return rows + found.error().to_string();
    }
    for (const auto& cell : scanner->result().cells()) {
      rows += std::string(cell.cell().key.row) + "=" + std::string(cell.cell().value) + " ";
    }
  }
  return rows;
}

// The rows of a snapshot, as any reader of HBase's root sees them.
std::string rows_of_snapshot(SimulatedStore& machine, const std::string& name,
                             const std::string& root = "/root") {
  TableOptions options;
  options.files = &machine.disk();
  const auto table = Table::open_snapshot(root, name, options);
  return table ? rows_of(*table) : table.error().to_string();
}

std::vector<std::string> archived(SimulatedStore& machine) {
  std::vector<std::string> files;
  for (const std::string& path : machine.disk().all_files()) {
    if (path.starts_with("/root/archive/")) {
      files.push_back(path);
    }
  }
  return files;
}

std::string said(const Status& status) {
  return status ? "" : status.error().to_string();
}

StoreTable table_of_three_regions(SimulatedStore& machine) {
  TableSchema schema = *TableSchema::of_table("t");
  (void)schema.add_family("f");
  SplitKeys splits;
  (void)splits.append("m");
  (void)splits.append("t");
  return *machine.store().create_table(schema, splits);
}

void put(StoreTable& table, const std::string& row, const std::string& value) {
  const Status status = table.put(row, "f", "q", value);
  ASSERT_TRUE(status) << said(status);
}

TEST(Snapshot, NeverChanges) {
  SimulatedStore machine(1, {.compacts = false});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = table_of_three_regions(machine);
  for (const char* const row : {"a", "n", "z"}) {
    put(table, row, "1");
  }
  ASSERT_EQ(said(machine.store().snapshot("t", "s")), "");
  const std::string expected = "a=1 n=1 z=1 ";
  EXPECT_EQ(rows_of_snapshot(machine, "s"), expected);
  put(table, "a", "2");
  put(table, "b", "2");
  ASSERT_TRUE(table.flush());
  ASSERT_TRUE(table.major_compact());
  EXPECT_EQ(rows_of_snapshot(machine, "s"), expected);
  ASSERT_TRUE(machine.store().truncate_table("t"));
  EXPECT_EQ(rows_of_snapshot(machine, "s"), expected);
  ASSERT_TRUE(machine.store().drop_table("t"));
  ASSERT_TRUE(machine.close());
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_EQ(rows_of_snapshot(machine, "s"), expected);
  const auto listed = machine.store().snapshots();
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().name + " of " + listed->front().table, "s of t");
}

TEST(Snapshot, ADeletedOneTakesTheFilesThatNobodyElseNeeds) {
  SimulatedStore machine(1, {.compacts = false});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  put(table, "a", "1");
  ASSERT_TRUE(machine.store().snapshot("t", "one"));
  put(table, "b", "2");
  ASSERT_TRUE(machine.store().snapshot("t", "two"));
  ASSERT_TRUE(table.major_compact());
  EXPECT_EQ(archived(machine).size(), 2U);
  ASSERT_EQ(said(machine.store().delete_snapshot("two")), "");
  EXPECT_EQ(archived(machine).size(), 1U);
  EXPECT_EQ(rows_of_snapshot(machine, "one"), "a=1 ");
  ASSERT_EQ(said(machine.store().delete_snapshot("one")), "");
  EXPECT_EQ(archived(machine).size(), 0U);
  EXPECT_EQ(rows_of(table.reader()), "a=1 b=2 ");
  EXPECT_EQ(machine.store().delete_snapshot("one").error().code(), ErrorCode::kNotFound);
}

TEST(Snapshot, RefusesANameThatIsTakenOrNotLegal) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  put(table, "a", "1");
  ASSERT_TRUE(machine.store().snapshot("t", "s"));
  EXPECT_EQ(machine.store().snapshot("t", "s").error().errno_value(), EEXIST);
  for (const char* const name : {"", ".s", "-s", "a b", "a/b", "../s"}) {
    EXPECT_EQ(machine.store().snapshot("t", name).error().code(), ErrorCode::kInvalidArgument) << name;
    EXPECT_EQ(machine.store().delete_snapshot(name).error().code(), ErrorCode::kInvalidArgument) << name;
    EXPECT_EQ(machine.store().clone({.snapshot = std::string(name)}, "c").error().code(),
              ErrorCode::kInvalidArgument)
        << name;
  }
  EXPECT_EQ(machine.store().snapshot("none", "x").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(machine.store().clone_snapshot("none", "c").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(machine.store().clone_snapshot("s", "t").error().errno_value(), EEXIST);
  EXPECT_TRUE(machine.store().health());
}

TEST(Clone, IsATableOfItsOwn) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = table_of_three_regions(machine);
  for (const char* const row : {"a", "n", "z"}) {
    put(table, row, "1");
  }
  ASSERT_TRUE(machine.store().snapshot("t", "s"));
  put(table, "a", "2");  // of the log alone
  for (const bool copies : {false, true}) {
    const std::string name = copies ? "ns:copy" : "ns:link";
    auto of_table = machine.store().clone({.table = "t", .copies = copies}, name);
    ASSERT_TRUE(of_table) << of_table.error().to_string();
    EXPECT_EQ(rows_of(of_table->reader()), "a=2 n=1 z=1 ");
    put(*of_table, "b", "3");
    EXPECT_EQ(rows_of(of_table->reader()), "a=2 b=3 n=1 z=1 ");
  }
  auto of_snapshot = machine.store().clone_snapshot("s", "c");
  ASSERT_TRUE(of_snapshot) << of_snapshot.error().to_string();
  EXPECT_EQ(rows_of(of_snapshot->reader()), "a=1 n=1 z=1 ");
  ASSERT_TRUE(machine.store().drop_table("t"));
  ASSERT_TRUE(machine.store().delete_snapshot("s"));
  ASSERT_TRUE(machine.close());
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_EQ(rows_of(machine.table("c").reader()), "a=1 n=1 z=1 ");
  EXPECT_EQ(rows_of(machine.table("ns:copy").reader()), "a=2 b=3 n=1 z=1 ");
  EXPECT_EQ(rows_of(machine.table("ns:link").reader()), "a=2 b=3 n=1 z=1 ");
}

// The store of the clone has few sequence ids, and the files of the source have many.
TEST(Clone, OfAnotherRootHasItsLogsAndKeepsLaterWrites) {
  SimulatedStore machine(1, {.flushes_at_close = false});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = table_of_three_regions(machine);
  for (int i = 0; i < 50; ++i) {
    put(table, "a", std::to_string(i));
  }
  ASSERT_TRUE(table.flush());
  put(table, "n", "logged");
  ASSERT_TRUE(machine.close());
  auto made = StoreAccess::create(machine.environment(), "/other", {.flushes_at_close = false});
  ASSERT_TRUE(made) << made.error().to_string();
  auto clone = made->clone({.root = "/root", .table = "t"}, "c");
  ASSERT_TRUE(clone) << clone.error().to_string();
  EXPECT_EQ(rows_of(clone->reader()), "a=49 n=logged ");
  put(*clone, "a", "newer");
  put(*clone, "n", "newer");
  EXPECT_EQ(rows_of(clone->reader()), "a=newer n=newer ");
  ASSERT_TRUE(made->close());
  auto again = StoreAccess::open(machine.environment(), "/other", {});
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(rows_of(again->table("c")->reader()), "a=newer n=newer ");
}

// Loses the power before each call of `act`, in several ways, opens what is left and asks `problem_of`. The
// store has the table t with the snapshot `old`, which is older than its newest rows.
std::uint64_t lose_power_at_every_call(const std::function<Status(Store&)>& act,
                                       const std::function<std::string(SimulatedStore&)>& problem_of,
                                       std::uint64_t every = 1) {
  SimulatedStore machine(5, {.compacts = false});
  EXPECT_TRUE(machine.create()) << machine.error();
  auto table = table_of_three_regions(machine);
  for (const char* const row : {"a", "n", "z"}) {
    put(table, row, "1");
  }
  EXPECT_EQ(said(machine.store().snapshot("t", "old")), "");
  put(table, "b", "2");
  EXPECT_EQ(said(table.flush()), "");
  EXPECT_EQ(said(table.major_compact()), "");
  put(table, "c", "3");
  std::uint64_t calls = 0;
  machine.disk().watch([&] {
    if (++calls % every != 0) {
      return;
    }
    for (const auto mode : {sim::CrashMode::kDropAll, sim::CrashMode::kKeepAll, sim::CrashMode::kProcessOnly,
                            sim::CrashMode::kRandom, sim::CrashMode::kRandom}) {
      auto copy = machine.disk().clone();
      copy->crash(calls * 8 + static_cast<std::uint64_t>(mode), mode);
      SimulatedStore left(1000 + calls, {.compacts = false}, std::move(copy));  // has other names of files
      ASSERT_TRUE(left.open()) << "call " << calls << ": " << left.error();
      const std::string shown = problem_of(left);
      ASSERT_EQ(shown, "") << "call " << calls << ", mode " << static_cast<int>(mode);
      left.crash(calls, sim::CrashMode::kDropAll);  // what open() showed is on the disk
      ASSERT_TRUE(left.open()) << "call " << calls << ", again: " << left.error();
      ASSERT_EQ(problem_of(left), "") << "call " << calls << ", mode " << static_cast<int>(mode) << ", again";
    }
  });
  EXPECT_EQ(said(act(machine.store())), "");
  machine.disk().watch(nullptr);
  EXPECT_EQ(problem_of(machine), "");
  return calls;
}

std::string expect_rows(const std::string& what, const std::string& found, const std::string& expected) {
  return found == expected ? "" : what + " has " + found + ", not " + expected + "; ";
}

constexpr const char* kOld = "a=1 n=1 z=1 ";
constexpr const char* kNew = "a=1 b=2 c=3 n=1 z=1 ";

bool has_snapshot(SimulatedStore& machine, const std::string& name) {
  const auto listed = machine.store().snapshots();
  EXPECT_TRUE(listed);
  return listed && std::ranges::any_of(*listed, [&](const auto& each) { return each.name == name; });
}

// Its files have names in the archive that no crash takes: a compaction removes the others.
TEST(PowerLossAtEveryCall, OfASnapshotLeavesAWholeOneOrNone) {
  const auto calls = lose_power_at_every_call(
      [](Store& store) { return store.snapshot("t", "s"); },
      [](SimulatedStore& left) {
        EXPECT_EQ(said(left.table("t").major_compact()), "");
        return expect_rows("old", rows_of_snapshot(left, "old"), kOld) +
               expect_rows("t", rows_of(left.table("t").reader()), kNew) +
               (has_snapshot(left, "s") ? expect_rows("s", rows_of_snapshot(left, "s"), kNew) : "");
      },
      runs_long_tests() ? 1 : 7);
  EXPECT_GT(calls, 40U);
}

TEST(PowerLossAtEveryCall, OfASplitLeavesTheOldRegionsOrTheNewOnes) {
  const std::vector<std::string> rows = {"b", "c", "q"};
  const auto calls = lose_power_at_every_call(
      [&](Store& store) { return store.split_table("t", rows); },
      [&](SimulatedStore& left) {
        const std::size_t regions = StoreAccess::state_of(left.store())->table("t")->regions.size();
        return expect_rows("old", rows_of_snapshot(left, "old"), kOld) +
               expect_rows("t", rows_of(left.table("t").reader()), kNew) +
               (regions == 3 || regions == 6 ? "" : std::to_string(regions) + " regions; ");
      },
      runs_long_tests() ? 1 : 13);
  EXPECT_GT(calls, 100U);
}
TEST(PowerLossAtEveryCall, OfADeletionOfASnapshotLeavesAWholeOneOrNone) {
  const auto calls = lose_power_at_every_call(
      [](Store& store) { return store.delete_snapshot("old"); },
      [](SimulatedStore& left) {
        return expect_rows("t", rows_of(left.table("t").reader()), kNew) +
               (has_snapshot(left, "old") ? expect_rows("old", rows_of_snapshot(left, "old"), kOld)
                : archived(left).empty()  ? ""
                                          : "files of the archive that nobody needs; ");
      });
  EXPECT_GT(calls, 20U);
}

TEST(PowerLossAtEveryCall, OfACloneLeavesAWholeOneOrNone) {
  for (const char* const source : {"t", "old"}) {
    const bool is_snapshot = std::string(source) == "old";
    const char* const expected = is_snapshot ? kOld : kNew;
    const auto calls = lose_power_at_every_call(
        [&](Store& store) -> Status {
          const auto clone =
              store.clone({.table = is_snapshot ? "" : "t", .snapshot = is_snapshot ? "old" : ""}, "c");
          return clone ? Status() : Status(clone.error());
        },
        [&](SimulatedStore& left) {
          if (left.store().tables().size() == 1) {
            const auto again = left.store().clone_snapshot("old", "c");  // also above what was interrupted
            return again ? expect_rows("c", rows_of(again->reader()), kOld) : again.error().to_string();
          }
          const std::string found = rows_of(left.table("c").reader());
          return expect_rows("old", rows_of_snapshot(left, "old"), kOld) +
                 expect_rows("t", rows_of(left.table("t").reader()), kNew) +
                 (found == kOld ? "" : expect_rows("c", found, expected));
        },
        runs_long_tests() ? 1 : 29);
    EXPECT_GT(calls, 40U);
  }
}

// A call that fails leaves no snapshot and no clone, and the next one succeeds.
TEST(Snapshot, OnAFullDiskIsNotThereAndIsMadeLater) {
  for (const bool is_clone : {false, true}) {
    bool has_failed = true;
    for (std::uint64_t call = 1; has_failed; ++call) {
      SimulatedStore machine(call, {.compacts = false});
      ASSERT_TRUE(machine.create()) << machine.error();
      auto table = machine.make_table("t", {"f"});
      put(table, "a", "1");
      ASSERT_TRUE(machine.store().snapshot("t", "old"));
      const auto act = [&]() -> Status {
        if (!is_clone) {
          return machine.store().snapshot("t", "s");
        }
        const auto made = machine.store().clone({.snapshot = "old", .copies = true}, "c");
        return made ? Status() : Status(made.error());
      };
      machine.disk().fail({.call = machine.disk().calls() + call, .errno_value = ENOSPC});
      const Status status = act();
      has_failed = machine.disk().has_failed();
      machine.disk().fail({});
      ASSERT_TRUE(status || has_failed) << "call " << call << ": " << said(status);
      if (!machine.store().health()) {  // it failed where nobody knows what a crash would leave
        machine.crash(call, sim::CrashMode::kKeepAll);
        ASSERT_TRUE(machine.open()) << machine.error();
      }
      EXPECT_EQ(rows_of_snapshot(machine, "old"), "a=1 ") << "call " << call;
      const bool is_there = is_clone ? machine.store().tables().size() == 2 : has_snapshot(machine, "s");
      ASSERT_TRUE(is_there || !status) << "call " << call;
      if (!is_there) {
        ASSERT_EQ(said(act()), "") << "call " << call;
      }
      EXPECT_EQ(is_clone ? rows_of(machine.table("c").reader()) : rows_of_snapshot(machine, "s"), "a=1 ");
    }
  }
}

}  // namespace
}  // namespace bloomery::store
