// What the writer refuses, by name, and that nothing stays behind then; what a half-written file looks like.
#include "bloomery/hfile/hfile_writer.h"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

OwnedCell small_cell(const std::string& row, const std::string& qualifier = "q",
                     std::int64_t timestamp = 10) {
  return {.row = row, .family = "f", .qualifier = qualifier, .timestamp = timestamp, .value = "value"};
}

struct Refusal {
  std::string name;
  std::function<void(OwnedCell&)> spoil;  // of a cell behind row "m", qualifier "q", timestamp 10
  std::string detail;
  HFileWriteOptions options = {};
};

const Refusal kRefusals[] = {
    {"RowBackwards", [](OwnedCell& cell) { cell.row = "l"; }, "key: expected one that is not before"},
    {"PrefixBackwards", [](OwnedCell& cell) { cell.row = ""; }, "its row going backwards"},
    {"QualifierBackwards", [](OwnedCell& cell) { cell.qualifier = ""; }, "its qualifier going backwards"},
    {"NewerBehindOlder", [](OwnedCell& cell) { cell.timestamp = 11; },
     "its timestamp or type going backwards"},
    {"DeleteBehindPut", [](OwnedCell& cell) { cell.type = CellType::kDelete; },
     "its timestamp or type going backwards"},
    {"RowTooLong", [](OwnedCell& cell) { cell.row = std::string(32768, 'z'); },
     "row: expected at most 32767 bytes, found 32768"},
    {"FamilyTooLong", [](OwnedCell& cell) { cell.family = std::string(128, 'f'); },
     "family: expected at most 127 bytes, found 128"},
    {"AnotherFamily", [](OwnedCell& cell) { cell.row = "z", cell.family = "g"; }, "family: expected that of"},
    {"TypeForSeeking", [](OwnedCell& cell) { cell.row = "z", cell.type = CellType::kMaximum; },
     "type: expected one that is stored, found 255"},
    {"UnknownType", [](OwnedCell& cell) { cell.row = "z", cell.type = static_cast<CellType>(5); },
     "type: expected one that is stored, found 5"},
    {"TagsWithoutPlace", [](OwnedCell& cell) { cell.tags = std::string("\0\1\1", 3); },
     "tags: expected none in a file without tags"},
    {"TagsTooLong",
     [](OwnedCell& cell) { cell.tags = std::string(65536, '\0'); },
     "tags: expected at most 65535 bytes",
     {.has_tags = true}},
    {"DamagedTags",
     [](OwnedCell& cell) { cell.tags = std::string("\0\5\1", 3); },
     "tags: expected whole tags",
     {.has_tags = true}},
    {"MvccWithoutPlace",
     [](OwnedCell& cell) { cell.mvcc = 1; },
     "mvcc: expected 0 in a file without it",
     {.has_mvcc = false}},
    {"NegativeMvcc", [](OwnedCell& cell) { cell.mvcc = -1; }, "mvcc: expected 0 or more, found -1"}};

class RefusedCell : public testing::TestWithParam<Refusal> {};

INSTANTIATE_TEST_SUITE_P(All, RefusedCell, testing::ValuesIn(kRefusals),
                         [](const auto& param) { return param.param.name; });

TEST_P(RefusedCell, IsNamedAndNothingStays) {
  const TestFolder folder;
  {
    auto writer = HFileWriter::create(folder.path("a"), GetParam().options);
    ASSERT_TRUE(writer) << writer.error().to_string();
    ASSERT_TRUE(writer->append(small_cell("m").cell()));
    OwnedCell cell = small_cell("m");
    GetParam().spoil(cell);
    const Status refused = writer->append(cell.cell());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.error().detail().find(GetParam().detail), std::string::npos)
        << refused.error().to_string();
    EXPECT_NE(refused.error().subject().find("a: cell 2"), std::string::npos) << refused.error().to_string();
    // The file is lost: it would hold less than its writer was given.
    for (const Status& later : {writer->append(small_cell("z").cell()), writer->finish()}) {
      ASSERT_FALSE(later);
      EXPECT_EQ(later.error().to_string(), refused.error().to_string());
    }
  }
  EXPECT_EQ(folder.names(), Names{});
}

// A first cell is refused as well as a later one, but for its order.
TEST(HFileWriter, TheFirstCellIsCheckedToo) {
  const TestFolder folder;
  auto writer = HFileWriter::create(folder.path("a"));
  ASSERT_TRUE(writer);
  const Status refused = writer->append(small_cell(std::string(40000, 'r')).cell());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().to_string().find("cell 1: row: expected at most 32767 bytes, found 40000"),
            std::string::npos)
      << refused.error().to_string();
}

TEST(HFileWriter, TheLargestRowAndFamilyAreWritten) {
  const TestFolder folder;
  OwnedCell cell = small_cell(std::string(32767, '\xff'));
  cell.family = std::string(127, '\xff');
  cell.timestamp = std::numeric_limits<std::int64_t>::max();
  const Status written =
      write_cells(folder.path("a"), {.bloom = {.type = hfile::BloomType::kRowCol}}, {cell});
  ASSERT_TRUE(written) << written.error().to_string();
  const auto reader = HFileReader::open(folder.path("a"));
  ASSERT_TRUE(reader) << reader.error().to_string();
  EXPECT_EQ(cells_of(*reader), std::vector{cell});
}

