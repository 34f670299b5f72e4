// The bytes of a file in one contiguous buffer of the server's memory, filled from the front.
//
// The kernel zeroes untouched memory. The bytes begin at a multiple of 64, as in a mapped file.
//
// Threads: one thread fills it. Others may release it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"

namespace bloomery {

// Allocate memory for all bytes at once, or as they arrive, since fewer may arrive than a header announces.
enum class Room : std::uint8_t { kWhole, kAsItComes };

class OnePiece {
 public:
  // Errors: kCapacity if memory is lacking. Precondition: bytes < 2^62.
  static Result<OnePiece> of(std::uint64_t bytes, Room room);

  OnePiece(OnePiece&& other) noexcept;
  OnePiece(const OnePiece&) = delete;
  OnePiece& operator=(const OnePiece&) = delete;
  ~OnePiece();

  // Appends bytes. Errors: kCapacity if memory is lacking; kInvalidArgument if they exceed the announced
  // size.
  Status append(std::span<const std::byte> bytes);
  // Returns the appended bytes.
  std::span<std::byte> bytes() const;
  std::uint64_t memory_bytes() const { return room_; }

 private:
  explicit OnePiece(std::uint64_t whole) : whole_(whole) {}
  Status make_room(std::uint64_t bytes);
  std::byte* begin() const;

  void* block_ = nullptr;
  std::uint64_t whole_;     // the announced size
  std::uint64_t room_ = 0;  // bytes of the block
  std::uint64_t size_ = 0;
};

}  // namespace bloomery
