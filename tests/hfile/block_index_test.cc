// Index blocks: both forms, entries that do not fit, and keys that do not ascend.
#include "hfile/block_index.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "base/hadoop_vlong.h"
#include "hfile/byte_writer.h"
#include "tests/base/test_bytes.h"
#include "tests/codec/damage.h"

namespace bloomery::hfile {
namespace {

std::string key_of(const std::string& row) {
  return std::string(FlatKey(first_on_row(row)).bytes());
}

std::string root_bytes(const std::vector<std::string>& keys) {
  std::string bytes;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    append_big(bytes, std::uint64_t{i * 100});
    append_big(bytes, std::uint32_t{100});
    std::array<std::byte, kMaxHadoopVlongBytes> size;
    const std::size_t count = write_hadoop_vlong(size.data(), static_cast<std::int64_t>(keys[i].size()));
    bytes += text_of(std::span(size).first(count)) + keys[i];
  }
  return bytes;
}

std::string leaf_bytes(const std::vector<std::string>& keys) {
  std::string entries;
  std::string bytes;
  append_big(bytes, static_cast<std::uint32_t>(keys.size()));
  append_big(bytes, std::uint32_t{0});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    append_big(entries, std::uint64_t{i * 100});
    append_big(entries, std::uint32_t{100});
    entries += keys[i];
    append_big(bytes, static_cast<std::uint32_t>(entries.size()));
  }
  return bytes + entries;
}

const std::vector<std::string> kKeys = {key_of("a"), key_of(std::string(200, 'b')), key_of("c")};

TEST(RootIndex, EntriesAndTheMiddleLeaf) {
  std::string bytes = root_bytes(kKeys);
  const auto root = parse_root_index(bytes_of(bytes), 3, MiddleLeaf::kAbsent, 0);
  ASSERT_TRUE(root) << root.error().to_string();
  ASSERT_EQ(root->entries.size(), 3u);
  EXPECT_EQ(root->entries[1].offset, 100u);
  EXPECT_EQ(root->entries[1].on_disk_bytes, 100u);
  EXPECT_EQ(root->entries[1].key, kKeys[1]);
  EXPECT_FALSE(root->middle_leaf);
  EXPECT_FALSE(parse_root_index(bytes_of(bytes), 2, MiddleLeaf::kAbsent, 0));
  EXPECT_FALSE(parse_root_index(bytes_of(bytes), 4, MiddleLeaf::kAbsent, 0));
  EXPECT_FALSE(parse_root_index(bytes_of(bytes), 0x7fffffff, MiddleLeaf::kAbsent, 0));
  append_big(bytes, std::uint64_t{700});
  append_big(bytes, std::uint32_t{80});
  append_big(bytes, std::uint32_t{5});
  const auto deep = parse_root_index(bytes_of(bytes), 3, MiddleLeaf::kPresent, 0);
  ASSERT_TRUE(deep) << deep.error().to_string();
  EXPECT_EQ(deep->middle_leaf->offset, 700u);
  EXPECT_EQ(deep->middle_leaf->on_disk_bytes, 80u);
  EXPECT_EQ(deep->middle_entry, 5u);
  EXPECT_FALSE(parse_root_index(bytes_of(bytes), 3, MiddleLeaf::kAbsent, 0));
  for_each_cut(bytes, [](const std::string& cut, const std::string& what) {
    EXPECT_FALSE(parse_root_index(bytes_of(cut), 3, MiddleLeaf::kPresent, 0)) << what;
  });
}

TEST(RootIndex, KeysAscendAndAreKeys) {
  const auto made = [](const std::vector<std::string>& keys) {
    const std::string bytes = root_bytes(keys);
    auto root =
        parse_root_index(bytes_of(bytes), static_cast<std::uint32_t>(keys.size()), MiddleLeaf::kAbsent, 0);
    return BlockIndex::make(*std::move(root), 1, BlockKind::kData, 0).has_value();
  };
  EXPECT_TRUE(made(kKeys));
  EXPECT_FALSE(made({kKeys[2], kKeys[0]}));
  EXPECT_FALSE(made({kKeys[0], "no key"}));
}

BlockPointer leaf_block(const std::string& bytes, std::size_t room_bytes = 0) {
  BlockMemory memory = BlockMemory::of(bytes.size(), room_bytes);
  std::ranges::copy(bytes_of(bytes), memory.bytes().begin());
  return Block::make(BlockHeader{.kind = BlockKind::kLeafIndex,
                                 .uncompressed_bytes = static_cast<std::uint32_t>(bytes.size())},
                     0, std::move(memory), 0);
}

TEST(IndexBlock, EntriesWhereTheyLie) {
  const BlockPointer block = leaf_block(leaf_bytes(kKeys));
  const auto view = IndexBlockView::over(*block);
  ASSERT_TRUE(view) << view.error().to_string();
  ASSERT_EQ(view->size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto entry = view->entry(i);
    ASSERT_TRUE(entry) << entry.error().to_string();
    EXPECT_EQ(entry->offset, i * 100);
    EXPECT_EQ(entry->key, kKeys[i]);
  }
}

