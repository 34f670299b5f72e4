// The worked examples of docs/formats/hbase-table.md are what their text says.
#include <string>

#include <gtest/gtest.h>

#include "page_example.h"
#include "table/layout/hbase_messages.h"
#include "table/layout/store_file_name.h"
#include "table/layout/tracker_list.h"

namespace bloomery::table {
namespace {

std::string example(const std::string& name) {
  return page_example("hbase-table.md", "```hex " + name);
}

TEST(HBaseTablePage, ItsRegionHasTheRowsAndTheNameOfTheText) {
  const auto region = parse_region_info_file(example("regioninfo"));
  ASSERT_TRUE(region) << region.error().to_string();
  EXPECT_EQ(region->table.text(), "halves");
  EXPECT_EQ(region->id, 1795341101392u);
  EXPECT_EQ(region->start, "");
  EXPECT_EQ(region->end, "row-025");
  EXPECT_FALSE(region->is_offline);
  EXPECT_FALSE(region->is_split);
  EXPECT_EQ(region->encoded_name(), "a7a7ad8bbb824c8a4bfe673a98b7d618");
}

TEST(HBaseTablePage, ItsReferenceIsTheBottomHalf) {
  const auto half = parse_reference_file(example("reference"));
  ASSERT_TRUE(half) << half.error().to_string();
  EXPECT_EQ(*half, (FileHalf{.row = "row-025", .is_top = false}));
}

TEST(HBaseTablePage, ItsListNamesFourReferencesAndAFile) {
  const std::string bytes = example("list");
  const auto list = parse_tracker_list(bytes);
  ASSERT_TRUE(list && *list) << list.error().to_string();
  ASSERT_EQ((*list)->files.size(), 5u);
  EXPECT_EQ((*list)->version, 1u);
  int references = 0;
  int bulk_loaded = 0;
  for (const auto& [name, size] : (*list)->files) {
    const auto parsed = parse_store_file_name(name);
    ASSERT_TRUE(parsed) << name;
    references += parsed->referred_region ? 1 : 0;
    bulk_loaded += parsed->sequence_id ? 1 : 0;
  }
  EXPECT_EQ(references, 4);
  EXPECT_EQ(bulk_loaded, 1);
  EXPECT_EQ((*list)->files.back().name, "cfa9434172264ba795b204f0894999e6");
  EXPECT_FALSE(*parse_tracker_list(bytes.substr(0, bytes.size() - 1)));
}

TEST(HBaseTablePage, ItsSnapshotIsOfTheCloneWithoutATimeToLive) {
  const auto snapshot = parse_snapshot_description(example("snapshotinfo"));
  ASSERT_TRUE(snapshot) << snapshot.error().to_string();
  EXPECT_EQ(snapshot->name, "of-clone");
  EXPECT_EQ(snapshot->table.text(), "space:clone");
  EXPECT_EQ(snapshot->version, 2u);
  EXPECT_EQ(snapshot->time_to_live, 0);
}

}  // namespace
}  // namespace bloomery::table
