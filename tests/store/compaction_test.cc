// Compactions of a store on a simulated machine. What they drop is compared with the model in
// simulation_test.cc.
#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/byte_text.h"
#include "tests/store/simulated_store.h"
#include "wal/log_reader.h"

namespace bloomery::store {
namespace {

// Puts a row into a file of its own.
void put_file(StoreTable& table, const std::string& row, const std::string& value = "value") {
  ASSERT_TRUE(table.put(row, "f", "q", value));
  ASSERT_TRUE(table.flush());
}

// The HFiles of all regions.
std::vector<std::string> files_of(SimulatedStore& machine) {
  std::vector<std::string> files;
  for (const std::string& path : machine.disk().all_files()) {
    if (path.find("/f/") != std::string::npos && path.find("/.filelist/") == std::string::npos) {
      files.push_back(path);
    }
  }
  return files;
}

std::string all_rows(const StoreTable& table) {
  std::string rows;
  auto scanner = table.reader().scan({});
  for (auto found = scanner->next(); found && *found; found = scanner->next()) {
    rows += std::string(scanner->result().cells().front().cell().key.row) + " ";
  }
  return rows;
}

TEST(Compaction, TheBackgroundKeepsFilesFew) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  for (int i = 10; i < 40; ++i) {
    put_file(table, "r" + std::to_string(i));
    machine.executor().run_due();
    EXPECT_LE(files_of(machine).size(), 3U);
  }
  EXPECT_GT(machine.store().counters().compactions, 5U);
  EXPECT_EQ(value_of(table, "r10", "f", "q"), "value");
  ASSERT_TRUE(machine.close()) << machine.error();
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_EQ(value_of(machine.table("t"), "r25", "f", "q"), "value");
}

// Gets after a compaction find its blocks in the cache, if they fit.
TEST(Compaction, LeavesTheNewFileInTheCache) {
  for (const bool fits : {true, false}) {
    SimulatedStore machine(1, {.compacts = false, .cache = BlockCache::make(fits ? 1 << 20 : 3000)});
    ASSERT_TRUE(machine.create()) << machine.error();
    auto table = machine.make_table("t", {"f"});
    for (int i = 100; i < 140; ++i) {
      ASSERT_TRUE(table.put("r" + std::to_string(i), "f", "q", std::string(100, 'v')));
      if (i % 20 == 19) {
        ASSERT_TRUE(table.flush());
      }
    }
    ASSERT_TRUE(table.major_compact());
    const auto misses = [&] { return machine.options().cache->counters().of(BlockGroup::kData).misses; };
    const std::uint64_t before = misses();
    EXPECT_EQ(value_of(table, "r120", "f", "q"), std::string(100, 'v'));
    EXPECT_EQ(misses() - before, fits ? 0U : 1U);
  }
}

TEST(Compaction, AMajorOneLeavesOneFileWithoutDeletedCells) {
  SimulatedStore machine(1, {.compacts = false});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  put_file(table, "a");
  put_file(table, "b");
  ASSERT_TRUE(table.delete_row("a"));
  const Status compacted = table.major_compact();
  ASSERT_TRUE(compacted) << compacted.error().to_string();
  EXPECT_EQ(files_of(machine).size(), 1U);
  EXPECT_EQ(all_rows(table), "b ");
  ScanRequest raw;
  raw.is_raw = true;
  raw.versions = kAllVersions;
  auto scanner = table.reader().scan(raw);
  ASSERT_TRUE(*scanner->next());
  EXPECT_EQ(scanner->result().cells().front().cell().key.row, "b");
  EXPECT_FALSE(*scanner->next());
}

TEST(Compaction, AMinorOneByHandDoesWhatTheBackgroundWould) {
  SimulatedStore machine(1, {.compacts = false, .compaction_most_files = 4, .compaction_excess = 0});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  put_file(table, "a");
  ASSERT_TRUE(table.delete_row("a"));
  put_file(table, "b");
  ASSERT_TRUE(table.compact());
  EXPECT_EQ(files_of(machine).size(), 2U);  // two are too few
  for (const char* const row : {"c", "d", "e", "f", "g"}) {
    put_file(table, row);
  }
  ASSERT_TRUE(table.put("h", "f", "q", "in memory"));
  ASSERT_TRUE(table.compact());
  EXPECT_EQ(files_of(machine).size(), 1U);
  EXPECT_EQ(machine.store().counters().compactions, 2U);  // four files, and then that one and the others
  ScanRequest raw;
  raw.is_raw = true;
  auto scanner = table.reader().scan(raw);
  ASSERT_TRUE(*scanner->next());
  EXPECT_EQ(scanner->result().cells().front().cell().key.type, CellType::kDeleteFamily);  // markers stay
}

// Nobody writes meanwhile, so that only a timer can begin it.
TEST(Compaction, TheBackgroundMakesOneFileOfAllOnceAWeek) {
  constexpr std::uint64_t kMsOfDay = 86'400'000;
  SimulatedStore machine(1, {.flushes_at_close = false});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  put_file(table, "a");
  ASSERT_TRUE(table.delete_row("a"));
  put_file(table, "b");
  const auto files_after = [&](std::uint64_t days) {
    machine.executor().run_due();
    machine.clock().advance(days * kMsOfDay);
    machine.executor().run_due();
    return files_of(machine).size();
  };
  EXPECT_EQ(files_after(3), 2U);
  ASSERT_TRUE(machine.close() && machine.open()) << machine.error();
  EXPECT_EQ(files_after(8), 1U);
  EXPECT_EQ(all_rows(machine.table("t")), "b ");
  const auto compactions = machine.store().counters().compactions;
  EXPECT_EQ(compactions, 1U);
  EXPECT_EQ(files_after(30), 1U);  // one file is left alone
  EXPECT_EQ(machine.store().counters().compactions, compactions);
}

TEST(Compaction, TheFamilyOrTheTableSaysHowOften) {
  SimulatedStore machine(1, {.major_compaction_jitter = 0});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  put_file(table, "a");
  put_file(table, "b");
  const auto files_after = [&](const TableSchema& schema, std::uint64_t ms) {
    EXPECT_TRUE(machine.store().alter_table(schema));
    machine.executor().run_due();
    machine.clock().advance(ms);
    machine.executor().run_due();
    return files_of(machine).size();
  };
  TableSchema schema = table.schema();
  ASSERT_TRUE(schema.set("hbase.hregion.majorcompaction", "0"));
  EXPECT_EQ(files_after(schema, 3'000'000'000), 2U);
  ASSERT_TRUE(schema.set("f", "hbase.hregion.majorcompaction", "3600000000"));
  EXPECT_EQ(files_after(schema, 600'000'000), 2U);
  EXPECT_EQ(files_after(schema, 1), 1U);
}

// With MIN_VERSIONS the newest ones stay, as in HBase.
TEST(Compaction, CellsThatExpiredLeaveTheOnlyFile) {
  for (const char* const least : {"0", "1"}) {
    SimulatedStore machine;
    ASSERT_TRUE(machine.create()) << machine.error();
    auto table = machine.make_table("t", {"f"});
    TableSchema schema = table.schema();
    ASSERT_TRUE(schema.set("f", "TTL", "2592000") && schema.set("f", "MIN_VERSIONS", least));  // 30 days
    ASSERT_TRUE(machine.store().alter_table(schema));
    put_file(table, "a");
    const std::string old_file = files_of(machine).at(0);
    const std::uint64_t bytes = machine.disk().read_all(old_file).value().size();
    machine.executor().run_due();
    machine.clock().advance(2'592'000'001);
    machine.executor().run_due();
    const std::string file = files_of(machine).at(0);
    if (least == std::string("0")) {
      EXPECT_LT(machine.disk().read_all(file).value().size(), bytes);
    } else {
      EXPECT_EQ(file, old_file);
    }
  }
}

// An empty table still knows which edits of the log it has.
TEST(Compaction, AMajorOneOfDeletedRowsBringsNoneBack) {
  SimulatedStore machine(1, {.flushes_at_close = false});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  put_file(table, "a");
  ASSERT_TRUE(table.delete_row("a"));
  ASSERT_TRUE(table.major_compact());
  machine.crash(1, sim::CrashMode::kKeepAll);
  ASSERT_TRUE(machine.open()) << machine.error();
  EXPECT_EQ(all_rows(machine.table("t")), "");
}

// The cells of a column without a qualifier and the markers of the family are one run, by time. A compaction
// that passes the rest of the column must not pass the markers: they hide cells of other columns.
TEST(Compaction, NoMarkerOfTheFamilyIsLostAmongTheCellsOfTheEmptyColumn) {
  for (const bool is_major : {false, true}) {
    for (const bool has_marker_of_column : {false, true}) {
      SCOPED_TRACE(is_major ? "major" : "minor");
      SimulatedStore machine;
      ASSERT_TRUE(machine.create()) << machine.error();
      auto table = machine.make_table("t", {"f"});
      const Mutation hidden{.row = "r", .family = "f", .qualifier = "q", .timestamp = 5, .value = "deleted"};
      const std::array<Mutation, 3> mutations{{
          {.row = "r", .family = "f", .timestamp = 10, .type = CellType::kDeleteFamily},
          {.row = "r", .family = "f", .timestamp = 15, .value = "old"},
          {.row = "r",
           .family = "f",
           .timestamp = 20,
           .type = has_marker_of_column ? CellType::kDeleteColumn : CellType::kPut},
      }};
      ASSERT_TRUE(table.mutate({&hidden, 1}));
      ASSERT_TRUE(is_major || table.flush());  // a minor compaction may leave it in another file
      ASSERT_TRUE(table.mutate(mutations));
      if (is_major) {
        ASSERT_TRUE(table.major_compact());
      }
      for (int i = 0; i < 4; ++i) {
        put_file(table, "z" + std::to_string(i));
        machine.executor().run_due();
      }
      EXPECT_GT(machine.store().counters().compactions, 0U);
      EXPECT_EQ(value_of(table, "r", "f", "q"), "");
    }
  }
}

TEST(Compaction, AScanGoesOnInFilesThatHaveLeft) {
  SimulatedStore machine(1, {.compacts = false});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  for (const char* const row : {"a", "b", "c"}) {
    put_file(table, row);
  }
  auto scanner = table.reader().scan({});
  ASSERT_TRUE(*scanner->next());
  ASSERT_TRUE(table.major_compact());
  ASSERT_TRUE(*scanner->next());
  EXPECT_EQ(scanner->result().cells().front().cell().key.row, "b");
  ASSERT_TRUE(*scanner->next());
  EXPECT_FALSE(*scanner->next());
}

// Where the log or the list is not written, the store is read-only; where the new file is not, it goes on.
TEST(Compaction, OnAFullDiskTheTableIsAsItWasAndServes) {
  int served = 0;
  for (std::uint64_t call = 1;; ++call) {
    SimulatedStore machine(call, {.compacts = false});
    ASSERT_TRUE(machine.create()) << machine.error();
    auto table = machine.make_table("t", {"f"});
    put_file(table, "a");
    put_file(table, "b");
    const auto before = files_of(machine);
    machine.disk().fail({.call = machine.disk().calls(sim::CallKind::kWrite) + call,
                         .errno_value = ENOSPC,
                         .kind = sim::CallKind::kWrite});
    const Status compacted = table.major_compact();
    if (!machine.disk().has_failed()) {
      break;
    }
    if (machine.store().health()) {
      ++served;
      EXPECT_EQ(compacted.error().errno_value(), ENOSPC) << compacted.error().to_string();
      EXPECT_EQ(machine.store().compaction_health().error().errno_value(), ENOSPC);
      EXPECT_EQ(files_of(machine), before) << call;
      ASSERT_TRUE(table.put("c", "f", "q", "value"));
      ASSERT_TRUE(table.major_compact());
      EXPECT_TRUE(machine.store().compaction_health());
      EXPECT_EQ(files_of(machine).size(), 1U);
    }
    EXPECT_EQ(all_rows(table), machine.store().health() ? "a b c " : "a b ") << call;
  }
  EXPECT_GT(served, 0);
}

// The cells of the damaged file are not dropped, and the others are compacted around it.
TEST(Compaction, ADamagedFileIsSetAsideAndNamed) {
  SimulatedStore machine(1, {.compacts = false});
  ASSERT_TRUE(machine.create()) << machine.error();
  {
    auto table = machine.make_table("t", {"f"});
    put_file(table, "damaged", std::string(500, 'x'));
  }
  const std::string damaged = files_of(machine).front();
  ASSERT_TRUE(machine.close()) << machine.error();
  ASSERT_TRUE(machine.disk().flip_bit(damaged, 8 * 200));  // in its data block
  machine.options().compacts = true;
  ASSERT_TRUE(machine.open()) << machine.error();
  auto table = machine.table("t");
  for (int i = 10; i < 40; ++i) {
    put_file(table, "r" + std::to_string(i));
    machine.executor().run_due();
    machine.clock().advance(61'000);
    machine.executor().run_due();
  }
  EXPECT_EQ(machine.store().counters().failed_compactions, 1U);
  EXPECT_GT(machine.store().counters().compactions, 5U);
  const auto files = files_of(machine);
  EXPECT_LE(files.size(), 4U);
  EXPECT_NE(std::ranges::find(files, damaged), files.end());
  const Status compacted = table.major_compact();
  ASSERT_FALSE(compacted);
  EXPECT_EQ(compacted.error().code(), ErrorCode::kCorruption);
  EXPECT_TRUE(compacted.error().subject().starts_with(damaged)) << compacted.error().to_string();
  EXPECT_EQ(value_of(table, "r39", "f", "q"), "value");
}

// HBase refuses to open a region whose log has a marker that it cannot parse.
TEST(Compaction, TheMarkersOfTheLogAreMessagesWithoutAPrefix) {
  SimulatedStore machine(1, {.compacts = false, .flushes_at_close = false});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  put_file(table, "a");
  ASSERT_TRUE(table.major_compact());
  ASSERT_TRUE(table.put("b", "f", "q", "value"));  // which writes the log
  std::string markers;
  for (const std::string& path : machine.disk().all_files()) {
    if (path.find("/WALs/") == std::string::npos) {
      continue;
    }
    auto log = wal::LogReader::open(machine.disk(), path, {});
    ASSERT_TRUE(log) << log.error().to_string();
    for (auto found = log->next(); found && *found; found = log->next()) {
      const Cell& cell = log->entry().cells.front();
      if (log->entry().is_marker()) {
        markers += std::string(cell.key.qualifier) + " " + escape_bytes(cell.value.substr(0, 5)) + "\n";
      }
    }
  }
  EXPECT_EQ(markers, "HBASE::FLUSH \\x08\\x01\\x12\\x01t\nHBASE::COMPACTION \\x0a\\x01t\\x12\\x20\n");
}

TEST(Compaction, WritersOfACrowdedRegionWaitOrAreTold) {
  SimulatedStore machine(1, {.most_files = 4});
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  for (const char* const row : {"a", "b", "c", "d"}) {
    put_file(table, row);
  }
  const Status told = table.put("e", "f", "q", "value", {.waits = false});
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code(), ErrorCode::kCapacity);
  EXPECT_NE(told.error().to_string().find("compactions do not keep up"), std::string::npos)
      << told.error().to_string();
  ASSERT_TRUE(table.put("e", "f", "q", "value"));
  EXPECT_EQ(machine.store().counters().waits, 1U);
  EXPECT_EQ(all_rows(table), "a b c d e ");
}

TEST(Compaction, OfADroppedTableIsForgotten) {
  SimulatedStore machine;
  ASSERT_TRUE(machine.create()) << machine.error();
  auto table = machine.make_table("t", {"f"});
  for (const char* const row : {"a", "b", "c"}) {
    put_file(table, row);
  }
  std::mt19937_64 random(1);
  machine.executor().run_some(random);
  ASSERT_TRUE(machine.store().drop_table("t"));
  machine.executor().run_due();
  EXPECT_EQ(machine.store().counters().failed_compactions, 0U);
  EXPECT_TRUE(machine.store().health());
}

}  // namespace
}  // namespace bloomery::store
