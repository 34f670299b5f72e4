// The bytes that only a fuse filter has: the fields of its header, and the directory of its payload, which
// has one entry of 16 bytes for each shard, in order, and precedes the shards' words.
//
//    bits of the entry
//      0.. 31   CRC-32C of the shard's words
//     32.. 63   segments in which a first cell may be; 0 without cells
//     64.. 95   keys that are set aside
//     96..100   k: a segment has 2^k cells
//    101..105   seed
//    106..127   0
//
// If a file has only one shard, its entry is stored in the file's header instead.
//
// A shard's words follow those of the previous shards, so their offset is the sum of the sizes. Every field
// is checked before it is used. Source: docs/formats/native.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "filter/fuse/fuse_kernel.h"
#include "filter/native/native_header.h"

namespace bloomery {

void encode_fuse_entry(const FuseEntry& entry, std::byte* bytes);
FuseEntry decode_fuse_entry(const std::byte* bytes);

// Reads a directory and checks it against the payload, whose shards begin at word `first_word`. Errors:
// kCorruption, with offsets in the file, if a field is out of its range or the sizes do not add up.
Result<std::vector<FuseShard>> read_fuse_directory(std::span<const std::byte> directory,
                                                   std::uint64_t first_word, std::uint64_t payload_words,
                                                   const FuseShape& shape);

// Checks the fields of a header that only a fuse filter has. Precondition: the header has passed
// parse_native_header(). Accepts a header of another type. Errors: kCorruption, with the offset of the first
// field that is invalid.
Status check_fuse_header(const NativeHeader& header);

// Returns the plan in a header that was checked.
FuseShape fuse_shape_of(const NativeHeader& header);

}  // namespace bloomery
