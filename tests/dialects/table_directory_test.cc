// A database directory, table by table.
#include "bloomery/dialects/table_directory.h"

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"
#include "tests/codec/table_keys.h"

namespace bloomery {
namespace {

TEST(TableDirectory, TellsWhichTableMayHoldAKey) {
  const TestFolder folder;
  folder.write("CURRENT", "MANIFEST-000006\n");
  folder.write("000007.log", "");
  folder.write("1000005.ldb", unpacked_golden("leveldb/db_churn.ldb"));
  folder.write("000005.ldb", unpacked_golden("leveldb/db_binary.ldb"));
  folder.write("000009.sst", unpacked_golden("rocksdb/ribbon_b10_fv5_text5000.sst"));
  const auto directory = TableDirectory::open(folder.path(""));
  ASSERT_TRUE(directory) << directory.error().to_string();
  ASSERT_EQ(directory->tables().size(), 3u);
  EXPECT_EQ(directory->tables()[0].name, "000005.ldb");
  EXPECT_EQ(directory->tables()[1].name, "000009.sst");
  EXPECT_EQ(directory->tables()[2].name, "1000005.ldb");
  EXPECT_TRUE(directory->logs().empty());
  for (std::uint64_t i = 0; i < 2000; ++i) {
    ASSERT_TRUE(directory->tables()[0].may_contain(leveldb_binary_key(i)));
    ASSERT_TRUE(directory->tables()[1].may_contain(numbered_key(i)));
    ASSERT_TRUE(directory->tables()[2].may_contain(numbered_key(i)));
    ASSERT_TRUE(directory->may_contain(leveldb_binary_key(i)));
  }
  std::size_t maybes = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    maybes += std::size_t{directory->may_contain("key absent " + std::to_string(i))};
  }
  EXPECT_LT(maybes, 100u);
}

TEST(TableDirectory, ATableWithoutAUsableFilterMayHoldEveryKey) {
  const TestFolder folder;
  std::string damaged = unpacked_golden("leveldb/db_binary.ldb");
  damaged[damaged.size() - 100] ^= 1;
  folder.write("000005.ldb", damaged);
  folder.write("000007.log", "not in a table yet");
  const auto directory = TableDirectory::open(folder.path(""));
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->tables()[0].filter, nullptr);
  EXPECT_NE(directory->tables()[0].trouble.find("corruption"), std::string::npos);
  EXPECT_TRUE(directory->may_contain("anything"));
  ASSERT_EQ(directory->logs().size(), 1u);
  EXPECT_EQ(directory->logs()[0], "000007.log");
}

TEST(TableDirectory, OneThatIsMissingIsNotFound) {
  const TestFolder folder;
  EXPECT_EQ(TableDirectory::open(folder.path("nothing")).error().code(), ErrorCode::kNotFound);
}

}  // namespace
}  // namespace bloomery
