// Cells in memory beside files, read from a source whose views change. table_model_test.cc has random tables.
#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/table/row_reader.h"
#include "bloomery/table/table.h"
#include "hfile/block_walk.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"
#include "tests/table/view_source.h"

namespace bloomery {
namespace {

OwnedCell put_of(const std::string& row, const std::string& qualifier, std::int64_t time,
                 const std::string& value, std::int64_t mvcc) {
  return {.row = row, .family = "f", .qualifier = qualifier, .timestamp = time, .value = value, .mvcc = mvcc};
}

OwnedCell marker_of(const std::string& row, CellType type, std::int64_t time, std::int64_t mvcc) {
  return {.row = row, .family = "f", .timestamp = time, .type = type, .mvcc = mvcc};
}

TableSchema schema_of(const std::vector<std::string>& families) {
  TableSchema schema;
  for (const std::string& name : families) {
    schema.families.emplace_back().name = name;
    schema.families.back().versions = 3;
  }
  return schema;
}

std::string text_of_row(const RowResult& result) {
  std::string text;
  for (const KeptCell& kept : result.cells()) {
    text += (text.empty() ? "" : " ") + std::string(kept.cell().key.qualifier) + "=" +
            std::string(kept.cell().value);
  }
  return text;
}

std::string get_text(RowReader& reader, const std::string& row) {
  RowResult result;
  const auto found = reader.get(row, result);
  return found ? text_of_row(result) : found.error().to_string();
}

std::vector<std::string> rest_of(Result<TableScanner>& scanner) {
  std::vector<std::string> rows;
  Result<bool> found = scanner ? scanner->next() : Result<bool>(scanner.error());
  for (; found && *found; found = scanner->next()) {
    rows.push_back(std::string(scanner->result().row()) + ": " + text_of_row(scanner->result()));
  }
  if (!found) {
    rows.push_back(found.error().to_string());
  }
  return rows;
}

std::vector<std::string> scan_text(const Table& table, const ScanRequest& request = {}) {
  auto scanner = table.scan(request);
  return rest_of(scanner);
}

using Rows = std::vector<std::string>;

class MemoryReads : public testing::Test {
 protected:
  // Writes a file of the family f.
  std::string file_of(const std::string& name, std::vector<OwnedCell> cells,
                      std::uint32_t block_bytes = 65536) {
    sort_cells(cells);
    HFileWriteOptions options;
    options.block_bytes = block_bytes;
    const Status written = write_cells(folder_.path(name), options, cells);
    EXPECT_TRUE(written) << written.error().to_string();
    return folder_.path(name);
  }
  static std::shared_ptr<ViewSource> source_of(std::size_t regions = 1) {
    std::vector<table::RegionLayout> layout(regions);
    for (std::size_t i = 0; i < regions; ++i) {
      layout[i].name = std::to_string(i);
      layout[i].info.start = i == 0 ? "" : std::string(1, static_cast<char>('a' + i));
      layout[i].info.end = i + 1 == regions ? "" : std::string(1, static_cast<char>('b' + i));
    }
    return std::make_shared<ViewSource>(schema_of({"f"}), std::move(layout));
  }
  static Table table_of(const std::shared_ptr<ViewSource>& source) {
    return table::TableAccess::table_of(source);
  }

