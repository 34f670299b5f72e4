// Blocks of a known size: what the libraries packed comes back, and a size that is not theirs is
// refused before it is allocated.
#include "compress/block_decompress.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"
#include "tests/compress/packed_block.h"

namespace bloomery {
namespace {

constexpr BlockCodec kReadCodecs[] = {BlockCodec::kSnappy, BlockCodec::kRawDeflate, BlockCodec::kLz4,
                                      BlockCodec::kZstd, BlockCodec::kGzip};

TEST(BlockDecompress, WhatWasPackedComesBack) {
  std::mt19937_64 random(1);
  for (const std::size_t size : {1U, 100U, 5000U, 200000U}) {
    Bytes plain = random_bytes(random, size);
    for (std::size_t i = 0; i < size; i += 3) {
      plain[i] = std::byte{7};  // something to compress
    }
    for (const BlockCodec codec : kReadCodecs) {
      SCOPED_TRACE(block_codec_name(codec));
      const Bytes packed = packed_block(codec, plain);
      const auto back = decompress_block(codec, packed, size);
      ASSERT_TRUE(back) << back.error().to_string();
      EXPECT_EQ(back.value(), plain);
      EXPECT_FALSE(decompress_block(codec, packed, size + 1));
      EXPECT_FALSE(decompress_block(codec, packed, size - 1));
    }
  }
}

TEST(BlockDecompress, TheBestRatioOfEveryCodecIsLetThrough) {
  const Bytes zeros(std::size_t{16} << 20);
  for (const BlockCodec codec : kReadCodecs) {
    SCOPED_TRACE(block_codec_name(codec));
    const auto back = decompress_block(codec, packed_block(codec, zeros), zeros.size());
    ASSERT_TRUE(back) << back.error().to_string();
    EXPECT_EQ(back.value(), zeros);
  }
}

TEST(BlockDecompress, ASizeThatCannotBeIsRefusedBeforeItIsAllocated) {
  const Bytes packed(100);
  for (const BlockCodec codec : kReadCodecs) {
    EXPECT_EQ(decompress_block(codec, packed, std::uint64_t{1} << 40).error().code(), ErrorCode::kCorruption);
    EXPECT_EQ(decompress_block(codec, packed, ~std::uint64_t{0}).error().code(), ErrorCode::kCorruption);
  }
}

TEST(BlockDecompress, DamageIsAnErrorOrOtherBytesOfTheSameSize) {
  std::mt19937_64 random(2);
  Bytes plain = random_bytes(random, 300);
  plain.resize(900);
  for (const BlockCodec codec : kReadCodecs) {
    SCOPED_TRACE(block_codec_name(codec));
    const Bytes packed = packed_block(codec, plain);
    for (std::size_t i = 0; i < packed.size(); ++i) {
      Bytes damaged = packed;
      damaged[i] ^= std::byte{0xff};
      const auto back = decompress_block(codec, damaged, plain.size());
      EXPECT_TRUE(!back || back.value().size() == plain.size()) << i;
      EXPECT_FALSE(decompress_block(codec, std::span(packed).first(i), plain.size())) << i;
    }
  }
}

TEST(BlockDecompress, SnappyAndZstdStateTheirSize) {
  const Bytes plain(1234);
  EXPECT_EQ(stated_size(BlockCodec::kSnappy, packed_block(BlockCodec::kSnappy, plain)).value(), 1234U);
  EXPECT_EQ(stated_size(BlockCodec::kZstd, packed_block(BlockCodec::kZstd, plain)).value(), 1234U);
  EXPECT_FALSE(stated_size(BlockCodec::kSnappy, {}));
  EXPECT_FALSE(stated_size(BlockCodec::kZstd, plain));
}

// Also where a library would stop at the end of its stream and never look at what lies behind.
TEST(BlockDecompress, BytesBehindABlockAreAnError) {
  const Bytes plain(5000, std::byte{7});
  for (const BlockCodec codec : kReadCodecs) {
    SCOPED_TRACE(block_codec_name(codec));
    for (const unsigned behind : {0U, 1U, 0xffU}) {
      Bytes packed = packed_block(codec, plain);
      packed.push_back(static_cast<std::byte>(behind));
      EXPECT_FALSE(decompress_block(codec, packed, plain.size())) << behind;
    }
  }
}

// The largest size that can be true of so few bytes is tried, a larger one is not even allocated.
TEST(BlockDecompress, ASizeBeyondTheBestRatioIsRefusedUnseen) {
  const Bytes packed(100);
  for (const BlockCodec codec : kReadCodecs) {
    SCOPED_TRACE(block_codec_name(codec));
    const std::uint64_t most = largest_size(codec, packed.size());
    const auto beyond = decompress_block(codec, packed, most + 1);
    ASSERT_FALSE(beyond);
    EXPECT_NE(beyond.error().detail().find("found the size " + std::to_string(most + 1)), std::string::npos)
        << beyond.error().to_string();
    const auto at_most = decompress_block(codec, packed, most);
    EXPECT_TRUE(at_most || at_most.error().detail().find("found damaged data") != std::string::npos);
  }
}

}  // namespace
}  // namespace bloomery
