// Walks the blocks of an HFile from its first byte to its trailer. Each header says where the next block
// begins.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "hfile/block_header.h"

namespace bloomery::hfile {

// Calls `see` with each header and its offset. Only headers are read, and no checksum is verified. Errors:
// kCorruption if bytes are not a block header or a block goes beyond `end`; errors of `see`.
Status walk_block_headers(File& file, std::uint64_t end,
                          const std::function<Status(const BlockHeader&, std::uint64_t)>& see);

// Returns the block kind's name in JSON and tables, such as "leaf_index".
const char* block_kind_key(BlockKind kind);

}  // namespace bloomery::hfile