  TestFolder folder_;
};

TEST_F(MemoryReads, MemoryIsNewerThanAFileWithEqualCells) {
  const auto memory = std::make_shared<VectorCells>(std::vector{put_of("a", "q", 5, "memory", 7)});
  const auto source = source_of();
  source->set(0, {{"f", store_of({file_of("one", {put_of("a", "q", 5, "file", 7)})}, {memory}).value()}});
  EXPECT_EQ(scan_text(table_of(source)), Rows{"a: q=memory"});
  ScanRequest reversed;
  reversed.is_reversed = true;
  EXPECT_EQ(scan_text(table_of(source), reversed), Rows{"a: q=memory"});
}

TEST_F(MemoryReads, EachGetOfAReaderHasAReadPointOfItsOwn) {
  const auto memory = std::make_shared<VectorCells>(std::vector{put_of("b", "q", 1, "first", 1)});
  const auto source = source_of();
  source->set(0, {{"f", store_of({}, {memory}).value()}});
  source->set_read_point(1);
  const Table table = table_of(source);
  for (const bool names_column : {false, true}) {
    CellRequest request;
    if (names_column) {
      request.columns = {{"f", "q"}};
    }
    source->set_read_point(1);
    auto reader = RowReader::make(table, request);
    ASSERT_TRUE(reader);
    EXPECT_EQ(get_text(*reader, "b"), "q=first");
    memory->add(put_of("b", "q", 2, "second", 2));
    memory->add(marker_of("b", CellType::kDeleteFamily, 9, 3));
    EXPECT_EQ(get_text(*reader, "b"), "q=first");
    source->set_read_point(2);
    EXPECT_EQ(get_text(*reader, "b"), "q=second");
    source->set_read_point(3);
    EXPECT_EQ(get_text(*reader, "b"), "");
  }
  EXPECT_EQ(source->opened(), 2U) << "no view has changed, so each reader opens the region once";
}

TEST_F(MemoryReads, ARowThatIsNotInMemoryCostsNoCursor) {
  const auto memory = std::make_shared<VectorCells>(std::vector{put_of("b", "q", 3, "memory", 1)});
  const auto source = source_of();
  source->set(0, {{"f", store_of({file_of("one", {put_of("a", "q", 1, "file", 0)})}, {memory}).value()}});
  const Table table = table_of(source);
  auto reader = RowReader::make(table, {});
  ASSERT_TRUE(reader);
  EXPECT_EQ(get_text(*reader, "a"), "q=file");
  EXPECT_EQ(get_text(*reader, "c"), "");
  EXPECT_EQ(memory->cursors_made(), 0U);
  EXPECT_EQ(get_text(*reader, "b"), "q=memory");
  EXPECT_EQ(get_text(*reader, "b"), "q=memory");
  EXPECT_EQ(memory->cursors_made(), 1U) << "a cursor lasts while the read point does";
  CellRequest old;
  old.times = {0, 2};
  auto reader_of_old = RowReader::make(table, old);
  ASSERT_TRUE(reader_of_old);
  EXPECT_EQ(get_text(*reader_of_old, "b"), "");
  EXPECT_EQ(memory->cursors_made(), 1U) << "its times are newer";
}

// A marker hides cells that are older than all times of the memory.
TEST_F(MemoryReads, AMarkerInMemoryHidesOlderTimesOfFiles) {
  const auto memory =
      std::make_shared<VectorCells>(std::vector{marker_of("a", CellType::kDeleteFamily, 9, 1)});
  const auto source = source_of();
  source->set(0, {{"f", store_of({file_of("one", {put_of("a", "q", 1, "file", 0)})}, {memory}).value()}});
  CellRequest request;
  request.times = {0, 5};
  for (const bool names_column : {false, true}) {
    if (names_column) {
      request.columns = {{"f", "q"}};
    }
    auto reader = RowReader::make(table_of(source), request);
    ASSERT_TRUE(reader);
    EXPECT_EQ(get_text(*reader, "a"), "");
  }
  ScanRequest scan;
  scan.times = request.times;
  EXPECT_EQ(scan_text(table_of(source), scan), Rows());
}

// A lazy cursor must not stand before times or markers that were added after the reader was made.
TEST_F(MemoryReads, AReaderSeesTimesRowsAndMarkersThatAreAddedLater) {
  const auto memory = std::make_shared<VectorCells>();
  const auto source = source_of();
  source->set(0, {{"f", store_of({file_of("one", {put_of("a", "q", 5, "file", 0)})}, {memory}).value()}});
  CellRequest request;
  request.columns = {{"f", "q"}};
  auto reader = RowReader::make(table_of(source), request);
  ASSERT_TRUE(reader);
  EXPECT_EQ(get_text(*reader, "a"), "q=file");
  EXPECT_EQ(get_text(*reader, "b"), "");
  memory->add(put_of("a", "q", 7, "newer", 1));
  memory->add(put_of("b", "q", 2, "other", 2));
  source->set_read_point(2);
  EXPECT_EQ(get_text(*reader, "a"), "q=newer");
  EXPECT_EQ(get_text(*reader, "b"), "q=other");
  memory->add(marker_of("a", CellType::kDeleteFamily, 6, 3));
  memory->add(put_of("a", "q", 8, "newest", 4));
  source->set_read_point(3);
  EXPECT_EQ(get_text(*reader, "a"), "q=newer");
  source->set_read_point(4);
  EXPECT_EQ(get_text(*reader, "a"), "q=newest");
  memory->add(marker_of("a", CellType::kDeleteFamily, 8, 5));
  source->set_read_point(5);
  EXPECT_EQ(get_text(*reader, "a"), "");
}

TEST_F(MemoryReads, AReaderFollowsTheViewsOfItsRegion) {
  const auto memory = std::make_shared<VectorCells>(std::vector{put_of("b", "q", 1, "one", 1)});
  const auto source = source_of();
  source->set(0, {{"f", store_of({}, {memory}).value()}});
  source->set_read_point(1);
  auto reader = RowReader::make(table_of(source), {});
  ASSERT_TRUE(reader);
  EXPECT_EQ(get_text(*reader, "b"), "q=one");
  // The memory is flushed to a file; later cells are in a new one.
  const auto next = std::make_shared<VectorCells>(std::vector{put_of("b", "r", 2, "two", 2)});
  source->set(0, {{"f", store_of({file_of("flushed", memory->all())}, {next}).value()}});
  EXPECT_EQ(get_text(*reader, "b"), "q=one");
  source->set_read_point(2);
  EXPECT_EQ(get_text(*reader, "b"), "q=one r=two");
  std::vector<RowResult> results;
  const std::vector<std::string_view> rows = {"c", "b"};
  source->set(0, {});
  ASSERT_TRUE(reader->get(rows, results));
  EXPECT_EQ(text_of_row(results[0]) + text_of_row(results[1]), "") << "a batch follows, too";
}

// Two regions with a row each. advance() flushes the memory of both to files, and publishes a write whose cells
// are in new memory.
class TwoRegions : public MemoryReads {
 protected:
  TwoRegions() {
    for (const std::size_t region : {std::size_t{0}, std::size_t{1}}) {
      const std::string row = kRowsOfRegions[region];
      flushed_.push_back(file_of("flushed" + row, {put_of(row, "q", 1, "old", 1)}));
      source_->set(region, {{"f", store_of({}, {memory_of(region, "old", 1)}).value()}});
    }
    source_->set_read_point(1);
  }

