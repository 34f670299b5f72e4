// The compression of an HFile's payloads: one for all blocks of a file, by a number in the trailer.
//
//   gz           one gzip member            snappy, lz4   Hadoop's framing
//   zstd         Hadoop's framing, or one bare frame; both have the same number
//
// Not here: lzo, bzip2, lzma, brotli, which are refused by name; encryption.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "compress/block_decompress.h"

namespace bloomery::hfile {

// Errors: kUnsupported, by name, for one that is known and not read here, and for an unknown number.
Result<Compression> compression_of(std::uint32_t number, std::uint64_t offset);

// What compresses one member, chunk or frame. Precondition: compression is not kNone.
BlockCodec block_codec_of(Compression compression);

// The most bytes that `stored_bytes` of payload can become.
std::uint64_t largest_payload(Compression compression, std::uint64_t stored_bytes);

// Decompresses to exactly `out`. Precondition: compression is not kNone. Errors: kCorruption, kUnsupported.
Status decompress_payload(Compression compression, std::span<const std::byte> stored,
                          std::span<std::byte> out);

}  // namespace bloomery::hfile
