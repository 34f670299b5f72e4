// Gets of rows read no more files and blocks than they need, and say what they read. They give right answers or an error,
// whatever the size of the cache and the state of the files. table_model_test.cc compares the answers.
#include "bloomery/table/row_reader.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/table/filter_language.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

std::string row_of(int i) {
  return "row " + std::to_string(10'000 + i);
}

class RowReaderFiles : public testing::Test {
 protected:
  // A file of every second row from `first` on, with two columns.
  std::string write(const std::string& name, std::int64_t time, int first = 0,
                    hfile::BloomType bloom = hfile::BloomType::kRow, const std::string& value = "v",
                    const char* family = "f") {
    HFileWriteOptions options{.may_replace = true, .block_bytes = 512};
    options.bloom.type = bloom;
    options.bloom.prefix_bytes = bloom == hfile::BloomType::kRowPrefix ? 7 : 0;
    options.max_sequence_id = time;
    options.index_block_bytes = 512;
    std::vector<OwnedCell> cells;
    for (int i = first; i < 400; i += 2) {
      for (const char* const qualifier : {"p", "q"}) {
        cells.push_back(
            {.row = row_of(i), .family = family, .qualifier = qualifier, .timestamp = time, .value = value});
      }
    }
    const Status written = write_cells(folder_.path(name), options, cells);
    EXPECT_TRUE(written) << written.error().to_string();
    return folder_.path(name);
  }

  static Table open(const std::vector<std::string>& paths, const TableOptions& options = {}) {
    auto table = Table::open_files(paths, options);
    EXPECT_TRUE(table) << table.error().to_string();
    return *table;
  }

  static std::vector<FileOfScan> files_of(const Table& table, const CellRequest& request,
                                          std::string_view row) {
    auto reader = RowReader::make(table, request);
    EXPECT_TRUE(reader);
    reader->note_files();
    RowResult result;
    EXPECT_TRUE(reader->get(row, result));
    return reader->files();
  }

  static std::size_t data_blocks(const FileOfScan& file) {
    return static_cast<std::size_t>(std::ranges::count_if(
        file.blocks, [](const BlockOfScan& block) { return block.kind == "data block"; }));
  }

  TestFolder folder_;
};

Filter take_filter(const char* text) {
  auto filter = parse_filter(text);
  EXPECT_TRUE(filter) << filter.error().to_string();
  return *filter;
}

CellRequest column(const char* qualifier, std::int32_t versions = 1) {
  CellRequest request;
  request.columns = {{.family = "f", .qualifier = qualifier}};
  request.versions = versions;
  return request;
}

TEST_F(RowReaderFiles, AFileWhoseNewestCellIsOlderThanTheAnswerIsNotRead) {
  for (const auto bloom : {hfile::BloomType::kRow, hfile::BloomType::kRowCol, hfile::BloomType::kNone}) {
    const Table table = open({write("old", 10, 0, bloom), write("new", 20, 0, bloom)});
    for (const FileOfScan& file : files_of(table, column("q"), row_of(100))) {
      const bool is_old = file.file.path == folder_.path("old");
      EXPECT_EQ(file.skipped_by, is_old ? SkippedBy::kNewerCells : SkippedBy::kNothing);
      EXPECT_EQ(data_blocks(file), is_old ? 0U : 1U);
      EXPECT_EQ(file.reason, is_old ? "skipped by newer cells: its newest one is of 10" : "");
    }
    for (const FileOfScan& file : files_of(table, {}, row_of(100))) {  // no column is named
      EXPECT_EQ(file.skipped_by, SkippedBy::kNothing);
    }
  }
}

TEST_F(RowReaderFiles, NewerCellsSpareAFileAlsoWithAFilterAndWithNewVersionBehavior) {
  TableOptions options;
  FamilySchema family{.name = "f"};
  family.has_new_version_behavior = true;
  options.schema = TableSchema{.families = {family}};
  CellRequest filtered = column("q");
  filtered.filter = take_filter("ValueFilter(=, 'binary:v')");
  for (const auto bloom : {hfile::BloomType::kRow, hfile::BloomType::kRowCol}) {
    const std::vector<std::string> paths = {write("old", 10, 0, bloom), write("new", 20, 0, bloom)};
    for (const auto& files : {files_of(open(paths), filtered, row_of(100)),
                              files_of(open(paths, options), column("q"), row_of(100))}) {
      for (const FileOfScan& file : files) {
        const bool is_old = file.file.path == folder_.path("old");
        EXPECT_EQ(file.skipped_by, is_old ? SkippedBy::kNewerCells : SkippedBy::kNothing);
        EXPECT_EQ(data_blocks(file), is_old ? 0U : 1U);
      }
    }
  }
}

// Markers of the family stand among the versions of the column without a name, in the order of their times.
TEST_F(RowReaderFiles, NewerCellsOfTheColumnWithoutANameSpareAFileWithMarkers) {
  const auto write_cell = [&](const char* name, std::int64_t time, CellType type) {
    HFileWriteOptions options{.may_replace = true};
    options.bloom.type = hfile::BloomType::kRow;
    options.max_sequence_id = time;
    EXPECT_TRUE(write_cells(folder_.path(name), options,
                            {{.row = "r", .family = "f", .qualifier = "", .timestamp = time, .type = type}}));
    return folder_.path(name);
  };
  RowResult result;
  const Table spared =
      open({write_cell("old", 10, CellType::kDeleteFamily), write_cell("new", 20, CellType::kPut)});
  for (const FileOfScan& file : files_of(spared, column(""), "r")) {
    const bool is_old = file.file.path == folder_.path("old");
    EXPECT_EQ(file.skipped_by, is_old ? SkippedBy::kNewerCells : SkippedBy::kNothing);
  }
  ASSERT_TRUE(RowReader::make(spared, column(""))->get("r", result));
  EXPECT_EQ(result.size(), 1U);
  const Table deleted =
      open({write_cell("put", 10, CellType::kPut), write_cell("marker", 20, CellType::kDeleteFamily)});
  ASSERT_TRUE(RowReader::make(deleted, column(""))->get("r", result));
  EXPECT_EQ(result.size(), 0U);
}

TEST_F(RowReaderFiles, NoFileIsReadIfTheFilterDropsTheRow) {
  const Table table = open({write("one", 10)});
  for (const char* const text : {"RowFilter(=, 'binary:another')", "PrefixFilter('another')",
                                 "InclusiveStopFilter('row') AND MultipleColumnPrefixFilter('p')"}) {
    CellRequest request;
    request.filter = take_filter(text);
    const FileOfScan file = files_of(table, request, row_of(100)).at(0);
    EXPECT_EQ(file.skipped_by, SkippedBy::kRequestFilter) << text;
    EXPECT_EQ(file.reason, "skipped: the filter of the request needs no more of the row");
    EXPECT_EQ(data_blocks(file), 0U) << text;
  }
}

// The filter ends the get with the first cell, which is of the family f.
TEST_F(RowReaderFiles, AFamilyIsNotReadIfTheFilterHasEndedBefore) {
  const Table table = open({write("one", 10), write("other", 10, 0, hfile::BloomType::kRow, "v", "g")});
  CellRequest request;
  request.filter = take_filter("ColumnCountGetFilter(1)");
  for (const FileOfScan& file : files_of(table, request, row_of(100))) {
    EXPECT_EQ(file.skipped_by, file.file.family == "f" ? SkippedBy::kNothing : SkippedBy::kRequestFilter);
    EXPECT_EQ(data_blocks(file), file.file.family == "f" ? 1U : 0U);
  }
}

// The filter decides on the family f, and the family g is read of accepted rows alone.
TEST_F(RowReaderFiles, AFamilyThatTheFilterDoesNotNeedIsNotReadOfADroppedRow) {
  const Table table = open({write("one", 10), write("other", 10, 0, hfile::BloomType::kRow, "v", "g")});
  for (const bool is_accepted : {false, true}) {
    CellRequest request;
    request.filter =
        take_filter(is_accepted ? "SingleColumnValueFilter('f', 'p', =, 'binary:v', true, true)"
                                : "SingleColumnValueFilter('f', 'p', =, 'binary:w', true, true)");
    for (const FileOfScan& file : files_of(table, request, row_of(100))) {
      const bool is_read = is_accepted || file.file.family == "f";
      EXPECT_EQ(file.skipped_by, is_read ? SkippedBy::kNothing : SkippedBy::kRequestFilter);
      EXPECT_EQ(data_blocks(file), is_read ? 1U : 0U);
    }
    RowResult result;
    ASSERT_TRUE(RowReader::make(table, request)->get(row_of(100), result));
    EXPECT_EQ(result.size(), is_accepted ? 4U : 0U);
  }
}

TEST_F(RowReaderFiles, SaysWhichBlocksCameFromTheCache) {
  const Table table = open({write("one", 10)}, {.cache = BlockCache::make(1 << 20)});
  const auto first = files_of(table, {}, row_of(100));
  const auto second = files_of(table, {}, row_of(100));
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(data_blocks(first[0]), 1U);
  ASSERT_EQ(first[0].blocks.size(), second[0].blocks.size());
  for (std::size_t i = 0; i < first[0].blocks.size(); ++i) {
    EXPECT_TRUE(first[0].blocks[i].is_from_disk);
    EXPECT_FALSE(second[0].blocks[i].is_from_disk);
    EXPECT_EQ(first[0].blocks[i].offset, second[0].blocks[i].offset);
    EXPECT_EQ(first[0].blocks[i].kind, second[0].blocks[i].kind);
  }
}

// A row that ends with its block ends the get: the index says that the next block begins behind it.
TEST_F(RowReaderFiles, NoGetOfASmallRowReadsASecondDataBlockForItsEnd) {
  const Table table = open({write("one", 10)});
  std::size_t most = 0;
  std::size_t sum = 0;
  for (int i = 0; i < 400; i += 2) {
    const std::size_t blocks = data_blocks(files_of(table, {}, row_of(i)).front());
    most = std::max(most, blocks);
    sum += blocks;
  }
  EXPECT_LE(most, 2U);  // of a row that begins in one block and ends in the next
  EXPECT_LT(sum, 200U * 5 / 4);
}

TEST_F(RowReaderFiles, NeighbouringRowsReadABlockOnce) {
  const Table table = open({write("one", 10)});
  auto reader = RowReader::make(table, {});
  std::vector<std::string> rows;
  for (int i = 0; i < 400; i += 2) {
    rows.push_back(row_of(i));
  }
  std::ranges::reverse(rows);
  std::vector<RowResult> results;
  ASSERT_TRUE(reader->get(std::vector<std::string_view>(rows.begin(), rows.end()), results));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(results[i].size(), 2U);
    EXPECT_EQ(results[i].row(), rows[i]);
  }
  const std::uint64_t read = table.read_counters().files.at(0).blocks.data_blocks;
  EXPECT_LT(read, 60U);  // of 200 rows, five and more in a block
}

