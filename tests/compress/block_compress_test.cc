// Blocks and frames that are compressed here are read here, at every size that frames split at.
#include "compress/block_compress.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compress/hadoop_framing.h"
#include "compress/hadoop_framing_writer.h"

namespace bloomery {
namespace {

constexpr BlockCodec kCodecs[] = {BlockCodec::kSnappy, BlockCodec::kLz4, BlockCodec::kZstd,
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

BlockCompressor compressor_of(BlockCodec codec) {
  auto compressor = BlockCompressor::create(codec);
  EXPECT_TRUE(compressor) << compressor.error().to_string();
  return *std::move(compressor);
}

TEST(BlockCompress, BlocksAreReadAgain) {
  for (const BlockCodec codec : kCodecs) {
    BlockCompressor compressor = compressor_of(codec);
    for (const std::size_t size : {0U, 1U, 2U, 1000U, 65536U, 300000U}) {
      for (const bool random_bytes : {false, true}) {
        SCOPED_TRACE(std::string(block_codec_name(codec)) + ' ' + std::to_string(size));
        const auto block = block_of(size, random_bytes);
        std::vector<std::byte> out(compressor.largest_compressed(size));
        const auto written = compressor.compress(block, out);
        ASSERT_TRUE(written) << written.error().to_string();
        std::vector<std::byte> again(size);
        const auto read = decompress_front(codec, std::span(out).first(*written), again);
        ASSERT_TRUE(read) << read.error().to_string();
        EXPECT_EQ(*read, size);
        EXPECT_TRUE(again == block);
      }
    }
  }
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

}  // namespace
}  // namespace bloomery
