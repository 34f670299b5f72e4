// Files to load, as a program writes them: in regions and families, all at once or none.
#include "bloomery/table/bulk_load.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_choices.h"
#include "bloomery/table/verify.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

OwnedCell loaded_put(const std::string& row, const std::string& family) {
  return {.row = row, .family = family, .qualifier = "q", .timestamp = 1, .value = "value of " + row};
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.push_back(entry.path().string());
  }
  return files;
}

class BulkLoad : public ::testing::Test {
 protected:
  Status load(const std::vector<OwnedCell>& cells, FamilyFiles existing = FamilyFiles::kRefuse) {
    BLOOMERY_ASSIGN_OR_RETURN(BulkLoadDirectory directory, BulkLoadDirectory::create(target, existing));
    BulkLoadWriter writer(directory, plan);
    for (const OwnedCell& cell : cells) {
      BLOOMERY_RETURN_IF_ERROR(writer.append(cell.cell()));
    }
    BLOOMERY_RETURN_IF_ERROR(writer.finish());
    counts = writer.counts();
    EXPECT_FALSE(fs::exists(target + "/f")) << "there before commit()";
    return directory.commit();
  }

  TestFolder folder;
  std::string target = folder.path("load");
  BulkLoadPlan plan;
  BulkLoadCounts counts;
};

TEST_F(BulkLoad, EachRegionAndFamilyHasItsFile) {
  ASSERT_TRUE(plan.splits.append("r2"));
  ASSERT_TRUE(plan.splits.append("r4"));
  const Status loaded = load({loaded_put("r1", "f"), loaded_put("r1", "g"), loaded_put("r2", "f"),
                              loaded_put("r3", "f"), loaded_put("r5", "f")});
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(counts.cells, 5u);
  EXPECT_EQ(counts.rows, 4u);
  EXPECT_EQ(counts.files, 4u);
  EXPECT_EQ(files_in(target + "/f").size(), 3u);
  EXPECT_EQ(files_in(target + "/g").size(), 1u);
  std::uint64_t bytes = 0;
  for (const std::string family : {"/f", "/g"}) {
    for (const std::string& file : files_in(target + family)) {
      const auto verified = verify_hfile(file);
      ASSERT_TRUE(verified);
      EXPECT_TRUE(verified->is_whole());
      EXPECT_TRUE(verified->bulk_load_obstacles.empty()) << verified->bulk_load_obstacles.front();
      bytes += fs::file_size(file);
    }
  }
  EXPECT_EQ(counts.file_bytes, bytes);
}

TEST_F(BulkLoad, ALargeFileEndsBeforeARow) {
  plan.max_file_bytes = 1;
  ASSERT_TRUE(load({loaded_put("r1", "f"), loaded_put("r2", "f"), loaded_put("r3", "f")}));
  EXPECT_EQ(counts.files, 3u);
}

TEST_F(BulkLoad, WithoutCommitNothingIsLeft) {
  {
    auto directory = BulkLoadDirectory::create(target);
    ASSERT_TRUE(directory);
    BulkLoadWriter writer(*directory, plan);
    ASSERT_TRUE(writer.append(loaded_put("r1", "f").cell()));
    ASSERT_TRUE(writer.finish());
  }
  EXPECT_FALSE(fs::exists(target));
}

TEST_F(BulkLoad, FilesThatAreThereAreRefusedUnlessMoreMayCome) {
  ASSERT_TRUE(load({loaded_put("r1", "f")}));
  BulkLoadDirectory again = BulkLoadDirectory::create(target).value();
  BulkLoadWriter writer(again, plan);
  const Status refused = writer.append(loaded_put("r1", "f").cell());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  auto adding = BulkLoadDirectory::create(target, FamilyFiles::kAdd);
  ASSERT_TRUE(adding);
  BulkLoadWriter more(*adding, plan);
  ASSERT_TRUE(more.append(loaded_put("r1", "f").cell()));
  ASSERT_TRUE(more.finish());
  ASSERT_TRUE(adding->commit());
  EXPECT_EQ(files_in(target + "/f").size(), 2u);
}

TEST_F(BulkLoad, WhatCanNotBeThereIsRefused) {
  const auto refusal = [&](const std::vector<OwnedCell>& cells) {
    const Status loaded = load(cells);
    return loaded ? std::string() : loaded.error().detail();
  };
  EXPECT_EQ(refusal({loaded_put("r2", "f"), loaded_put("r1", "f")}),
            "row: expected rows in order, found 'r1' behind 'r2'");
  EXPECT_EQ(refusal({loaded_put("", "f")}), "row: expected at least one byte, found none");
  EXPECT_EQ(refusal({loaded_put("r1", ".f")}), "family: expected no period in front of the name, found '.f'");
  plan.file.bloom = {.type = hfile::BloomType::kRowPrefix};  // of rows that begin with how many bytes?
  EXPECT_FALSE(plan.check());
}

TEST(SplitKeys, ARowIsInTheRegionThatBeginsBeforeIt) {
  SplitKeys splits;
  EXPECT_EQ(splits.region_count(), 1u);
  EXPECT_EQ(splits.region_of("anything"), 0u);
  ASSERT_TRUE(splits.append("g"));
  ASSERT_TRUE(splits.append("p"));
  EXPECT_FALSE(splits.append("p"));
  EXPECT_FALSE(splits.append(""));
  EXPECT_FALSE(splits.append(std::string(kLongestRow + 1, 'z')));
  EXPECT_EQ(splits.region_count(), 3u);
  EXPECT_EQ(splits.region_of("f"), 0u);
  EXPECT_EQ(splits.region_of("g"), 1u);
  EXPECT_EQ(splits.region_of("z", 1), 2u);
  EXPECT_EQ(splits.start_of(2), "p");
}

TEST(BulkLoadCounts, OfSeveralWritersAddUp) {
  BulkLoadCounts all{.cells = 1, .rows = 2, .files = 3, .file_bytes = 4};
  all += {.cells = 10, .rows = 20, .files = 30, .file_bytes = 40};
  EXPECT_EQ(all.cells, 11u);
  EXPECT_EQ(all.rows, 22u);
  EXPECT_EQ(all.files, 33u);
  EXPECT_EQ(all.file_bytes, 44u);
}

}  // namespace
}  // namespace bloomery