TEST_F(RowReaderFiles, AScanOfAPrefixAsksTheFilterOfPrefixes) {
  const Table table = open({write("one", 10, 0, hfile::BloomType::kRowPrefix),
                            write("two", 20, 300, hfile::BloomType::kRowPrefix)});
  ScanRequest scan;
  scan.notes_files = true;
  scan.set_prefix("row 1010", false);
  for (const bool is_reversed : {false, true}) {
    scan.set_prefix("row 102", is_reversed);
    auto scanner = table.scan(scan);
    ASSERT_TRUE(scanner) << scanner.error().to_string();
    std::size_t rows = 0;
    auto found = scanner->next();
    for (; found && *found; found = scanner->next()) {
      ++rows;
    }
    ASSERT_TRUE(found);
    EXPECT_EQ(rows, 50U);
    for (const FileOfScan& file : scanner->files()) {
      EXPECT_EQ(file.skipped_by != SkippedBy::kNothing, file.file.path == folder_.path("two"));
    }
  }
}

TEST_F(RowReaderFiles, CountsWhatFiltersSaidAndWhatWasTrue) {
  const Table table = open({write("one", 10)}, {.cache = BlockCache::make(1 << 20), .pins_filters = true});
  {
    auto reader = RowReader::make(table, {});
    RowResult result;
    for (int i = 0; i < 200; ++i) {
      const auto found = reader->get(row_of(i), result);
      ASSERT_TRUE(found);
      EXPECT_EQ(*found, i % 2 == 0);
    }
  }
  const TableReadCounters counters = table.read_counters();
  const FilterCounters& filter = counters.files.at(0).filter;
  EXPECT_EQ(filter.checks, 200U);
  EXPECT_EQ(filter.true_positives, 100U);
  EXPECT_EQ(filter.negatives + filter.false_positives, 100U);
  EXPECT_GT(filter.negatives, 90U);
  EXPECT_EQ(counters.families.at(0).row_gets, 200U);
  EXPECT_EQ(counters.families.at(0).absent_row_gets, 100U);
  // The next reader finds the blocks in the cache.
  const std::uint64_t read = counters.files.at(0).blocks.data_blocks;
  RowResult result;
  ASSERT_TRUE(RowReader::make(table, {})->get(row_of(100), result));
  EXPECT_GT(table.read_counters().files.at(0).blocks.cache_hits, 0U);
  EXPECT_EQ(table.read_counters().files.at(0).blocks.data_blocks, read);
}

