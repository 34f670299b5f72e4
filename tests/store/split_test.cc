// Splits of a store's regions: the answers stay, and the files are linked or cut.
#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/store/sim/model.h"
#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

using Rows = std::vector<std::string>;

std::vector<std::string> starts_of(SimulatedStore& machine) {
  std::vector<std::string> starts;
  for (const auto& region : StoreAccess::state_of(machine.store())->table("t")->regions) {
    starts.push_back(region->info().start);
  }
  return starts;
}

// All cells and markers, with their times.
std::string cells_of(const StoreTable& table) {
  ScanRequest request;
  request.is_raw = true;
  request.versions = 100;
  return sim::scanned(table.reader(), request).value();
}

class Split : public testing::Test {
 protected:
  void SetUp() override {
    machine_.options().compacts = false;
    ASSERT_TRUE(machine_.create()) << machine_.error();
    TableSchema schema = *TableSchema::of_table("t");
    for (const char* const family : {"f", "g"}) {
      ASSERT_TRUE(schema.add_family(family));
      ASSERT_TRUE(schema.set(family, "VERSIONS", "3"));
    }
    ASSERT_TRUE(machine_.store().create_table(schema));
    for (std::size_t file = 0; file < 3; ++file) {
      for (char row = 'a'; row <= 'z'; ++row) {
        ASSERT_TRUE(table().put({&row, 1}, "f", "q", "file " + std::to_string(file)));
        ASSERT_TRUE(table().put({&row, 1}, "g", "", std::string(file, row)));
        machine_.clock().set_now(machine_.clock().now_ms() + 1);
      }
      ASSERT_TRUE(table().delete_row("k"));
      ASSERT_TRUE(file == 2 || table().flush());  // the last one stays in memory
    }
    ASSERT_TRUE(table().put("a", "f", "only", "in a file of its own"));
  }
  StoreTable table() { return machine_.table("t"); }

  SimulatedStore machine_;
};

TEST_F(Split, KeepsEveryCell) {
  const std::string before = cells_of(table());
  StoreTable old = table();
  ASSERT_TRUE(machine_.store().split_table("t", Rows{"m", "k"}));
  EXPECT_EQ(starts_of(machine_), (Rows{"", "k", "m"}));
  EXPECT_EQ(cells_of(table()), before);
  EXPECT_EQ(old.put("row", "f", "q", "value").error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(table().put("l", "f", "new", "value"));
  ASSERT_TRUE(machine_.close() && machine_.open()) << machine_.error();
  EXPECT_EQ(value_of(table(), "l", "f", "new"), "value");
  EXPECT_EQ(value_of(table(), "k", "f", "q"), "");
  ASSERT_TRUE(machine_.store().split_table("t", Rows{"c"}));  // a split of one of them
  EXPECT_EQ(starts_of(machine_), (Rows{"", "c", "k", "m"}));
  ASSERT_TRUE(table().major_compact());
  EXPECT_EQ(value_of(table(), "a", "f", "only"), "in a file of its own");
  EXPECT_EQ(value_of(table(), "k", "f", "q"), "");
  EXPECT_EQ(value_of(table(), "z", "g", ""), "zz");
}

TEST_F(Split, LinksFilesOfOneRegionAndCutsOthers) {
  ASSERT_TRUE(table().flush());
  ASSERT_TRUE(machine_.store().split_table("t", Rows{"m"}));
  const auto names = [&] {
    std::vector<std::string> all;
    for (const auto& region : StoreAccess::state_of(machine_.store())->table("t")->regions) {
      for (const auto& file : region->find("f")->files->files) {
        all.push_back(file->name);
      }
    }
    return all;
  };
  const auto cut = names();
  ASSERT_TRUE(machine_.store().split_table("t", Rows{"zz"}));  // behind all rows
  EXPECT_EQ(names(), cut);
}

TEST_F(Split, RefusesWhatBeginsNoNewRegion) {
  ASSERT_TRUE(machine_.store().split_table("t", Rows{"m"}));
  const std::string before = cells_of(table());
  const std::vector<Rows> refused = {{}, {""}, {"m"}, {"x", "x"}, {std::string(kLongestRow + 1, 'r')}};
  for (const Rows& rows : refused) {
    EXPECT_EQ(machine_.store().split_table("t", rows).error().code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(machine_.store().split_table("other", Rows{"m"}).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(starts_of(machine_), (Rows{"", "m"}));
  EXPECT_EQ(cells_of(table()), before);
  ASSERT_TRUE(machine_.store().health());
}

TEST(SplitFailure, OfEachWriteLeavesTheTable) {
  int served = 0;
  for (std::uint64_t call = 1;; ++call) {
    SimulatedStore machine(call, {.compacts = false});
    ASSERT_TRUE(machine.create()) << machine.error();
    StoreTable table = machine.make_table("t", {"f"});
    for (const char* const row : {"a", "m", "z"}) {
      ASSERT_TRUE(table.put(row, "f", "q", "value"));
    }
    ASSERT_TRUE(table.flush());
    const std::string before = cells_of(table);
    machine.disk().fail({.call = machine.disk().calls(sim::CallKind::kWrite) + call,
                         .errno_value = ENOSPC,
                         .kind = sim::CallKind::kWrite});
    const Status split = machine.store().split_table("t", Rows{"m"});
    if (!machine.disk().has_failed()) {
      ASSERT_TRUE(split) << split.error().to_string();
      break;
    }
    EXPECT_EQ(cells_of(table), before) << call;
    if (machine.store().health()) {
      ++served;
      EXPECT_EQ(split.error().errno_value(), ENOSPC) << split.error().to_string();
      EXPECT_EQ(starts_of(machine), (Rows{""}));
      ASSERT_TRUE(table.put("n", "f", "q", "value"));
      ASSERT_TRUE(machine.store().split_table("t", Rows{"m"}));
      EXPECT_EQ(value_of(machine.table("t"), "n", "f", "q"), "value");
    } else {
      machine.crash(call, sim::CrashMode::kDropAll);
      ASSERT_TRUE(machine.open()) << machine.error();
      EXPECT_EQ(cells_of(machine.table("t")), before) << call;
    }
  }
  EXPECT_GT(served, 0);
}

}  // namespace
}  // namespace bloomery::store
