// A piece of memory of the server that copies of a filter share until one of them writes to it.
//
//   handle ──> owners | size | bytes      null: zeros, and no memory
//
// Invariants: the size of a chunk never changes. Bytes that have two owners never change.
//
// Threads: one thread changes a filter. Other threads may release filters that share its chunks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "redis_module/chunk_memory.h"

namespace bloomery::redis_module {

class SharedChunk {
 public:
  SharedChunk() = default;
  // Shares the bytes.
  SharedChunk(const SharedChunk& other) : owned_(other.owned_) {
    if (owned_ != nullptr) {
      owned_->owners.fetch_add(1, std::memory_order_relaxed);
    }
  }
  SharedChunk(SharedChunk&& other) noexcept : owned_(std::exchange(other.owned_, nullptr)) {}
  SharedChunk& operator=(SharedChunk other) noexcept {
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~SharedChunk() {
    if (owned_ != nullptr) {
      release();
    }
  }

  // Returns the bytes, or null for zeros.
  const std::byte* read() const { return owned_ == nullptr ? nullptr : owned_->bytes; }
  // Returns bytes that are ours alone, or null if memory is lacking. Those of a null chunk are 0.
  // `size` is the same at every call.
  [[nodiscard]] std::byte* write(std::uint64_t size) {
    return owned_ != nullptr && is_ours_alone() ? owned_->bytes : write_own(size);
  }

  // Brings what read() needs, and what a further owner changes, into the cache.
  void prefetch() const { __builtin_prefetch(owned_, 1); }
  // Whether write() returns the bytes as they are.
  bool is_ours() const { return owned_ != nullptr && is_ours_alone(); }
  // Returns the bytes of memory; 0 if it is null.
  std::uint64_t memory_bytes() const { return owned_ == nullptr ? 0 : owned_->size + sizeof(Owned); }

  // Moves the bytes if nobody shares them: `move` returns the new place, or null to leave them.
  template <typename Move>
  void move_bytes(Move move) {
    if (owned_ != nullptr && is_ours_alone()) {
      if (void* const moved = move(owned_->bytes); moved != nullptr) {
        owned_->bytes = static_cast<std::byte*>(moved);
      }
    }
  }

 private:
  struct Owned {
    std::atomic<std::uint32_t> owners{1};
    std::byte* bytes = nullptr;
    std::uint64_t size = 0;
  };

  bool is_ours_alone() const { return owned_->owners.load(std::memory_order_acquire) == 1; }
  std::byte* write_own(std::uint64_t size);
  void release();

  Owned* owned_ = nullptr;
};

}  // namespace bloomery::redis_module
