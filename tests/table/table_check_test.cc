// What a check of a table finds besides damaged bytes: missing files, faults between regions, files in the wrong place.
// Each fault is put into a genuine table, and all are listed at once.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/table/placement.h"
#include "bloomery/table/table.h"
#include "bloomery/table/verify.h"
#include "tests/hfile/written.h"
#include "tests/table/hbase_set.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

TableOptions listing() {
  return {.lists_faults = true, .reads_logs = false};
}

// Every misplacement of the table, each behind the name of its file.
std::vector<std::string> misplacements_of(const Table& table) {
  std::vector<std::string> all;
  for (const TableRegion& region : table.regions()) {
    for (const TableFile& file : region.files) {
      const auto verified = verify_hfile(file.path);
      EXPECT_TRUE(verified) << verified.error().to_string();
      for (const std::string& fault : misplacements(*verified, region, file)) {
        all.push_back(file.name + ": " + fault);
      }
    }
  }
  return all;
}

// A file of the table, none of a reference or link.
fs::path some_file(const std::string& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().filename().string().size() == 32) {
      return entry.path();
    }
  }
  ADD_FAILURE() << "no file below " << folder;
  return {};
}

TEST(TableCheck, GenuineTablesHaveNoFaults) {
  const HBaseSet set("root");
  for (const char* const name : {"bulk", "clone", "halves", "restored", "splits", "tracked", "wide", "mob"}) {
    SCOPED_TRACE(name);
    const auto table = Table::open_table(set.root(), name, listing());
    ASSERT_TRUE(table) << table.error().to_string();
    EXPECT_TRUE(table->faults().empty()) << table->faults().front().to_string();
    EXPECT_EQ(misplacements_of(*table), std::vector<std::string>());
  }
}

TEST(TableCheck, EveryMissingFileIsListedAndTheTableIsNotRead) {
  const HBaseSet set("root/data/default/halves");
  const std::string folder = set.path(std::string(kSplitParent) + "/f");
  const auto before = Table::open_table(set.root(), "halves", listing());
  ASSERT_TRUE(before) << before.error().to_string();
  std::size_t listed = 0;
  for (const TableRegion& region : before->regions()) {
    listed += static_cast<std::size_t>(std::ranges::count_if(
        region.files, [&](const TableFile& file) { return file.path.starts_with(folder); }));
  }
  ASSERT_GT(listed, 2u);
  fs::remove_all(folder);
  const auto table = Table::open_table(set.root(), "halves", listing());
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_EQ(table->faults().size(), listed);
  for (const Error& fault : table->faults()) {
    EXPECT_EQ(fault.code(), ErrorCode::kNotFound) << fault.to_string();
  }
  GetRequest get;
  get.row = "row-025";
  const auto row = table->get(get);
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(table->scan({}));
}

