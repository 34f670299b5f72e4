// Gets that reach data blocks without the index, beside scanners that use it.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/hfile/hfile_writer.h"
#include "hfile/read_log.h"
#include "hfile/reader_access.h"
#include "hfile/scan_state.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

constexpr int kIndexedRows = 60;
constexpr int kCells = 11;  // of a row: more than a data block has

std::string indexed_row(int i) {
  return "row-" + std::to_string(1000 + i);
}

// A file of three levels of index, whose blocks have a few cells or entries each.
std::string written_levels(const TestFolder& folder) {
  HFileWriteOptions options;
  options.block_bytes = 300;
  options.index_block_bytes = 120;
  const std::string path = folder.path("cells");
  auto writer = HFileWriter::create(path, options);
  EXPECT_TRUE(writer);
  for (int i = 0; i < kIndexedRows; ++i) {
    const std::string row = indexed_row(i);
    for (int cell = 0; cell < kCells; ++cell) {
      EXPECT_TRUE(writer->append(
          {.key = {row, "f", "q" + std::to_string(10 + cell), 1, CellType::kPut}, .value = "a value"}));
    }
  }
  EXPECT_TRUE(writer->finish());
  return path;
}

struct Found {
  std::vector<std::string> cells;
  std::uint64_t data_blocks = 0;
  std::uint64_t index_blocks = 0;
  bool has_failed = false;
};

// Reads the cells of the row as a get does. A get says with which row it is content.
Found get(HFileScanner& scanner, const std::string& row, bool is_get) {
  Found found;
  const hfile::ReadLog log;
  if (is_get) {
    hfile::ReaderAccess::state_of(scanner).limit_to(row);
  }
  Result<bool> at = scanner.seek(first_on_row(row));
  for (; at && *at && scanner.cell().key.row == row; at = scanner.next()) {
    found.cells.push_back(std::string(scanner.cell().key.row) + "/" +
                          std::string(scanner.cell().key.qualifier));
  }
  found.has_failed = !at;
  for (const hfile::BlockRead& read : log.reads()) {
    ++(read.address.kind == hfile::BlockKind::kData ? found.data_blocks : found.index_blocks);
  }
  return found;
}

std::shared_ptr<const hfile::OpenFile> opened_file(const std::string& path) {
  auto file = hfile::OpenFile::open(path);
  EXPECT_TRUE(file);
  return file ? *file : nullptr;
}

TEST(ScanWithoutIndex, GetsFindTheCellsThatScansFind) {
  const TestFolder folder;
  const auto file = opened_file(written_levels(folder));
  ASSERT_GE(file->index().levels, 3U);
  HFileScanner kept = hfile::ReaderAccess::reader_of(file).scan();
  std::uint64_t spared = 0;
  for (int i = 0; i < kIndexedRows; ++i) {
    const std::string row = indexed_row(i);
    HFileScanner plain = hfile::ReaderAccess::reader_of(file).scan();
    HFileScanner fresh = hfile::ReaderAccess::reader_of(file).scan();
    const Found by_index = get(plain, row, false);
    const Found by_get = get(fresh, row, true);
    EXPECT_EQ(by_index.cells.size(), static_cast<std::size_t>(kCells));
    EXPECT_EQ(by_get.cells, by_index.cells) << row;
    EXPECT_LE(by_get.index_blocks, by_index.index_blocks) << row;
    EXPECT_LE(by_get.data_blocks, by_index.data_blocks) << row;
    EXPECT_EQ(get(kept, row, true).cells, by_index.cells) << row;  // one scanner for all rows
    spared += by_index.index_blocks - by_get.index_blocks;
  }
  EXPECT_GT(spared, 0U);
  EXPECT_EQ(get(kept, indexed_row(0), true).cells.size(), static_cast<std::size_t>(kCells));
}

// The first key of the index is a separator or the first cell's, and the row is before it.
TEST(ScanWithoutIndex, TheFirstRowNeedsNoIndex) {
  const TestFolder folder;
  const auto file = opened_file(written_levels(folder));
  HFileScanner scanner = hfile::ReaderAccess::reader_of(file).scan();
  hfile::ReaderAccess::state_of(scanner).limit_to(indexed_row(0));
  const hfile::ReadLog log;
  const auto found = scanner.seek(first_on_row(indexed_row(0)));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(scanner.cell().key.row, indexed_row(0));
  ASSERT_EQ(log.reads().size(), 1U);
  EXPECT_EQ(log.reads()[0].address.kind, hfile::BlockKind::kData);
}

// From a block that was reached without the index, a scanner still goes back, and to the end.
TEST(ScanWithoutIndex, TheIndexFollowsWhenItIsNeeded) {
  const TestFolder folder;
  const auto file = opened_file(written_levels(folder));
  for (const int steps : {0, 3, kCells - 1}) {
    HFileScanner scanner = hfile::ReaderAccess::reader_of(file).scan();
    hfile::ScanState& state = hfile::ReaderAccess::state_of(scanner);
    state.limit_to(indexed_row(0));
    ASSERT_TRUE(scanner.seek(first_on_row(indexed_row(0))).value());
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(scanner.next().value());
    }
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(scanner.previous().value());
    }
    EXPECT_EQ(scanner.cell().key.qualifier, "q10");
    EXPECT_FALSE(scanner.previous().value());
    ASSERT_TRUE(scanner.seek(first_on_row(indexed_row(0))).value());
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(scanner.next().value());
    }
    state.lift_limit();
    int cells = steps + 1;
    for (Result<bool> found = scanner.next(); found && *found; found = scanner.next()) {
      ++cells;
    }
    EXPECT_EQ(cells, kIndexedRows * kCells);
  }
}

// A get answers as before, or fails. It never answers less.
TEST(ScanWithoutIndex, DamageIsNeverFewerCells) {
  const TestFolder folder;
  const std::string path = written_levels(folder);
  const std::string sound = folder.read("cells");
  std::size_t failed = 0;
  for (std::size_t at = 0; at < sound.size(); at += 61) {
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
    folder.write("cells", bytes);
    const auto file = hfile::OpenFile::open(path);
    if (!file) {
      ++failed;
      continue;
    }
    HFileScanner scanner = hfile::ReaderAccess::reader_of(*file).scan();
    for (const int i : {0, 1, 29, 30, 31, kIndexedRows - 1}) {
      const Found found = get(scanner, indexed_row(i), true);
      failed += found.has_failed ? 1U : 0U;
      EXPECT_TRUE(found.has_failed || found.cells.size() == kCells) << at << " " << i;
    }
  }
  EXPECT_GT(failed, 0U);
}

}  // namespace
}  // namespace bloomery
