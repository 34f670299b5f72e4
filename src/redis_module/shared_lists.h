// Some short lists of numbers in one piece of memory, which copies share until one of them writes.
//
//   handle ──> owners | room | end of list 0, of list 1, ... | numbers of list 0 | of list 1 | ... | free      null: none
//
// The memory takes a power of two of bytes, and twice as many when it is full.
//
// Invariant: lists that have two owners never change.
//
// Threads: as SharedChunk.
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

#include "redis_module/chunk_memory.h"

namespace bloomery::redis_module {

template <typename Number, std::size_t kLists>
class SharedLists {
 public:
  SharedLists() = default;
  // Shares the lists.
  SharedLists(const SharedLists& other) : block_(other.block_) {
    if (block_ != nullptr) {
      block_->owners.fetch_add(1, std::memory_order_relaxed);
    }
  }
  SharedLists(SharedLists&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  SharedLists& operator=(SharedLists other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedLists() { release(); }

  std::span<const Number> of(std::size_t list) const {
    return block_ == nullptr ? std::span<const Number>()
                             : std::span(block_->numbers() + block_->first(list), block_->count(list));
  }
  // Returns numbers to change. Precondition: make_own() has returned true, or add() to this block.
  std::span<Number> change(std::size_t list) {
    return std::span(block_->numbers() + block_->first(list), block_->count(list));
  }

  // These return false if memory is lacking; then nothing has changed. The first makes lists that are there ours alone. The
  // second appends to a list. The third takes out the numbers of a list.
  [[nodiscard]] bool make_own() { return block_ == nullptr || is_ours_alone() || replace(block_->room); }
  [[nodiscard]] bool add(std::size_t list, Number number);
  [[nodiscard]] bool clear(std::size_t list);

  std::uint64_t memory_bytes() const { return block_ == nullptr ? 0 : bytes_for(block_->room); }
  // Bring the ends into the cache, and the numbers of a list.
  void prefetch_head() const { __builtin_prefetch(block_, 1); }
  void prefetch(std::size_t list) const {
    if (block_ != nullptr) {
      const auto* const first = block_->numbers() + block_->first(list);
      __builtin_prefetch(first);
      __builtin_prefetch(first + block_->count(list));
    }
  }

 private:
  struct Block {
    std::atomic<std::uint32_t> owners{1};
    std::uint32_t room = 0;
    std::array<std::uint16_t, kLists> ends{};

    Number* numbers() { return reinterpret_cast<Number*>(this + 1); }
    std::size_t first(std::size_t list) const { return list == 0 ? 0 : ends[list - 1]; }
    std::size_t count(std::size_t list) const { return ends[list] - first(list); }
  };
  static constexpr std::uint32_t kHeadRoom = sizeof(Block) / sizeof(Number);
  static constexpr std::uint32_t kLeastRoom =
      static_cast<std::uint32_t>(std::bit_ceil(sizeof(Block) + 1) / sizeof(Number)) - kHeadRoom;
  static_assert(sizeof(Block) % sizeof(Number) == 0 && kLeastRoom > 0);

  static std::uint64_t bytes_for(std::uint32_t room) { return sizeof(Block) + room * sizeof(Number); }
  bool is_ours_alone() const { return block_->owners.load(std::memory_order_acquire) == 1; }
  // Makes the block ours alone, with room for this many. Returns false if memory is lacking.
  bool replace(std::uint32_t room);
  void release();

  Block* block_ = nullptr;
};

template <typename Number, std::size_t kLists>
bool SharedLists<Number, kLists>::add(std::size_t list, Number number) {
  const std::size_t count = block_ == nullptr ? 0 : block_->ends.back();
  const std::uint32_t room = block_ == nullptr ? 0 : block_->room;
  if (count == room || !is_ours_alone()) {
    const std::uint32_t larger = room == 0 ? kLeastRoom : 2 * room + kHeadRoom;
    if (!replace(count == room ? larger : room)) {
      return false;
    }
  }
  Number* const at = block_->numbers() + block_->ends[list];
  std::copy_backward(at, block_->numbers() + count, block_->numbers() + count + 1);
  *at = number;
  for (std::size_t i = list; i < kLists; ++i) {
    ++block_->ends[i];
  }
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
  const std::size_t count = block_->count(list);
  Number* const numbers = block_->numbers();
  std::copy(numbers + block_->ends[list], numbers + block_->ends.back(), numbers + block_->first(list));
  for (std::size_t i = list; i < kLists; ++i) {
    block_->ends[i] = static_cast<std::uint16_t>(block_->ends[i] - count);
  }
  if (block_->ends.back() == 0) {
    release();
    block_ = nullptr;
  }
  return true;
}

template <typename Number, std::size_t kLists>
bool SharedLists<Number, kLists>::replace(std::uint32_t room) {
  void* const memory = take_counted(bytes_for(room));
  if (memory == nullptr) {
    return false;
  }
  Block* const block = new (memory) Block;
  block->room = room;
  if (block_ != nullptr) {
    block->ends = block_->ends;
    std::copy_n(block_->numbers(), block_->ends.back(), block->numbers());
    release();
  }
  block_ = block;
  return true;
}

template <typename Number, std::size_t kLists>
void SharedLists<Number, kLists>::release() {
  if (block_ != nullptr && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    const std::uint64_t bytes = bytes_for(block_->room);
    block_->~Block();
    give_back_counted(block_, bytes);
  }
}

}  // namespace bloomery::redis_module
