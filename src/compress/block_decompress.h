// Decompresses one block of a known size. Tables of LevelDB and RocksDB, column files and HFiles consist of
// such blocks.
//
// The size is stored in a file, so it is checked against the compressed bytes. Memory that the codec's best
// ratio cannot fill is never allocated. decompress.h reads streams; hadoop_framing.h reads Hadoop's framing
// of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

enum class BlockCodec {
  kSnappy,      // raw, without framing
  kRawDeflate,  // without the header of zlib or gzip
  kLz4,         // a raw block
  kZstd,        // one frame, without a dictionary
  kGzip,        // one member
  kZlib,        // with the header of zlib
};

const char* block_codec_name(BlockCodec codec);

// Returns the size that the compressed bytes themselves state. Works only for kSnappy, and for kZstd if the
// frame states its size. Errors: kCorruption.
Result<std::uint64_t> stated_size(BlockCodec codec, std::span<const std::byte> compressed);

// Decompresses the bytes to find their size, and returns it, at most `most` + 1. Works only for the three
// forms of deflate, which state no size. Errors: kCorruption.
Result<std::uint64_t> inflated_size(BlockCodec codec, std::span<const std::byte> compressed,
                                    std::uint64_t most);

// Returns the most bytes that this many compressed bytes can expand to.
std::uint64_t largest_size(BlockCodec codec, std::uint64_t compressed_bytes);

// Decompresses all of `compressed` to the beginning of `out`. Returns the number of bytes. Errors:
// kCorruption if `compressed` is damaged or expands to more than `out` holds; kUnsupported for a frame that
// needs a dictionary.
Result<std::size_t> decompress_front(BlockCodec codec, std::span<const std::byte> compressed,
                                     std::span<std::byte> out);

// Returns exactly `size_bytes` bytes. Errors: kCorruption if `compressed` is damaged, expands to another
// number of bytes, or could not expand to so many.
Result<std::vector<std::byte>> decompress_block(BlockCodec codec, std::span<const std::byte> compressed,
                                                std::uint64_t size_bytes);

}  // namespace bloomery
