// Decompresses one block whose size is known before: what tables of LevelDB and RocksDB, column files and
// HFiles are made of.
//
// The size comes from a file, so it is believed only as far as the compressed bytes could hold it: nothing is
// allocated that the codec's best ratio cannot fill. Not here: streams (decompress.h), the framing that
// Hadoop puts around blocks (hadoop_framing.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

enum class BlockCodec {
  kSnappy,      // raw, no framing
  kRawDeflate,  // without the header of zlib or gzip
  kLz4,         // a raw block
  kZstd,        // one frame, without a dictionary
  kGzip,        // one member
};

const char* block_codec_name(BlockCodec codec);

// Returns the size that the compressed bytes themselves state. Only of kSnappy, and of kZstd where the frame
// says it. Errors: kCorruption.
Result<std::uint64_t> stated_size(BlockCodec codec, std::span<const std::byte> compressed);

// Returns the most bytes that so many compressed ones can become.
std::uint64_t largest_size(BlockCodec codec, std::uint64_t compressed_bytes);

// Decompresses all of `compressed` to the front of `out` and returns how many bytes that were. Errors:
// kCorruption when `compressed` is damaged or holds more; kUnsupported for a frame that needs a dictionary.
Result<std::size_t> decompress_front(BlockCodec codec, std::span<const std::byte> compressed,
                                     std::span<std::byte> out);

// Returns exactly `size_bytes` bytes. Errors: kCorruption when `compressed` is damaged, holds another number
// of bytes, or could not hold so many.
Result<std::vector<std::byte>> decompress_block(BlockCodec codec, std::span<const std::byte> compressed,
                                                std::uint64_t size_bytes);

}  // namespace bloomery
