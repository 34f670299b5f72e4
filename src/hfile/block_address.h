// The address of a block in its file, as an index or a filter's list of chunks has it.
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
