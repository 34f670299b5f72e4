// The bits of a filter in chunks of 64 KiB, so that every step of a server is small.
//
//   bits     byte 0 to 65,535 | 65,536 to 131,071 | ... | the rest
//   chunk    null             | owned by us       |     | owned by us and by a copy
//
// A chunk that was never written is null and takes no memory. Copies share chunks: a copy costs a pointer per
// chunk, and the first write to a shared chunk makes a chunk of its own. The size is a compromise.
// With 2 MiB, an item that was added to a copy in RedisBloom's layout copied 14 MiB, in 5 ms. With 4 KiB, a copy of
// 1 GiB would count 262,144 owners.
//
// Invariants: a null chunk means zeros. The windows of blocked filters (64 bytes) never straddle chunks.
//
// Threads: one thread changes a filter. Other threads may release filters that share its chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "redis_module/shared_chunk.h"

namespace bloomery::redis_module {

inline constexpr std::uint64_t kChunkBytes = std::uint64_t{64} << 10;
inline constexpr unsigned kChunkShift = 16;
// No filter is larger. Bytes from outside may name any size, and its pointers alone would take 1/8192 of it.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;

class BitChunks {
 public:
  // Errors: kCapacity above kMostBytes.
  static Result<BitChunks> zeroed(std::uint64_t bytes);

  std::uint64_t size_bytes() const { return size_bytes_; }
  std::size_t chunk_count() const { return chunks_.size(); }
  std::uint64_t chunk_size(std::size_t index) const;

  // Returns the bytes of a chunk, or null for zeros.
  const std::byte* read(std::size_t index) const { return chunks_[index].read(); }
  // Returns the bytes of a chunk that is ours alone, or null if memory is lacking.
  [[nodiscard]] std::byte* write(std::size_t index) { return chunks_[index].write(chunk_size(index)); }
  // Copies bytes to a place; zeros go to null chunks without memory. Returns false if memory is lacking.
  // Precondition: offset + bytes.size() <= size_bytes().
  [[nodiscard]] bool store(std::uint64_t offset, std::span<const std::byte> bytes);
  // Copies the bytes at `offset` to `out`. Precondition: as above.
  void load(std::uint64_t offset, std::span<std::byte> out) const;

  // redisbloom::ChainOf asks these of a link's bits. Position p is bit p mod 8 of byte p / 8.
  bool test(std::uint64_t position) const;
  [[nodiscard]] bool set(std::uint64_t position);
  void prefetch(std::uint64_t position) const;

  // Memory of chunks that are not null. Shared ones count in full.
  std::uint64_t memory_bytes() const;

  // Moves small chunks that nobody shares, as SharedChunk::move_small().
  template <typename Move>
  void move_small(std::uint64_t most_bytes, Move move) {
    for (SharedChunk& chunk : chunks_) {
      chunk.move_small(most_bytes, move);
    }
  }

 private:
  std::uint64_t size_bytes_ = 0;
  std::vector<SharedChunk> chunks_;
};

}  // namespace bloomery::redis_module
