// Writes Hadoop's framing around compressed blocks; hadoop_framing.h reads it.
//
// The writer makes one frame with as many blocks as necessary. After a frame of more than one block it writes
// an empty frame, like Hadoop.
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/base/result.h"
#include "compress/block_compress.h"

namespace bloomery {

// Returns the largest frame of `size_bytes` bytes in blocks of at most `most` bytes. Precondition: most > 0.
std::size_t largest_hadoop_frame(const BlockCompressor& compressor, std::size_t size_bytes, std::size_t most);

// Writes a frame to the beginning of `out`. Returns the number of bytes. Precondition: most > 0, and `out`
// has room for largest_hadoop_frame(). Errors: kCapacity above 2^31 - 1 bytes less the codec's overhead.
Result<std::size_t> compress_hadoop_frame(BlockCompressor& compressor, std::span<const std::byte> bytes,
                                          std::size_t most, std::span<std::byte> out);

}  // namespace bloomery
