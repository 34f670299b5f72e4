// Verification as a program asks for it: golden files are whole, and what is damaged is named where it is.
#include "bloomery/table/verify.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/seal.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

TEST(Verify, GoldenFilesAreWholeAndTheirCellsCounted) {
  for (const std::string& name : golden_hfiles()) {
    SCOPED_TRACE(name);
    const auto verified = verify_hfile(hbase_golden(name + ".hfile"));
    if (!verified) {  // LZO and the like
      EXPECT_EQ(verified.error().code(), ErrorCode::kUnsupported);
      continue;
    }
    EXPECT_TRUE(verified->is_whole()) << verified->findings.front().to_string();
    EXPECT_EQ(verified->findings_left_out, 0u);
    EXPECT_GT(verified->blocks, 0u);
    EXPECT_EQ(verified->cells, opened_golden(name).facts().entry_count);
  }
}

TEST(Verify, BothFiltersOfAFileAreChecked) {
  const TestFolder folder;
  HFileWriteOptions options{.bloom = {.type = hfile::BloomType::kRow}};
  options.bloom.columns = HFileFilterSize{};
  std::vector<OwnedCell> cells;
  for (int i = 1000; i < 1100; ++i) {
    for (const char* const qualifier : {"a", "b"}) {
      cells.push_back({.row = "row " + std::to_string(i), .family = "f", .qualifier = qualifier});
    }
  }
  ASSERT_TRUE(write_cells(folder.path("file"), options, cells));
  const auto verified = verify_hfile(folder.path("file"));
  ASSERT_TRUE(verified) << verified.error().to_string();
  EXPECT_TRUE(verified->is_whole()) << verified->findings.front().to_string();
  EXPECT_EQ(verified->probes, 300U);
  std::string bytes = file_bytes(folder.path("file"));
  const std::size_t meta = bytes.find("METABLKc");
  ASSERT_NE(meta, std::string::npos);
  const std::size_t chunk = bytes.rfind("BLMFBLK2", meta);  // the second filter's
  for (std::size_t i = 0; i < 64; ++i) {
    bytes[chunk + hfile::kBlockHeaderBytes + i] = 0;
  }
  ASSERT_GT(seal_block(bytes, chunk), 64U);
  folder.write("denies", bytes);
  const auto denies = verify_hfile(folder.path("denies"));
  ASSERT_TRUE(denies) << denies.error().to_string();
  EXPECT_GT(denies->denied, 50U);
  EXPECT_EQ(denies->findings.front().offset(), chunk);
}

TEST(Verify, AFindingHasItsBlockAndOffset) {
  const TestFolder folder;
  std::string bytes = file_bytes(hbase_golden("bloom_row.hfile"));
  bytes[100] = static_cast<char>(~bytes[100]);  // within the first data block
  folder.write("damaged", bytes);
  const auto verified = verify_hfile(folder.path("damaged"));
  ASSERT_TRUE(verified) << verified.error().to_string();
  ASSERT_FALSE(verified->is_whole());
  const Error& first = verified->findings.front();
  EXPECT_EQ(first.code(), ErrorCode::kCorruption);
  EXPECT_EQ(first.subject(), "data block");
  EXPECT_EQ(first.offset(), 0u);
  EXPECT_EQ(verified->bulk_load_obstacles.front(), "it is damaged");
}

// HBase takes the family from the directory and nothing from file info.
TEST(Verify, WhatLiesInTheDirectoryOfItsFamilyIsReady) {
  const TestFolder folder;
  for (const char* const name : {"bulk", "bloom_row", "no_mvcc", "plain"}) {
    const std::string bytes = file_bytes(hbase_golden(std::string(name) + ".hfile"));
    for (const char* const family : {"f", "g"}) {
      std::filesystem::create_directories(folder.path(family));
      const std::string path = std::string(family) + "/" + name;
      folder.write(path, bytes);
      const auto verified = verify_hfile(folder.path(path));
      ASSERT_TRUE(verified) << path;
      EXPECT_TRUE(verified->is_whole()) << path;
      EXPECT_EQ(verified->family, "f");
      const std::vector<std::string> expected =
          *family == 'f' ? std::vector<std::string>()
                         : std::vector<std::string>{
                               "its directory is named g, which HBase takes for the "
                               "family, and its cells are of f"};
      EXPECT_EQ(verified->bulk_load_obstacles, expected) << path;
    }
  }
  EXPECT_EQ(verify_hfile(folder.path("f/bulk"))->probes, 100u);
}

