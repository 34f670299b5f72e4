// What HBase wrote is parsed and written again, byte for byte.
#include "table/layout/hbase_messages_writer.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hash/ascii_text.h"
#include "table/layout/tracker_list.h"
#include "tests/hfile/written.h"
#include "tests/table/hbase_set.h"

namespace bloomery::table {
namespace {

namespace fs = std::filesystem;

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(hex_digit(hex[i]) * 16 + hex_digit(hex[i + 1]));
  }
  return bytes;
}

Result<TableSchema> parse_schema_file(std::string_view bytes) {
  std::uint64_t place = 0;
  BLOOMERY_RETURN_IF_ERROR(take_magic(bytes, "table descriptor", place));
  return parse_table_schema(bytes, place);
}

// The paths of all files whose names begin so.
std::vector<std::string> files_named(const std::string& folder, const std::string& begin) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().filename().string().starts_with(begin)) {
      paths.push_back(entry.path().string());
    }
  }
  return paths;
}

TEST(HBaseMessagesWriter, EveryDescriptorOfHBaseIsWrittenAgain) {
  const HBaseSet set("root");
  const auto paths = files_named(set.root(), ".tableinfo");
  EXPECT_EQ(paths.size(), 21u);
  for (const std::string& path : paths) {
    const std::string bytes = file_bytes(path);
    const auto schema = parse_schema_file(bytes);
    ASSERT_TRUE(schema) << path << schema.error().to_string();
    EXPECT_EQ(write_table_schema_file(*schema), bytes) << path;
  }
}

TEST(HBaseMessagesWriter, EveryRegionInfoOfHBaseIsWrittenAgain) {
  const HBaseSet set("root");
  const auto paths = files_named(set.root(), ".regioninfo");
  EXPECT_EQ(paths.size(), 44u);
  for (const std::string& path : paths) {
    const std::string bytes = file_bytes(path);
    const auto region = parse_region_info_file(bytes);
    ASSERT_TRUE(region) << path << region.error().to_string();
    EXPECT_EQ(write_region_info_file(*region), bytes) << path;
  }
}

TEST(HBaseMessagesWriter, EveryListOfHBaseIsWrittenAgain) {
  const HBaseSet set("root/data/default/tracked");
  int lists = 0;
  for (const std::string& path : files_named(set.path("data/default/tracked"), "f2.")) {
    const std::string bytes = file_bytes(path);
    const auto list = parse_tracker_list(bytes);
    ASSERT_TRUE(list && *list) << path;
    EXPECT_EQ(write_tracker_list(**list), bytes) << path;
    ++lists;
  }
  EXPECT_EQ(lists, 6);
}

// Up to nine attributes of a table and nineteen of a family, and configuration.
TEST(HBaseMessagesWriter, RandomDescriptorsOfHBasesClientAreWrittenAgain) {
  std::ifstream lines(std::string(BLOOMERY_SOURCE) + "/tests/golden/hbase-descriptors/descriptors.hex");
  int descriptors = 0;
  for (std::string line; std::getline(lines, line); ++descriptors) {
    const std::string bytes = bytes_of_hex(line);
    const auto schema = parse_schema_file(bytes);
    ASSERT_TRUE(schema) << line << schema.error().to_string();
    EXPECT_EQ(write_table_schema_file(*schema), bytes) << line;
  }
  EXPECT_EQ(descriptors, 9);
}

}  // namespace
}  // namespace bloomery::table
