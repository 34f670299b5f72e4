// The index of a table: separators of every length, and handles in both spellings.
#include "codec/sstable/block_index.h"

#include <gtest/gtest.h>

#include "tests/codec/crafted_table.h"

namespace bloomery::sstable {
namespace {

TEST(BlockIndex, TheEmptyKeyIsAUserKey) {
  const std::string block = block_bytes(entry_bytes(0, internal_key(""), handle_bytes({0, 5})));
  const auto index = BlockIndex::read(bytes_of(block), 0, IndexForm());
  ASSERT_TRUE(index) << index.error().to_string();
  ASSERT_EQ(index->size(), 1u);
  EXPECT_EQ(index->separator(0), "");
  EXPECT_EQ(index->find(""), 0u);
  EXPECT_EQ(index->find("a"), 1u);
  const std::string shorter = block_bytes(entry_bytes(0, "1234567", handle_bytes({0, 5})));
  EXPECT_EQ(BlockIndex::read(bytes_of(shorter), 0, IndexForm()).error().code(), ErrorCode::kCorruption);
}

// Where the table's properties name no differences, a handle is whole, though its key shares bytes.
TEST(BlockIndex, AKeyThatSharesBytesHasAWholeHandleUnlessDifferencesAreNamed) {
  const std::string whole =
      block_bytes(entry_bytes(0, "aa", handle_bytes({0, 5})) + entry_bytes(1, "b", handle_bytes({20, 7})));
  const auto index = BlockIndex::read(bytes_of(whole), 0, {.internal_keys = false, .delta_handles = false});
  ASSERT_TRUE(index) << index.error().to_string();
  ASSERT_EQ(index->size(), 2u);
  EXPECT_EQ(index->separator(1), "ab");
  EXPECT_EQ(index->handle(1).offset, 20u);
  EXPECT_EQ(index->handle(1).size, 7u);

  // The sizes of values are not stored; the second block is two bytes larger and directly behind.
  const std::string differences =
      block_bytes(std::string("\0\2aa", 4) + handle_bytes({0, 5}) + std::string("\1\1b", 3) + varint_of(4));
  const auto later =
      BlockIndex::read(bytes_of(differences), 0, {.internal_keys = false, .delta_handles = true});
  ASSERT_TRUE(later) << later.error().to_string();
  ASSERT_EQ(later->size(), 2u);
  EXPECT_EQ(later->separator(1), "ab");
  EXPECT_EQ(later->handle(1).offset, 10u);
  EXPECT_EQ(later->handle(1).size, 7u);
}

// Whatever place the caller presumes, the block is the one that find() returns. Two separators are equal.
TEST(BlockIndex, FindNearAgreesWithFind) {
  std::string entries;
  for (const char* const separator : {"b", "d", "d", "f", "h"}) {
    entries += entry_bytes(0, internal_key(separator), handle_bytes({0, 5}));
  }
  const std::string block = block_bytes(entries);
  const auto index = BlockIndex::read(bytes_of(block), 0, IndexForm());
  ASSERT_TRUE(index) << index.error().to_string();
  for (char key = 'a'; key <= 'j'; ++key) {
    for (std::size_t near = 0; near <= index->size() + 1; ++near) {
      EXPECT_EQ(index->find_near({&key, 1}, near), index->find({&key, 1})) << key << near;
    }
  }
}

}  // namespace
}  // namespace bloomery::sstable
