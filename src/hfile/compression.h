// The compression of an HFile's payloads: one codec for all blocks of a file, by a number in the trailer.
//
//   gz             one gzip member
//   snappy, lz4    Hadoop's framing (compress/hadoop_framing.h)
//   zstd           Hadoop's framing, or one bare frame; both have the same number
//
// LZO, BZIP2, LZMA and BROTLI are refused by name. Encryption is not implemented.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "compress/block_decompress.h"

namespace bloomery::hfile {

// Errors: kUnsupported for an unknown number, and, by name, for a known compression that is not implemented.
Result<Compression> compression_of(std::uint32_t number, std::uint64_t offset);

// The codec of one member, chunk or frame. Precondition: compression is not kNone.
BlockCodec block_codec_of(Compression compression);

// Returns the maximum size that a payload of `stored_bytes` can decompress to.
std::uint64_t largest_payload(Compression compression, std::uint64_t stored_bytes);

// Decompresses and fills all of `out`. Precondition: compression is not kNone. Errors: kCorruption,
// kUnsupported.
Status decompress_payload(Compression compression, std::span<const std::byte> stored,
                          std::span<std::byte> out);

}  // namespace bloomery::hfile
