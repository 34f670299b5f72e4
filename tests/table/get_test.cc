// The get of a row over several files, as a program makes it: order, skips and their reasons, blocks.
#include "bloomery/table/get.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_choices.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

OwnedCell versioned_put(const std::string& row, const std::string& qualifier, std::int64_t timestamp,
                        const std::string& value) {
  return {.row = row, .family = "f", .qualifier = qualifier, .timestamp = timestamp, .value = value};
}

class Get : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::vector<OwnedCell>& cells,
                    const std::string& bloom = "ROW") {
    HFileWriteOptions options;
    options.bloom.type = *hfile::parse_bloom_type(bloom);
    const Status written = write_cells(folder.path(name), options, cells);
    EXPECT_TRUE(written) << written.error().to_string();
    return folder.path(name);
  }

  TestFolder folder;
};

std::vector<OwnedCell> all_of(RowGet& get) {
  std::vector<OwnedCell> cells;
  Result<bool> found = get.next();
  for (; found && *found; found = get.next()) {
    cells.push_back(owned(get.cell()));
  }
  EXPECT_TRUE(found) << found.error().to_string();
  return cells;
}

TEST_F(Get, CellsOfSeveralFilesComeInHBasesOrder) {
  const std::string old_file =
      write("old", {versioned_put("r1", "a", 1, "old a"), versioned_put("r1", "b", 5, "old b")});
  const std::string new_file =
      write("new", {versioned_put("r1", "a", 2, "new a"), versioned_put("r1", "b", 5, "new b"),
                    versioned_put("r2", "a", 9, "other")});
  auto get = RowGet::open({old_file, new_file}, "r1");
  ASSERT_TRUE(get) << get.error().to_string();
  std::vector<std::string> values;
  std::vector<std::size_t> files;
  for (Result<bool> found = get->next(); found && *found; found = get->next()) {
    values.emplace_back(get->cell().value);
    files.push_back(get->file());
  }
  // The newest first; of equal keys the one of the file that was named first.
  EXPECT_EQ(values, (std::vector<std::string>{"new a", "old a", "old b", "new b"}));
  EXPECT_EQ(files, (std::vector<std::size_t>{1, 0, 0, 1}));
  EXPECT_EQ(get->files()[0].cells, 2u);
  EXPECT_EQ(get->files()[1].cells, 2u);
}

TEST_F(Get, EveryWayToBeSkippedIsNamed) {
  const std::vector<std::string> paths = {
      write("read", {versioned_put("r1", "a", 50, "v")}), write("times", {versioned_put("r1", "a", 5, "v")}),
      write("keys", {versioned_put("r2", "a", 50, "v"), versioned_put("r3", "a", 50, "v")}),
      write("bloom", {versioned_put("r0", "a", 50, "v"), versioned_put("r2", "a", 50, "v")}),
      write("empty", {})};
  auto get = RowGet::open(paths, "r1", CellChoice::of({}, {.since = 10}), ExplainSkips::kYes);
  ASSERT_TRUE(get) << get.error().to_string();
  EXPECT_EQ(all_of(*get).size(), 1u);
  const std::vector<FileOfGet> files = get->files();
  ASSERT_EQ(files.size(), 5u);
  EXPECT_EQ(files[0].skipped_by, SkippedBy::kNothing);
  EXPECT_EQ(files[0].reason, "");
  EXPECT_EQ(files[0].cells, 1u);
  ASSERT_FALSE(files[0].blocks.empty());
  EXPECT_EQ(files[0].blocks.back().kind, "data block");
  EXPECT_EQ(files[0].blocks.back().offset, 0u);
  EXPECT_GT(files[0].blocks.back().on_disk_bytes, 33u);
  EXPECT_EQ(files[1].skipped_by, SkippedBy::kTimeRange);
  EXPECT_EQ(files[1].reason, "skipped by its time range: 5 to 5");
  EXPECT_EQ(files[2].skipped_by, SkippedBy::kKeyRange);
  EXPECT_EQ(files[2].reason, "skipped by its key range: rows r2 to r3");
  EXPECT_EQ(files[3].skipped_by, SkippedBy::kBloomFilter);
  EXPECT_EQ(files[3].reason.find("skipped by its Bloom filter (ROW): r1 is not in chunk 0 at byte "), 0u)
      << files[3].reason;
  EXPECT_EQ(files[4].skipped_by, SkippedBy::kNoCells);
  for (const FileOfGet& file : files) {
    EXPECT_TRUE(file.filter_status);
    EXPECT_EQ(file.damaged_bloom_answers, 0u);
  }
}

