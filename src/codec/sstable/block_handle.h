// Where a block lies in its table: two varints, the offset of its contents and their size without the
// trailer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/varint.h"
#include "bloomery/base/result.h"

namespace bloomery::sstable {

struct BlockHandle {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// Takes a varint off the front of `bytes`. `offset` is of the block or footer, for messages.
inline Result<std::uint64_t> take_varint(std::span<const std::byte>& bytes, std::uint64_t offset) {
  BLOOMERY_ASSIGN_OR_RETURN(const Varint number, read_varint(bytes, offset));
  bytes = bytes.subspan(number.size_bytes);
  return number.value;
}

inline Result<BlockHandle> take_block_handle(std::span<const std::byte>& bytes, std::uint64_t offset) {
  BlockHandle handle;
  BLOOMERY_ASSIGN_OR_RETURN(handle.offset, take_varint(bytes, offset));
  BLOOMERY_ASSIGN_OR_RETURN(handle.size, take_varint(bytes, offset));
  return handle;
}

}  // namespace bloomery::sstable
