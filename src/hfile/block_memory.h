// The memory of one block, as a single contiguous allocation:
//
//   the Block and its use count | room for cell offsets or index rows | its bytes
//
// The room is preallocated space for facts that are computed later (block.h). A query of a block reads all
// three. As one allocation they are mostly on one page, so that the processor translates one address instead
// of four. In a table that is much larger than its caches these translations cost more than reading the
// bytes.
//
// The caller makes the memory with of(), fills bytes(), and passes it to make_block() (block.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/memory.h"
#include "hfile/slabs.h"

namespace bloomery::hfile {

class BlockMemory {
 public:
  // The bytes are not zeroed. Throws std::bad_alloc.
  static BlockMemory of(std::size_t size, std::size_t room_bytes = 0) {
    BlockMemory memory;
    memory.piece_ = Piece(Slabs::of_process().take(kFrontBytes + room_bytes + size));
    memory.room_bytes_ = room_bytes;
    memory.size_ = size;
    return memory;
  }
  static BlockMemory copy_of(std::span<const std::byte> bytes) {
    BlockMemory memory = of(bytes.size());
    std::ranges::copy(bytes, memory.bytes().begin());
    return memory;
  }

  std::span<std::byte> bytes() const { return {piece_.start() + kFrontBytes + room_bytes_, size_}; }
  // Begins at a multiple of 16.
  std::span<std::byte> room() const { return {piece_.start() + kFrontBytes, room_bytes_}; }

  // Prefetches the cache lines of the object that make_in_front() made, and of the room after it.
  static void prefetch_front(const void* front) {
    const auto* const start = static_cast<const std::byte*>(front);
    for (std::size_t at = 0; at < kFrontBytes + kPrefetchedRoom; at += kCacheLineBytes) {
      __builtin_prefetch(start + at);
    }
  }

  // Makes a T of these arguments at the front. The object owns the memory.
  template <typename T, typename... Arguments>
  static std::shared_ptr<T> make_in_front(BlockMemory memory, Arguments&&... arguments) {
    return std::allocate_shared<T>(Front<T>(memory.piece_), std::forward<Arguments>(arguments)...);
  }

 private:
  static constexpr std::size_t kFrontBytes = 448;
  static constexpr std::size_t kPrefetchedRoom = 384;  // the room of a block of 4 KiB

  // Owns a Slabs::Piece.
  class Piece {
   public:
    Piece() = default;
    explicit Piece(const Slabs::Piece& piece) : piece_(piece) {}
    Piece(Piece&& other) noexcept : piece_(other.release()) {}
    Piece& operator=(Piece&& other) noexcept {
      std::swap(piece_, other.piece_);
      return *this;
    }
    ~Piece() {
      if (piece_.start != nullptr) {
        Slabs::of_process().give_back(piece_);
      }
    }

    std::byte* start() const { return piece_.start; }
    const Slabs::Piece& piece() const { return piece_; }
    Slabs::Piece release() { return std::exchange(piece_, {}); }

   private:
    Slabs::Piece piece_;
  };

  // An allocator that returns the front of a piece, once. Its copy in the control block frees the piece.
  template <typename T>
  class Front {
   public:
    using value_type = T;

    explicit Front(Piece& owner) : owner_(&owner), piece_(owner.piece()) {}
    template <typename U>
    explicit Front(const Front<U>& other) : owner_(other.owner_), piece_(other.piece_) {}

    T* allocate(std::size_t) {
      static_assert(sizeof(T) <= kFrontBytes && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
      return reinterpret_cast<T*>(owner_->release().start);
    }
    void deallocate(T*, std::size_t) { Slabs::of_process().give_back(piece_); }
    template <typename U>
    bool operator==(const Front<U>& other) const {
      return owner_ == other.owner_;
    }

   private:
    template <typename U>
    friend class Front;
    Piece* owner_;
    Slabs::Piece piece_;
  };

  Piece piece_;
  std::size_t room_bytes_ = 0;
  std::size_t size_ = 0;
};

}  // namespace bloomery::hfile
