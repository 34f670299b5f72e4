// The framing of Hadoop's codecs around blocks of Snappy, LZ4 and, sometimes, Zstandard. All
// numbers are big-endian.
//
//   (frame)*
//   frame = u32 bytes of the frame when decompressed, (block)*
//   block = u32 compressed bytes, the compressed bytes
//
// The decompressed blocks of a frame add up to its first number; writers split data that is larger than their
// buffer. Empty input is one empty frame.
//
// Zstandard is ambiguous: some writers frame it, others write one bare Zstandard frame. Its magic number
// distinguishes them; as a size it would mean a frame of 682 MB. Source: docs/formats/hfile.md. decompress.h
// reads streams.
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/base/result.h"
#include "compress/block_decompress.h"

namespace bloomery {

// The size of every number in the framing.
inline constexpr std::size_t kHadoopNumberBytes = 4;

// Decompresses all of `framed` to exactly `out`. Errors: kCorruption if it is damaged or expands to another
// number of bytes; kUnsupported for a frame that needs a dictionary.
Status decompress_hadoop_frames(BlockCodec codec, std::span<const std::byte> framed,
                                std::span<std::byte> out);

// Decompresses kZstd in either form.
Status decompress_hadoop_zstd(std::span<const std::byte> stored, std::span<std::byte> out);

}  // namespace bloomery
