// Blocks and frames that are compressed here are read here, at every size that frames split at.
#include "compress/block_compress.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "compress/hadoop_framing.h"
#include "compress/hadoop_framing_writer.h"

namespace bloomery {
namespace {

constexpr BlockCodec kWriteCodecs[] = {BlockCodec::kSnappy, BlockCodec::kLz4, BlockCodec::kZstd,
                                       BlockCodec::kGzip};

// Of so many bytes, which compress well or not at all.
std::vector<std::byte> block_of(std::size_t size, bool random_bytes) {
  std::mt19937_64 random(size);
  std::vector<std::byte> block(size);
  for (std::size_t i = 0; i < size; ++i) {
    block[i] = static_cast<std::byte>(random_bytes ? random() : i / 100 % 7);
  }
  return block;
}

BlockCompressor compressor_of(BlockCodec codec, ZstdForm zstd_form = ZstdForm::kSized) {
  auto compressor = BlockCompressor::create(codec, zstd_form);
  EXPECT_TRUE(compressor) << compressor.error().to_string();
  return *std::move(compressor);
}

void expect_blocks_read_again(BlockCompressor compressor) {
  for (const std::size_t size : {0U, 1U, 2U, 1000U, 65536U, 131072U, 131591U, 300000U, 5000000U}) {
    for (const bool random_bytes : {false, true}) {
      SCOPED_TRACE(std::string(block_codec_name(compressor.codec())) + ' ' + std::to_string(size));
      const auto block = block_of(size, random_bytes);
      std::vector<std::byte> out(compressor.largest_compressed(size));
      const auto written = compressor.compress(block, out);
      ASSERT_TRUE(written) << written.error().to_string();
      std::vector<std::byte> again(size);
      const auto read = decompress_front(compressor.codec(), std::span(out).first(*written), again);
      ASSERT_TRUE(read) << read.error().to_string();
      EXPECT_EQ(*read, size);
      EXPECT_TRUE(again == block);
    }
  }
}

TEST(BlockCompress, BlocksAreReadAgain) {
  for (const BlockCodec codec : kWriteCodecs) {
    expect_blocks_read_again(compressor_of(codec));
  }
  expect_blocks_read_again(compressor_of(BlockCodec::kZstd, ZstdForm::kStreamed));
}

// Bytes of the frame header, RFC 8878 section 3.1.1.1: without a size, and with a window instead.
TEST(BlockCompress, AStreamedFrameDoesNotStateItsSize) {
  BlockCompressor compressor = compressor_of(BlockCodec::kZstd, ZstdForm::kStreamed);
  const auto block = block_of(8192, false);
  std::vector<std::byte> out(compressor.largest_compressed(block.size()));
  ASSERT_TRUE(compressor.compress(block, out));
  EXPECT_EQ(out[4], std::byte{0});     // descriptor: no content size, no single segment, no checksum
  EXPECT_EQ(out[5], std::byte{0x58});  // 2^21 bytes, the window of level 3
}

TEST(BlockCompress, FramesOfOneBlockAndOfMore) {
  for (const BlockCodec codec : {BlockCodec::kSnappy, BlockCodec::kLz4, BlockCodec::kZstd}) {
    BlockCompressor compressor = compressor_of(codec);
    constexpr std::size_t most = 218422;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, most - 1, most, most + 1, 2 * most, 2 * most + 1}) {
      for (const bool random_bytes : {false, true}) {
        SCOPED_TRACE(std::string(block_codec_name(codec)) + ' ' + std::to_string(size));
        const auto block = block_of(size, random_bytes);
        std::vector<std::byte> out(largest_hadoop_frame(compressor, size, most));
        const auto written = compress_hadoop_frame(compressor, block, most, out);
        ASSERT_TRUE(written) << written.error().to_string();
        std::vector<std::byte> again(size);
        const Status read = decompress_hadoop_frames(codec, std::span(out).first(*written), again);
        ASSERT_TRUE(read) << read.error().to_string();
        EXPECT_TRUE(again == block);
      }
    }
  }
}

TEST(BlockCompress, RawDeflateIsRefused) {
  const auto refused = BlockCompressor::create(BlockCodec::kRawDeflate);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
}

// A frame of one block ends with it; of several, with a block of no bytes, as Hadoop's stream writes it.
TEST(HadoopFrame, OnlyAFrameOfSeveralBlocksHasAnEmptyOneAtItsEnd) {
  constexpr std::size_t kMost = 1000;
  for (const std::size_t size : {kMost - 1, kMost, kMost + 1, 2 * kMost}) {
    BlockCompressor compressor = *BlockCompressor::create(BlockCodec::kSnappy);
    const std::vector<std::byte> plain(size, std::byte{7});
    std::vector<std::byte> out(largest_hadoop_frame(compressor, size, kMost));
    const auto written = compress_hadoop_frame(compressor, plain, kMost, out);
    ASSERT_TRUE(written);
    std::size_t at = 4;
    std::vector<std::uint32_t> blocks;
    while (at < *written) {
      blocks.push_back(load_big32(out.data() + at));
      at += 4 + blocks.back();
    }
    EXPECT_EQ(at, *written);
    EXPECT_EQ(blocks.size(), size <= kMost ? 1U : 3U) << size;
    EXPECT_EQ(blocks.back() == 0, size > kMost) << size;
  }
}

}  // namespace
}  // namespace bloomery
