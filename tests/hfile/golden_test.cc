// Every file that HBase wrote, read: its cells as HBase's own scanner lists them, in both directions and from
// every place; its facts and its Bloom answers as HBase gives them.
#include "tests/hfile/golden.h"

#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

// Those that must be refused, and what the error names.
const std::map<std::string, std::string> kRefused = {{"codec_lzo_air", "LZO"}};

std::vector<std::string> readable_names() {
  std::vector<std::string> names = golden_hfiles();
  std::erase_if(names, [](const std::string& name) { return kRefused.contains(name); });
  return names;
}

class GoldenHFile : public testing::TestWithParam<std::string> {
 protected:
  std::vector<std::string> listed() const { return golden_lines(GetParam() + ".cells"); }
};

INSTANTIATE_TEST_SUITE_P(HBase, GoldenHFile, testing::ValuesIn(readable_names()),
                         [](const auto& param) { return param.param; });

TEST_P(GoldenHFile, ItsCellsAreThoseThatHBaseLists) {
  const HFileReader reader = opened_golden(GetParam());
  const auto cells = scanned(reader);
  EXPECT_EQ(cells, listed());
  EXPECT_EQ(cells.size(), reader.facts().entry_count);
}

TEST_P(GoldenHFile, BackwardsTheyAreTheSame) {
  const HFileReader reader = opened_golden(GetParam());
  std::vector<std::string> cells;
  HFileScanner scanner = reader.scan();
  Result<bool> found = scanner.seek_to_last();
  for (; found && *found; found = scanner.previous()) {
    cells.push_back(line_of(scanner.cell()));
  }
  ASSERT_TRUE(found) << found.error().to_string();
  std::reverse(cells.begin(), cells.end());
  EXPECT_EQ(cells, listed());
}

// A cell of the file, with bytes of its own.
struct Stored {
  FlatKey key;
  std::string line;
};

std::vector<Stored> stored_cells(const HFileReader& reader) {
  std::vector<Stored> cells;
  HFileScanner scanner = reader.scan();
  for (Result<bool> found = scanner.seek_to_first(); found && *found; found = scanner.next()) {
    cells.push_back({FlatKey(scanner.cell().key), line_of(scanner.cell())});
  }
  return cells;
}

std::string place_of(const Result<bool>& found, const HFileScanner& scanner) {
  return !found ? found.error().to_string() : *found ? line_of(scanner.cell()) : "none";
}

// Where `key` belongs, by the order of keys alone.
void expect_place(const std::vector<Stored>& cells, HFileScanner& scanner, const CellKey& key) {
  const auto at =
      std::ranges::partition_point(cells, [&](const Stored& cell) { return cell.key.key() < key; });
  EXPECT_EQ(place_of(scanner.seek(key), scanner), at == cells.end() ? "none" : at->line);
  if (at != cells.end() && at + 1 != cells.end()) {
    EXPECT_EQ(place_of(scanner.next(), scanner), (at + 1)->line);
    EXPECT_EQ(place_of(scanner.previous(), scanner), at->line);
    EXPECT_EQ(place_of(scanner.next(), scanner), (at + 1)->line);
  }
  EXPECT_EQ(place_of(scanner.seek_before(key), scanner), at == cells.begin() ? "none" : (at - 1)->line);
  if (at != cells.begin()) {
    EXPECT_EQ(place_of(scanner.next(), scanner), at == cells.end() ? "none" : at->line);
  }
}

TEST_P(GoldenHFile, SeeksGoToEveryPlaceAndBetween) {
  const HFileReader reader = opened_golden(GetParam());
  const std::vector<Stored> cells = stored_cells(reader);
  HFileScanner scanner = reader.scan();
  for (std::size_t i = 0; i < cells.size(); i += 1 + cells.size() / 300) {
    SCOPED_TRACE(cells[i].line);
    const CellKey key = cells[i].key.key();
    const std::string longer = std::string(key.row) + '\0';
    const std::string behind = std::string(key.qualifier) + '\x01';
    expect_place(cells, scanner, key);
    expect_place(cells, scanner, first_on_row(key.row));
    expect_place(cells, scanner, last_on_row(key.row));
    expect_place(cells, scanner, first_on_column(key.row, key.family, key.qualifier));
    expect_place(cells, scanner, last_on_column(key.row, key.family, key.qualifier));
    expect_place(cells, scanner, first_delete_family_on_row(key.row, key.family));
    expect_place(cells, scanner, first_on_column(key.row, key.family, behind));
    expect_place(cells, scanner, first_on_row(longer));
    expect_place(cells, scanner, first_on_row(key.row.substr(0, key.row.size() / 2)));
  }
  expect_place(cells, scanner, first_on_row(""));
  expect_place(cells, scanner, first_on_row("\xff\xff\xff"));
}

