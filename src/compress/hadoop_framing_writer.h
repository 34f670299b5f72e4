// Puts Hadoop's framing around compressed blocks: what hadoop_framing.h reads.
//
// One frame, of as many blocks as it takes. Behind a frame of more than one block stands another, of none, as
// Hadoop leaves it.
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/base/result.h"
#include "compress/block_compress.h"

namespace bloomery {

// The most bytes that so many can become in blocks of at most `most`, here and below more than 0.
std::size_t largest_hadoop_frame(const BlockCompressor& compressor, std::size_t size_bytes, std::size_t most);

// Returns how many bytes at the front of `out` the frame takes. Precondition: `out` has room for
// largest_hadoop_frame(). Errors: those of BlockCompressor::compress().
Result<std::size_t> compress_hadoop_frame(BlockCompressor& compressor, std::span<const std::byte> bytes,
                                          std::size_t most, std::span<std::byte> out);

}  // namespace bloomery