TEST_F(Get, OnlyColumnsThatAreAskedForCome) {
  const std::string file = write("file",
                                 {versioned_put("r1", "a", 1, "va"), versioned_put("r1", "b", 1, "vb"),
                                  versioned_put("r1", "c", 1, "vc")},
                                 "ROWCOL");
  const CellChoice b = CellChoice::of({{.family = "f", .qualifier = "b"}});
  auto get = RowGet::open({file}, "r1", b);
  ASSERT_TRUE(get);
  const std::vector<OwnedCell> cells = all_of(*get);
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0].value, "vb");
  auto absent = RowGet::open({file}, "r1", CellChoice::of({{.family = "f", .qualifier = "bb"}}));
  ASSERT_TRUE(absent);
  EXPECT_EQ(absent->files()[0].skipped_by, SkippedBy::kBloomFilter);
  EXPECT_EQ(absent->files()[0].reason, "") << "explained without being asked";
}

// What a get finds in a file of HBase's is what HBase read from it.
TEST_F(Get, RowsOfGoldenFilesAreWhole) {
  for (const std::string name :
       {"bloom_row_mixed", "bloom_rowcol_mixed", "bloom_prefix_mixed", "bulk_mixed"}) {
    SCOPED_TRACE(name);
    const std::vector<OwnedCell> cells = cells_of(opened_golden(name));
    ASSERT_FALSE(cells.empty());
    for (std::size_t i = 0; i < cells.size(); i += 37) {
      std::vector<OwnedCell> expected;
      std::ranges::copy_if(cells, std::back_inserter(expected),
                           [&](const OwnedCell& cell) { return cell.row == cells[i].row; });
      auto get = RowGet::open({hbase_golden(name + ".hfile")}, cells[i].row);
      ASSERT_TRUE(get) << get.error().to_string();
      EXPECT_EQ(all_of(*get), expected);
    }
  }
}

TEST_F(Get, WhatIsNoHFileOrNoRowIsRefused) {
  folder.write("text", "some text\n");
  EXPECT_EQ(RowGet::open({folder.path("text")}, "r").error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(RowGet::open({folder.path("missing")}, "r").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(RowGet::open({}, std::string(kLongestRow + 1, 'r')).error().code(), ErrorCode::kInvalidArgument);
  auto none = RowGet::open({}, "r");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->next().value());
}

// A damaged block is an error, never the end of the row.
TEST_F(Get, DamageIsAnError) {
  std::string bytes = file_bytes(write("file", {versioned_put("r1", "a", 1, "v")}, "NONE"));
  bytes[60] = static_cast<char>(~bytes[60]);
  folder.write("damaged", bytes);
  const auto get = RowGet::open({folder.path("damaged")}, "r1");
  ASSERT_FALSE(get);
  EXPECT_EQ(get.error().code(), ErrorCode::kCorruption);
}

// Of the few bits of a small chunk some keys have one twice.
TEST_F(Get, EachBitThatIsZeroIsNamedOnce) {
  const std::string path =
      write("f", {versioned_put("r000", "a", 1, "v"), versioned_put("r999", "a", 1, "v")});
  const std::string words = "these of the key are 0: ";
  std::size_t explained = 0;
  for (int i = 100; i < 400; ++i) {
    auto get = RowGet::open({path}, "r" + std::to_string(i), {}, ExplainSkips::kYes);
    ASSERT_TRUE(get) << get.error().to_string();
    const std::string reason = get->files()[0].reason;
    const std::size_t at = reason.find(words);
    if (at == std::string::npos) {
      continue;  // a false positive
    }
    ++explained;
    std::istringstream positions(reason.substr(at + words.size()));
    std::vector<std::string> named;
    for (std::string position; positions >> position;) {
      named.push_back(position.substr(0, position.find(',')));
    }
    std::ranges::sort(named);
    EXPECT_EQ(std::ranges::adjacent_find(named), named.end()) << reason;
  }
  EXPECT_GT(explained, 200u);
}

}  // namespace
}  // namespace bloomery