// A cache of a byte, one that no block fits into, one of a few blocks.
TEST_F(RowReaderFiles, ACacheOfAnySizeGivesTheSameAnswers) {
  const auto path = write("one", 10);
  for (const std::uint64_t bytes : {0U, 1U, 100U, 560U, 2000U, 1U << 24}) {
    const auto cache = BlockCache::make(bytes);
    const Table table = open({path, write("two", 20, 1)}, {.cache = cache});
    auto reader = RowReader::make(table, {});
    RowResult result;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 400; i += 3) {
        const auto found = reader->get(row_of(i), result);
        ASSERT_TRUE(found);
        ASSERT_TRUE(*found) << i;
        EXPECT_EQ(result.cells().front().cell().key.timestamp, i % 2 == 0 ? 10 : 20);
        EXPECT_LE(cache->counters().bytes, bytes);
      }
    }
  }
}

// Every 7th byte is damaged, before the file is opened and while it is open and partly cached.
TEST_F(RowReaderFiles, DamageIsAnErrorOrDoesNotMatter) {
  const auto path = write("one", 10);
  const std::string sound = file_bytes(path);
  const auto put = [&](std::size_t at, int byte) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(byte));
    ASSERT_TRUE(file.flush());
  };
  const auto ask = [&](RowReader& reader) {
    RowResult result;
    for (const int i : {0, 1, 100, 201, 398}) {
      const auto found = reader.get(row_of(i), result);
      if (found) {
        ASSERT_EQ(*found, i % 2 == 0);
        ASSERT_EQ(result.size(), i % 2 == 0 ? 2U : 0U);
      } else {
        ASSERT_TRUE(found.error().code() == ErrorCode::kCorruption ||
                    found.error().code() == ErrorCode::kUnsupported)
            << found.error().to_string();
      }
    }
  };
  for (std::size_t at = 0; at < sound.size(); at += 7) {
    put(at, sound[at] ^ 0x11);
    const TableOptions options{.cache = BlockCache::make(1 << 20)};
    if (const auto table = Table::open_files({path}, options)) {
      if (auto reader = RowReader::make(*table, {})) {
        ask(*reader);
      }
    }
    put(at, sound[at]);
    const Table table = open({path}, options);
    auto reader = RowReader::make(table, {});
    RowResult result;
    ASSERT_TRUE(reader->get(row_of(100), result));  // this block, its index and the filter are in the cache
    put(at, sound[at] ^ 0x11);
    ask(*reader);
    put(at, sound[at]);
    ASSERT_FALSE(testing::Test::HasFailure()) << "byte " << at;
  }
}

