// Golden HFiles with every byte flipped and with every cut: an error that says where, or the same cells;
// never a wrong no. And with a byte of a block's payload flipped and its checksum made good, as only malice
// does it: no crash, no endless loop, no allocation without bytes behind it.
#include "tests/codec/damage.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/base/long_tests.h"
#include "tests/base/sanitized.h"
#include "tests/base/test_bytes.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/memory_files.h"
#include "tests/hfile/opened.h"
#include "tests/hfile/seal.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

// Every byte is flipped, in larger files in one way in turn. Under a sanitizer a flip takes ten times as long.
Flips flips_for(std::string_view file) {
  constexpr std::size_t kSmall = 8000;
  return kSanitized || (file.size() > kSmall && !runs_long_tests()) ? Flips::kOneInTurn : Flips::kAll;
}

std::string golden_bytes(const std::string& name) {
  std::ifstream file(hbase_golden(name + ".hfile"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<HFileReader> opened_damaged(MemoryFiles& files, std::string_view bytes) {
  files.replace(bytes);
  return open_in(files, "damaged.hfile", {.max_block_bytes = std::uint64_t{1} << 20});
}

// Every error says what it is about, and where that is.
void expect_named(const Error& error) {
  EXPECT_TRUE(error.code() == ErrorCode::kCorruption || error.code() == ErrorCode::kUnsupported ||
              error.code() == ErrorCode::kCapacity)
      << error.to_string();
  EXPECT_TRUE(error.offset() || error.detail().find("at byte ") != std::string::npos) << error.to_string();
  EXPECT_NE(error.detail().find("expected"), std::string::npos) << error.to_string();
}

// The cells of a scan, and how many of them there were before it ended or failed.
struct DamagedScan {
  std::vector<std::string> lines;
  std::optional<Error> error;
};

DamagedScan forward(const HFileReader& reader) {
  DamagedScan scan;
  HFileScanner scanner = reader.scan();
  Result<bool> found = scanner.seek_to_first();
  for (; found && *found; found = scanner.next()) {
    scan.lines.push_back(line_of(scanner.cell()));
  }
  scan.error = found ? std::nullopt : std::optional(found.error());
  return scan;
}

DamagedScan backward(const HFileReader& reader) {
  DamagedScan scan;
  HFileScanner scanner = reader.scan();
  Result<bool> found = scanner.seek_to_last();
  for (; found && *found; found = scanner.previous()) {
    scan.lines.push_back(line_of(scanner.cell()));
  }
  scan.error = found ? std::nullopt : std::optional(found.error());
  return scan;
}

// The scan is all of `expected`, or the beginning of it and an error.
void expect_same_or_error(const DamagedScan& scan, const std::vector<std::string>& expected) {
  if (scan.error) {
    expect_named(*scan.error);
    ASSERT_LE(scan.lines.size(), expected.size());
  } else {
    ASSERT_EQ(scan.lines.size(), expected.size());
  }
  EXPECT_TRUE(std::equal(scan.lines.begin(), scan.lines.end(), expected.begin()));
}

struct Expected {
  std::vector<std::string> forward;
  std::vector<std::string> backward;
  std::vector<FlatKey> keys;
};

Expected expected_of(std::string_view bytes) {
  MemoryFiles files(bytes);
  const auto reader = opened_damaged(files, bytes);
  Expected expected{.forward = forward(*reader).lines, .backward = backward(*reader).lines, .keys = {}};
  HFileScanner scanner = reader->scan();
  for (Result<bool> found = scanner.seek_to_first(); *found; found = scanner.next()) {
    expected.keys.emplace_back(scanner.cell().key);
  }
  return expected;
}

void expect_no_wrong_no(const HFileReader& reader, const Expected& expected) {
  for (const FlatKey& flat : expected.keys) {
    const CellKey key = flat.key();
    EXPECT_TRUE(reader.may_contain_row(key.row)) << escaped(key.row);
    EXPECT_TRUE(reader.may_contain_column(key.row, key.qualifier)) << escaped(key.row);
    if (key.type == CellType::kDeleteFamily || key.type == CellType::kDeleteFamilyVersion) {
      EXPECT_TRUE(reader.may_contain_delete_family(key.row)) << escaped(key.row);
    }
  }
}

// Small ones, which have each compression, encoding, checksum and kind of block between them.
class DamagedHFile : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(HBase, DamagedHFile,
                         testing::Values("plain", "meta_blocks", "checksum_crc32", "checksum_chunks",
                                         "codec_gz", "codec_snappy_air", "codec_lz4", "codec_zstd",
                                         "codec_zstd_air", "codec_zstd_hadoop", "codec_gz_empty",
                                         "encoding_prefix_no_mvcc", "encoding_diff_no_mvcc",
                                         "encoding_fast_diff_no_mvcc", "encoding_row_index_no_mvcc",
                                         "bloom_row_default", "bloom_rowcol_default", "bloom_row_odd_size",
                                         "encoding_fast_diff_equal", "index_two_levels", "tags_empty",
                                         "version2_gz", "version2_empty"),
                         [](const auto& param) { return std::string(param.param); });

void check_every_flip(const std::string& whole) {
  const Expected expected = expected_of(whole);
  const Flips kinds = flips_for(whole);
  MemoryFiles files(whole);
  std::size_t refused = 0;
  std::size_t failed = 0;
  for_each_flip(
      whole,
      [&](const std::string& damaged, const std::string& what) {
        SCOPED_TRACE(what);
        const auto reader = opened_damaged(files, damaged);
        if (!reader) {
          expect_named(reader.error());
          ++refused;
          return;
        }
        const DamagedScan scan = forward(*reader);
        failed += scan.error ? 1U : 0U;
        expect_same_or_error(scan, expected.forward);
        expect_same_or_error(backward(*reader), expected.backward);
        expect_no_wrong_no(*reader, expected);
      },
      kinds);
  const std::size_t flips = flips_of(0, kinds).size();
  const std::size_t trailer_bytes = whole.back() == 2 ? 212 : 4096;
  EXPECT_GT(refused, trailer_bytes / 3 * flips);
  EXPECT_TRUE(failed > 333 * flips || expected.forward.empty()) << failed;
}

TEST_P(DamagedHFile, EveryFlipIsAnErrorOrTheSameCells) {
  check_every_flip(golden_bytes(GetParam()));
}

// The second filter is ours, so no golden file has it.
TEST(DamagedHFiles, EveryFlipOfAFileWithASecondFilterIsAnErrorOrTheSameCells) {
  const TestFolder folder;
  HFileWriteOptions options{.block_bytes = 256, .bloom = {.type = hfile::BloomType::kRow}};
  options.bloom.own_size = HFileFilterSize{.error_rate = 0.05F, .chunk_bytes = 128};
  options.bloom.columns = HFileFilterSize{.error_rate = 0.002F, .chunk_bytes = 128};
  std::vector<OwnedCell> cells;
  for (int i = 100; i < 140; ++i) {
    const std::string row = "row-" + std::to_string(i);
    if (i % 8 == 0) {
      cells.push_back({.row = row, .family = "f", .timestamp = 9, .type = CellType::kDeleteFamily});
    }
    for (const char* const qualifier : {"a", "b", "c"}) {
      cells.push_back({.row = row, .family = "f", .qualifier = qualifier, .timestamp = i, .value = "value"});
    }
  }
  ASSERT_TRUE(write_cells(folder.path("file"), options, cells));
  const std::string whole = file_bytes(folder.path("file"));
  MemoryFiles files(whole);
  const auto reader = opened_damaged(files, whole);
  ASSERT_TRUE(reader) << reader.error().to_string();
  ASSERT_TRUE(reader->filter_status());
  ASSERT_EQ(reader->facts().second_bloom->key_count, 125U);  // five rows have a marker
  ASSERT_GT(reader->facts().second_bloom->chunk_count, 1U);
  check_every_flip(whole);
}

TEST_P(DamagedHFile, EveryCutIsAnError) {
  const std::string whole = golden_bytes(GetParam());
  MemoryFiles files(whole);
  for_each_cut(whole, [&](const std::string& cut, const std::string& what) {
    const auto reader = opened_damaged(files, cut);
    ASSERT_FALSE(reader) << what;
    EXPECT_EQ(reader.error().code(), ErrorCode::kCorruption);
  });
}

// Everything that a reader can be asked. What it answers is not looked at.
void exercise(const HFileReader& reader) {
  (void)forward(reader);
  (void)backward(reader);
  (void)reader.mid_key();
  (void)reader.meta_block("meta");
  HFileScanner scanner = reader.scan();
  for (const char* const row : {"", "row-00005", "row-0000", "\xff"}) {
    const CellKey key = first_on_row(row);
    if (const auto found = scanner.seek(key); found && *found) {
      (void)scanner.next();
      (void)scanner.previous();
    }
    (void)scanner.seek_before(key);
    (void)reader.may_contain_row(row);
    (void)reader.may_contain_column(row, "q00");
    (void)reader.may_contain_delete_family(row);
  }
}

TEST_P(DamagedHFile, SealedDamageDoesNoHarm) {
  const std::string whole = golden_bytes(GetParam());
  MemoryFiles files(whole);
  for (const std::string& line : golden_lines(std::string(GetParam()) + ".info")) {
    std::istringstream words(line);
    std::string word;
    std::string kind;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    if (!(words >> word >> kind >> offset >> size) || word != "block") {
      continue;
    }
    for (std::uint64_t at = offset + hfile::kBlockHeaderBytes; at < offset + size - 4; ++at) {
      for (const int mask : flips_of(at, flips_for(whole))) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ mask);
        ASSERT_EQ(seal_block(damaged, offset), size);
        if (const auto reader = opened_damaged(files, damaged)) {
          exercise(*reader);
        }
      }
    }
  }
}

// Without checksums nobody can see what was flipped; it does no harm but that.
TEST(DamagedHFiles, WithoutChecksumsDamageDoesNoHarm) {
  const std::string whole = golden_bytes("checksum_null");
  MemoryFiles files(whole);
  for_each_flip(
      whole,
      [&](const std::string& damaged, const std::string& what) {
        (void)what;
        if (const auto reader = opened_damaged(files, damaged)) {
          exercise(*reader);
        }
      },
      flips_for(whole));
}

// Where a chunk of the filter is, in `name`.
std::uint64_t first_chunk(const std::string& name) {
  for (const std::string& line : golden_lines(name + ".info")) {
    if (line.starts_with("block BLOOM_CHUNK ")) {
      return std::stoull(line.substr(18));
    }
  }
  return 0;
}

TEST(DamagedHFiles, ADamagedBloomChunkAnswersMaybeAndIsCounted) {
  for (const std::string name : {"bloom_row_one_chunk", "bloom_rowcol_default"}) {
    std::string bytes = golden_bytes(name);
    MemoryFiles files(bytes);
    std::size_t noes = 0;
    const auto ask = [&](const HFileReader& reader) {
      noes = 0;
      for (int i = 0; i < 100; ++i) {
        noes += reader.may_contain_column("row-00000" + std::to_string(i), "absent") ? 0U : 1U;
      }
    };
    const auto sound = opened_damaged(files, bytes);
    ask(*sound);
    EXPECT_GT(noes, 90u);
    EXPECT_EQ(sound->counters().damaged_bloom_answers, 0u);
    bytes[first_chunk(name) + 40] ^= 1;
    const auto damaged = opened_damaged(files, bytes);
    ask(*damaged);
    EXPECT_EQ(noes, 0u);
    EXPECT_GE(damaged->counters().damaged_bloom_answers, 100u);
    EXPECT_EQ(forward(*damaged).error, std::nullopt);
  }
}

TEST(DamagedHFiles, ADamagedBloomMetaBlockCostsTheFilterOnly) {
  std::string bytes = golden_bytes("bloom_row_one_chunk");
  MemoryFiles files(bytes);
  const auto expected = expected_of(bytes);
  const std::size_t at = bytes.find("BLMFMET2");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 50] ^= 1;
  const auto reader = opened_damaged(files, bytes);
  ASSERT_TRUE(reader) << reader.error().to_string();
  ASSERT_FALSE(reader->filter_status());
  expect_named(reader->filter_status().error());
  EXPECT_EQ(reader->facts().bloom_type, "NONE");
  EXPECT_TRUE(reader->may_contain_row("no such row"));
  EXPECT_EQ(forward(*reader).lines, expected.forward);
}

// A block above the limit is refused before it is read.
TEST(DamagedHFiles, TheLimitOfABlockHolds) {
  const std::string bytes = golden_bytes("plain");
  MemoryFiles files(bytes);
  const auto small = open_in(files, "plain.hfile", {.max_block_bytes = 64});
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code(), ErrorCode::kCapacity);
  const auto reader = open_in(files, "plain.hfile", {.max_block_bytes = 700});
  ASSERT_TRUE(reader) << reader.error().to_string();
  HFileScanner scanner = reader->scan();
  const auto found = scanner.seek_to_first();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::kCapacity);
}

}  // namespace
}  // namespace bloomery
