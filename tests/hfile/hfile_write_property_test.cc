// Random cells under random options: what is written is read, and no filter denies what it was given.
#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t bound) {
  return static_cast<std::size_t>(random() % bound);
}

template <typename T, std::size_t N>
const T& one_of(Random& random, const T (&choices)[N]) {
  return choices[below(random, N)];
}

// Few letters, so that texts share beginnings and are often equal; now and then any byte.
std::string random_text(Random& random, std::size_t most) {
  std::string text(below(random, most + 1), '\0');
  const bool any = below(random, 8) == 0;
  for (char& c : text) {
    c = any ? static_cast<char>(random()) : "ab\xff"[below(random, 3)];
  }
  return text;
}

std::string random_tags(Random& random) {
  std::string tags;
  for (std::size_t i = below(random, 4); i > 0; --i) {
    const std::string tag = '\x05' + std::to_string(below(random, 400)) + random_text(random, 2);
    tags += static_cast<char>(tag.size() >> 8);
    tags += static_cast<char>(tag.size());
    tags += tag;
  }
  return tags;
}

std::int64_t random_timestamp(Random& random) {
  constexpr std::int64_t kTime = 1700000000000;
  switch (below(random, 6)) {
    case 0:
      return static_cast<std::int64_t>(random() >> below(random, 64) >> 1);
    case 1:
      return static_cast<std::int64_t>(0 - (random() >> below(random, 64) >> 1));
    default:
      return kTime - static_cast<std::int64_t>(below(random, 300));
  }
}

HFileWriteOptions random_options(Random& random) {
  HFileWriteOptions options;
  options.purpose = one_of(random, {HFilePurpose::kStore, HFilePurpose::kBulkLoad, HFilePurpose::kPlain});
  options.block_bytes = one_of(random, {1U, 64U, 500U, 4096U, 65536U});
  options.encoding = *hfile::parse_data_encoding(
      one_of<std::string>(random, {"NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"}));
  options.compression =
      *hfile::parse_compression(one_of<std::string>(random, {"NONE", "NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"}));
  options.codecs = one_of(random, {HFileCodecs::kHBase, HFileCodecs::kHadoop});
  options.checksum = *hfile::parse_checksum_type(one_of<std::string>(random, {"NULL", "CRC32", "CRC32C"}));
  options.bytes_per_checksum = one_of(random, {33U, 100U, 16384U});
  options.has_tags = below(random, 2) == 0;
  options.tags_by_dictionary = below(random, 2) == 0;
  options.has_mvcc = below(random, 2) == 0;
  options.index_block_bytes = one_of(random, {1U, 200U, 1000U, 131072U});
  options.index_min_entries = one_of(random, {1U, 2U, 16U});
  if (options.purpose != HFilePurpose::kPlain) {
    options.bloom.type = *hfile::parse_bloom_type(
        one_of<std::string>(random, {"NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"}));
  }
  options.bloom.prefix_bytes = one_of(random, {1U, 3U, 100U});
  options.bloom.chunk_bytes = one_of(random, {64U, 100U, 1024U, 131072U});
  options.bloom.max_fold = one_of(random, {0U, 3U, 7U});
  options.bloom.error_rate = one_of(random, {0.01F, 0.2F, 0.001F});
  options.bloom.hash =
      *hfile::parse_bloom_hash(one_of<std::string>(random, {"jenkins", "murmur", "murmur3"}));
  options.bloom.delete_family = below(random, 4) != 0;
  return options;
}

