// The memory of one block, in one piece:
//
//   the Block and its use count | room for what is kept with it | its bytes
//
// A question to a block reads all three. In one piece they mostly lie on one page, so that the processor looks up one
// address instead of four. In a table that is much larger than its caches this lookup costs more than the bytes.
//
// The caller makes the memory with of(), fills bytes(), and gives it to make_block() (block.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace bloomery::hfile {

class BlockMemory {
 public:
  // The bytes are not zeroed. `room_bytes` is a multiple of 4. Throws std::bad_alloc.
  static BlockMemory of(std::size_t size, std::size_t room_bytes = 0) {
    BlockMemory memory;
    memory.start_.reset(static_cast<std::byte*>(::operator new(kFrontBytes + room_bytes + size)));
    memory.room_bytes_ = room_bytes;
    memory.size_ = size;
    return memory;
  }
  static BlockMemory copy_of(std::span<const std::byte> bytes) {
    BlockMemory memory = of(bytes.size());
    std::ranges::copy(bytes, memory.bytes().begin());
    return memory;
  }

  std::span<std::byte> bytes() const { return {start_.get() + kFrontBytes + room_bytes_, size_}; }
  std::span<std::uint32_t> room() const {
    return {reinterpret_cast<std::uint32_t*>(start_.get() + kFrontBytes),
            room_bytes_ / sizeof(std::uint32_t)};
  }

  // Makes a T of these arguments at the front. The memory goes with it.
  template <typename T, typename... Arguments>
  static std::shared_ptr<T> make_in_front(BlockMemory memory, Arguments&&... arguments) {
    return std::allocate_shared<T>(Front<T>(memory.start_), std::forward<Arguments>(arguments)...);
  }

 private:
  static constexpr std::size_t kFrontBytes = 320;

  struct Delete {
    void operator()(std::byte* start) const { ::operator delete(start); }
  };
  using Start = std::unique_ptr<std::byte, Delete>;

  // An allocator that hands out the front, once.
  template <typename T>
  class Front {
   public:
    using value_type = T;

    explicit Front(Start& start) : start_(&start) {}
    template <typename U>
    explicit Front(const Front<U>& other) : start_(other.start_) {}

    T* allocate(std::size_t) {
      static_assert(sizeof(T) <= kFrontBytes && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
      return reinterpret_cast<T*>(start_->release());
    }
    void deallocate(T* front, std::size_t) { ::operator delete(front); }
    template <typename U>
    bool operator==(const Front<U>& other) const {
      return start_ == other.start_;
    }

   private:
    template <typename U>
    friend class Front;
    Start* start_;
  };

  Start start_;
  std::size_t room_bytes_ = 0;
  std::size_t size_ = 0;
};

}  // namespace bloomery::hfile
