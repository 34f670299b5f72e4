// The framing that Hadoop's codecs put around blocks of Snappy, LZ4 and, sometimes, Zstandard.
//
//   (u32 bytes of a frame when decompressed, (u32 compressed bytes, a block)*)*        big-endian
//
// The blocks of a frame add up to its first number: writers split what is larger than their buffer. No bytes
// at all are one frame of none. Zstandard is ambiguous: some writers frame it, some write one bare frame of
// its own; they are told apart by its magic, which would be the size of a frame of 682 MB. Source:
// docs/formats/hfile.md. Not here: what is larger than a block (decompress.h).
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/base/result.h"
#include "compress/block_decompress.h"

namespace bloomery {

// Decompresses all of `framed` to exactly `out`. Errors: kCorruption when it is damaged or becomes another
// number of bytes; kUnsupported for a frame that needs a dictionary.
Status decompress_hadoop_frames(BlockCodec codec, std::span<const std::byte> framed,
                                std::span<std::byte> out);

// Of kZstd in either form.
Status decompress_hadoop_zstd(std::span<const std::byte> stored, std::span<std::byte> out);

}  // namespace bloomery
