// Up to eight chunks of 8 KiB that copies of a filter share as one, until one of them writes to it.
//
//   handle ──> bytes of chunk 0, ..., of chunk 7 | owners of chunk 0, ... | holders | sizes      null: zeros
//               │                                   └──> how many groups have these bytes
//               └──> 8 KiB, or null for zeros
//
// A copy counts one holder for eight chunks. The first write to a group that has two holders makes a group of its own,
// which counts one owner more for each chunk. The first write to a chunk that has two owners copies the chunk.
//
// Beside the chunks a handle has bits that were set and are not in them yet (pending_bits.h). A chunk that is made takes
// its bits. It also knows which chunks are its own alone, so that a write needs no look at the counts.
//
// Invariants: the size of a chunk never changes. Bytes that have two owners never change, and neither does a group that has
// two holders.
//
// Threads: one thread changes a filter and copies it. Other threads may release filters that share its chunks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "redis_module/pending_bits.h"

namespace bloomery::redis_module {

inline constexpr std::uint64_t kChunkBytes = std::uint64_t{8} << 10;

// The sizes of a group: `chunks` of kChunkBytes, of which the last may be smaller.
struct GroupSize {
  std::size_t chunks;
  std::uint64_t bytes;

  std::uint64_t bytes_of(std::size_t chunk) const {
    return chunk + 1 < chunks ? kChunkBytes : bytes - chunk * kChunkBytes;
  }
};

class ChunkGroup {
 public:
  ChunkGroup() = default;
  // Shares chunks and pending bits, so no chunk of `other` is its own alone from now on.
  ChunkGroup(const ChunkGroup& other) : bytes_(other.bytes_), pending_(other.pending_), count_(other.count_) {
    if (bytes_ != nullptr) {
      head().holders.fetch_add(1, std::memory_order_relaxed);
      other.alone_ = 0;
    }
  }
  ChunkGroup(ChunkGroup&& other) noexcept
      : bytes_(std::exchange(other.bytes_, nullptr)),
        pending_(std::move(other.pending_)),
        alone_(std::exchange(other.alone_, std::uint8_t{0})),
        count_(other.count_) {}
  ChunkGroup& operator=(ChunkGroup other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(pending_, other.pending_);
    std::swap(alone_, other.alone_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~ChunkGroup() {
    if (bytes_ != nullptr) {
      release();
    }
  }

  // Returns the bytes of a chunk without its pending bits, or null for zeros.
  const std::byte* read(std::size_t chunk) const { return bytes_ == nullptr ? nullptr : bytes_[chunk]; }
  // Returns the bytes of a chunk if they are known to be ours alone, or null.
  std::byte* own(std::size_t chunk) const { return (alone_ >> chunk & 1) != 0 ? bytes_[chunk] : nullptr; }
  // Makes a chunk ours alone, with its pending bits. Returns null if memory is lacking. The sizes are the same at every call.
  [[nodiscard]] std::byte* make_own(std::size_t chunk, const GroupSize& size);

  // Bits that are not in the chunks.
  const PendingBits& pending() const { return pending_; }
  // Adds a pending bit. Returns false if memory is lacking. Precondition: that of PendingBits::add().
  [[nodiscard]] bool set_pending(std::size_t chunk, std::uint16_t position) {
    return pending_.add(chunk, position);
  }

  // Memory of the chunks that are there and of the list. What is shared counts in full.
  std::uint64_t memory_bytes() const {
    return pending_.memory_bytes() + (bytes_ == nullptr ? 0 : block_bytes(count_) + head().made_bytes);
  }
  // These bring into the cache what a query reads first, and what a further holder changes.
  void prefetch_place() const {
    __builtin_prefetch(bytes_);
    pending_.prefetch_head();
  }
  void prefetch_counts() const {
    if (bytes_ != nullptr) {
      __builtin_prefetch(bytes_ + 2 * kGroupChunks, 1);
    }
    pending_.prefetch_head();
  }

  // Moves chunks that nobody shares: `move` returns the new place, or null to leave them.
  template <typename Move>
  void move_chunks(Move move) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (std::byte* const bytes = own(i); bytes != nullptr) {
        if (void* const moved = move(bytes); moved != nullptr) {
          bytes_[i] = static_cast<std::byte*>(moved);
        }
      }
    }
  }

 private:
  using Owners = std::atomic<std::uint32_t>;
  // This stands behind the pointers of a group.
  struct Head {
    std::atomic<std::uint32_t> holders{1};
    std::uint32_t all_bytes = 0;   // of the group if no chunk is null
    std::uint32_t made_bytes = 0;  // of the chunks that are not null, with their counts of owners
  };

  static std::uint64_t block_bytes(std::size_t chunks) {
    return chunks * (sizeof(std::byte*) + sizeof(Owners*)) + sizeof(Head);
  }
  Owners** owners() const { return reinterpret_cast<Owners**>(bytes_ + count_); }
  Head& head() const { return *reinterpret_cast<Head*>(bytes_ + std::size_t{2} * count_); }
  bool has_one_holder() const { return head().holders.load(std::memory_order_acquire) == 1; }
  // Becomes a group of null chunks. Precondition: it is null.
  void make_block(const GroupSize& size);
  // Makes the group ours alone.
  void make_alone(const GroupSize& size);
  void release();

  std::byte** bytes_ = nullptr;  // the block of a group
  PendingBits pending_;
  mutable std::uint8_t alone_ =
      0;                    // a bit for each chunk whose bytes have one owner, in a group of one holder
  std::uint8_t count_ = 0;  // chunks
};

}  // namespace bloomery::redis_module
