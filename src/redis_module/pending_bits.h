// Numbers of bits that are set in a group of chunks, and that are not in the bytes of the chunks yet.
//
//   handle ──> owners | room | end of chunk 0, ..., of chunk 7 | positions in chunk 0 | ... | positions in chunk 7
//                                                                                         null: none
//
// A chunk that a filter sets its first bit in has to be made: that takes two pages of the kernel, and a copy of 8 KiB if a
// copy of the filter shares it. A command of 1,000 items would make thousands. So the first bits of each chunk are kept
// here. How many they may be differs from chunk to chunk, so that chunks are not made all at the same time.
//
// Invariants: no position is in a list twice. Lists that have two owners never change.
//
// Threads: as SharedChunk.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace bloomery::redis_module {

inline constexpr std::size_t kGroupChunks = 8;

class PendingBits {
 public:
  static constexpr std::size_t kMostOfChunk = 125;  // so a list takes 2 KiB at most

  PendingBits() = default;
  // Shares the list.
  PendingBits(const PendingBits& other) : list_(other.list_) {
    if (list_ != nullptr) {
      list_->owners.fetch_add(1, std::memory_order_relaxed);
    }
  }
  PendingBits(PendingBits&& other) noexcept : list_(std::exchange(other.list_, nullptr)) {}
  PendingBits& operator=(PendingBits other) noexcept {
    std::swap(list_, other.list_);
    return *this;
  }
  ~PendingBits() { release(); }

  // Returns the positions of bits in a chunk.
  std::span<const std::uint16_t> of(std::size_t chunk) const {
    return list_ == nullptr ? std::span<const std::uint16_t>()
                            : std::span(list_->positions() + list_->first(chunk), list_->count(chunk));
  }
  bool contains(std::size_t chunk, std::uint16_t position) const {
    bool found = false;
    for (const std::uint16_t one : of(chunk)) {  // without a branch, so that it becomes vectors
      found |= one == position;
    }
    return found;
  }

  // Returns false if memory is lacking. Precondition: the position is not in, and the chunk has less than kMostOfChunk.
  [[nodiscard]] bool add(std::size_t chunk, std::uint16_t position);
  // Takes out the positions of a chunk. Returns false if memory is lacking.
  [[nodiscard]] bool clear(std::size_t chunk);

  std::uint64_t memory_bytes() const { return list_ == nullptr ? 0 : bytes_for(list_->room); }
  // Bring the ends into the cache, and the positions of a chunk.
  void prefetch_head() const { __builtin_prefetch(list_, 1); }
  void prefetch(std::size_t chunk) const {
    if (list_ != nullptr) {
      const auto* const first = list_->positions() + list_->first(chunk);
      __builtin_prefetch(first);
      __builtin_prefetch(first + list_->count(chunk));
    }
  }

 private:
  struct List {
    std::atomic<std::uint32_t> owners{1};
    std::uint32_t room = 0;
    std::array<std::uint16_t, kGroupChunks> ends{};

    std::uint16_t* positions() { return reinterpret_cast<std::uint16_t*>(this + 1); }
    std::size_t first(std::size_t chunk) const { return chunk == 0 ? 0 : ends[chunk - 1]; }
    std::size_t count(std::size_t chunk) const { return ends[chunk] - first(chunk); }
  };

  static std::uint64_t bytes_for(std::uint32_t room) { return sizeof(List) + room * sizeof(std::uint16_t); }
  bool is_ours_alone() const { return list_->owners.load(std::memory_order_acquire) == 1; }
  // Makes the list ours alone, with room for this many. Returns false if memory is lacking.
  bool replace(std::uint32_t room);
  void release();

  List* list_ = nullptr;
};

}  // namespace bloomery::redis_module
