// The rows of the keys in an index block, and the blocks that its entries point at. With them a search reads
// neither the keys nor the entries.
//
//   storage   the heads of the rows (row_heads.h) | target 0 | target 1 | ...
//
// A target is the block's address in the file, and its address in memory at the last read. That memory may
// have been reused, so the address is only prefetched: while the cache is queried for the block, its first
// lines arrive.
//
// Invariant: they exist only for a block whose keys are all valid and ascend. They never change except for
// the addresses in memory, which any thread may record.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "base/memory.h"
#include "base/memory_budget.h"
#include "hfile/row_heads.h"

namespace bloomery::hfile {

class IndexRows {
 public:
  struct Target {
    std::uint64_t offset = 0;
    std::uint32_t on_disk_bytes = 0;
  };

  IndexRows() = default;
  // `row_at(i)` and `target_at(i)` return the row and the target of the i-th of `count` entries. `shared` is
  // the common prefix of the rows. The storage is `room`, which must outlive the object, or is allocated if
  // `room` is too small.
  template <typename RowAt, typename TargetAt>
  IndexRows(std::size_t count, std::string_view shared, const RowAt& row_at, const TargetAt& target_at,
            std::span<std::uint64_t> room, MemoryShare memory)
      : memory_(std::move(memory)) {
    const std::size_t words_of_heads = Heads::bytes_for(count, shared.size()) / sizeof(std::uint64_t);
    const std::size_t words = words_of_heads + count * kWordsOfTarget;
    if (words > room.size()) {
      owned_ = std::make_unique<std::uint64_t[]>(words);
      room = {owned_.get(), words};
    }
    heads_ = Heads(count, shared, row_at, room.data());
    targets_ = room.data() + words_of_heads;
    for (std::size_t i = 0; i < count; ++i) {
      const Target target = target_at(i);
      targets_[i * kWordsOfTarget] = target.offset;
      targets_[i * kWordsOfTarget + 1] = target.on_disk_bytes;
      targets_[i * kWordsOfTarget + 2] = 0;
    }
  }

  // The bytes of storage.
  static constexpr std::size_t bytes_for(std::size_t count, std::size_t shared_bytes) {
    return Heads::bytes_for(count, shared_bytes) + count * kWordsOfTarget * sizeof(std::uint64_t);
  }
  // Returns the size of the room (block_memory.h) that is enough for most blocks: for entries of 50 bytes and
  // more, including starts.
  static constexpr std::size_t usual_bytes(std::size_t payload_bytes) { return payload_bytes / 48 * 32 + 64; }

  Target target(std::size_t i) const {
    return {.offset = targets_[i * kWordsOfTarget],
            .on_disk_bytes = static_cast<std::uint32_t>(targets_[i * kWordsOfTarget + 1])};
  }
  // Records the block's address in memory.
  void note_place(std::size_t i, const void* block) const {
    const std::atomic_ref place(targets_[i * kWordsOfTarget + 2]);
    const auto number = reinterpret_cast<std::uintptr_t>(block);
    if (place.load(std::memory_order_relaxed) != number) {
      place.store(number, std::memory_order_relaxed);
    }
  }
  // Returns the address that was recorded last, or null. The block may no longer exist.
  const void* noted_place(std::size_t i) const {
    const std::atomic_ref place(targets_[i * kWordsOfTarget + 2]);
    return reinterpret_cast<const void*>(place.load(std::memory_order_relaxed));
  }
  // Returns the range of entries outside which no key has the row.
  RowRange range_of(std::string_view row) const {
    return heads_.find(row, [&](std::size_t run) {
      const std::uint64_t* const targets = targets_ + run * kWordsOfTarget;
      for (std::size_t word = 0; word < Heads::kRun * kWordsOfTarget;
           word += kCacheLineBytes / sizeof(std::uint64_t)) {
        __builtin_prefetch(targets + word);
      }
    });
  }

 private:
  using Heads = RowHeads<std::uint64_t>;
  static constexpr std::size_t kWordsOfTarget = 3;

  Heads heads_;
  std::uint64_t* targets_ = nullptr;
  std::unique_ptr<std::uint64_t[]> owned_;  // null if all is stored in the room
  MemoryShare memory_;
};

}  // namespace bloomery::hfile
