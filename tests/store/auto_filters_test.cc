// A family with BLOOMFILTER => AUTO: what its files have after gets of each kind.
#include "store/auto_filters.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/filter_spread.h"
#include "tests/store/simulated_store.h"

namespace bloomery::store {
namespace {

constexpr int kRowsOfFile = 400;

std::string auto_row(int i) {
  return "row " + std::to_string(100'000 + i);
}

class AutoFilters : public testing::Test {
 protected:
  AutoFilters() : machine_(1, {.compacts = false}) {
    EXPECT_TRUE(machine_.create()) << machine_.error();
    TableSchema schema = *TableSchema::of_table("t");
    EXPECT_TRUE(schema.add_family("f"));
    EXPECT_TRUE(schema.set("f", "BLOOMFILTER", "auto"));
    EXPECT_TRUE(machine_.store().create_table(schema));
  }

  // Each file has every second row, and of those two columns.
  void flush_rows(int count = kRowsOfFile) {
    StoreTable table = machine_.table("t");
    for (int i = 0; i < count; i += 2) {
      for (const char* const qualifier : {"a", "c"}) {
        ASSERT_TRUE(table.put(auto_row(i), "f", qualifier, "value", {.durability = Durability::kSkipWal}));
      }
    }
    ASSERT_TRUE(table.flush());
  }
  void get(int row, const std::string& qualifier, int count) {
    GetRequest request;
    if (!qualifier.empty()) {
      request.columns = {{.family = "f", .qualifier = qualifier}};
    }
    for (int i = 0; i < count; ++i) {
      request.row = auto_row((row + 2 * i) % (kRowsOfFile - 2));
      ASSERT_TRUE(machine_.table("t").reader().get(request));
    }
  }
  const table::OpenStore& files() {
    const auto& state = StoreAccess::state_of(machine_.store());
    return *state->table("t")->regions.front()->families().front().files;
  }
  std::string newest() { return files().files.back()->file->bloom_names(); }

  SimulatedStore machine_;
};

TEST_F(AutoFilters, WithoutReadsAreHBasesDefault) {
  flush_rows();
  EXPECT_EQ(newest(), "ROW");
  EXPECT_EQ(machine_.table("t").schema().find("f")->settings.at("BLOOMFILTER"), "ROW");
}

TEST_F(AutoFilters, FollowTheReads) {
  flush_rows();
  get(0, "b", 100);  // an absent column of a row
  flush_rows();
  EXPECT_EQ(newest(), "ROWCOL");
  get(1, "", 100);  // absent rows
  flush_rows();
  EXPECT_EQ(newest(), "ROW and ROWCOL");
  get(1, "", 30'000);
  flush_rows();
  EXPECT_EQ(newest(), "ROW");
}

TEST_F(AutoFilters, OfACompactionAreChosenAnew) {
  flush_rows();
  flush_rows();
  get(0, "b", 100);
  get(1, "", 100);
  ASSERT_TRUE(machine_.table("t").major_compact());
  ASSERT_EQ(files().files.size(), 1U);
  EXPECT_EQ(newest(), "ROW and ROWCOL");
  const hfile::OpenFile& file = *files().files.front()->file;
  EXPECT_EQ(file.info().int64_of("BLOOMERY_ROWS")->value(), kRowsOfFile / 2);
  EXPECT_EQ(file.info().int64_of("BLOOMERY_COLUMNS")->value(), kRowsOfFile);
  EXPECT_EQ(file.second_bloom()->meta().key_count, kRowsOfFile);
}

TEST_F(AutoFilters, StayAsTheyWereAfterReopening) {
  flush_rows();
  get(0, "b", 100);
  flush_rows();
  ASSERT_TRUE(machine_.close()) << machine_.error();
  ASSERT_TRUE(machine_.open()) << machine_.error();
  flush_rows();
  EXPECT_EQ(newest(), "ROWCOL");
}

// With all rows in one file, a get of an existing row reads it with any filter.
TEST_F(AutoFilters, AreNoneIfNoGetGains) {
  flush_rows();
  get(0, "", 200);
  get(0, "a", 200);
  ASSERT_TRUE(machine_.table("t").major_compact());
  EXPECT_EQ(newest(), "NONE");
}

// A get of a column ends at the newest file that has it. No filter saves it an older file.
TEST_F(AutoFilters, AreNotForFilesThatNoGetReaches) {
  flush_rows();
  machine_.clock().advance(10);
  flush_rows();
  machine_.clock().advance(10);
  for (int i = 0; i < 200; ++i) {
    get(0, "a", 1);
  }
  flush_rows();
  EXPECT_EQ(newest(), "NONE");
}

// The second filter spares a read of the only file.
TEST_F(AutoFilters, BothAreQueried) {
  flush_rows();
  get(0, "b", 100);
  get(1, "", 100);
  ASSERT_TRUE(machine_.table("t").major_compact());
  const auto before = files().files.front()->file->counters().data_blocks;
  get(0, "b", 100);
  get(1, "", 100);
  get(1, "b", 100);
  EXPECT_LT(files().files.front()->file->counters().data_blocks - before, 60U);
  const FilterCounters counted = files().files.front()->filter_counts->get();
  EXPECT_GT(counted.negatives, 240U);
}

// All filters together have at most the bits of uniform ones, but for the last file's share.
TEST_F(AutoFilters, KeepTheBudget) {
  std::uint64_t bytes = 0;
  std::uint64_t columns = 0;
  for (const int count : {4000, 400, 400, 100, 400, 8000, 400}) {
    flush_rows(count);
    get(0, "b", 50);
    get(1, "", 50);
  }
  for (const auto& each : files().files) {
    for (const auto* const filter : {&each->file->bloom(), &each->file->second_bloom()}) {
      bytes += *filter ? (*filter)->meta().total_bytes : 0;
    }
    columns += keys_of({&each, 1}).columns;
  }
  const double uniform = filter_bits({.keys = static_cast<double>(columns), .probes = 2}, 0.01) / 8;
  EXPECT_LT(static_cast<double>(bytes), 1.1 * uniform);
  EXPECT_GT(static_cast<double>(bytes), 0.5 * uniform);
}

}  // namespace
}  // namespace bloomery::store
