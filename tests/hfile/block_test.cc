// Blocks: the header's bytes, what in them cannot be, checksums of each type, and sizes that are not
// believed.
#include "hfile/block.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "hfile/block_checksum.h"
#include "tests/base/test_bytes.h"

namespace bloomery::hfile {
namespace {

using HeaderBytes = std::array<std::byte, kBlockHeaderBytes>;

// Of a file that a cluster wrote: 16402 bytes of payload.
const Bytes kReal = make_bytes({0x44, 0x41, 0x54, 0x41, 0x42, 0x4c, 0x4b, 0x2a, 0x00, 0x00, 0x40,
                                0x1a, 0x00, 0x00, 0x40, 0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                0xff, 0xff, 0x02, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x40, 0x33});

Result<BlockHeader> parsed_header(const Bytes& bytes, std::uint64_t offset = 0) {
  HeaderBytes header;
  std::copy_n(bytes.begin(), header.size(), header.begin());
  return parse_block_header(header, offset);
}

TEST(BlockHeader, OfARealFile) {
  const auto header = parsed_header(kReal);
  ASSERT_TRUE(header) << header.error().to_string();
  EXPECT_EQ(header->kind, BlockKind::kData);
  EXPECT_EQ(header->on_disk_bytes, 33u + 0x401a);
  EXPECT_EQ(header->uncompressed_bytes, 16402u);
  EXPECT_EQ(header->previous_offset, -1);
  EXPECT_EQ(header->checksum, ChecksumType::kCrc32c);
  EXPECT_EQ(header->bytes_per_checksum, 16384u);
  EXPECT_EQ(header->checked_bytes, 33u + 16402);
  EXPECT_EQ(header->checksum_count(), 2u);
}

Result<BlockHeader> with(std::size_t at, std::uint32_t value) {
  Bytes changed = kReal;
  store_big(changed.data() + at, value);
  return parsed_header(changed, 1000);
}

TEST(BlockHeader, WhatCannotBeIsRefused) {
  EXPECT_EQ(with(0, 0).error().code(), ErrorCode::kCorruption);
  EXPECT_FALSE(with(8, 0x4019)) << "the sizes do not agree";
  EXPECT_FALSE(with(8, 0xffffffff));
  EXPECT_FALSE(with(12, 0x80000000)) << "a negative size in Java";
  EXPECT_FALSE(with(25, 32)) << "a checksum of less than a header";
  EXPECT_FALSE(with(25, 0));
  EXPECT_FALSE(with(29, 32)) << "less than a header";
  EXPECT_FALSE(with(29, 0xffffffff));
  Bytes changed = kReal;
  changed[24] = std::byte{3};
  EXPECT_EQ(parsed_header(changed).error().code(), ErrorCode::kUnsupported);
  changed = kReal;
  store_big(changed.data() + 16, std::uint64_t{1000});
  EXPECT_FALSE(parsed_header(changed, 1000)) << "the block before is this one";
  EXPECT_TRUE(parsed_header(changed, 1001));
  store_big(changed.data() + 16, ~std::uint64_t{1});
  EXPECT_FALSE(parsed_header(changed, 1000)) << "-2";
}

TEST(BlockChecksum, CheckValues) {
  EXPECT_EQ(block_checksum(ChecksumType::kCrc32, bytes_of("123456789")), 0xcbf43926u);
  EXPECT_EQ(block_checksum(ChecksumType::kCrc32c, bytes_of("123456789")), 0xe3069283u);
  EXPECT_EQ(block_checksum(ChecksumType::kNull, bytes_of("123456789")), 0u);
}

// A block of `payload`, as stored, with checksums over `run` bytes each.
Bytes block_bytes(const Bytes& payload, std::uint32_t uncompressed, ChecksumType type, std::uint32_t run) {
  const auto checked = static_cast<std::uint32_t>(kBlockHeaderBytes + payload.size());
  const std::uint32_t sums = (checked + run - 1) / run;
  Bytes block(checked + 4 * std::size_t{sums});
  std::copy_n(kReal.begin(), 24, block.begin());
  store_big(block.data() + 8, static_cast<std::uint32_t>(payload.size() + 4 * sums));
  store_big(block.data() + 12, uncompressed);
  block[24] = static_cast<std::byte>(type);
  store_big(block.data() + 25, run);
  store_big(block.data() + 29, checked);
  std::ranges::copy(payload, block.begin() + kBlockHeaderBytes);
  for (std::size_t i = 0; i < sums; ++i) {
    const std::size_t size = std::min<std::size_t>(run, checked - i * run);
    store_big(block.data() + checked + 4 * i, block_checksum(type, std::span(block).subspan(i * run, size)));
  }
  return block;
}

Result<BlockPointer> made(const Bytes& bytes, Compression compression = Compression::kNone,
                          std::uint64_t max_bytes = 1 << 20) {
  return make_block(BlockMemory::copy_of(bytes), 0, compression, max_bytes);
}

TEST(Block, EveryChecksumTypeAndRun) {
  const Bytes payload(100, std::byte{7});
  for (const ChecksumType type : {ChecksumType::kNull, ChecksumType::kCrc32, ChecksumType::kCrc32c}) {
    for (const std::uint32_t run : {33U, 34U, 64U, 132U, 133U, 134U, 16384U}) {
      const Bytes bytes = block_bytes(payload, 100, type, run);
      const auto block = made(bytes);
      ASSERT_TRUE(block) << block.error().to_string();
      EXPECT_TRUE(std::ranges::equal((*block)->payload(), payload));
      Bytes damaged = bytes;
      damaged.back() ^= std::byte{1};  // also without checksums their place must be as it is written
      EXPECT_FALSE(made(damaged));
      damaged = bytes;
      damaged[100] ^= std::byte{1};
      EXPECT_EQ(made(damaged).has_value(), type == ChecksumType::kNull);
    }
  }
}

TEST(Block, SizesAreNotBelieved) {
  const Bytes payload(100, std::byte{7});
  EXPECT_FALSE(made(block_bytes(payload, 99, ChecksumType::kCrc32c, 16384)));
  EXPECT_EQ(
      made(block_bytes(payload, 100, ChecksumType::kCrc32c, 16384), Compression::kNone, 99).error().code(),
      ErrorCode::kCapacity);
  // More than a hundred bytes can become, whatever they are.
  for (const auto compression :
       {Compression::kGz, Compression::kSnappy, Compression::kLz4, Compression::kZstd}) {
    const auto block = made(block_bytes(payload, 0x7fffffff, ChecksumType::kCrc32c, 16384), compression);
    ASSERT_FALSE(block);
    EXPECT_EQ(block.error().code(), ErrorCode::kCorruption);
  }
  Bytes shorter = block_bytes(payload, 100, ChecksumType::kCrc32c, 16384);
  shorter.pop_back();
  EXPECT_FALSE(made(shorter));
  EXPECT_FALSE(made(Bytes(32)));
}

TEST(Compression, OthersAreRefusedByName) {
  EXPECT_EQ(compression_of(2, 0).value(), Compression::kNone);
  for (const auto& [number, name] : {std::pair(0U, "LZO"), {5U, "BZIP2"}, {7U, "LZMA"}, {8U, "BROTLI"}}) {
    const auto refused = compression_of(number, 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
    EXPECT_NE(refused.error().detail().find(name), std::string::npos);
  }
  EXPECT_EQ(compression_of(9, 0).error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(compression_of(257, 0).error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(compression_of(258, 0).error().code(), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace bloomery::hfile
