// A scan over damaged files: it ends there with an error, or goes on behind the rows that it lists. No row
// outside of the list is lost, and none is answered with fewer cells.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/table/filter_language.h"
#include "bloomery/table/table.h"
#include "hfile/block_walk.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/seal.h"
#include "tests/hfile/written.h"
#include "tests/table/hbase_set.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

// The cells of each row as text, and the rows in the order of the answer.
struct Answered {
  std::map<std::string, std::string> cells = {};
  std::vector<std::string> rows = {};
  std::vector<SkippedRows> skipped = {};
  std::string error = {};
};

Answered scan(const Table& table, const ScanRequest& request) {
  Answered answered;
  auto scanner = table.scan(request);
  if (!scanner) {
    answered.error = scanner.error().to_string();
    return answered;
  }
  Result<bool> found = scanner->next();
  for (; found && *found; found = scanner->next()) {
    if (scanner->skipped().size() > 500) {
      answered.error = "endless";
      return answered;
    }
    const std::string row(scanner->result().row());
    std::string& text = answered.cells[row];
    if (answered.rows.empty() || answered.rows.back() != row) {
      answered.rows.push_back(row);
    }
    for (const KeptCell& kept : scanner->result().cells()) {
      const Cell& cell = kept.cell();
      text += std::string(cell.key.family) + ":" + std::string(cell.key.qualifier) + "@" +
              std::to_string(cell.key.timestamp) + cell_type_name(cell.key.type) + std::string(cell.value) +
              ";";
    }
  }
  answered.skipped = scanner->skipped();
  answered.error = found ? "" : found.error().to_string();
  return answered;
}

bool has(const RowRange& rows, const std::string& row) {
  const bool is_after = rows.includes_start ? row >= rows.start : row > rows.start;
  return is_after && (rows.stop.empty() || (rows.includes_stop ? row <= rows.stop : row < rows.stop));
}

bool is_listed(const Answered& answered, const std::string& row) {
  return std::ranges::any_of(answered.skipped,
                             [&](const SkippedRows& skipped) { return has(skipped.rows, row); });
}

// Every row is answered as it is without damage, or listed; and rows come in order, each once.
void expect_nothing_lost(const Answered& whole, const Answered& damaged, const std::string& where) {
  EXPECT_EQ(damaged.error, "") << where;
  for (const std::string& row : whole.rows) {
    const auto found = damaged.cells.find(row);
    if (found == damaged.cells.end()) {
      EXPECT_TRUE(is_listed(damaged, row)) << where << ": lost " << row;
    } else {
      EXPECT_EQ(found->second, whole.cells.at(row)) << where << ": " << row;
    }
  }
  EXPECT_EQ(
      std::ranges::count_if(damaged.rows, [&](const std::string& row) { return !whole.cells.contains(row); }),
      0)
      << where;
  std::vector<std::string> expected = damaged.rows;
  std::ranges::sort(expected);
  if (!damaged.rows.empty() && damaged.rows.front() > damaged.rows.back()) {
    std::ranges::reverse(expected);
  }
  EXPECT_EQ(damaged.rows, expected) << where;
  EXPECT_EQ(damaged.cells.size(), damaged.rows.size()) << where;
}

struct Place {
  std::string path;
  std::uint64_t offset;
  hfile::BlockKind kind;
  std::uint64_t bytes;
};

std::vector<Place> blocks_of(const std::string& path) {
  std::vector<Place> places;
  File file = *FileSystem::real().open(path, OpenFor::kReading);
  const std::string bytes = file_bytes(path);
  // The walk ends at the trailer with an error, as it is given the whole file.
  (void)hfile::walk_block_headers(file, bytes.size(),
                                  [&](const hfile::BlockHeader& header, std::uint64_t offset) -> Status {
                                    places.push_back({path, offset, header.kind, header.on_disk_bytes});
                                    return {};
                                  });
  return places;
}

// Changes a byte of a file, and changes it back at the end.
class Flipped {
 public:
  Flipped(const std::string& path, std::uint64_t at) : path_(path), at_(at) { flip(); }
  Flipped(const Flipped&) = delete;
  Flipped& operator=(const Flipped&) = delete;
  ~Flipped() { flip(); }