// An open table reads the file that it opened. The next table reads the new one, with the same cache.
TEST_F(RowReaderFiles, AReplacedFileNeverGetsABlockOfTheOldOne) {
  const auto path = write("one", 10, 0, hfile::BloomType::kRow, "old");
  const TableOptions options{.cache = BlockCache::make(1 << 20), .pins_filters = true};
  const Table before = open({path}, options);
  auto old = RowReader::make(before, {});
  RowResult result;
  ASSERT_TRUE(old->get(row_of(100), result));
  write("other", 10, 0, hfile::BloomType::kRow, "new");
  std::filesystem::rename(folder_.path("other"), path);
  const Table after = open({path}, options);
  auto fresh = RowReader::make(after, {});
  for (int i = 0; i < 400; i += 2) {
    ASSERT_TRUE(old->get(row_of(i), result).value());
    EXPECT_EQ(result.cells().front().cell().value, "old");
    ASSERT_TRUE(fresh->get(row_of(i), result).value());
    EXPECT_EQ(result.cells().front().cell().value, "new");
  }
}

TEST_F(RowReaderFiles, RefusesRowsThatCannotBe) {
  const Table table = open({write("one", 10)});
  auto reader = RowReader::make(table, {});
  RowResult result;
  EXPECT_EQ(reader->get("", result).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(reader->get(std::string(32'768, 'r'), result).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(reader->get(std::string(32'767, 'r'), result));
  CellRequest unknown;
  unknown.columns = {{.family = "g", .qualifier = {}}};
  EXPECT_FALSE(RowReader::make(table, unknown));
}

}  // namespace
}  // namespace bloomery