// The value of a line "NAME VALUE" of the .info file.
std::string info_of(const std::vector<std::string>& lines, const std::string& name) {
  for (const std::string& line : lines) {
    if (line.starts_with(name + ' ')) {
      return line.substr(name.size() + 1);
    }
  }
  return "";
}

std::string text_of(const std::optional<std::uint64_t>& offset) {
  return offset ? std::to_string(*offset) : "-1";
}

std::string text_of(const std::optional<FlatKey>& key) {
  return key ? escaped(key->bytes()) : "";
}

TEST_P(GoldenHFile, ItsFactsAreThoseThatHBaseReads) {
  const HFileReader reader = opened_golden(GetParam());
  const auto lines = golden_lines(GetParam() + ".info");
  const HFileFacts& facts = reader.facts();
  EXPECT_EQ(info_of(lines, "size"), std::to_string(facts.file_bytes));
  EXPECT_EQ(info_of(lines, "version"),
            std::to_string(facts.major_version) + '.' + std::to_string(facts.minor_version));
  EXPECT_EQ(info_of(lines, "file_info_offset"), std::to_string(facts.file_info_offset));
  EXPECT_EQ(info_of(lines, "load_on_open_data_offset"), std::to_string(facts.load_on_open_offset));
  EXPECT_EQ(info_of(lines, "uncompressed_data_index_size"), std::to_string(facts.data_index_bytes));
  EXPECT_EQ(info_of(lines, "total_uncompressed_bytes"), std::to_string(facts.uncompressed_bytes));
  EXPECT_EQ(info_of(lines, "data_index_count"), std::to_string(facts.root_index_count));
  EXPECT_EQ(info_of(lines, "meta_index_count"), std::to_string(facts.meta_block_count));
  EXPECT_EQ(info_of(lines, "entry_count"), std::to_string(facts.entry_count));
  EXPECT_EQ(info_of(lines, "num_data_index_levels"), std::to_string(facts.index_levels));
  EXPECT_EQ(info_of(lines, "first_data_block_offset"), text_of(facts.first_data_block_offset));
  EXPECT_EQ(info_of(lines, "last_data_block_offset"), text_of(facts.last_data_block_offset));
  EXPECT_EQ(info_of(lines, "compression_codec"), facts.compression);
  EXPECT_EQ(info_of(lines, "first_key"), text_of(reader.first_key()));
  EXPECT_EQ(info_of(lines, "last_key"), text_of(reader.last_key()));
  const auto mid_key = reader.mid_key();
  ASSERT_TRUE(mid_key) << mid_key.error().to_string();
  EXPECT_EQ(info_of(lines, "mid_key"), text_of(*mid_key));
  for (const auto& [name, value] : facts.file_info) {
    const std::string listed = info_of(lines, "info " + name);
    EXPECT_TRUE(listed == escaped(value) || (name == "COMPACTION_EVENT_KEY" && listed == "PBUF")) << name;
  }
  const std::string bloom = info_of(lines, "bloom general");
  ASSERT_EQ(bloom.empty(), !facts.bloom.has_value());
  if (facts.bloom) {
    const std::map<std::string, std::string> hashes = {
        {"murmur", "MurmurHash"}, {"jenkins", "JenkinsHash"}, {"murmur3", "MurmurHash3"}};
    std::ostringstream ours;
    ours << "chunks " << facts.bloom->chunk_count << " k " << facts.bloom->hash_count << " hash "
         << hashes.at(facts.bloom->hash) << " bytes " << facts.bloom->byte_size << " keys "
         << facts.bloom->key_count << " max_keys " << facts.bloom->max_keys;
    EXPECT_EQ(bloom, ours.str());
  }
  EXPECT_TRUE(reader.filter_status()) << reader.filter_status().error().to_string();
}

// Only what is loaded on opening is read then, and of the rest only what is asked for.
TEST_P(GoldenHFile, OpeningReadsNoScannedBlock) {
  const HFileReader reader = opened_golden(GetParam());
  const HFileCounters before = reader.counters();
  EXPECT_EQ(before.data_blocks + before.index_blocks + before.bloom_chunks, 0u);
  HFileScanner scanner = reader.scan();
  const auto found = scanner.seek_to_first();
  ASSERT_TRUE(found);
  EXPECT_EQ(reader.counters().data_blocks, *found ? 1u : 0u);
  EXPECT_EQ(reader.counters().index_blocks, *found ? reader.facts().index_levels - 1 : 0u);
}

