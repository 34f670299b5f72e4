// Advice as a program asks for it, of stores that are small enough for a pencil.
#include "bloomery/table/advise.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_choices.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/written.h"
#include "tests/table/hbase_set.h"

namespace bloomery {
namespace {

constexpr double kNear = 1e-9;

class AdviseFilters : public ::testing::Test {
 protected:
  // Writes DIRECTORY/NAME with a cell in each of the rows.
  void write(const std::string& path, const std::vector<std::string>& rows, const std::string& bloom,
             const std::string& qualifier = "q") {
    std::filesystem::create_directories(std::filesystem::path(folder.path(path)).parent_path());
    std::vector<OwnedCell> cells;
    for (const std::string& row : rows) {
      cells.push_back({.row = row, .family = "cf", .qualifier = qualifier, .timestamp = 1, .value = "v"});
    }
    HFileWriteOptions options;
    options.bloom.type = *hfile::parse_bloom_type(bloom);
    const Status written = write_cells(folder.path(path), options, cells);
    EXPECT_TRUE(written) << written.error().to_string();
  }

  TestFolder folder;
};

// r2, r3 and r4 are within the key range of both files, and each in one of them.
TEST_F(AdviseFilters, BlocksOfAGetAreThoseOfItsFiles) {
  write("t/cf/hf1", {"r1", "r4"}, "ROW");
  write("t/cf/hf2", {"r2", "r3", "r5"}, "NONE");
  const auto advice = advise_filters(folder.path("t"));
  ASSERT_TRUE(advice) << advice.error().to_string();
  EXPECT_TRUE(advice->errors.empty());
  ASSERT_EQ(advice->families.size(), 1u);
  const FamilyAdvice& family = advice->families.front();
  EXPECT_EQ(family.family, "cf");
  EXPECT_EQ(family.stores, 1u);
  EXPECT_FALSE(family.is_sample);
  EXPECT_EQ(family.rows_in_files, (std::vector<std::uint64_t>{0, 5, 0}));
  const auto whole_row = static_cast<std::size_t>(GetKind::kWholeRow);
  EXPECT_NEAR(family.of(BloomKind::kNone).reads[whole_row].blocks, 8.0 / 5, kNear);
  const double fpp = family.files[0].fpp;
  EXPECT_NEAR(family.of(BloomKind::kToday).reads[whole_row].files, (6 + 2 * fpp) / 5, kNear);
  EXPECT_EQ(family.of(BloomKind::kNone).filter_bytes, 0u);
  EXPECT_EQ(family.of(BloomKind::kNone).fpp, 1.0);
  ASSERT_EQ(family.files.size(), 2u);
  EXPECT_EQ(family.files[0].bloom_type, "ROW");
  EXPECT_EQ(family.files[1].bloom_type, "NONE");
  EXPECT_EQ(family.files[1].rows, 3u);
  EXPECT_EQ(family.files[1].store, folder.path("t/cf"));
}

TEST_F(AdviseFilters, TheKindFollowsFromTheGets) {
  write("t/cf/hf1", {"r1", "r2"}, "ROW", "q1");
  write("t/cf/hf2", {"r1", "r2"}, "ROW", "q2");
  const auto advice = advise_filters(folder.path("t"));
  ASSERT_TRUE(advice);
  const FamilyAdvice& family = advice->families.front();
  EXPECT_EQ(family.best({.whole_rows = 0}), BloomKind::kRowCol);
  EXPECT_EQ(family.best({.whole_rows = 1, .absent = 0}), BloomKind::kNone);
  const GetMix mix;
  double sum = 0;
  for (const double weight : mix.weights()) {
    sum += weight;
  }
  EXPECT_NEAR(sum, 1, kNear);
  EXPECT_STREQ(bloom_kind_name(BloomKind::kRowCol), "ROWCOL");
  EXPECT_STREQ(get_kind_name(GetKind::kAbsentColumn), "absent column");
}

TEST_F(AdviseFilters, WhatIsNoHFileOrDamagedIsTold) {
  write("t/cf/hf1", {"r1"}, "ROW");
  folder.write("t/cf/note", "some text\n");
  std::string bytes = file_bytes(folder.path("t/cf/hf1"));
  folder.write("t/cf/hf2", bytes.substr(0, bytes.size() / 2));
  const auto advice = advise_filters(folder.path("t"));
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->others, std::vector<std::string>{folder.path("t/cf/note")});
  EXPECT_EQ(advice->errors.size(), 1u);
  ASSERT_EQ(advice->families.size(), 1u);
  EXPECT_EQ(advice->families.front().files.size(), 1u);
  EXPECT_EQ(advise_filters(folder.path("missing")).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(advise_filters(folder.path("t/cf/note")).error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(AdviseFilters, GoldenFilesAreCountedAsTheirFiltersCount) {
  std::filesystem::create_directories(folder.path("t/f"));
  std::filesystem::copy(hbase_golden("bloom_row.hfile"), folder.path("t/f/a"));
  const auto advice = advise_filters(folder.path("t"), {.prefix_bytes = 4});
  ASSERT_TRUE(advice);
  const FamilyAdvice& family = advice->families.front();
  EXPECT_EQ(family.files[0].rows, opened_golden("bloom_row").facts().bloom->key_count);
  EXPECT_EQ(family.files[0].cells, 200u);
  EXPECT_EQ(family.of(BloomKind::kToday).filter_bytes, opened_golden("bloom_row").facts().bloom->byte_size);
  EXPECT_GT(family.of(BloomKind::kRowPrefix).filter_bytes, 0u);
}

// 0.02 blocks of 1, or of 0.3: only of the few is it 5 %.
TEST(FamilyAdvice, AKindPaysWhereItSparesAHundredthOfABlockAndATwentiethOfAll) {
  const auto best_of = [](double none, double row) {
    FamilyAdvice family;
    for (BloomKindAdvice& kind : family.kinds) {
      kind = {.filter_bytes = 1000, .fpp = 0.01, .reads = {}};
      kind.reads.fill({.files = 1, .blocks = none});
    }
    family.kinds[static_cast<std::size_t>(BloomKind::kNone)].filter_bytes = 0;
    family.kinds[static_cast<std::size_t>(BloomKind::kRow)].reads.fill({.files = 1, .blocks = row});
    return family.best({});
  };
  EXPECT_EQ(best_of(0.3, 0.28), BloomKind::kRow);
  EXPECT_EQ(best_of(1, 0.98), BloomKind::kNone);
  EXPECT_EQ(best_of(0.1, 0.092), BloomKind::kNone);
  EXPECT_EQ(best_of(0.1, 0.08), BloomKind::kRow);
}

// A sample begins at r5, which is the index key of the second file's second block, between its rows r4 and r6: that file
// begins before, so that a get of r5 asks it too.
TEST_F(AdviseFilters, AFileThatBeginsBeforeTheSampleIsInRange) {
  write("t/cf/hf1", {"r5"}, "NONE");
  std::vector<OwnedCell> cells;
  for (const std::string row : {"r4", "r6", "r7"}) {
    cells.push_back(
        {.row = row, .family = "cf", .qualifier = "q", .timestamp = 1, .value = std::string(100, 'v')});
  }
  HFileWriteOptions options;
  options.block_bytes = 100;
  ASSERT_TRUE(write_cells(folder.path("t/cf/hf2"), options, cells));
  const auto advice = advise_filters(folder.path("t"), {.sample_rows = 1});
  ASSERT_TRUE(advice) << advice.error().to_string();
  const FamilyAdvice& family = advice->families.front();
  EXPECT_TRUE(family.is_sample);
  EXPECT_EQ(family.rows_in_files, (std::vector<std::uint64_t>{0, 3, 0}));
  const auto whole_row = static_cast<std::size_t>(GetKind::kWholeRow);
  EXPECT_NEAR(family.of(BloomKind::kNone).reads[whole_row].files, 4.0 / 3, kNear);
}

// What HBase left: a table cloned from a snapshot has links to the files of another one.
const FamilyAdvice* find(const TableAdvice& advice, const std::string& family) {
  const auto found = std::ranges::find(advice.families, family, &FamilyAdvice::family);
  return found == advice.families.end() ? nullptr : &*found;
}

TEST(AdviseTables, LinksAreCountedAsTheFilesThatTheyName) {
  const HBaseSet set("root/data/default/clone root/data/default/origin root/archive");
  const auto advice = advise_filters(set.path("data/default/clone"));
  ASSERT_TRUE(advice) << advice.error().to_string();
  EXPECT_TRUE(advice->errors.empty());
  EXPECT_TRUE(advice->uncounted.empty());
  EXPECT_TRUE(advice->replaced_regions.empty());
  // The same files laid side by side, without links.
  const TestFolder flat;
  for (const FamilyAdvice& family : advice->families) {
    EXPECT_EQ(family.files.size(), 6u) << family.family;
    EXPECT_EQ(family.stores, 2u) << family.family;
    EXPECT_EQ(family.uncounted_files, 0u);
    for (const AdvisedFile& file : family.files) {
      const std::filesystem::path store(file.store);
      const std::filesystem::path copy =
          flat.path(store.parent_path().filename().string() + "/" + family.family);
      std::filesystem::create_directories(copy);
      std::filesystem::copy_file(file.path, copy / std::filesystem::path(file.path).filename());
    }
  }
  const auto expected = advise_filters(flat.path(""));
  ASSERT_TRUE(expected) << expected.error().to_string();
  for (const char* const name : {"f", "g"}) {
    const FamilyAdvice* const family = find(*advice, name);
    const FamilyAdvice* const same = find(*expected, name);
    ASSERT_TRUE(family != nullptr && same != nullptr) << name;
    EXPECT_EQ(family->rows_in_files, same->rows_in_files);
    EXPECT_EQ(family->columns_in_files, same->columns_in_files);
    for (std::size_t kind = 0; kind < kBloomKinds; ++kind) {
      EXPECT_NEAR(family->kinds[kind].blocks_per_get({}), same->kinds[kind].blocks_per_get({}), kNear);
    }
  }
}

TEST(AdviseTables, ALinkThatLeadsNowhereIsNotCounted) {
  const HBaseSet set("root/data/default/clone");
  const auto advice = advise_filters(set.path("data/default/clone"));
  ASSERT_TRUE(advice) << advice.error().to_string();
  EXPECT_EQ(advice->uncounted.size(), 8u);
  EXPECT_TRUE(std::ranges::all_of(advice->uncounted, [](const UncountedFile& file) {
    return file.reason.find("a link: ") == 0 &&
           file.reason.find("expected the store file") != std::string::npos;
  }));
  ASSERT_NE(find(*advice, "f"), nullptr);
  EXPECT_EQ(find(*advice, "f")->files.size(), 2u);
  EXPECT_EQ(find(*advice, "f")->uncounted_files, 4u);
}

// A region that was split lies beside its daughters, whose references and links are of its files.
TEST(AdviseTables, HalvesOfFilesAreNotCountedAndTheirParentsNeither) {
  const HBaseSet set("root/data/default/halves");
  const auto advice = advise_filters(set.path("data/default/halves"));
  ASSERT_TRUE(advice) << advice.error().to_string();
  EXPECT_TRUE(advice->errors.empty());
  ASSERT_EQ(advice->replaced_regions.size(), 1u);
  EXPECT_TRUE(advice->replaced_regions.front().ends_with("/fad3b82cb67a3742274c4a76b9ad1573"));
  ASSERT_EQ(advice->uncounted.size(), 4u);
  for (const UncountedFile& file : advice->uncounted) {
    EXPECT_EQ(file.reason, "a reference to a half of another file");
    EXPECT_TRUE(file.path.ends_with(".fad3b82cb67a3742274c4a76b9ad1573")) << file.path;
  }
  const FamilyAdvice* const f = find(*advice, "f");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->stores, 2u);
  EXPECT_EQ(f->files.size(), 5u);  // three links to files of the parent, two files of the daughters
  EXPECT_EQ(f->uncounted_files, 2u);
  // The parent alone is asked about, so it is counted.
  const auto parent = advise_filters(set.path("data/default/halves/fad3b82cb67a3742274c4a76b9ad1573"));
  ASSERT_TRUE(parent && find(*parent, "f") != nullptr);
  EXPECT_EQ(find(*parent, "f")->files.size(), 4u);
  EXPECT_TRUE(parent->replaced_regions.empty());
}

}  // namespace
}  // namespace bloomery