// A client of HBase can give such a marker a qualifier, and HBase's writer takes it. Both filters have it.
TEST(HFileWriter, AMarkerOfAFamilyMayHaveAQualifier) {
  const TestFolder folder;
  OwnedCell family = small_cell("a");
  family.type = CellType::kDeleteFamily;
  OwnedCell version = small_cell("b");
  version.type = CellType::kDeleteFamilyVersion;
  const std::vector<OwnedCell> cells = {family, small_cell("a"), version, small_cell("c")};
  for (const hfile::BloomType type : {hfile::BloomType::kRow, hfile::BloomType::kRowCol}) {
    const HFileWriteOptions options{.may_replace = true, .bloom = {.type = type, .delete_family = true}};
    const Status written = write_cells(folder.path("a"), options, cells);
    ASSERT_TRUE(written) << written.error().to_string();
    const auto reader = HFileReader::open(folder.path("a"));
    ASSERT_TRUE(reader) << reader.error().to_string();
    EXPECT_EQ(cells_of(*reader), cells);
    for (const char* const row : {"a", "b"}) {
      EXPECT_TRUE(reader->may_contain_column(row, family.qualifier)) << row;
      EXPECT_TRUE(reader->may_contain_delete_family(row)) << row;
    }
    EXPECT_FALSE(reader->may_contain_column("d", family.qualifier));
  }
}

// The second filter answers for columns, and the first one for rows. A row with a marker of the family may
// have any column.
TEST(HFileWriter, ASecondFilterAnswersForColumns) {
  const TestFolder folder;
  HFileWriteOptions options{.bloom = {.type = hfile::BloomType::kRow}, .counts_rows_and_columns = true};
  options.bloom.columns = HFileFilterSize{.error_rate = 0.0001F, .chunk_bytes = 4096};
  std::vector<OwnedCell> cells;
  for (int i = 1000; i < 2000; ++i) {
    OwnedCell cell = small_cell("row " + std::to_string(i));
    if (i % 100 == 0) {
      OwnedCell marker = cell;
      marker.type = CellType::kDeleteFamily;
      marker.qualifier = "";
      cells.push_back(marker);
    }
    cell.qualifier = "a";
    cells.push_back(cell);
    cell.qualifier = "b";
    cells.push_back(cell);
  }
  ASSERT_TRUE(write_cells(folder.path("a"), options, cells));
  const auto reader = HFileReader::open(folder.path("a"));
  ASSERT_TRUE(reader) << reader.error().to_string();
  EXPECT_TRUE(reader->filter_status());
  EXPECT_EQ(reader->facts().bloom_type, "ROW");
  EXPECT_EQ(reader->facts().bloom->key_count, 1000U);
  EXPECT_EQ(reader->facts().second_bloom->key_count, 2010U);
  int noes = 0;
  for (int i = 1000; i < 2000; ++i) {
    const std::string row = "row " + std::to_string(i);
    EXPECT_TRUE(reader->may_contain_row(row));
    EXPECT_TRUE(reader->may_contain_column(row, "a"));
    EXPECT_TRUE(reader->may_contain_column(row, "b"));
    noes += reader->may_contain_column(row, "c") ? 0 : 1;
    EXPECT_TRUE(i % 100 != 0 || reader->may_contain_column(row, "c"));
  }
  EXPECT_GT(noes, 980);
  std::string info;
  for (const auto& [name, value] : reader->facts().file_info) {
    if (name.starts_with("BLOOMERY_")) {
      info += name + " " + std::to_string(static_cast<unsigned char>(value[6])) + " ";
    }
  }
  EXPECT_EQ(info, "BLOOMERY_COLUMNS 7 BLOOMERY_ROWS 3 ");  // 2,010 and 1,000
}

struct RefusedOption {
  HFileWriteOptions options;
  std::string detail;
};

