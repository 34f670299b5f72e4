// Files that lie under right checksums: each number that another part of the file repeats is held against it, and a
// file whose parts contradict each other is an error, never other cells.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "hfile/trailer_writer.h"
#include "tests/base/test_bytes.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/memory_files.h"
#include "tests/hfile/opened.h"
#include "tests/hfile/seal.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

using Offsets = std::vector<std::size_t>;

OwnedCell numbered_cell(int i) {
  return {.row = "row-" + std::to_string(100 + i),
          .family = "f",
          .qualifier = "q",
          .timestamp = 10,
          .value = std::string(60, 'v')};
}

// Forty cells in blocks of about three.
std::string file_of(HFileWriteOptions options = {}) {
  const TestFolder folder;
  std::vector<OwnedCell> cells;
  for (int i = 0; i < 40; ++i) {
    cells.push_back(numbered_cell(i));
  }
  options.block_bytes = 256;
  const Status written = write_cells(folder.path("f.hfile"), options, cells);
  EXPECT_TRUE(written) << written.error().to_string();
  return file_bytes(folder.path("f.hfile"));
}

// Where blocks begin that have this magic.
Offsets block_offsets(const std::string& file, const std::string& magic) {
  Offsets offsets;
  for (std::size_t at = file.find(magic); at != std::string::npos; at = file.find(magic, at + 1)) {
    offsets.push_back(at);
  }
  return offsets;
}

hfile::Trailer trailer_in(const std::string& file) {
  return *hfile::parse_trailer(bytes_of(file).last(hfile::kMaxTrailerBytes), file.size());
}

void set_trailer(std::string& file, const hfile::Trailer& trailer) {
  hfile::ByteWriter bytes;
  hfile::append_trailer(bytes, trailer);
  file.replace(file.size() - hfile::kMaxTrailerBytes, hfile::kMaxTrailerBytes, bytes.text());
}

template <typename T>
void set_number(std::string& file, std::size_t at, T value) {
  store_big(reinterpret_cast<std::byte*>(file.data()) + at, value);
}

// Where the value of an entry of file info begins: behind its name, a tag and a length of one byte.
std::size_t info_value(const std::string& file, const std::string& name) {
  const std::size_t at = file.find(name, block_offsets(file, "FILEINF2").back());
  EXPECT_NE(at, std::string::npos) << name;
  return at + name.size() + 2;
}

void seal_info(std::string& file) {
  EXPECT_NE(seal_block(file, block_offsets(file, "FILEINF2").back()), 0u);
}

// The error of going through the file in one direction; fails where there is none.
enum class Going { kForward, kBackward };
Error error_of_scan(const std::string& file, Going going) {
  MemoryFiles files(file);
  const auto reader = open_in(files, "f.hfile");
  if (!reader) {
    ADD_FAILURE() << "not even opened: " << reader.error().to_string();
    return reader.error();
  }
  HFileScanner scanner = reader->scan();
  Result<bool> found = going == Going::kForward ? scanner.seek_to_first() : scanner.seek_to_last();
  while (found && *found) {
    found = going == Going::kForward ? scanner.next() : scanner.previous();
  }
  EXPECT_FALSE(found) << "no error";
  return found ? Error(ErrorCode::kInvalidArgument, "scan", "none") : found.error();
}

Error error_of_opening(const std::string& file) {
  MemoryFiles files(file);
  const auto reader = open_in(files, "f.hfile");
  EXPECT_FALSE(reader) << "no error";
  return reader ? Error(ErrorCode::kInvalidArgument, "open", "none") : reader.error();
}

TEST(HFileLies, TheChainOfDataBlocksIsHeldAgainstTheIndex) {
  const std::string sound = file_of();
  const Offsets blocks = block_offsets(sound, "DATABLK*");
  ASSERT_GT(blocks.size(), 5u);
  for (const std::size_t wrong : {blocks[0], blocks[1]}) {
    std::string file = sound;
    set_number(file, blocks[3] + 16, std::uint64_t{wrong});
    ASSERT_NE(seal_block(file, blocks[3]), 0u);
    for (const Going going : {Going::kForward, Going::kBackward}) {
      const Error error = error_of_scan(file, going);
      EXPECT_EQ(error.code(), ErrorCode::kCorruption);
      EXPECT_EQ(error.offset(), blocks[3]);
      EXPECT_NE(error.detail().find("the data block before it"), std::string::npos) << error.to_string();
    }
  }
  std::string file = sound;
  set_number(file, blocks[0] + 16, std::uint64_t{0});  // the first has none before it
  ASSERT_NE(seal_block(file, blocks[0]), 0u);
  EXPECT_EQ(error_of_scan(file, Going::kForward).code(), ErrorCode::kCorruption);
}

TEST(HFileLies, TheCountOfCellsIsHeldAgainstThem) {
  const std::string sound = file_of();
  for (const int difference : {-1, 1}) {
    std::string file = sound;
    hfile::Trailer trailer = trailer_in(file);
    trailer.entry_count += static_cast<std::uint64_t>(difference);
    set_trailer(file, trailer);
    const Error error = error_of_scan(file, Going::kForward);
    EXPECT_EQ(error.code(), ErrorCode::kCorruption);
    EXPECT_EQ(error.subject(), "f.hfile: trailer") << error.to_string();
  }
}

