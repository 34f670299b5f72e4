// The bits of a filter in chunks of 8 KiB, so that every step of a server is small.
//
//   bits     byte 0 to 8,191 | 8,192 to 16,383 | ... | 57,344 to 65,535 | 65,536 ...
//   groups   one group of eight chunks (chunk_group.h)                  | the next group
//
// A chunk that was never written is null and takes no memory. A copy costs a count for each group, so of 1 GiB 16,384. The
// first write to a shared chunk copies 8 KiB. In a filter of more than 1 MiB few chunks are made in one command: the first
// bits of a null or shared chunk go into a list of pending bits (pending_bits.h).
//
// Invariants: a null chunk means zeros. A bit is set if it is set in its chunk or among the pending bits of its group. The
// windows of blocked filters (64 bytes) never straddle chunks.
//
// Threads: one thread changes a filter. Other threads may release filters that share its chunks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "redis_module/chunk_group.h"

namespace bloomery::redis_module {

// No filter is larger. Bytes from outside may name any size, and its groups alone would take 1/2700 of it.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;

// The bytes of a window of a blocked filter, as words.
using WindowWords = std::array<std::uint64_t, 8>;

class BitChunks {
 public:
  BitChunks() = default;
  // Shares all chunks.
  BitChunks(const BitChunks& other);
  BitChunks(BitChunks&&) noexcept = default;
  BitChunks& operator=(const BitChunks& other) { return *this = BitChunks(other); }
  BitChunks& operator=(BitChunks&&) noexcept = default;
  ~BitChunks() = default;
  // Errors: kCapacity above kMostBytes.
  static Result<BitChunks> zeroed(std::uint64_t bytes);

  std::uint64_t size_bytes() const { return size_bytes_; }

  // Copies bytes to a place; zeros go to null chunks without memory. Returns false if memory is lacking. Precondition: no bit
  // was set there, and offset + bytes.size() <= size_bytes().
  [[nodiscard]] bool store(std::uint64_t offset, std::span<const std::byte> bytes);
  // Copies the bytes at `offset` to `out`. Precondition: offset + out.size() <= size_bytes().
  void load(std::uint64_t offset, std::span<std::byte> out) const;

  // redisbloom::ChainOf asks these of a link's bits. Position p is bit p mod 8 of byte p / 8.
  bool test(std::uint64_t position) const;
  // Returns false if memory is lacking.
  [[nodiscard]] bool set(std::uint64_t position);
  // The first prefetches what the second reads, and the second what set() and test() read.
  void prefetch_place(std::uint64_t position) const;
  void prefetch(std::uint64_t position) const;

  // Returns the words of the window at a byte offset that 64 divides: in their place, or in `scratch` if some bits are pending.
  // Null means zeros.
  const std::uint64_t* window(std::uint64_t offset, WindowWords& scratch) const;
  // Returns the words of the window in their place if they may be changed there, or null: then set_window() is the way.
  std::uint64_t* own_window(std::uint64_t offset);
  // Sets the bits of `words` in the window. Returns false if memory is lacking.
  [[nodiscard]] bool set_window(std::uint64_t offset, const WindowWords& words);

  // Memory of chunks and lists that are not null. Shared ones count in full.
  std::uint64_t memory_bytes() const { return groups_.size() * sizeof(ChunkGroup) + held_bytes_; }

  std::size_t group_count() const { return groups_.size(); }
  // Moves the chunks of a group that nobody shares, as ChunkGroup::move_chunks().
  template <typename Move>
  void move_group(std::size_t group, Move move) {
    groups_[group].move_chunks(move);
  }

 private:
  struct Place {
    std::size_t group;
    std::size_t chunk;     // in the group
    std::uint64_t offset;  // in the chunk
  };
  static constexpr std::uint64_t kGroupBytes = kChunkBytes * kGroupChunks;
  static constexpr std::uint64_t kSmallBytes = std::uint64_t{1} << 20;

  static Place place_of(std::uint64_t offset) {
    return {.group = offset / kGroupBytes,
            .chunk = offset % kGroupBytes / kChunkBytes,
            .offset = offset % kChunkBytes};
  }
  bool makes_chunks_at_once() const { return size_bytes_ <= kSmallBytes; }
  // Makes a chunk ours alone. Returns null if memory is lacking.
  std::byte* make_own(const Place& place);
  bool set_pending(const Place& place, std::uint16_t position);

  std::uint64_t size_bytes_ = 0;
  std::uint64_t held_bytes_ = 0;  // of groups, as their memory_bytes()
  std::vector<ChunkGroup> groups_;
};

}  // namespace bloomery::redis_module
