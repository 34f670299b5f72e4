// HBase's chunked Bloom filters: the sizes, positions and bytes that HBase computes, and what damage becomes.
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "hfile/bloom/bloom_chunk.h"
#include "hfile/bloom/bloom_key.h"
#include "hfile/bloom/bloom_meta.h"
#include "hfile/bloom/bloom_sizing.h"
#include "tests/base/test_bytes.h"
#include "tests/codec/damage.h"

namespace bloomery::hbase {
namespace {

using namespace std::string_literals;

const float kRowCol = rowcol_error_rate(0.01F);

ChunkShape shape_of(std::uint32_t hint, float error_rate) {
  const auto shape = chunk_shape({.hint_bytes = hint, .error_rate = error_rate});
  EXPECT_TRUE(shape) << shape.error().to_string();
  return *shape;
}

TEST(HBaseBloomSizing, HBasesOwnNumbers) {
  EXPECT_EQ(kRowCol, 0.0050125583F);
  EXPECT_EQ(shape_of(131072, 0.01F), (ChunkShape{131072, 7, 109306}));
  EXPECT_EQ(shape_of(131072, kRowCol), (ChunkShape{131072, 8, 95069}));
  EXPECT_EQ(shape_of(65536, 0.01F), (ChunkShape{65536, 7, 54653}));
  EXPECT_EQ(shape_of(4096, 0.01F), (ChunkShape{4096, 7, 3415}));
  EXPECT_EQ(shape_of(100000, 0.01F), (ChunkShape{100096, 7, 83474}));
  EXPECT_EQ(shape_of(131072, 0.1F), (ChunkShape{131072, 3, 218075}));
  EXPECT_EQ(shape_of(131072, 0.001F), (ChunkShape{131072, 10, 72931}));
}

TEST(HBaseBloomSizing, FoldingStopsAtHalfFullOrAnOddSize) {
  const ChunkShape row = shape_of(131072, 0.01F);
  const auto folded = [](const ChunkShape& shape, std::uint32_t keys) {
    const ChunkShape after = folded_shape(shape, keys);
    return std::pair(after.byte_size, after.max_keys);
  };
  EXPECT_EQ(folded(row, 1), std::pair(2U, 1U));
  EXPECT_EQ(folded(row, 10), std::pair(16U, 13U));
  EXPECT_EQ(folded(row, 100).first, 128U);
  EXPECT_EQ(folded(row, 1000), std::pair(2048U, 1707U));
  EXPECT_EQ(folded(row, 10000), std::pair(16384U, 13663U));
  EXPECT_EQ(folded(row, 20000).first, 32768U);
  EXPECT_EQ(folded(row, 27327).first, 65536U);
  EXPECT_EQ(folded(row, 54652).first, 65536U);
  EXPECT_EQ(folded(row, 54653).first, 131072U);
  const ChunkShape rowcol = shape_of(131072, kRowCol);
  EXPECT_EQ(folded(rowcol, 10).first, 16U);
  EXPECT_EQ(folded(rowcol, 1000), std::pair(2048U, 1485U));
  EXPECT_EQ(folded(rowcol, 10000), std::pair(16384U, 11883U));
  EXPECT_EQ(folded(rowcol, 30000).first, 65536U);
  EXPECT_EQ(folded(rowcol, 47534).first, 65536U);
  EXPECT_EQ(folded(rowcol, 47535).first, 131072U);
  EXPECT_EQ(folded(shape_of(100000, 0.01F), 1).first, 391U);
}

// What a contributor of HBase published of real store files: total bytes of n keys.
TEST(HBaseBloomSizing, SizesOfWholeFilters) {
  const auto kilobytes = [](std::uint64_t keys, float error_rate) {
    const ChunkShape full = shape_of(131072, error_rate);
    std::uint64_t bytes = 0;
    for (; keys >= full.max_keys; keys -= full.max_keys) {
      bytes += full.byte_size;
    }
    return (bytes + folded_shape(full, static_cast<std::uint32_t>(keys)).byte_size) / 1024;
  };
  EXPECT_EQ(kilobytes(10000, 0.01F), 16U);
  EXPECT_EQ(kilobytes(100000, 0.01F), 128U);
  EXPECT_EQ(kilobytes(1000000, 0.01F), 1184U);
  EXPECT_EQ(kilobytes(10000000, 0.01F), 11712U);
  EXPECT_EQ(kilobytes(100000, kRowCol), 136U);
  EXPECT_EQ(kilobytes(1000000, kRowCol), 1408U);
  EXPECT_EQ(kilobytes(10000000, kRowCol), 13472U);
}

TEST(HBaseBloomSizing, WhatCannotBeIsRefused) {
  for (const ChunkOptions& options :
       {ChunkOptions{.hint_bytes = 0}, ChunkOptions{.hint_bytes = 0x80000000}, ChunkOptions{.error_rate = 0},
        ChunkOptions{.error_rate = 1}, ChunkOptions{.error_rate = -1}, ChunkOptions{.error_rate = 0.99999F},
        ChunkOptions{.max_fold = 32}, ChunkOptions{.max_fold = 31},
        ChunkOptions{.error_rate = std::numeric_limits<float>::quiet_NaN()}}) {
    const auto shape = chunk_shape(options);
    EXPECT_TRUE(!shape || shape->hash_count >= 1) << options.error_rate;
  }
  EXPECT_EQ(chunk_shape({.hint_bytes = 0}).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(chunk_shape({.error_rate = 0}).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(chunk_shape({.hint_bytes = 0x80000000}).error().code(), ErrorCode::kInvalidArgument);
}

std::vector<std::uint32_t> positions_of(std::string_view key, std::uint32_t bits, std::uint32_t hash_count) {
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < hash_count; ++i) {
    positions.push_back(ChunkPositions(bits).of(hash_pair(BloomHash::kMurmur, key), i));
  }
  return positions;
}

TEST(HBaseBloomChunk, Positions) {
  using Positions = std::vector<std::uint32_t>;
  EXPECT_EQ(positions_of("row1", 1048576, 7),
            (Positions{279826, 869868, 77590, 23528, 124646, 822812, 326882}));
  EXPECT_EQ(positions_of("row-0001", 1048576, 7),
            (Positions{865317, 293441, 403623, 513805, 623987, 314407, 204225}));
  const RowColKey key({"row1", "q1"});
  EXPECT_EQ(key.bytes(), "\x00\x04row1\x00q1\x7f\xff\xff\xff\xff\xff\xff\xff\xff"s);
  EXPECT_EQ(positions_of(key.bytes(), 1048576, 7),
            (Positions{979255, 1041895, 965893, 158685, 813889, 737887, 386691}));
}

// Java's remainder keeps the sign, and the smallest int has no positive one.
TEST(HBaseBloomChunk, PositionsOfExtremes) {
  for (const std::uint32_t bits : {1048576U, 3128U, 800768U}) {
    const ChunkPositions positions(bits);
    for (const std::uint32_t sum : {0U, 1U, 0x7fffffffU, 0x80000000U, 0x80000001U, 0xffffffffU}) {
      const auto java = static_cast<std::int64_t>(static_cast<std::int32_t>(sum)) % bits;
      EXPECT_EQ(positions.of({sum, 0}, 3), static_cast<std::uint32_t>(java < 0 ? -java : java));
    }
  }
}

FinishedChunk ten_rows() {
  ChunkBuilder builder(shape_of(131072, 0.01F), BloomHash::kMurmur);
  for (int i = 0; i < 10; ++i) {
    builder.add("row-000" + std::to_string(i));
  }
  return builder.finish();
}

TEST(HBaseBloomChunk, TenRowsInHBasesBytes) {
  const FinishedChunk chunk = ten_rows();
  EXPECT_EQ(chunk.bytes, "\x02\xb5\x70\x02\xa3\x01\x31\x41\x03\x0f\x05\x74\x32\x20\x6d\xd1");
  EXPECT_EQ(chunk.key_count, 10U);
  EXPECT_EQ(chunk.max_keys, 13U);
}

TEST(HBaseBloomChunk, EveryKeyOfEverySizeMayBeIn) {
  for (const std::uint32_t hint : {131072U, 100000U, 128U}) {
    const ChunkShape shape = shape_of(hint, 0.01F);
    for (const BloomHash hash : {BloomHash::kJenkins, BloomHash::kMurmur, BloomHash::kMurmur3}) {
      ChunkBuilder builder(shape, hash);
      for (std::uint32_t count = 1; count <= shape.max_keys; count = count * 3 + 1) {
        for (std::uint32_t i = 0; i < count; ++i) {
          builder.add("key" + std::to_string(i));
        }
        const FinishedChunk chunk = builder.finish();
        EXPECT_EQ(chunk.bytes.size(), folded_shape(shape, count).byte_size);
        std::uint32_t wrong = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
          const auto pair = hash_pair(hash, "key" + std::to_string(i));
          EXPECT_TRUE(may_contain(bytes_of(chunk.bytes), shape.hash_count, pair)) << count << ' ' << i;
          const auto absent = hash_pair(hash, "absent" + std::to_string(i));
          wrong += may_contain(bytes_of(chunk.bytes), shape.hash_count, absent) ? 1U : 0U;
        }
        EXPECT_LT(wrong, count / 50 + 10) << count;
      }
    }
  }
}

TEST(HBaseBloomChunk, OneThatCannotBeAskedAnswersMaybe) {
  EXPECT_TRUE(may_contain({}, 7, {1, 2}));
}

TEST(HBaseBloomKey, RowColKeysOrderByRowThenQualifier) {
  const RowCol in_order[] = {{"", ""},      {"a", ""},     {"a", "b"},   {"a", "bc"},
                             {"a\xff", ""}, {"b", "\x80"}, {"b", "\xff"}};
  for (std::size_t i = 0; i < std::size(in_order); ++i) {
    const RowColKey key(in_order[i]);
    const auto parsed = parse_rowcol_key(key.bytes());
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*parsed <=> in_order[i], std::strong_ordering::equal);
    for (std::size_t j = 0; j < std::size(in_order); ++j) {
      EXPECT_EQ(in_order[i] < in_order[j], i < j);
    }
  }
  const std::string row(1000, 'r');
  EXPECT_EQ(parse_rowcol_key(RowColKey({row, "q"}).bytes())->row, row);
  EXPECT_FALSE(parse_rowcol_key("\x00\x04row1\x01q1\x7f\xff\xff\xff\xff\xff\xff\xff\xff"s));
  EXPECT_FALSE(parse_rowcol_key("\x00\x09row1\x00q1\x7f\xff\xff\xff\xff\xff\xff\xff\xff"s));
  EXPECT_FALSE(parse_rowcol_key("\x00\x04row1\x00q1\x7f\xff\xff\xff\xff\xff\xff\xff\x04"s));
}

BloomMeta ten_row_meta() {
  return {.total_bytes = 16,
          .hash_count = 7,
          .key_count = 10,
          .max_keys = 13,
          .chunks = {{0x1234, 53, "row-0000"}}};
}

TEST(HBaseBloomMeta, TenRowsInHBasesBytes) {
  std::string bytes;
  append_bloom_meta(bytes, ten_row_meta());
  EXPECT_EQ(
      bytes,
      "\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x07\x00\x00\x00\x01\x00\x00\x00\x00\x00"
      "\x00\x00\x0a"
      "\x00\x00\x00\x00\x00\x00\x00\x0d\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x12\x34\x00\x00\x00\x35\x08row-0000"s);
  const auto meta = parse_bloom_meta(bytes_of(bytes), 0);
  ASSERT_TRUE(meta) << meta.error().to_string();
  EXPECT_EQ(meta->total_bytes, 16U);
  EXPECT_EQ(meta->hash_count, 7U);
  EXPECT_EQ(meta->hash, BloomHash::kMurmur);
  EXPECT_EQ(meta->key_count, 10U);
  EXPECT_EQ(meta->max_keys, 13U);
  EXPECT_EQ(meta->order, KeyOrder::kBytes);
  ASSERT_EQ(meta->chunks.size(), 1U);
  EXPECT_EQ(meta->chunks[0].block_offset, 0x1234U);
  EXPECT_EQ(meta->chunks[0].block_bytes, 53U);
  EXPECT_EQ(meta->chunks[0].first_key, "row-0000");
}

TEST(HBaseBloomMeta, AKeyIsInTheLastChunkThatBeginsNotBehindIt) {
  BloomMeta rows{.hash_count = 7, .chunks = {{0, 1, "b"}, {0, 1, "d"}, {0, 1, "d\x80"}}};
  EXPECT_EQ(chunk_of(rows, "a"), std::nullopt);
  EXPECT_EQ(chunk_of(rows, "b"), 0U);
  EXPECT_EQ(chunk_of(rows, "c"), 0U);
  EXPECT_EQ(chunk_of(rows, "d"), 1U);
  EXPECT_EQ(chunk_of(rows, "d\x7f"), 1U);
  EXPECT_EQ(chunk_of(rows, "d\x80"), 2U);
  EXPECT_EQ(chunk_of(rows, "\xff"), 2U);
  const RowColKey first({"b", "q"});
  const RowColKey second({"longer", "a"});  // its serialized bytes would come behind those of "z"
  rows = {
      .hash_count = 7, .order = KeyOrder::kRowCol, .chunks = {{0, 1, first.bytes()}, {0, 1, second.bytes()}}};
  EXPECT_EQ(chunk_of(rows, RowColKey({"b", "p"}).bytes()), std::nullopt);
  EXPECT_EQ(chunk_of(rows, RowColKey({"b", "q"}).bytes()), 0U);
  EXPECT_EQ(chunk_of(rows, RowColKey({"z", ""}).bytes()), 1U);
}

// HBase writes 0 hashes for error rates above 0.62.
TEST(HBaseBloomMeta, NoHashesAreRead) {
  BloomMeta without = ten_row_meta();
  without.hash_count = 0;
  std::string bytes;
  append_bloom_meta(bytes, without);
  const auto meta = parse_bloom_meta(bytes_of(bytes), 0);
  ASSERT_TRUE(meta) << meta.error().to_string();
  EXPECT_EQ(meta->hash_count, 0u);
  const std::string zeros(16, '\0');
  EXPECT_TRUE(may_contain(bytes_of(zeros), meta->hash_count, hash_pair(meta->hash, "row")));
}

TEST(HBaseBloomMeta, WhatIsNoneIsRefused) {
  std::string bytes;
  append_bloom_meta(bytes, ten_row_meta());
  for_each_cut(bytes, [](const std::string& cut, const std::string& what) {
    EXPECT_FALSE(parse_bloom_meta(bytes_of(cut), 0)) << what;
  });
  for_each_flip(bytes, [](const std::string& damaged, const std::string& what) {
    (void)what;
    const auto meta = parse_bloom_meta(bytes_of(damaged), 0);
    EXPECT_TRUE(!meta || meta->chunks.size() == 1);
  });
  const auto code = [&](std::size_t at, char value) {
    std::string changed = bytes;
    changed[at] = value;
    return parse_bloom_meta(bytes_of(changed), 0).error().code();
  };
  EXPECT_EQ(code(3, 101), ErrorCode::kUnsupported);
  EXPECT_EQ(code(19, 3), ErrorCode::kUnsupported);
  EXPECT_EQ(code(14, 1), ErrorCode::kCorruption);  // 263 hashes
  EXPECT_EQ(code(12, '\xff'), ErrorCode::kCorruption);
  EXPECT_EQ(code(36, 0x7f), ErrorCode::kCorruption);  // chunks
  EXPECT_FALSE(parse_bloom_meta(bytes_of(bytes + "x"), 0));
  BloomMeta unsorted = ten_row_meta();
  unsorted.chunks.push_back({0, 1, "row-0000"});
  std::string again;
  append_bloom_meta(again, unsorted);
  EXPECT_EQ(parse_bloom_meta(bytes_of(again), 0).error().code(), ErrorCode::kCorruption);
  BloomMeta rows_as_columns = ten_row_meta();
  rows_as_columns.order = KeyOrder::kRowCol;
  std::string mixed;
  append_bloom_meta(mixed, rows_as_columns);
  EXPECT_EQ(parse_bloom_meta(bytes_of(mixed), 0).error().code(), ErrorCode::kCorruption);
}

}  // namespace
}  // namespace bloomery::hbase
