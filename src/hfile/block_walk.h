// The blocks of an HFile from its first byte to its trailer, by what their headers say, one behind the other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "hfile/block_header.h"

namespace bloomery::hfile {

// Calls `see` with each header and its offset. Only headers are read: checksums are not. Errors: kCorruption
// where bytes are no block, or a block goes beyond `end`; what `see` returns.
Status walk_block_headers(File& file, std::uint64_t end,
                          const std::function<Status(const BlockHeader&, std::uint64_t)>& see);

// "leaf_index", of JSON and tables.
const char* block_kind_key(BlockKind kind);

}  // namespace bloomery::hfile