TEST(HFileWriter, OptionsThatNoFileCanHaveAreRefusedByName) {
  const TestFolder folder;
  const RefusedOption refused[] = {
      {{.block_bytes = 0}, "block_bytes: expected 1 to"},
      {{.block_bytes = (1U << 30) + 1}, "block_bytes: expected 1 to"},
      {{.bytes_per_checksum = 32}, "bytes_per_checksum: expected 33 to"},
      {{.index_block_bytes = 0}, "index_block_bytes: expected 1 to"},
      {{.index_min_entries = 0}, "index_min_entries: expected 1 to"},
      {{.bloom = {.type = hfile::BloomType::kRowPrefix}}, "bloom.prefix_bytes: expected 1 to 32767, found 0"},
      {{.bloom = {.type = hfile::BloomType::kRow, .error_rate = 0}}, "error rate: expected a number above 0"},
      {{.bloom = {.type = hfile::BloomType::kRow, .chunk_bytes = 0}}, "size: expected 1 to"},
      {{.bloom = {.type = hfile::BloomType::kRowCol, .columns = HFileFilterSize{}}},
       "bloom.columns: expected none unless bloom.type is ROW"},
      {{.purpose = HFilePurpose::kPlain, .bloom = {.type = hfile::BloomType::kRow}},
       "bloom.type: expected NONE in a plain file"},
      {{.file_info = {{"hfile.LASTKEY", ""}}},
       "file_info: expected a name that the file does not use itself"},
      {{.file_info = {{"TIMERANGE", ""}}}, "file_info: expected a name that the file does not use itself"},
      {{.file_info = {{"a", ""}, {"a", ""}}}, "file_info: expected each name once, found a twice"}};
  for (const auto& [options, detail] : refused) {
    const auto writer = HFileWriter::create(folder.path("a"), options);
    ASSERT_FALSE(writer) << detail;
    EXPECT_EQ(writer.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(writer.error().to_string().find(detail), std::string::npos) << writer.error().to_string();
  }
  EXPECT_EQ(folder.names(), Names{});
}

TEST(HFileWriter, NothingIsThereBeforeFinishAndNothingStaysWithoutIt) {
  const TestFolder folder;
  {
    auto writer = HFileWriter::create(folder.path("a"), {.block_bytes = 100});
    ASSERT_TRUE(writer);
    for (int i = 0; i < 20000; ++i) {
      ASSERT_TRUE(writer->append(small_cell("row" + std::to_string(100000 + i)).cell()));
    }
    const Names names = folder.names();
    ASSERT_EQ(names.size(), 1u);
    EXPECT_NE(names[0], "a") << "a half-written file has the file's name";
    EXPECT_GT(folder.read(names[0]).size(), 100000u) << "nothing has been written yet";
    EXPECT_FALSE(HFileReader::open(folder.path(names[0]))) << "a half-written file opens";
  }
  EXPECT_EQ(folder.names(), Names{});
}

TEST(HFileWriter, AFileIsReplacedOnlyWhenThatIsAsked) {
  const TestFolder folder;
  folder.write("a", "old");
  const auto refused = HFileWriter::create(folder.path("a"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  {
    auto writer = HFileWriter::create(folder.path("a"), {.may_replace = true});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append(small_cell("row").cell()));
  }
  EXPECT_EQ(folder.read("a"), "old");
  ASSERT_TRUE(write_cells(folder.path("a"), {.may_replace = true}, {small_cell("row")}));
  EXPECT_TRUE(HFileReader::open(folder.path("a")));
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(HFileWriter, AfterFinishNothingIsTaken) {
  const TestFolder folder;
  auto writer = HFileWriter::create(folder.path("a"));
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->finish());
  EXPECT_FALSE(writer->append(small_cell("row").cell()));
  EXPECT_FALSE(writer->finish());
  EXPECT_EQ(folder.names(), Names{"a"});
}

TEST(HFileWriter, AMetaBlockHasANameOfItsOwn) {
  const TestFolder folder;
  auto writer = HFileWriter::create(folder.path("a"));
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append_meta_block("b", "second"));
  ASSERT_TRUE(writer->append_meta_block("a", ""));
  ASSERT_TRUE(writer->finish());
  const auto reader = HFileReader::open(folder.path("a"));
  ASSERT_TRUE(reader) << reader.error().to_string();
  const auto block = reader->meta_block("b");
  ASSERT_TRUE(block && *block);
  EXPECT_EQ(**block, "second");

  auto again = HFileWriter::create(folder.path("b"));
  ASSERT_TRUE(again);
  ASSERT_TRUE(again->append_meta_block("a", "first"));
  const Status refused = again->append_meta_block("a", "second");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().to_string().find("meta block a: expected one of a name"), std::string::npos);
}

// What a bulk load needs, and what it must not have.
TEST(HFileWriter, ABulkLoadFileSaysWhatAClusterAsksFor) {
  const TestFolder folder;
  const HFileWriteOptions options{.purpose = HFilePurpose::kBulkLoad,
                                  .creation_time = 5,
                                  .bulk_load_time = 6,
                                  .file_info = {{"MADE_BY", "a test"}}};
  ASSERT_TRUE(write_cells(folder.path("a"), options, {small_cell("row")}));
  const auto reader = HFileReader::open(folder.path("a"));
  ASSERT_TRUE(reader) << reader.error().to_string();
  const auto& info = reader->facts().file_info;
  for (const char* const name :
       {"hfile.LASTKEY", "hfile.AVG_KEY_LEN", "hfile.AVG_VALUE_LEN", "hfile.CREATE_TIME_TS",
        "KEY_VALUE_VERSION", "MAX_MEMSTORE_TS_KEY", "BULKLOAD_TIMESTAMP", "MAJOR_COMPACTION_KEY",
        "EXCLUDE_FROM_MINOR_COMPACTION", "TIMERANGE", "EARLIEST_PUT_TS", "DELETE_FAMILY_COUNT", "MADE_BY"}) {
    EXPECT_TRUE(info.contains(name)) << name;
  }
  EXPECT_FALSE(info.contains("MAX_SEQ_ID_KEY"));
  EXPECT_FALSE(info.contains("BULKLOAD_SOURCE_TASK"));
}

}  // namespace
}  // namespace bloomery