 private:
  void flip() const {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at_));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at_));
    file.put(static_cast<char>(byte ^ 0x40));
  }

  std::string path_;
  std::uint64_t at_;
};

std::string row_name(int i) {
  std::string digits = std::to_string(i);
  return "row" + std::string(3 - digits.size(), '0') + digits;
}

// Two files of small blocks, the second with deletes and every third row; three rows are larger than a block.
class TableDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<OwnedCell> old_cells;
    std::vector<OwnedCell> new_cells;
    for (int i = 0; i < 150; ++i) {
      const std::string row = row_name(i);
      const int columns = i % 60 == 7 ? 40 : 2;
      for (int column = 0; column < columns; ++column) {
        const std::string name = "q" + std::string(1, static_cast<char>('A' + column));
        old_cells.push_back({row, "f", name, 100 + i, CellType::kPut, "value " + row, "", 1});
      }
      if (i % 3 == 0) {
        if (i % 2 == 0) {
          new_cells.push_back({row, "f", "qA", 500, CellType::kDeleteColumn, "", "", 2});
        }
        new_cells.push_back({row, "f", "qB", 600, CellType::kPut, "newer " + row, "", 2});
      }
    }
    HFileWriteOptions options;
    options.block_bytes = 400;
    options.index_block_bytes = 256;  // an index of several levels
    options.index_min_entries = 4;
    options.max_sequence_id = 1;
    ASSERT_TRUE(write_cells(old_file(), options, old_cells));
    options.max_sequence_id = 2;
    ASSERT_TRUE(write_cells(new_file(), options, new_cells));
  }

  std::string old_file() const { return folder.path("old"); }
  std::string new_file() const { return folder.path("new"); }
  Result<Table> open() const { return Table::open_files({old_file(), new_file()}); }

  TestFolder folder;
};

std::vector<ScanRequest> requests() {
  std::vector<ScanRequest> requests(6);
  requests[1].is_reversed = true;
  requests[2].start = "row020";
  requests[2].stop = "row110";
  requests[3] = requests[2];
  requests[3].is_reversed = true;
  std::swap(requests[3].start, requests[3].stop);
  requests[3].includes_start = false;
  requests[4].columns = {{"f", "qB"}};
  requests[5].filter = *parse_filter("RowFilter(=, 'substring:1') AND ColumnPrefixFilter('q')");
  for (ScanRequest& request : requests) {
    request.skips_damage = true;
  }
  return requests;
}

TEST_F(TableDamage, EveryDamagedBlockLosesOnlyTheRowsThatAreListed) {
  std::size_t damaged_scans = 0;
  for (const std::string& file : {old_file(), new_file()}) {
    const auto blocks = blocks_of(file);
    ASSERT_GE(blocks.size(), 10u);
    for (const ScanRequest& request : requests()) {
      const Answered whole = scan(*open(), request);
      ASSERT_EQ(whole.error, "");
      ASSERT_TRUE(whole.skipped.empty());
      for (const Place& block : blocks) {
        const Flipped flipped(file, block.offset + block.bytes - 1);
        const std::string where = std::string(hfile::block_kind_key(block.kind)) + " at " +
                                  std::to_string(block.offset) + " of " + file;
        const auto table = open();
        if (!table) {
          continue;  // the part that is read when a file is opened
        }
        const Answered damaged = scan(*table, request);
        expect_nothing_lost(whole, damaged, where);
        damaged_scans += damaged.skipped.empty() ? 0U : 1U;
        if (block.kind == hfile::BlockKind::kData && !damaged.skipped.empty()) {
          EXPECT_GT(damaged.rows.size() + 40, whole.rows.size()) << where << ": a wide gap";
          EXPECT_NE(damaged.skipped[0].error.to_string().find(file), std::string::npos);
        }
      }
    }
  }
  EXPECT_GT(damaged_scans, 200u);
}

