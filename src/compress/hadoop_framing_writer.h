// Puts Hadoop's framing around compressed blocks; hadoop_framing.h reads it.
//
// It writes one frame with as many blocks as are needed. After a frame of more than one block it writes an
// empty frame, as Hadoop does.
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/base/result.h"
#include "compress/block_compress.h"

namespace bloomery {

// Returns the most bytes that so many can become in blocks of at most `most` bytes. Here and below, `most` is
// above 0.
std::size_t largest_hadoop_frame(const BlockCompressor& compressor, std::size_t size_bytes, std::size_t most);

// Writes a frame to the front of `out`. Returns the number of bytes. Precondition: `out` has room for
// largest_hadoop_frame(). Errors: those of BlockCompressor::compress().
Result<std::size_t> compress_hadoop_frame(BlockCompressor& compressor, std::span<const std::byte> bytes,
                                          std::size_t most, std::span<std::byte> out);

}  // namespace bloomery
