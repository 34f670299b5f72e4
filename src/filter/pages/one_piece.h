// Bytes of a file in one piece of the server's memory, filled from the front.
//
// The kernel zeroes what was never touched. The bytes begin at a multiple of 64, as those of a mapped file do.
//
// Threads: one thread fills it. Others may release it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"

namespace bloomery {

// Whether memory for all bytes is taken at once, or as they come, which need not be as many as a header says.
enum class Room : std::uint8_t { kWhole, kAsItComes };

class OnePiece {
 public:
  // Errors: kCapacity if memory is lacking. Precondition: bytes < 2^62.
  static Result<OnePiece> of(std::uint64_t bytes, Room room);

  OnePiece(OnePiece&& other) noexcept;
  OnePiece(const OnePiece&) = delete;
  OnePiece& operator=(const OnePiece&) = delete;
  ~OnePiece();

  // Appends bytes. Errors: kCapacity if memory is lacking; kInvalidArgument if they are more than there were to be.
  Status append(std::span<const std::byte> bytes);
  // Returns what was appended.
  std::span<std::byte> bytes() const;
  // Returns the place of all bytes, also of those to come, which are 0. It stays. Nothing if room was not made for all.
  std::span<std::byte> place() const;
  std::uint64_t memory_bytes() const { return room_; }

 private:
  explicit OnePiece(std::uint64_t whole) : whole_(whole) {}
  Status make_room(std::uint64_t bytes);
  std::byte* begin() const;

  void* block_ = nullptr;
  std::uint64_t whole_;     // what there will be
  std::uint64_t room_ = 0;  // bytes of the block
  std::uint64_t size_ = 0;
};

}  // namespace bloomery
