#include "compress/hadoop_framing.h"

#include <cstdint>
#include <string>

#include "base/endian.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kZstdMagic = 0x28b52ffd;  // the first four bytes, read as big-endian

Error damaged_frames(BlockCodec codec, const std::string& detail) {
  return {ErrorCode::kCorruption, std::string("frames of ") + block_codec_name(codec), detail};
}

// The remaining input and output.
struct Rest {
  BlockCodec codec;
  std::span<const std::byte> in;
  std::span<std::byte> out;

  // Reads a number that must be at most `most`.
  Result<std::size_t> read_number(const char* what, std::size_t most) {
    if (in.size() < kHadoopNumberBytes) {
      return damaged_frames(codec, std::string("expected the ") + what + ", found the end");
    }
    const std::size_t number = load_big32(in.data());
    if (number > most) {
      return damaged_frames(codec, std::string("expected the ") + what + " to be at most " +
                                       std::to_string(most) + ", found " + std::to_string(number));
    }
    in = in.subspan(kHadoopNumberBytes);
    return number;
  }

  // Decompresses the next block to the front of `out`. Returns its decompressed size, at most `most`.
  Result<std::size_t> read_block(std::size_t most) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t size, read_number("compressed size of a block", in.size()));
    if (size > in.size()) {
      return damaged_frames(codec, "expected a block of " + std::to_string(size) + " bytes, found " +
                                       std::to_string(in.size()));
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t became,
                              decompress_front(codec, in.first(size), out.first(most)));
    if (became == 0) {
      return damaged_frames(codec, "expected a block of at least a byte, found none");
    }
    in = in.subspan(size);
    out = out.subspan(became);
    return became;
  }
};

}  // namespace

Status decompress_hadoop_frames(BlockCodec codec, std::span<const std::byte> framed,
                                std::span<std::byte> out) {
  Rest rest{codec, framed, out};
  while (!rest.in.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(std::size_t frame, rest.read_number("size of a frame", rest.out.size()));
    while (frame > 0) {
      BLOOMERY_ASSIGN_OR_RETURN(const std::size_t became, rest.read_block(frame));
      frame -= became;
    }
  }
  if (!rest.out.empty()) {
    return damaged_frames(codec, "expected " + std::to_string(out.size()) + " bytes, found " +
                                     std::to_string(out.size() - rest.out.size()));
  }
  return {};
}

Status decompress_hadoop_zstd(std::span<const std::byte> stored, std::span<std::byte> out) {
  if (stored.size() < kHadoopNumberBytes || load_big32(stored.data()) != kZstdMagic) {
    return decompress_hadoop_frames(BlockCodec::kZstd, stored, out);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t size, decompress_front(BlockCodec::kZstd, stored, out));
  if (size != out.size()) {
    return damaged_frames(BlockCodec::kZstd,
                          "expected " + std::to_string(out.size()) + " bytes, found " + std::to_string(size));
  }
  return {};
}

}  // namespace bloomery
