// The worked examples of docs/formats/hfile.md are blocks of the golden file that they name, and are what the
// text says.
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "bloomery/hfile/cell.h"
#include "hfile/block.h"
#include "hfile/block_index.h"
#include "hfile/bloom/bloom_chunk.h"
#include "hfile/bloom/bloom_meta.h"
#include "page_example.h"

namespace bloomery {
namespace {

// The example's block; its bytes are those of the file.
hfile::BlockPointer example_block(const std::string& name, std::uint64_t offset) {
  std::ifstream file(std::string(BLOOMERY_SOURCE) + "/tests/golden/hbase/bloom_row_default.hfile",
                     std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  const std::string example = page_example("hfile.md", "```hex " + name);
  EXPECT_EQ(example, whole.substr(offset, example.size()));
  auto block = hfile::make_block(hfile::BlockMemory::copy_of(std::as_bytes(std::span(example))), offset,
                                 hfile::Compression::kNone, 1 << 20);
  EXPECT_TRUE(block) << block.error().to_string();
  return block ? *std::move(block) : nullptr;
}

TEST(HFilePage, ItsExamplesAreTheBlocksTheyDescribe) {
  const auto chunk = example_block("chunk", 487);
  ASSERT_NE(chunk, nullptr);
  EXPECT_EQ(chunk->kind(), hfile::BlockKind::kBloomChunk);
  for (int i = 0; i < 10; ++i) {
    const auto pair = hbase::hash_pair(hbase::BloomHash::kMurmur, "row-0000" + std::to_string(i));
    EXPECT_TRUE(hbase::may_contain(chunk->payload(), 7, pair));
  }
  const auto root_block = example_block("root", 540);
  ASSERT_NE(root_block, nullptr);
  const auto root = hfile::parse_root_index(root_block->payload(), 1, hfile::MiddleLeaf::kAbsent, 540);
  ASSERT_TRUE(root) << root.error().to_string();
  EXPECT_EQ(root->entries[0].offset, 0u);
  EXPECT_EQ(root->entries[0].on_disk_bytes, 487u);
  EXPECT_EQ(parse_flat_key(root->entries[0].key),
            (CellKey{"row-00000", "f", "q00", 1700000000000, CellType::kPut}));
  const auto meta_block = example_block("meta", 1234);
  ASSERT_NE(meta_block, nullptr);
  const auto meta = hbase::parse_bloom_meta(meta_block->payload(), 1234);
  ASSERT_TRUE(meta) << meta.error().to_string();
  EXPECT_EQ(meta->total_bytes, 16u);
  EXPECT_EQ(meta->hash_count, 7u);
  EXPECT_EQ(meta->key_count, 10u);
  EXPECT_EQ(meta->max_keys, 13u);
  ASSERT_EQ(meta->chunks.size(), 1u);
  EXPECT_EQ(meta->chunks[0].block_offset, 487u);
  EXPECT_EQ(meta->chunks[0].block_bytes, 53u);
  EXPECT_EQ(meta->chunks[0].first_key, "row-00000");
}

}  // namespace
}  // namespace bloomery
