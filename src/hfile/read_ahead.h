// The read-ahead buffer of a scan, which reads several small blocks from its file with one call.
//
//   the scan reads block      1       2 3      4 ... 7   8 ... 15    ...    (blocks of 4 KiB)
//   bytes of one call         block   8 KiB    16 KiB    32 KiB      64 KiB at most
//
// A scan that reads blocks sequentially doubles its step. A block that does not begin at the end of the last
// one is read alone, and the step starts anew. This happens after a seek, after a cache hit, and after index
// blocks between data blocks.
//
// The bytes are not verified; each block is verified when it is returned. They are charged to the memory of
// the file, and if that is nearly used up, nothing is read ahead.
//
// block_source.h does the reading.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/memory_budget.h"

namespace bloomery::hfile {

class ReadAhead {
 public:
  // Sixteen blocks of 4 KiB. A scan has one buffer for each file that it merges.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 10;

  // Returns these bytes if all of them are in the buffer, otherwise none.
  std::span<const std::byte> find(std::uint64_t offset, std::size_t size) const {
    const bool is_inside = offset >= begin_ && offset - begin_ < size_ && size <= size_ - (offset - begin_);
    return is_inside ? std::span<const std::byte>(bytes_.get() + (offset - begin_), size)
                     : std::span<const std::byte>();
  }
  // Records that this block is read next. Call it for each block.
  void pass(std::uint64_t offset, std::size_t size) {
    is_sequential_ = offset == expected_;
    expected_ = offset + size;
  }
  // Returns the buffer for the block and the bytes after it, of at most `most` bytes. Returns none if the
  // block is to be read alone. Precondition: pass() was called for the block.
  std::span<std::byte> room(std::size_t block_bytes, std::uint64_t most,
                            const std::shared_ptr<MemoryBudget>& memory) {
    step_ = is_sequential_ ? std::min(2 * std::max(step_, block_bytes), kMostBytes) : 0;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(step_, most));
    if (wanted < 2 * block_bytes || !has_memory(memory)) {
      return {};
    }
    size_ = 0;
    return {bytes_.get(), wanted};
  }
  // Records that the buffer now holds the file's bytes from `offset` on.
  void fill(std::uint64_t offset, std::size_t size) {
    begin_ = offset;
    size_ = size;
  }

 private:
  bool has_memory(const std::shared_ptr<MemoryBudget>& memory) {
    if (bytes_ == nullptr) {
      share_ = MemoryShare(memory);
      const bool has_plenty = memory == nullptr || memory->limit() - memory->used() >= 4 * kMostBytes;
      if (!has_plenty || !share_.try_add(kMostBytes)) {
        return false;
      }
      bytes_ = std::make_unique_for_overwrite<std::byte[]>(kMostBytes);
    }
    return true;
  }

  std::unique_ptr<std::byte[]> bytes_;  // null until it is needed
  std::uint64_t begin_ = 0;             // the file offset of bytes_
  std::size_t size_ = 0;
  std::size_t step_ = 0;
  std::uint64_t expected_ = 0;  // the end of the last block
  bool is_sequential_ = false;
  MemoryShare share_;
};

}  // namespace bloomery::hfile