  void advance() {
    for (const std::size_t region : {std::size_t{0}, std::size_t{1}}) {
      source_->set(region, {{"f", store_of({flushed_[region]}, {memory_of(region, "new", 2)}).value()}});
    }
    source_->set_read_point(2);
  }

  std::shared_ptr<ViewSource> source_ = source_of(2);

 private:
  static constexpr const char* kRowsOfRegions[] = {"a", "b"};

  static MemoryPointer memory_of(std::size_t region, const std::string& value, std::int64_t mvcc) {
    return std::make_shared<VectorCells>(std::vector{put_of(kRowsOfRegions[region], "q", mvcc, value, mvcc)});
  }

  std::vector<std::string> flushed_;
};

// The read point has the new write, so a reader may not use the view that it opened before.
TEST_F(TwoRegions, AViewThatChangesBeforeTheReadPointIsOpenedAgain) {
  source_->before_read_point([&] { advance(); });
  auto reader = RowReader::make(table_of(source_), {});
  ASSERT_TRUE(reader);
  EXPECT_EQ(get_text(*reader, "b"), "q=new");
}

TEST_F(TwoRegions, AScanIsASnapshotOfWhenItWasMade) {
  auto scanner = table_of(source_).scan({});
  ASSERT_TRUE(scanner);
  advance();
  EXPECT_EQ(rest_of(scanner), (Rows{"a: q=old", "b: q=old"}));
  EXPECT_EQ(scan_text(table_of(source_)), (Rows{"a: q=new", "b: q=new"}));
}

// The scan opens the stores, and then everything changes before it takes the read point.
TEST_F(TwoRegions, AScanPinsViewsThatHaveAllCellsOfItsReadPoint) {
  source_->before_read_point([&] { source_->before_read_point([&] { advance(); }); });
  EXPECT_EQ(scan_text(table_of(source_)), (Rows{"a: q=new", "b: q=new"}));
}

TEST_F(MemoryReads, NotesNameTheMemstore) {
  const auto memory = std::make_shared<VectorCells>(std::vector{put_of("b", "q", 3, "memory", 1)});
  const auto source = source_of();
  source->set(0, {{"f", store_of({file_of("one", {put_of("a", "q", 1, "file", 0)})}, {memory}).value()}});
  const Table table = table_of(source);
  auto reader = RowReader::make(table, {});
  ASSERT_TRUE(reader);
  reader->note_files();
  EXPECT_EQ(get_text(*reader, "b"), "q=memory");
  ASSERT_EQ(reader->files().size(), 2U);
  EXPECT_EQ(reader->files()[1].file.name, "memstore");
  EXPECT_EQ(reader->files()[1].skipped_by, SkippedBy::kNothing);
  EXPECT_TRUE(reader->files()[1].blocks.empty());
  EXPECT_EQ(get_text(*reader, "a"), "q=file");
  EXPECT_EQ(reader->files()[1].reason, "skipped: it has no cell of the row");

  ScanRequest scan;
  scan.notes_files = true;
  scan.times = {0, 2};
  auto scanner = table.scan(scan);
  EXPECT_EQ(rest_of(scanner), Rows{"a: q=file"});
  ASSERT_EQ(scanner->files().size(), 2U);
  EXPECT_EQ(scanner->files()[1].file.path, "memstore");
  EXPECT_EQ(scanner->files()[1].reason, "skipped by its time range: 3 to 3");
}

TEST_F(MemoryReads, EmptyMemoryIsSkipped) {
  const auto memory = std::make_shared<VectorCells>();
  const auto source = source_of();
  source->set(0, {{"f", store_of({}, {memory}).value()}});
  EXPECT_EQ(scan_text(table_of(source)), Rows());
  EXPECT_EQ(memory->cursors_made(), 0U);
}

// Each data block of the file in turn is damaged. Rows that are not listed have all cells, of both.
TEST_F(MemoryReads, DamageInAFileLosesOnlyTheRowsThatAreListed) {
  std::vector<OwnedCell> in_file;
  std::vector<OwnedCell> in_memory;
  Rows whole;
  for (char row = 'a'; row <= 'z'; ++row) {
    const std::string name(1, row);
    in_file.push_back(put_of(name, "q", 1, "file", 0));
    in_memory.push_back(put_of(name, "r", 1, "memory", 1));
    whole.push_back(name + ": q=file r=memory");
  }
  const std::string path = file_of("one", in_file, 64);
  const auto source = source_of();
  const std::string bytes = file_bytes(path);
  std::size_t damaged = 0;
  const auto check = [&](std::uint64_t offset, std::uint64_t size) {
    std::string changed = bytes;
    changed[offset + size / 2] = static_cast<char>(changed[offset + size / 2] ^ 0x40);
    std::ofstream(path, std::ios::binary) << changed;
    const auto memory = std::make_shared<VectorCells>(in_memory);
    source->set(0, {{"f", store_of({path}, {memory}).value()}});
    for (const bool is_reversed : {false, true}) {
      ScanRequest scan;
      scan.is_reversed = is_reversed;
      scan.skips_damage = true;
      auto scanner = table_of(source).scan(scan);
      Rows rows = rest_of(scanner);
      if (is_reversed) {
        std::ranges::reverse(rows);
      }
      ASSERT_EQ(scanner->skipped().size(), 1U);
      const RowRange& lost = scanner->skipped().front().rows;
      Rows expected;
      for (const std::string& text : whole) {
        const std::string row = text.substr(0, 1);
        const bool is_lost = row >= lost.start && (lost.stop.empty() || row < lost.stop ||
                                                   (lost.includes_stop && row == lost.stop));
        if (!is_lost) {
          expected.push_back(text);
        }
      }
      EXPECT_EQ(rows, expected) << "offset " << offset << (is_reversed ? ", reversed" : "");
      EXPECT_LT(expected.size(), whole.size());
      EXPECT_GT(expected.size(), whole.size() / 2);
    }
    ++damaged;
  };
  File file = *FileSystem::real().open(path, OpenFor::kReading);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;
  (void)hfile::walk_block_headers(file, bytes.size(),
                                  [&](const hfile::BlockHeader& header, std::uint64_t offset) -> Status {
                                    if (header.kind == hfile::BlockKind::kData) {
                                      blocks.emplace_back(offset, header.on_disk_bytes);
                                    }
                                    return {};
                                  });
  for (const auto& [offset, size] : blocks) {
    check(offset, size);
  }
  EXPECT_GT(damaged, 5U);
}

}  // namespace
}  // namespace bloomery
