// The bytes that only a ribbon has: the fields of its header, and the directory of its payload, which has one
// entry of 16 bytes for each shard, in order, and precedes the shards' words.
//
//    bits of the entry
//      0.. 31   CRC-32C of the shard's words        94..111   narrow blocks of band 1
//     32.. 53   blocks of band 0                   112..121   slots of the tail
//     54.. 75   narrow blocks of band 0                 122   1: the tail has r + 1 columns, 0: r
//     76.. 93   blocks of band 1                   123..127   seed
//
// If a file has only one shard, its entry is stored in the file's header instead, which keeps small sets
// small.
//
// A shard's words follow those of the previous shards, so their offset is the sum of the sizes. Every field
// is checked before it is used. Source: docs/formats/native.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "filter/native/native_header.h"
#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {

// Checks the fields of a header that only a ribbon has: hash bits, shards, and the directory entry of a sole
// shard. Precondition: the header has passed parse_native_header(). Accepts a header of another
// type. Errors: kCorruption and kUnsupported, with the offset of the first field that is invalid for a
// ribbon.
Status check_ribbon_header(const NativeHeader& header);

void encode_ribbon_entry(const RibbonEntry& entry, std::byte* bytes);
RibbonEntry decode_ribbon_entry(const std::byte* bytes);

// Reads a directory and checks it against the payload, whose shards begin at word `first_word`. Errors:
// kCorruption, with offsets in the file, if narrow blocks exceed blocks or the sizes do not add up.
Result<std::vector<RibbonShard>> read_ribbon_directory(std::span<const std::byte> directory,
                                                       std::uint64_t first_word, std::uint64_t payload_words,
                                                       std::uint32_t columns);

}  // namespace bloomery
