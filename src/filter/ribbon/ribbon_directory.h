// The directory of a ribbon's payload: one entry of 16 bytes a shard, in order, in front of the shards'
// words.
//
//   bytes 0..3  CRC-32C of the shard's words
//   bits 32..53 blocks of band 0     54..75  its narrow blocks      76..93   blocks of band 1
//        94..111 its narrow blocks   112..121 slots of the tail   122 1: it is wide   123..127 seed
//
// The entry of a shard that is alone in its file stands in the file's header instead, as small sets want it.
//
// Where a shard's words begin is the sum of the sizes before it. Every field is checked before it is used.
// Source: docs/formats/native.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "filter/native/native_header.h"
#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {

void encode_ribbon_entry(const RibbonEntry& entry, std::byte* bytes);
RibbonEntry decode_ribbon_entry(const std::byte* bytes);

// Puts the entries of all held shards where the header's number of them wants it: into the header, leaving
// `directory` empty, or into the payload. Precondition: payload_bytes is that of the shards; it and all that
// follows from it are brought up to date.
void set_ribbon_directory(NativeHeader& header, std::vector<std::byte>& directory);

// Reads a directory, and checks it against the payload, whose shards begin at word `first_word`. Errors:
// kCorruption, with offsets in the file, when narrow blocks exceed blocks, or the sizes do not add up.
Result<std::vector<RibbonShard>> read_ribbon_directory(std::span<const std::byte> directory,
                                                       std::uint64_t first_word, std::uint64_t payload_words,
                                                       std::uint32_t columns);

}  // namespace bloomery