// With a deeper index only who goes there sees which data blocks are the first and the last.
TEST(HFileLies, TheOffsetsOfTheFirstAndTheLastDataBlockAreHeldAgainstTheIndex) {
  for (const std::uint32_t index_block_bytes : {131072U, 100U}) {
    const std::string sound = file_of({.index_block_bytes = index_block_bytes, .index_min_entries = 2});
    const Offsets blocks = block_offsets(sound, "DATABLK*");
    const bool is_deep = trailer_in(sound).data_index_levels > 1;
    EXPECT_EQ(is_deep, index_block_bytes == 100);
    std::string file = sound;
    hfile::Trailer trailer = trailer_in(file);
    trailer.last_data_block_offset = blocks[blocks.size() - 2];
    set_trailer(file, trailer);
    EXPECT_EQ((is_deep ? error_of_scan(file, Going::kBackward) : error_of_opening(file)).code(),
              ErrorCode::kCorruption);
    trailer = trailer_in(sound);
    trailer.first_data_block_offset = blocks[1];
    set_trailer(file, trailer);
    EXPECT_EQ((is_deep ? error_of_scan(file, Going::kForward) : error_of_opening(file)).code(),
              ErrorCode::kCorruption);
  }
}

TEST(HFileLies, CellsOfAnotherVersionAreRefused) {
  const std::string sound = file_of();
  for (const std::uint32_t version : {0U, 2U}) {
    std::string file = sound;
    set_number(file, info_value(file, "KEY_VALUE_VERSION"), version);
    seal_info(file);
    const Error error = error_of_opening(file);
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_NE(error.detail().find("found " + std::to_string(version)), std::string::npos)
        << error.to_string();
  }
}

TEST(HFileLies, ALastKeyBeforeTheLastBlockIsRefused) {
  std::string file = file_of();
  file[info_value(file, "hfile.LASTKEY") + 2] = 'a';  // the first byte of its row, behind the row's length
  seal_info(file);
  EXPECT_EQ(error_of_opening(file).code(), ErrorCode::kCorruption);
}

// The marker of a family stands in front of all columns, so a filter of columns knows it by the row alone.
TEST(HFileColumns, AMarkerOfTheLastRowCountsForColumnsBehindItsLast) {
  const TestFolder folder;
  std::vector<OwnedCell> cells = {numbered_cell(0), numbered_cell(1), numbered_cell(1), numbered_cell(1)};
  cells[1].qualifier = "";
  cells[1].type = CellType::kDeleteFamily;
  cells[2].qualifier = "a";
  cells[3].qualifier = "b";
  cells[1].value = "";
  HFileWriteOptions options;
  options.bloom.type = hfile::BloomType::kRowCol;
  const Status written = write_cells(folder.path("f.hfile"), options, cells);
  ASSERT_TRUE(written) << written.error().to_string();
  const auto reader = HFileReader::open(folder.path("f.hfile"));
  ASSERT_TRUE(reader) << reader.error().to_string();
  for (const char* const qualifier : {"", "0", "a", "b", "bb", "zzz", "\xff"}) {
    EXPECT_TRUE(reader->may_contain_column("row-101", qualifier)) << qualifier;
  }
  EXPECT_FALSE(reader->may_contain_column("row-102", "a"));
  EXPECT_FALSE(reader->may_contain_column("s", ""));
}

// A damaged cell is an error where it is: the next block does not follow it.
TEST(HFileLies, ADamagedCellEndsTheScanInItsBlock) {
  std::string file = file_of();
  const Offsets blocks = block_offsets(file, "DATABLK*");
  const std::size_t second = blocks[3] + 33 + 8 + 20 + 60;  // about where its second cell begins
  ASSERT_LT(second + 60, blocks[4]);
  for (std::size_t at = second; at < second + 40; ++at) {
    file[at] = '\x7f';
  }
  ASSERT_NE(seal_block(file, blocks[3]), 0u);
  EXPECT_EQ(error_of_scan(file, Going::kForward).offset(), blocks[3]);
}

// What is read on opening stays what it was, however deep the index that a scan goes through.
TEST(HFileCounters, AScanReadsDataAndIndexBlocksOnly) {
  const std::string file = file_of({.index_block_bytes = 100, .index_min_entries = 2});
  MemoryFiles files(file);
  const auto reader = open_in(files, "f.hfile");
  ASSERT_TRUE(reader) << reader.error().to_string();
  const HFileCounters before = reader->counters();
  EXPECT_EQ(cells_of(*reader).size(), 40u);
  const HFileCounters after = reader->counters();
  EXPECT_EQ(after.other_blocks, before.other_blocks);
  EXPECT_EQ(after.bloom_chunks, 0u);
  EXPECT_EQ(after.data_blocks, block_offsets(file, "DATABLK*").size());
  EXPECT_GT(after.index_blocks, 3u);
}

}  // namespace
}  // namespace bloomery