std::vector<OwnedCell> random_cells(Random& random, const HFileWriteOptions& options) {
  std::vector<OwnedCell> cells(
      one_of(random, {std::size_t{0}, std::size_t{1}, std::size_t{30}, std::size_t{600}}));
  const std::string family = random_text(random, 3);
  for (OwnedCell& cell : cells) {
    cell.row = random_text(random, 9);
    cell.family = family;
    cell.qualifier = random_text(random, 5);
    cell.timestamp = random_timestamp(random);
    cell.type =
        one_of(random, {CellType::kPut, CellType::kPut, CellType::kPut, CellType::kDelete,
                        CellType::kDeleteColumn, CellType::kDeleteFamily, CellType::kDeleteFamilyVersion});
    if (cell.type == CellType::kDeleteFamily || cell.type == CellType::kDeleteFamilyVersion) {
      cell.qualifier.clear();
    }
    cell.value = random_text(random, below(random, 50) == 0 ? 3000 : 8);
    cell.tags = options.has_tags ? random_tags(random) : "";
    cell.mvcc = options.has_mvcc ? static_cast<std::int64_t>(random() >> 1 >> below(random, 64)) : 0;
  }
  std::ranges::stable_sort(cells, [](const OwnedCell& a, const OwnedCell& b) { return a.key() < b.key(); });
  return cells;
}

void expect_no_denial(const HFileReader& reader, const std::vector<OwnedCell>& cells) {
  for (const OwnedCell& cell : cells) {
    const bool deletes_family =
        cell.type == CellType::kDeleteFamily || cell.type == CellType::kDeleteFamilyVersion;
    EXPECT_TRUE(reader.may_contain_row(cell.row));
    EXPECT_TRUE(reader.may_contain_column(cell.row, cell.qualifier));
    EXPECT_TRUE(reader.may_contain_prefix(cell.row));
    EXPECT_TRUE(!deletes_family || reader.may_contain_delete_family(cell.row));
  }
  EXPECT_TRUE(reader.filter_status()) << reader.filter_status().error().to_string();
  EXPECT_EQ(reader.counters().damaged_bloom_answers, 0u);
}

void expect_same_when_read(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const HFileWriteOptions options = random_options(random);
  const std::vector<OwnedCell> cells = random_cells(random, options);
  const TestFolder folder;
  const Status written = write_cells(folder.path("a"), options, cells);
  ASSERT_TRUE(written) << written.error().to_string();
  const auto reader = HFileReader::open(folder.path("a"));
  ASSERT_TRUE(reader) << reader.error().to_string();
  EXPECT_TRUE(cells_of(*reader) == cells);
  EXPECT_EQ(reader->facts().entry_count, cells.size());
  EXPECT_EQ(reader->facts().encoding, hfile::data_encoding_name(options.encoding));
  EXPECT_EQ(reader->facts().bloom_type, cells.empty() ? "NONE" : hfile::bloom_type_name(options.bloom.type));
  expect_no_denial(*reader, cells);
  HFileScanner scanner = reader->scan();
  for (std::size_t i = 0; i < cells.size(); i += 1 + cells.size() / 50) {
    const auto found = scanner.seek(cells[i].key());
    ASSERT_TRUE(found) << found.error().to_string();
    ASSERT_TRUE(*found);
    EXPECT_EQ(scanner.cell().key, cells[i].key());
  }
}

TEST(HFileWriteProperty, WhatIsWrittenIsRead) {
  const std::uint64_t first = std::random_device()();
  std::cout << "seeds from " << first << '\n';
  for (std::uint64_t seed = first; seed < first + 150 && !testing::Test::HasFailure(); ++seed) {
    expect_same_when_read(seed);
  }
}

// So that the walk above meets what it should: many levels, many chunks, folded and not.
TEST(HFileWriteProperty, TwoWritersMakeTheSameBytes) {
  Random random(20251121);
  HFileWriteOptions options;
  options.block_bytes = 300;
  options.index_block_bytes = 400;
  options.index_min_entries = 3;
  options.bloom = {.type = hfile::BloomType::kRowCol, .chunk_bytes = 64};
  const std::vector<OwnedCell> cells = random_cells(random, options);
  const TestFolder folder;
  ASSERT_TRUE(write_cells(folder.path("a"), options, cells));
  ASSERT_TRUE(write_cells(folder.path("b"), options, cells));
  EXPECT_TRUE(file_bytes(folder.path("a")) == file_bytes(folder.path("b")));
}

}  // namespace
}  // namespace bloomery