TEST(IndexBlock, CutsAreErrorsAtTheLastEntryAtTheLatest) {
  const std::string whole = leaf_bytes(kKeys);
  for_each_cut(whole, [](const std::string& cut, const std::string& what) {
    const BlockPointer block = leaf_block(cut);
    const auto view = IndexBlockView::over(*block);
    EXPECT_TRUE(!view || !view->entry(view->size() - 1)) << what;
  });
  EXPECT_FALSE(IndexBlockView::over(*leaf_block(leaf_bytes({}))));
  EXPECT_FALSE(IndexBlockView::over(*leaf_block("\xff\xff\xff\xff\xff\xff\xff\xff")));
}

// An entry has an address of 12 bytes in front of its key, also where more bytes follow behind it.
TEST(IndexBlock, AnEntryWithoutRoomForItsAddressIsAnError) {
  for (std::uint32_t size = 0; size <= 13; ++size) {
    std::string bytes;
    append_big(bytes, std::uint32_t{2});
    append_big(bytes, std::uint32_t{0});
    append_big(bytes, size);
    append_big(bytes, std::uint32_t{40});
    bytes += std::string(40, 'x');
    const BlockPointer block = leaf_block(bytes);
    const auto view = IndexBlockView::over(*block);
    ASSERT_TRUE(view) << view.error().to_string();
    EXPECT_EQ(view->entry(0).has_value(), size >= 12) << size;
  }
  std::string backwards;
  for (const std::uint32_t number : {2U, 20U, 0U, 40U}) {
    append_big(backwards, number);
  }
  const BlockPointer block = leaf_block(backwards + std::string(40, 'x'));
  EXPECT_FALSE(IndexBlockView::over(*block)->entry(0));
  EXPECT_TRUE(IndexBlockView::over(*block)->entry(1));
}

// Rows are found by their heads where all keys are sound and ascend; else every entry is in question.
TEST(IndexBlock, RangeOfARow) {
  const BlockPointer block = leaf_block(leaf_bytes(kKeys));
  const auto view = IndexBlockView::over(*block);
  ASSERT_TRUE(view);
  const auto whole = view->range_of("a", BlockLife::kShort);
  EXPECT_EQ(whole.begin, 0u);
  EXPECT_EQ(whole.end, 3u);
  const auto one = view->range_of("a", BlockLife::kKept);
  EXPECT_EQ(one.begin, 0u);
  EXPECT_EQ(one.end, 1u);
  const auto behind = view->range_of("d", BlockLife::kKept);
  EXPECT_EQ(behind.begin, 3u);
  EXPECT_EQ(behind.end, 3u);
  EXPECT_EQ(view->range_of("a", BlockLife::kShort).end, 1u) << "what was found out is not kept";
}

// The rows fit into the room of the block, or have memory of their own.
TEST(IndexBlock, TargetsAreThoseOfTheEntries) {
  std::vector<std::string> keys;
  for (int i = 1000; i < 1100; ++i) {
    keys.push_back(key_of("row-" + std::to_string(i)));
  }
  const std::string bytes = leaf_bytes(keys);
  for (const std::size_t room : {std::size_t{0}, std::size_t{64}, IndexRows::usual_bytes(bytes.size())}) {
    const BlockPointer block = leaf_block(bytes, room);
    const auto view = IndexBlockView::over(*block);
    ASSERT_TRUE(view);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(view->range_of("row-" + std::to_string(1000 + i), BlockLife::kKept).begin, i);
      const auto target = view->target(i);
      ASSERT_TRUE(target);
      EXPECT_EQ(target->offset, i * 100);
      EXPECT_EQ(target->on_disk_bytes, 100u);
    }
  }
}

// The place may be that of a block that is gone: it is prefetched and not read.
TEST(IndexBlock, ThePlaceOfABlockIsNotedOnceRowsAreKept) {
  const BlockPointer block = leaf_block(leaf_bytes(kKeys));
  const auto view = IndexBlockView::over(*block);
  ASSERT_TRUE(view);
  view->note_place(1, *block);
  EXPECT_EQ(block->index_rows().get(), nullptr);
  (void)view->range_of("a", BlockLife::kKept);
  const IndexRows& rows = *block->index_rows().get();
  EXPECT_EQ(rows.noted_place(1), nullptr);
  {
    const BlockPointer other = leaf_block("gone");
    view->note_place(1, *other);
    EXPECT_EQ(rows.noted_place(1), other.get());
  }
  EXPECT_EQ(rows.noted_place(0), nullptr);
  EXPECT_EQ(view->target(1)->offset, 100u);
  view->note_place(1, *block);
  EXPECT_EQ(rows.noted_place(1), block.get());
}

TEST(IndexBlock, RowsOfKeysThatAreNoneOrGoBackwardsAreNotKept) {
  for (const auto& keys : {std::vector<std::string>{kKeys[2], kKeys[0]}, {kKeys[0], "no key"}}) {
    const BlockPointer block = leaf_block(leaf_bytes(keys));
    const auto view = IndexBlockView::over(*block);
    ASSERT_TRUE(view);
    const auto range = view->range_of("b", BlockLife::kKept);
    EXPECT_EQ(range.begin, 0u);
    EXPECT_EQ(range.end, 2u);
    EXPECT_EQ(block->index_rows().get(), nullptr);
  }
}

}  // namespace
}  // namespace bloomery::hfile
