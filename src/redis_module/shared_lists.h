// Some short lists of numbers in one piece of memory, which copies share until one of them writes.
//
//   handle ──> owners | room | firsts | counts | numbers of list 0, free | of list 1, free | ...      null: none
//                               └──> of each list: where it begins, and how many it has
//
// Behind each list there is room, so that a number is added without moving others. When a list has filled its room, all lists
// get more in a new piece of memory, since they grow alike.
//
// Invariant: lists that have two owners never change.
//
// Threads: as SharedPage.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "base/prefetch.h"
#include "filter/pages/page_memory.h"
#include "filter/pages/shared_handle.h"

namespace bloomery::redis_module {

template <typename Number, std::size_t kLists>
class SharedLists {
 public:
  // A copy shares the lists.
  std::span<const Number> of(std::size_t list) const {
    return block_ ? std::span<const Number>(block_->numbers() + block_->firsts[list], block_->counts[list])
                  : std::span<const Number>();
  }
  // Returns numbers to change. Precondition: make_own() has returned true, or add() to this block.
  std::span<Number> change(std::size_t list) {
    return std::span(block_->numbers() + block_->firsts[list], block_->counts[list]);
  }

  // These return false if memory is lacking; then nothing has changed. The first makes lists that are there ours alone. The
  // second appends to a list. The third takes out the numbers of a list.
  [[nodiscard]] bool make_own() { return !block_ || block_.is_ours() || replace(Room::kSame); }
  [[nodiscard]] bool add(std::size_t list, Number number);
  [[nodiscard]] bool clear(std::size_t list);

  std::uint64_t memory_bytes() const { return block_ ? bytes_for(block_->room) : 0; }
  // Bring into the cache where the lists are, and the numbers of a list.
  void prefetch_head() const {
    if (block_) {
      prefetch_to_write(block_.get());
    }
  }
  void prefetch(std::size_t list) const {
    if (block_) {
      const auto* const first = block_->numbers() + block_->firsts[list];
      prefetch_to_read(first);
      prefetch_to_read(first + block_->counts[list]);
    }
  }

 private:
  enum class Room : std::uint8_t { kSame, kMore };

  struct Block {
    std::atomic<std::uint32_t> owners{1};
    std::uint32_t room = 0;
    std::array<std::uint16_t, kLists> firsts{};
    std::array<std::uint16_t, kLists> counts{};

    void give_back() {
      const std::uint64_t bytes = bytes_for(room);
      this->~Block();
      give_back_counted(this, bytes);
    }
    Number* numbers() { return reinterpret_cast<Number*>(this + 1); }
    std::uint32_t room_of(std::size_t list) const {
      return (list + 1 < kLists ? firsts[list + 1] : room) - firsts[list];
    }
  };
  static_assert(sizeof(Block) % sizeof(Number) == 0);

  static std::uint64_t bytes_for(std::uint32_t room) { return sizeof(Block) + room * sizeof(Number); }
  // Makes the block ours alone. Returns false if memory is lacking.
  bool replace(Room room);

  SharedHandle<Block> block_;
};

template <typename Number, std::size_t kLists>
bool SharedLists<Number, kLists>::add(std::size_t list, Number number) {
  const bool is_full = !block_ || block_->counts[list] == block_->room_of(list);
  if ((is_full || !block_.is_ours()) && !replace(is_full ? Room::kMore : Room::kSame)) {
    return false;
  }
  block_->numbers()[block_->firsts[list] + block_->counts[list]] = number;
  ++block_->counts[list];
  return true;
}

template <typename Number, std::size_t kLists>
bool SharedLists<Number, kLists>::clear(std::size_t list) {
  if (of(list).empty()) {
    return true;
  }
  if (!make_own()) {
    return false;
  }
  block_->counts[list] = 0;
  if (std::ranges::all_of(block_->counts, [](std::uint16_t count) { return count == 0; })) {
    block_ = {};
  }
  return true;
}

template <typename Number, std::size_t kLists>
bool SharedLists<Number, kLists>::replace(Room room) {
  constexpr std::uint32_t kLeastFree = 8 / sizeof(Number);  // 8 bytes
  Block next;
  for (std::size_t i = 0; i < kLists; ++i) {
    next.firsts[i] = static_cast<std::uint16_t>(next.room);
    next.counts[i] = block_ ? block_->counts[i] : std::uint16_t{0};
    next.room += room == Room::kSame ? block_->room_of(i) : next.counts[i] + next.counts[i] / 2U + kLeastFree;
  }
  void* const memory = take_counted(bytes_for(next.room));
  if (memory == nullptr) {
    return false;
  }
  Block* const block = new (memory) Block;
  block->room = next.room;
  block->firsts = next.firsts;
  block->counts = next.counts;
  for (std::size_t i = 0; i < kLists; ++i) {
    std::ranges::copy(of(i), block->numbers() + block->firsts[i]);
  }
  block_ = SharedHandle<Block>(block);
  return true;
}

}  // namespace bloomery::redis_module
