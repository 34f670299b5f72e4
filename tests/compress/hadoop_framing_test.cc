// Hadoop's framing: one frame or several, of one block or several, and every cut and flip of them.
#include "compress/hadoop_framing.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"
#include "tests/compress/packed_block.h"

namespace bloomery {
namespace {

constexpr BlockCodec kFramedCodecs[] = {BlockCodec::kSnappy, BlockCodec::kLz4, BlockCodec::kZstd};

void append_number(Bytes& out, std::size_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<std::byte>(number >> shift));
  }
}

// Frames of `frame_bytes`, each of blocks of `block_bytes`.
Bytes framed(BlockCodec codec, const Bytes& plain, std::size_t frame_bytes, std::size_t block_bytes) {
  Bytes out;
  for (std::size_t frame = 0; frame < plain.size(); frame += frame_bytes) {
    const std::size_t frame_end = std::min(plain.size(), frame + frame_bytes);
    append_number(out, frame_end - frame);
    for (std::size_t at = frame; at < frame_end; at += block_bytes) {
      const auto end = static_cast<std::ptrdiff_t>(std::min(frame_end, at + block_bytes));
      const Bytes block =
          packed_block(codec, Bytes(plain.begin() + static_cast<std::ptrdiff_t>(at), plain.begin() + end));
      append_number(out, block.size());
      out.insert(out.end(), block.begin(), block.end());
    }
  }
  return out;
}

Bytes some_plain(std::size_t size) {
  std::mt19937_64 random(size);
  Bytes plain = random_bytes(random, size);
  for (std::size_t i = 0; i < size; i += 2) {
    plain[i] = std::byte{7};
  }
  return plain;
}

TEST(HadoopFraming, FramesAndBlocksOfEverySize) {
  const Bytes plain = some_plain(3000);
  for (const BlockCodec codec : kFramedCodecs) {
    SCOPED_TRACE(block_codec_name(codec));
    for (const std::size_t frame : {100U, 1000U, 3000U}) {
      for (const std::size_t block : {33U, 100U, 3000U}) {
        Bytes out(plain.size());
        const Status status = decompress_hadoop_frames(codec, framed(codec, plain, frame, block), out);
        ASSERT_TRUE(status) << status.error().to_string();
        EXPECT_EQ(out, plain);
      }
    }
  }
}

TEST(HadoopFraming, NoBytesAreAFrameOfNone) {
  EXPECT_TRUE(decompress_hadoop_frames(BlockCodec::kSnappy, make_bytes({0, 0, 0, 0}), {}));
  EXPECT_TRUE(decompress_hadoop_frames(BlockCodec::kSnappy, {}, {}));
  Bytes one(1);
  EXPECT_FALSE(decompress_hadoop_frames(BlockCodec::kSnappy, make_bytes({0, 0, 0, 0}), one));
}

TEST(HadoopFraming, ZstandardInEitherForm) {
  const Bytes plain = some_plain(500);
  Bytes out(plain.size());
  EXPECT_TRUE(decompress_hadoop_zstd(packed_block(BlockCodec::kZstd, plain), out));
  EXPECT_EQ(out, plain);
  std::fill(out.begin(), out.end(), std::byte{0});
  EXPECT_TRUE(decompress_hadoop_zstd(framed(BlockCodec::kZstd, plain, 500, 500), out));
  EXPECT_EQ(out, plain);
  Bytes shorter(plain.size() - 1);
  EXPECT_FALSE(decompress_hadoop_zstd(packed_block(BlockCodec::kZstd, plain), shorter));
  Bytes longer(plain.size() + 1);
  EXPECT_FALSE(decompress_hadoop_zstd(packed_block(BlockCodec::kZstd, plain), longer));
}

TEST(HadoopFraming, CutsAndOtherSizesAreErrors) {
  const Bytes plain = some_plain(300);
  for (const BlockCodec codec : kFramedCodecs) {
    SCOPED_TRACE(block_codec_name(codec));
    const Bytes whole = framed(codec, plain, 200, 100);
    Bytes out(plain.size());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(decompress_hadoop_frames(codec, std::span(whole).first(size), out)) << size;
    }
    Bytes shorter(plain.size() - 1);
    Bytes longer(plain.size() + 1);
    EXPECT_FALSE(decompress_hadoop_frames(codec, whole, shorter));
    EXPECT_FALSE(decompress_hadoop_frames(codec, whole, longer));
    Bytes damaged = whole;
    for (std::byte& byte : damaged) {  // no crash, and nothing written behind the end
      byte ^= std::byte{0xff};
      (void)decompress_hadoop_frames(codec, damaged, out);
      byte ^= std::byte{0xff};
    }
  }
}

}  // namespace
}  // namespace bloomery
