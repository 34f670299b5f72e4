// Tables on disk: what a call made or removed is complete, and a call that was killed happened or did not.
#include "table/layout/table_directory.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/layout/hbase_messages_writer.h"
#include "table/layout/table_descriptor.h"
#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"
#include "tests/base/unsynced_file_system.h"

namespace bloomery::table {
namespace {

namespace fs = std::filesystem;

TableSchema schema_with(const std::vector<std::string>& families) {
  TableSchema schema = TableSchema::of_table("t").value();
  for (const std::string& family : families) {
    EXPECT_TRUE(schema.add_family(family));
  }
  return schema;
}

SplitKeys splits_at(const std::vector<std::string>& rows) {
  SplitKeys splits;
  for (const std::string& row : rows) {
    EXPECT_TRUE(splits.append(row));
  }
  return splits;
}

class TableDirectories : public ::testing::Test {
 protected:
  void SetUp() override { make(); }
  void make() {
    fs::remove_all(root());
    fs::create_directories(root());
    ASSERT_TRUE(make_root_directories(disk_, root()));
  }
  std::string root() const { return folder_.path("root"); }
  std::string path(const std::string& name) const { return root() + "/" + name; }
  bool is_there(const std::string& name) const { return fs::exists(path(name)); }

  // The regions of table t, each with the names in its directory: "-m: .regioninfo f g". Checks each.
  std::string regions() const {
    std::map<std::string, std::string> by_start;
    for (const auto& entry : fs::directory_iterator(path("data/default/t"))) {
      if (entry.path().filename() == ".tabledesc") {
        continue;
      }
      const auto region = parse_region_info_file(
          folder_.read("root/data/default/t/" + entry.path().filename().string() + "/.regioninfo"));
      EXPECT_TRUE(region) << entry.path();
      EXPECT_EQ(region->encoded_name(), entry.path().filename().string());
      std::vector<std::string> names;
      for (const auto& inner : fs::directory_iterator(entry.path())) {
        names.push_back(inner.path().filename().string());
      }
      std::ranges::sort(names);
      std::string& text = by_start[region->start];
      text = region->start + "-" + region->end + ":";
      for (const std::string& name : names) {
        text += " " + name;
      }
    }
    std::string text;
    for (const auto& [start, region] : by_start) {
      text += region + "; ";
    }
    return text;
  }
  std::vector<std::string> region_names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path("data/default/t"))) {
      if (entry.path().filename() != ".tabledesc") {
        names.push_back(entry.path().filename().string());
      }
    }
    return names;
  }
  std::uint64_t greatest_id() const {
    std::uint64_t id = 0;
    for (const std::string& name : region_names()) {
      id = std::max(id,
                    parse_region_info_file(folder_.read("root/data/default/t/" + name + "/.regioninfo"))->id);
    }
    return id;
  }

  UnsyncedFileSystem disk_;
  TestFolder folder_;
};

TEST_F(TableDirectories, ATableHasADescriptorRegionsAndFamilies) {
  const TableSchema schema = schema_with({"f", "g"});
  ASSERT_TRUE(create_table(disk_, root(), schema, splits_at({"g", "m"}), 1700000000000));
  EXPECT_EQ(regions(), "-g: .regioninfo f g; g-m: .regioninfo f g; m-: .regioninfo f g; ");
  EXPECT_EQ(greatest_id(), 1700000000000u);
  const std::string bytes = write_table_schema_file(schema);
  EXPECT_EQ(
      folder_.read("root/data/default/t/.tabledesc/.tableinfo.0000000001." + std::to_string(bytes.size())),
      bytes);
  EXPECT_FALSE(is_there(".tmp/data/default/t"));
  const Status again = create_table(disk_, root(), schema, {}, 1);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().errno_value(), EEXIST);
}