TEST(TableCheck, ADanglingLinkOfASnapshotIsListedBesideAHole) {
  const HBaseSet set("exported");
  fs::remove_all(set.exported() + "/archive/data/default/origin");
  const auto table = Table::open_snapshot(set.exported(), "of-clone", listing());
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_FALSE(table->faults().empty());
  EXPECT_EQ(table->faults().front().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(table->regions().empty());
}

TEST(TableCheck, ADamagedReferenceIsListed) {
  const HBaseSet set("root/data/default/halves");
  fs::path reference;
  for (const auto& entry : fs::recursive_directory_iterator(set.path("data/default/halves"))) {
    if (entry.path().filename().string().ends_with("fad3b82cb67a3742274c4a76b9ad1573") &&
        entry.is_regular_file()) {
      reference = entry.path();
    }
  }
  ASSERT_FALSE(reference.empty());
  std::ofstream(reference, std::ios::binary) << "PBUF but nothing of it";
  const auto table = Table::open_table(set.root(), "halves", listing());
  ASSERT_TRUE(table) << table.error().to_string();
  ASSERT_EQ(table->faults().size(), 1u);
  EXPECT_EQ(table->faults().front().code(), ErrorCode::kCorruption);
  EXPECT_NE(table->faults().front().to_string().find(reference.filename().string()), std::string::npos);
}

// HBASE-646: a store file of 0 bytes after a loss of data. HBase leaves it out with a warning, and its cells are gone. A check
// that stays silent calls the table whole.
TEST(TableCheck, AnEmptiedStoreFileIsListedAndWarnedOf) {
  const HBaseSet set("root/data/default/wide");
  const fs::path file = some_file(set.path("data/default/wide"));
  std::ofstream(file, std::ios::trunc).close();
  const auto table = Table::open_table(set.root(), "wide", listing());
  ASSERT_TRUE(table) << table.error().to_string();
  ASSERT_EQ(table->faults().size(), 1u);
  EXPECT_EQ(table->faults().front().code(), ErrorCode::kCorruption);
  EXPECT_NE(table->faults().front().to_string().find(file.filename().string()), std::string::npos);
  const auto read = Table::open_table(set.root(), "wide", {.reads_logs = false});
  ASSERT_TRUE(read) << read.error().to_string();
  ASSERT_EQ(read->warnings().size(), 1u);
  EXPECT_NE(read->warnings().front().find(file.filename().string() + " has 0 bytes"), std::string::npos);
}

TEST(TableCheck, AnEmptiedFileOfABulkLoadIsListed) {
  const TestFolder folder;
  fs::create_directories(folder.path("load/f"));
  HFileWriteOptions options;
  ASSERT_TRUE(write_cells(folder.path("load/f/one"), options,
                          {{.row = "r", .family = "f", .timestamp = 5, .value = "v"}}));
  folder.write("load/f/two", "");
  const auto table = Table::open(folder.path("load"), listing());
  ASSERT_TRUE(table) << table.error().to_string();
  ASSERT_EQ(table->faults().size(), 1u);
  EXPECT_NE(table->faults().front().to_string().find("load/f/two"), std::string::npos);
}

// The check goes on behind a region of which nothing can be known, and lists every one.
TEST(TableCheck, RegionsWithoutTheirInfoAreAllListed) {
  const HBaseSet set("root/data/default/wide");
  std::size_t regions = 0;
  for (const auto& entry : fs::directory_iterator(set.path("data/default/wide"))) {
    const fs::path info = entry.path() / ".regioninfo";
    if (fs::exists(info)) {
      if (++regions == 1) {
        fs::remove(info);
      } else {
        std::ofstream(info, std::ios::trunc).close();
      }
    }
  }
  ASSERT_GT(regions, 1u);
  const auto table = Table::open_table(set.root(), "wide", listing());
  ASSERT_TRUE(table) << table.error().to_string();
  const auto count = [&](ErrorCode code) {
    return std::ranges::count_if(table->faults(), [&](const Error& fault) {
      return fault.code() == code && fault.to_string().find(".regioninfo") != std::string::npos;
    });
  };
  EXPECT_EQ(count(ErrorCode::kNotFound), 1);
  EXPECT_EQ(count(ErrorCode::kCorruption), static_cast<std::ptrdiff_t>(regions) - 1);
  EXPECT_FALSE(Table::open_table(set.root(), "wide")) << "it cannot be read without";
}

TEST(TableCheck, AMissingRegionIsListedAsAHole) {
  const HBaseSet set("root/data/default/wide");
  fs::remove_all(set.path("data/default/wide/f1d0a88f8bf5278519bd68f18e202849"));
  const auto table = Table::open_table(set.root(), "wide", listing());
  ASSERT_TRUE(table) << table.error().to_string();
  ASSERT_FALSE(table->faults().empty());
  EXPECT_NE(table->faults().front().to_string().find("hole"), std::string::npos);
}

TEST(TableCheck, AFileOfAnotherRegionIsFoundByItsRows) {
  const HBaseSet set("root/data/default/wide");
  const auto before = Table::open_table(set.root(), "wide", listing());
  ASSERT_TRUE(before);
  const auto regions = before->regions();
  ASSERT_GT(regions.size(), 2u);
  const fs::path first = some_file(set.path("data/default/wide/" + regions.front().name + "/f"));
  const fs::path last = some_file(set.path("data/default/wide/" + regions.back().name + "/f"));
  const std::string middle = set.path("data/default/wide/" + regions[1].name + "/f/");
  fs::copy(first, middle + std::string(32, 'a'));
  fs::copy(last, middle + std::string(32, 'b'));
  const auto table = Table::open_table(set.root(), "wide", listing());
  ASSERT_TRUE(table) << table.error().to_string();
  const auto faults = misplacements_of(*table);
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_TRUE(faults[0].starts_with(std::string(32, 'a') + ": expected no row before")) << faults[0];
  EXPECT_TRUE(faults[1].starts_with(std::string(32, 'b') + ": expected all rows before")) << faults[1];
}

TEST(TableCheck, AFileInTheFolderOfAnotherFamilyIsFound) {
  const HBaseSet set("root/data/default/halves");
  const std::string region = set.path(std::string(kSplitParent));
  const std::string daughter = set.path("data/default/halves/a7a7ad8bbb824c8a4bfe673a98b7d618");
  fs::copy(some_file(region + "/f"), daughter + "/g/" + std::string(32, 'c'));
  const auto table = Table::open_table(set.root(), "halves", listing());
  ASSERT_TRUE(table) << table.error().to_string();
  const auto faults = misplacements_of(*table);
  const auto found = std::ranges::find_if(faults, [](const std::string& fault) {
    return fault.find("expected cells of the family g, found f") != std::string::npos;
  });
  EXPECT_NE(found, faults.end());
}

}  // namespace
}  // namespace bloomery