TEST(Verify, WhatIsNoHFileIsAnError) {
  const TestFolder folder;
  folder.write("text", "some text\n");
  EXPECT_EQ(verify_hfile(folder.path("text")).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(verify_hfile(folder.path("missing")).error().code(), ErrorCode::kNotFound);
}

// A file with a filter of rows and markers that delete the family.
std::string file_with_markers() {
  const TestFolder folder;
  std::vector<OwnedCell> cells;
  for (int i = 0; i < 20; ++i) {
    const std::string row = "row-" + std::to_string(100 + i);
    cells.push_back({.row = row, .family = "f", .timestamp = 9, .type = CellType::kDeleteFamily});
    cells.push_back({.row = row, .family = "f", .qualifier = "q", .timestamp = 9, .value = "v"});
  }
  HFileWriteOptions options;
  options.bloom.type = hfile::BloomType::kRow;
  const Status written = write_cells(folder.path("f"), options, cells);
  EXPECT_TRUE(written) << written.error().to_string();
  return file_bytes(folder.path("f"));
}

// The details of all findings, a line each.
std::string findings_of(const std::string& bytes) {
  const TestFolder folder;
  folder.write("f", bytes);
  const auto verified = verify_hfile(folder.path("f"));
  EXPECT_TRUE(verified) << verified.error().to_string();
  std::string all;
  for (const Error& finding : verified->findings) {
    all += finding.to_string() + '\n';
  }
  return all;
}

TEST(Verify, ACountOfNoMarkersIsFoundToBeWrong) {
  std::string bytes = file_with_markers();
  EXPECT_EQ(findings_of(bytes), "");
  const std::string name = "DELETE_FAMILY_COUNT";
  const std::size_t value = bytes.find(name) + name.size() + 2;
  bytes.replace(value, 8, std::string(8, '\0'));
  ASSERT_NE(seal_block(bytes, bytes.find("FILEINF2")), 0u);
  const std::string found = findings_of(bytes);
  EXPECT_NE(found.find("expected DELETE_FAMILY_COUNT with the marker"), std::string::npos) << found;
}

TEST(Verify, ACountOfKeysIsHeldAgainstTheCells) {
  for (const std::string magic : {"BLMFMET2", "DFBLMET2"}) {
    std::string bytes = file_with_markers();
    const std::size_t block = bytes.find(magic);
    ASSERT_NE(block, std::string::npos);
    char& lowest = bytes[block + hfile::kBlockHeaderBytes + 27];  // of the number of keys
    EXPECT_EQ(lowest, 20);
    lowest = 19;
    ASSERT_NE(seal_block(bytes, block), 0u);
    const std::string found = findings_of(bytes);
    EXPECT_NE(found.find("expected 20 keys, as the cells have, found 19"), std::string::npos) << found;
  }
}

// The bytes of a file of these cells, the first chunk of whose Bloom filter has no bit set; empty after a failure.
std::string with_a_filter_without_bits(const TestFolder& folder, hfile::BloomType type,
                                       const std::vector<OwnedCell>& cells) {
  HFileWriteOptions options;
  options.bloom.type = type;
  EXPECT_TRUE(write_cells(folder.path("sound"), options, cells));
  std::string bytes = file_bytes(folder.path("sound"));
  const std::size_t chunk = bytes.find("BLMFBLK2");
  if (chunk == std::string::npos) {
    ADD_FAILURE() << "no chunk";
    return {};
  }
  const std::uint32_t payload = load_big32(reinterpret_cast<const std::byte*>(bytes.data()) + chunk + 12);
  bytes.replace(chunk + hfile::kBlockHeaderBytes, payload, std::string(payload, '\0'));
  EXPECT_NE(seal_block(bytes, chunk), 0u);
  return bytes;
}

// A filter without a bit denies every row: a hundred findings are kept, the others counted.
TEST(Verify, AHundredFindingsAreKeptAndTheOthersCounted) {
  const TestFolder folder;
  std::vector<OwnedCell> cells;
  for (int i = 0; i < 300; ++i) {
    cells.push_back(
        {.row = "row-" + std::to_string(1000 + i), .family = "f", .qualifier = "q", .value = "v"});
  }
  const std::string bytes = with_a_filter_without_bits(folder, hfile::BloomType::kRow, cells);
  ASSERT_FALSE(bytes.empty());
  folder.write("f", bytes);
  const auto verified = verify_hfile(folder.path("f"));
  ASSERT_TRUE(verified) << verified.error().to_string();
  EXPECT_EQ(verified->findings.size(), 100u);
  EXPECT_GT(verified->findings_left_out, 100u);
}

// A row for each of many blocks, in a file of its own.
std::string file_of_blocks() {
  const TestFolder folder;
  std::vector<OwnedCell> cells;
  for (int i = 0; i < 200; ++i) {
    cells.push_back(
        {.row = "row-" + std::to_string(1000 + i), .family = "f", .qualifier = "q", .value = "v"});
  }
  HFileWriteOptions options;
  options.block_bytes = 512;
  const Status written = write_cells(folder.path("f"), options, cells);
  EXPECT_TRUE(written) << written.error().to_string();
  return file_bytes(folder.path("f"));
}

TEST(Verify, ABlockNamesTheOneOfItsKindBeforeIt) {
  std::string bytes = file_of_blocks();
  EXPECT_EQ(findings_of(bytes), "");
  const std::size_t second = bytes.find("DATABLK*", 1);
  const std::size_t third = bytes.find("DATABLK*", second + 1);
  ASSERT_NE(third, std::string::npos);
  constexpr std::size_t kPreviousAt = 16;
  store_big(reinterpret_cast<std::byte*>(bytes.data()) + third + kPreviousAt, std::uint64_t{0});
  ASSERT_NE(seal_block(bytes, third), 0u);
  const std::string found = findings_of(bytes);
  EXPECT_NE(found.find("expected the block of its kind before it at " + std::to_string(second) + ", found 0"),
            std::string::npos)
      << found;
}

// How often `text` has the words.
std::size_t times_said(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++count;
  }
  return count;
}

