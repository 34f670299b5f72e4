// Memory for the cells of a memstore: a list of blocks, all released together.
//
//   block     header | allocation | allocation | ... | rest
//
// The first block has 8 KiB; each further one is twice as large, up to a huge page of 2 MiB. An allocation
// above an eighth of a huge page has its own block, so that the rest of the current block stays in use.
//
// Threads: bytes() from any thread; the other calls from one at a time. An allocation can be read by any
// thread to which its address was published.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "bloomery/base/result.h"

namespace bloomery::store {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // Returns zeroed memory at a multiple of 8. Errors: kCapacity; then the arena is unchanged.
  Result<std::byte*> allocate(std::size_t bytes);

  // After reserve() succeeded, calls of take() for up to `bytes` in all cannot fail. The memory is at a
  // multiple of 64 if every size is one. Errors: kCapacity; then the arena is unchanged.
  Status reserve(std::size_t bytes) {
    return bytes <= static_cast<std::size_t>(end_ - next_) ? Status() : begin_block(bytes);
  }
  std::byte* take(std::size_t bytes) {
    std::byte* const taken = next_;
    next_ += bytes;
    return taken;
  }

  // Returns the bytes of all blocks.
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Block;

  Result<Block*> new_block(std::size_t bytes);
  Status begin_block(std::size_t bytes);

  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  Block* last_ = nullptr;
  std::size_t next_block_bytes_ = std::size_t{8} << 10;
  std::atomic<std::uint64_t> bytes_ = 0;
};

}  // namespace bloomery::store
