// Verification as a program asks for it: golden files are whole, and what is damaged is named where it is.
#include "bloomery/table/verify.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

TEST(Verify, GoldenFilesAreWholeAndTheirCellsCounted) {
  for (const std::string& name : golden_hfiles()) {
    SCOPED_TRACE(name);
    const auto verified = verify_hfile(hbase_golden(name + ".hfile"));
    if (!verified) {  // LZO and the like
      EXPECT_EQ(verified.error().code(), ErrorCode::kUnsupported);
      continue;
    }
    EXPECT_TRUE(verified->is_whole()) << verified->findings.front().to_string();
    EXPECT_EQ(verified->findings_left_out, 0u);
    EXPECT_GT(verified->blocks, 0u);
    EXPECT_EQ(verified->cells, opened_golden(name).facts().entry_count);
  }
}

TEST(Verify, AFindingHasItsBlockAndOffset) {
  const TestFolder folder;
  std::string bytes = file_bytes(hbase_golden("bloom_row.hfile"));
  bytes[100] = static_cast<char>(~bytes[100]);  // within the first data block
  folder.write("damaged", bytes);
  const auto verified = verify_hfile(folder.path("damaged"));
  ASSERT_TRUE(verified) << verified.error().to_string();
  ASSERT_FALSE(verified->is_whole());
  const Error& first = verified->findings.front();
  EXPECT_EQ(first.code(), ErrorCode::kCorruption);
  EXPECT_EQ(first.subject(), "data block");
  EXPECT_EQ(first.offset(), 0u);
  EXPECT_EQ(verified->bulk_load_obstacles.front(), "it is damaged");
}

TEST(Verify, OnlyWhatIsMadeToBeLoadedIsReady) {
  const auto bulk = verify_hfile(hbase_golden("bulk.hfile"));
  ASSERT_TRUE(bulk);
  EXPECT_TRUE(bulk->bulk_load_obstacles.empty());
  EXPECT_EQ(bulk->probes, 100u);
  const auto store = verify_hfile(hbase_golden("bloom_row.hfile"));
  ASSERT_TRUE(store);
  EXPECT_TRUE(store->is_whole());
  EXPECT_TRUE(std::ranges::any_of(store->bulk_load_obstacles, [](const std::string& obstacle) {
    return obstacle == "file info has no BULKLOAD_TIMESTAMP";
  }));
}

TEST(Verify, WhatIsNoHFileIsAnError) {
  const TestFolder folder;
  folder.write("text", "some text\n");
  EXPECT_EQ(verify_hfile(folder.path("text")).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(verify_hfile(folder.path("missing")).error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace bloomery