std::vector<OwnedCell> three_versions_of_a_column() {
  std::vector<OwnedCell> cells;
  for (const std::int64_t timestamp : {3, 2, 1}) {
    cells.push_back({.row = "r", .family = "f", .qualifier = "q", .timestamp = timestamp, .value = "v"});
  }
  return cells;
}

// A column of three versions that its filter denies is found once, as it is asked for once. The bits are to
// blame, and LAST_BLOOM_KEY is not.
TEST(Verify, AColumnThatIsDeniedIsFoundOnceHoweverManyVersionsItHas) {
  const TestFolder folder;
  const std::string bytes =
      with_a_filter_without_bits(folder, hfile::BloomType::kRowCol, three_versions_of_a_column());
  ASSERT_FALSE(bytes.empty());
  const std::string found = findings_of(bytes);
  EXPECT_EQ(times_said(found, "found that it says no"), 1u) << found;
  EXPECT_EQ(times_said(found, "LAST_BLOOM_KEY"), 0u) << found;
}

TEST(Verify, AColumnBehindLastBloomKeyIsFoundOnceAndTheBitsAreNotBlamed) {
  for (const hfile::BloomType type : {hfile::BloomType::kRow, hfile::BloomType::kRowCol}) {
    const TestFolder folder;
    HFileWriteOptions options;
    options.bloom.type = type;
    ASSERT_TRUE(write_cells(folder.path("f"), options, three_versions_of_a_column()));
    std::string bytes = file_bytes(folder.path("f"));
    const std::size_t entry = bytes.find("LAST_BLOOM_KEY");
    const std::size_t row = bytes.find('r', entry);
    ASSERT_NE(row, std::string::npos);
    bytes[row] = 'a';
    ASSERT_NE(seal_block(bytes, bytes.find("FILEINF2")), 0u);
    const std::string found = findings_of(bytes);
    EXPECT_EQ(times_said(found, "expected LAST_BLOOM_KEY"), 1u) << found;
    EXPECT_EQ(times_said(found, "found that it says no"), 0u) << found;
  }
}

}  // namespace
}  // namespace bloomery