TEST_F(TableDamage, WithoutTheOptionTheScanEndsAfterTheRowsBefore) {
  const auto blocks = blocks_of(old_file());
  const Answered whole = scan(*open(), {});
  std::size_t ended = 0;
  for (const Place& block : blocks) {
    if (block.kind != hfile::BlockKind::kData) {
      continue;
    }
    const Flipped flipped(old_file(), block.offset + block.bytes - 1);
    const Answered damaged = scan(*open(), {});
    EXPECT_NE(damaged.error.find(old_file() + ": data block: at byte " + std::to_string(block.offset)),
              std::string::npos)
        << damaged.error;
    ASSERT_LT(damaged.rows.size(), whole.rows.size());
    for (std::size_t i = 0; i < damaged.rows.size(); ++i) {
      EXPECT_EQ(damaged.rows[i], whole.rows[i]);
      EXPECT_EQ(damaged.cells.at(whole.rows[i]), whole.cells.at(whole.rows[i]));
    }
    ++ended;
  }
  EXPECT_GT(ended, 20u);
}

// A batch answers a row in parts. Those before the damage stay; the row is listed.
TEST_F(TableDamage, ABatchThatMeetsDamageInItsRowListsTheRow) {
  const ScanRequest request = [] {
    ScanRequest batches;
    batches.batch = 3;
    batches.skips_damage = true;
    return batches;
  }();
  const Answered whole = scan(*open(), request);
  for (const Place& block : blocks_of(old_file())) {
    if (block.kind != hfile::BlockKind::kData) {
      continue;
    }
    const Flipped flipped(old_file(), block.offset + block.bytes - 1);
    const Answered damaged = scan(*open(), request);
    EXPECT_EQ(damaged.error, "");
    for (const auto& [row, cells] : whole.cells) {
      const auto found = damaged.cells.find(row);
      EXPECT_TRUE(is_listed(damaged, row) || (found != damaged.cells.end() && found->second == cells)) << row;
    }
  }
}

// A count in the trailer has no checksum. Where cells are missing somewhere, the whole file is named.
TEST_F(TableDamage, AFileThatHasLostCellsSomewhereIsListedWhole) {
  std::string bytes = file_bytes(new_file());
  std::vector<OwnedCell> cells = cells_of(*HFileReader::open(new_file()));
  HFileWriteOptions options;
  options.max_sequence_id = 2;
  ASSERT_TRUE(write_cells(folder.path("one"), options, cells));
  const Answered whole = scan(*Table::open_files({old_file(), folder.path("one")}), {});
  bytes = file_bytes(folder.path("one"));
  bool was_listed = false;
  for (std::size_t at = bytes.size() - 4096; at < bytes.size(); ++at) {
    const Flipped flipped(folder.path("one"), at);
    const auto table = Table::open_files({old_file(), folder.path("one")});
    if (!table) {
      continue;
    }
    ScanRequest request;
    request.skips_damage = true;
    const Answered damaged = scan(*table, request);
    expect_nothing_lost(whole, damaged, "trailer byte " + std::to_string(at));
    was_listed = was_listed || (damaged.skipped.size() == 1 && damaged.skipped[0].rows.start.empty());
  }
  EXPECT_TRUE(was_listed);
}

// Every block of a genuine table of references, links and several families, in both directions.
TEST(TableDamageOfHBase, EveryBlockOfASplitTable) {
  const HBaseSet set("root/data/default/halves root/data/default/wide root/archive/data/default/halves");
  for (const std::string name : {"halves", "wide"}) {
    std::vector<std::string> files;
    for (const TableRegion& region : Table::open_table(set.root(), name)->regions()) {
      for (const TableFile& file : region.files) {
        files.push_back(file.path);
      }
    }
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    ASSERT_GT(files.size(), 3u);
    for (const bool is_reversed : {false, true}) {
      ScanRequest request;
      request.is_reversed = is_reversed;
      request.skips_damage = true;
      const Answered whole = scan(*Table::open_table(set.root(), name), request);
      ASSERT_EQ(whole.error, "");
      for (const std::string& file : files) {
        for (const Place& block : blocks_of(file)) {
          const Flipped flipped(file, block.offset + block.bytes - 1);
          const Answered damaged = scan(*Table::open_table(set.root(), name), request);
          expect_nothing_lost(whole, damaged,
                              name + ": " + hfile::block_kind_key(block.kind) + " at " +
                                  std::to_string(block.offset) + " of " + file);
        }
      }
    }
  }
}