TEST_F(TableDirectories, AnAlteredTableHasTheNextDescriptor) {
  ASSERT_TRUE(create_table(disk_, root(), schema_with({"f", "g"}), splits_at({"m"}), 5));
  for (const std::string& region : region_names()) {
    folder_.write("root/data/default/t/" + region + "/g/0123456789abcdef0123456789abcdef", "cells");
  }
  TableSchema schema = schema_with({"f", "h"});
  ASSERT_TRUE(schema.set("f", "VERSIONS", "3"));
  ASSERT_TRUE(alter_table(disk_, root(), schema, region_names()));
  EXPECT_EQ(regions(), "-m: .regioninfo f h; m-: .regioninfo f h; ");
  const auto read = read_descriptor(disk_, path("data/default/t"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->families[0].versions, 3);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path("data/default/t/.tabledesc"))) {
    names.push_back(entry.path().filename().string());
  }
  ASSERT_EQ(names.size(), 1u);
  EXPECT_TRUE(names[0].starts_with(".tableinfo.0000000002."));
  ASSERT_TRUE(alter_table(disk_, root(), schema_with({"f", "g"}), region_names()));
  for (const std::string& region : region_names()) {
    EXPECT_TRUE(fs::is_empty(path("data/default/t/" + region + "/g")));
  }
  EXPECT_EQ(alter_table(disk_, root(), schema_with({}), {}).error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(TableDirectories, ATruncatedTableHasNewRegions) {
  const TableSchema schema = schema_with({"f"});
  ASSERT_TRUE(create_table(disk_, root(), schema, splits_at({"m"}), 100));
  const auto old = region_names();
  ASSERT_TRUE(truncate_table(disk_, root(), schema, splits_at({"m"}), 101));
  EXPECT_EQ(regions(), "-m: .regioninfo f; m-: .regioninfo f; ");
  EXPECT_EQ(greatest_id(), 101u);
  EXPECT_NE(region_names(), old);
  EXPECT_FALSE(is_there(".tmp/data/default/t~"));
  ASSERT_TRUE(drop_table(disk_, root(), {"default", "t"}));
  EXPECT_FALSE(is_there("data/default/t"));
  EXPECT_FALSE(is_there(".tmp/data/default/t"));
  EXPECT_EQ(drop_table(disk_, root(), {"default", "t"}).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(drop_table(disk_, root(), {"default", "../t"}).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(truncate_table(disk_, root(), schema, {}, 7).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(alter_table(disk_, root(), schema, {}).error().code(), ErrorCode::kNotFound);
}

TEST_F(TableDirectories, NamespacesAreDirectories) {
  ASSERT_TRUE(create_namespace(disk_, root(), "n"));
  EXPECT_EQ(create_namespace(disk_, root(), "n").error().errno_value(), EEXIST);
  EXPECT_EQ(list_namespaces(disk_, root()).value(), (std::vector<std::string>{"default", "n"}));
  TableSchema schema = TableSchema::of_table("n:t").value();
  ASSERT_TRUE(schema.add_family("f"));
  ASSERT_TRUE(create_table(disk_, root(), schema, {}, 5));
  EXPECT_FALSE(drop_namespace(disk_, root(), "n"));
  ASSERT_TRUE(drop_table(disk_, root(), {"n", "t"}));
  ASSERT_TRUE(drop_namespace(disk_, root(), "n"));
  EXPECT_EQ(create_table(disk_, root(), schema, {}, 5).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(drop_namespace(disk_, root(), "n").error().code(), ErrorCode::kNotFound);
  for (const char* const name : {"default", "hbase", "..", "", "a-b"}) {
    EXPECT_FALSE(drop_namespace(disk_, root(), name)) << name;
  }
  EXPECT_FALSE(create_namespace(disk_, root(), "hbase"));
  EXPECT_FALSE(create_namespace(disk_, root(), "a/b"));
}

TEST_F(TableDirectories, SymbolicLinksAreRemovedAndNotFollowed) {
  folder_.write("keep", "bytes");
  fs::create_directories(path(".tmp/data/default/t"));
  fs::create_directory_symlink(folder_.path(""), path(".tmp/data/default/t/link"));
  ASSERT_TRUE(finish_interrupted(disk_, root()));
  EXPECT_FALSE(is_there(".tmp/data/default/t"));
  EXPECT_EQ(folder_.read("keep"), "bytes");
}

// From some call on all calls fail, as if the process had been killed. Then the root is opened again.
TEST_F(TableDirectories, AfterAKillAtAnyCallATableIsThereEntirelyOrNotAtAll) {
  const TableSchema schema = schema_with({"f"});
  const std::string complete = "-m: .regioninfo f; m-: .regioninfo f; ";
  for (int call = 1, is_done = 0; is_done == 0; ++call) {
    make();
    FailingFileSystem files({.call = call, .lasts = FailureLasts::kForEver});
    const Status created = create_table(files, root(), schema, splits_at({"m"}), 5);
    ASSERT_TRUE(finish_interrupted(disk_, root())) << call;
    EXPECT_FALSE(is_there(".tmp/data/default/t"));
    ASSERT_TRUE(is_there("data/default/t") || !created) << call;
    if (is_there("data/default/t")) {
      EXPECT_EQ(regions(), complete) << call;
    } else {
      EXPECT_TRUE(create_table(disk_, root(), schema, {}, 5)) << call;
    }
    is_done = files.failed().empty() ? 1 : 0;
  }
}

TEST_F(TableDirectories, AfterAKillAtAnyCallATruncatedTableIsTheOldOrTheNewOne) {
  const TableSchema schema = schema_with({"f"});
  for (int call = 1, is_done = 0; is_done == 0; ++call) {
    make();
    ASSERT_TRUE(create_table(disk_, root(), schema, splits_at({"m"}), 100));
    const auto old = region_names();
    FailingFileSystem files({.call = call, .lasts = FailureLasts::kForEver});
    const Status truncated = truncate_table(files, root(), schema, splits_at({"m"}), 200);
    ASSERT_TRUE(finish_interrupted(disk_, root())) << call;
    ASSERT_TRUE(is_there("data/default/t")) << call;
    EXPECT_EQ(regions(), "-m: .regioninfo f; m-: .regioninfo f; ") << call;
    EXPECT_TRUE(greatest_id() == 200 || (!truncated && region_names() == old)) << call;
    EXPECT_TRUE(fs::is_empty(path(".tmp/data"))) << call;
    is_done = files.failed().empty() ? 1 : 0;
  }
}

TEST_F(TableDirectories, AfterAKillAtAnyCallADroppedTableIsThereOrGone) {
  const TableSchema schema = schema_with({"f"});
  for (int call = 1, is_done = 0; is_done == 0; ++call) {
    make();
    ASSERT_TRUE(create_table(disk_, root(), schema, {}, 100));
    FailingFileSystem files({.call = call, .lasts = FailureLasts::kForEver});
    const Status dropped = drop_table(files, root(), {"default", "t"});
    ASSERT_TRUE(finish_interrupted(disk_, root())) << call;
    EXPECT_TRUE(!dropped || !is_there("data/default/t")) << call;
    EXPECT_TRUE(!is_there("data/default/t") || regions() == "-: .regioninfo f; ") << call;
    is_done = files.failed().empty() ? 1 : 0;
  }
}

TEST_F(TableDirectories, AfterAKillAtAnyCallTheOldOrTheNewDescriptorIsRead) {
  for (int call = 1, is_done = 0; is_done == 0; ++call) {
    make();
    ASSERT_TRUE(create_table(disk_, root(), schema_with({"f"}), {}, 100));
    FailingFileSystem files({.call = call, .lasts = FailureLasts::kForEver});
    const Status altered = alter_table(files, root(), schema_with({"f", "g"}), region_names());
    const auto read = read_descriptor(disk_, path("data/default/t"));
    ASSERT_TRUE(read) << call;
    EXPECT_TRUE(read->families.size() == 2 || !altered) << call;
    if (read->families.size() == 2) {
      EXPECT_EQ(regions(), "-: .regioninfo f g; ") << call;
    }
    EXPECT_TRUE(alter_table(disk_, root(), schema_with({"f", "g"}), region_names())) << call;
    is_done = files.failed().empty() ? 1 : 0;
  }
}

}  // namespace
}  // namespace bloomery::table
