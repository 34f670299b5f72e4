// The worked examples of docs/formats/database.md are what their text says.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/sstable/live_files.h"
#include "codec/sstable/log_records.h"
#include "codec/sstable/write_batch.h"
#include "page_example.h"

namespace bloomery::sstable {
namespace {

TEST(DatabasePage, ItsManifestListsThreeFiles) {
  const std::string manifest = page_example("database.md");
  const auto live = LiveFiles::read(std::as_bytes(std::span(manifest)), "example");
  ASSERT_TRUE(live) << live.error().to_string();
  ASSERT_EQ(live->families().size(), 1u);
  const LiveFamily& family = live->families().at(0);
  EXPECT_EQ(family.comparator, kBytewiseComparator);
  EXPECT_EQ(live->first_log(), 13u);
  ASSERT_EQ(family.files.size(), 3u);
  EXPECT_EQ(family.files.at(5).level, 2u);
  EXPECT_EQ(family.files.at(9).size_bytes, 1125u);
  EXPECT_EQ(family.files.at(12).smallest, "key000001");
  EXPECT_EQ(family.files.at(12).largest, "key000397");
}

TEST(DatabasePage, ItsLogHasTwoWrites) {
  const std::string log = page_example("database.md", "```hex log");
  LogRecords records(std::as_bytes(std::span(log)), 1, "example");
  ASSERT_TRUE(records.next().value());
  std::vector<std::string> keys;
  ASSERT_TRUE(visit_write_batch(records.record(), records.offset(), [&](std::uint32_t, std::string_view key) {
    keys.emplace_back(key);
    return Status();
  }));
  EXPECT_EQ(keys, std::vector<std::string>({"apple", "banana"}));
  EXPECT_FALSE(records.next().value());
}

}  // namespace
}  // namespace bloomery::sstable