TEST(TableDamageOfHBase, AFileThatCannotBeOpenedTakesItsRegion) {
  const HBaseSet set("root/data/default/wide");
  const auto table = Table::open_table(set.root(), "wide");
  ASSERT_TRUE(table) << table.error().to_string();
  ScanRequest request;
  request.skips_damage = true;
  const Answered whole = scan(*table, request);
  const auto regions = table->regions();
  ASSERT_EQ(regions.size(), 3u);
  fs::resize_file(regions[1].files[0].path, 100);
  const Answered damaged = scan(*Table::open_table(set.root(), "wide"), request);
  expect_nothing_lost(whole, damaged, "cut file");
  ASSERT_EQ(damaged.skipped.size(), 1u);
  EXPECT_EQ(damaged.skipped[0].rows.start, regions[1].start);
  EXPECT_EQ(damaged.skipped[0].rows.stop + std::string(1, '\0'), regions[1].end);
  EXPECT_TRUE(damaged.skipped[0].rows.includes_stop);
  request.skips_damage = false;
  const Answered ended = scan(*Table::open_table(set.root(), "wide"), request);
  EXPECT_NE(ended.error.find(regions[1].files[0].path), std::string::npos) << ended.error;
  EXPECT_EQ(ended.rows.back(), [&] {
    return *std::ranges::find_if(whole.rows.rbegin(), whole.rows.rend(),
                                 [&](const std::string& row) { return row < regions[1].start; });
  }());
}

TEST(TableDamageOfHBase, AFileOfLargeValuesThatIsGoneTakesTheRowsThatNeedIt) {
  const HBaseSet set("root/data/default/mob root/mobdir");
  ScanRequest request;
  request.skips_damage = true;
  const Answered whole = scan(*Table::open_table(set.root(), "mob"), request);
  ASSERT_EQ(whole.error, "");
  fs::remove_all(set.path("mobdir"));
  const Answered damaged = scan(*Table::open_table(set.root(), "mob"), request);
  expect_nothing_lost(whole, damaged, "mob");
  EXPECT_FALSE(damaged.skipped.empty());
  for (const SkippedRows& skipped : damaged.skipped) {
    EXPECT_EQ(skipped.rows.start, skipped.rows.stop);
  }
}

TEST_F(TableDamage, TheWatchEndsAScanThatAnswersNothing) {
  ScanRequest request;
  request.filter = *parse_filter("RowFilter(=, 'binary:none')");
  std::uint64_t seen = 0;
  request.watch = [&](const ScanPlace& place) -> Status {
    seen = place.rows;
    EXPECT_EQ(place.of_regions, 1u);
    return place.rows < 30 ? Status() : Status(Error::io("scan", "scan", EINTR));
  };
  const Answered answered = scan(*open(), request);
  EXPECT_NE(answered.error, "");
  EXPECT_EQ(seen, 30u);
}

TEST_F(TableDamage, FilesAreNotedWithTheReasonOfTheirSkip) {
  ScanRequest request;
  request.start = request.stop = "row001";
  request.includes_stop = true;
  request.notes_files = true;
  const auto table = open();
  auto scanner = table->scan(request);
  ASSERT_TRUE(scanner);
  ASSERT_TRUE(scanner->next());
  ASSERT_EQ(scanner->files().size(), 2u);
  EXPECT_EQ(scanner->files()[0].skipped_by, SkippedBy::kNothing);
  request.times.from = 550;
  scanner = table->scan(request);
  ASSERT_TRUE(scanner->next());
  EXPECT_EQ(scanner->files()[0].skipped_by, SkippedBy::kTimeRange);
  EXPECT_EQ(scanner->files()[0].reason, "skipped by its time range: 100 to 249");
}

}  // namespace
}  // namespace bloomery