TEST_P(GoldenHFile, ItsBloomFiltersAnswerAsHBase) {
  const HFileReader reader = opened_golden(GetParam());
  std::map<std::string, std::set<bool>> answers;
  for (const std::string& line : golden_lines(GetParam() + ".probes")) {
    SCOPED_TRACE(line);
    const auto fields = fields_of(line);
    ASSERT_EQ(fields.size(), 6u);
    const std::string row = unescaped(fields[1]);
    const std::string qualifier = unescaped(fields[2]);
    const bool answer = fields[0] == "DELETE_FAMILY" ? reader.may_contain_delete_family(row)
                        : fields[0] == "ROWCOL"      ? reader.may_contain_column(row, qualifier)
                                                     : reader.may_contain_row(row);
    EXPECT_EQ(answer, fields[4] == "1");
    EXPECT_TRUE(answer || fields[3] == "0") << "a wrong no";
    answers[fields[0]].insert(answer);
  }
  for (const auto& [kind, seen] : answers) {
    EXPECT_EQ(seen.size(), 2u) << kind << " has not been asked both ways";
  }
  EXPECT_EQ(reader.counters().damaged_bloom_answers, 0u);
}

// Not only those that were probed: every cell's row and column may be in.
TEST_P(GoldenHFile, NoCellIsDenied) {
  const HFileReader reader = opened_golden(GetParam());
  HFileScanner scanner = reader.scan();
  for (Result<bool> found = scanner.seek_to_first(); found && *found; found = scanner.next()) {
    const CellKey& key = scanner.cell().key;
    const bool deletes_family =
        key.type == CellType::kDeleteFamily || key.type == CellType::kDeleteFamilyVersion;
    EXPECT_TRUE(reader.may_contain_row(key.row)) << line_of(scanner.cell());
    EXPECT_TRUE(reader.may_contain_column(key.row, key.qualifier)) << line_of(scanner.cell());
    EXPECT_TRUE(reader.may_contain_prefix(key.row)) << line_of(scanner.cell());
    EXPECT_TRUE(!deletes_family || reader.may_contain_delete_family(key.row)) << line_of(scanner.cell());
  }
}

TEST(GoldenHFiles, ThoseThatCannotBeReadAreRefusedByName) {
  for (const auto& [name, reason] : kRefused) {
    const auto reader = HFileReader::open(hbase_golden(name + ".hfile"));
    ASSERT_FALSE(reader) << name;
    EXPECT_EQ(reader.error().code(), ErrorCode::kUnsupported);
    EXPECT_NE(reader.error().detail().find("found " + reason), std::string::npos)
        << reader.error().to_string();
  }
}

// So that the tests above are about what they should be.
TEST(GoldenHFiles, TheyHaveEveryFeature) {
  std::set<std::string> seen;
  for (const std::string& name : readable_names()) {
    const HFileReader reader = opened_golden(name);
    const HFileFacts& facts = reader.facts();
    seen.insert("version " + std::to_string(facts.major_version));
    seen.insert("compression " + facts.compression);
    seen.insert("encoding " + facts.encoding + (facts.has_tags ? " with tags" : "") +
                (facts.has_mvcc ? "" : " without mvcc"));
    seen.insert("levels " + std::to_string(facts.index_levels));
    seen.insert("bloom " + facts.bloom_type +
                (facts.bloom && facts.bloom->chunk_count > 1 ? " of chunks" : ""));
    seen.insert(facts.delete_family_bloom ? "delete-family bloom" : "");
    seen.insert(facts.meta_block_count > 0 ? "meta blocks" : "");
  }
  for (const char* const feature : {"version 2",
                                    "version 3",
                                    "compression NONE",
                                    "compression GZ",
                                    "compression SNAPPY",
                                    "compression LZ4",
                                    "compression ZSTD",
                                    "encoding NONE",
                                    "encoding PREFIX",
                                    "encoding DIFF",
                                    "encoding FAST_DIFF",
                                    "encoding ROW_INDEX_V1",
                                    "encoding NONE with tags",
                                    "encoding PREFIX with tags",
                                    "encoding DIFF with tags",
                                    "encoding FAST_DIFF with tags",
                                    "encoding ROW_INDEX_V1 with tags",
                                    "encoding NONE without mvcc",
                                    "encoding PREFIX without mvcc",
                                    "encoding DIFF without mvcc",
                                    "levels 1",
                                    "levels 2",
                                    "levels 3",
                                    "levels 4",
                                    "bloom NONE",
                                    "bloom ROW of chunks",
                                    "bloom ROWCOL of chunks",
                                    "bloom ROWPREFIX_FIXED_LENGTH of chunks",
                                    "delete-family bloom",
                                    "meta blocks"}) {
    EXPECT_TRUE(seen.contains(feature)) << feature;
  }
}

TEST(GoldenHFiles, MetaBlocksByName) {
  for (const std::string name : {"meta_blocks", "meta_blocks_gz"}) {
    const HFileReader reader = opened_golden(name);
    EXPECT_EQ(reader.facts().meta_block_count, 3u);
    const auto absent = reader.meta_block("no such block");
    ASSERT_TRUE(absent);
    EXPECT_FALSE(absent->has_value());
  }
}

}  // namespace
}  // namespace bloomery
