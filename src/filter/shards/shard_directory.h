// The directory of a static filter's payload: an entry of 16 bytes for each shard, in order, before the
// shards' words. If a file has only one shard, its entry is stored in the file's header instead, which keeps
// small sets small. A family defines the fields of an entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "filter/native/filter_body.h"
#include "filter/native/native_header.h"

namespace bloomery {

inline constexpr std::size_t kShardEntryBytes = 16;

// Returns the directory of a filter, which must outlive it.
std::span<const std::byte> shard_directory_of(const FilterBody& body);

// Stores the entries of all held shards in the payload or, if there is only one shard, in the header (then
// `directory` becomes empty). Precondition: payload_bytes is the size of the shards. Updates payload_bytes
// and all fields that follow from it.
void set_shard_directory(NativeHeader& header, std::vector<std::byte>& directory);

// Checks the header fields that all static filters have: hash bits, shards, and the entry of a sole shard.
// Precondition: the header has passed parse_native_header(). Errors: kCorruption and kUnsupported, with the
// offset of the first field that is invalid.
Status check_shard_header(const NativeHeader& header);

}  // namespace bloomery
