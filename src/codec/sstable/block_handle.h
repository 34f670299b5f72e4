// The handle of a block in its table, as two varints: the offset of its contents, and their size without the
// trailer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/varint.h"
#include "bloomery/base/result.h"

namespace bloomery::sstable {

inline constexpr std::uint64_t kBlockTrailerBytes = 5;  // after the contents of every block

struct BlockHandle {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// Reads a handle from the beginning of `bytes` and removes it from them. `offset` is the offset of the block
// or footer that contains the handle, for messages.
inline Result<BlockHandle> read_block_handle(std::span<const std::byte>& bytes, std::uint64_t offset) {
  BlockHandle handle;
  BLOOMERY_ASSIGN_OR_RETURN(handle.offset, read_next_varint(bytes, offset));
  BLOOMERY_ASSIGN_OR_RETURN(handle.size, read_next_varint(bytes, offset));
  return handle;
}

}  // namespace bloomery::sstable
