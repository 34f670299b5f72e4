// The address of a block in its file, as stored in an index or in a filter's list of chunks.
#pragma once

#include <cstdint>

#include "hfile/block_header.h"

namespace bloomery::hfile {

struct BlockAddress {
  BlockKind kind = BlockKind::kData;
  std::uint64_t offset = 0;
  std::uint32_t on_disk_bytes = 0;
};

}  // namespace bloomery::hfile
