// The words of a filter file's payload in chunks of 64 KiB that copies share, of which few are copied in one step.
//
//   words    0 to 8,191              | 8,192 to 16,383           | ...
//   slot     chunk, ours alone       | chunk, shared             |
//                                    | late words: 17 100 8,000  |      what they are for us
//
// A chunk is copied when it is written while it is shared. That takes 60 us, and the items of one command write to thousands of
// chunks. So a step copies a few chunks, and other words that it writes to shared chunks go into a list beside each: late
// words. A later step that writes to the chunk copies it, and puts them in. Chunks that are null are treated likewise, since to
// make one takes nearly as long.
//
//   late words, in a SharedChunk of their own      u32 count | u32 slots | u64 values[slots] | u16 places[slots]
//
// They are a hash table, since a command asks thousands of lists of up to 1,024 words, and each has left the cache.
//
// Invariants: a word is what stands among the late words of its chunk, otherwise what stands in the chunk, otherwise 0. A chunk
// that is written in its place is ours alone and has no late words.
//
// Threads: one thread changes a payload. Other threads may release copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/base/result.h"
#include "redis_module/shared_chunk.h"

namespace bloomery::redis_module {

inline constexpr std::uint64_t kWordBytes = sizeof(std::uint64_t);
inline constexpr std::uint64_t kWordsInChunk = 8192;
// The chunks that one step copies or makes, and the late words that it puts into chunks which are ours again.
inline constexpr unsigned kChunksAStep = 2;
inline constexpr unsigned kLateAStep = 8192;

class WordChunks {
 public:
  // Precondition: a multiple of 8 bytes. Errors: kCapacity for none, or above 2^36.
  static Result<WordChunks> zeroed(std::uint64_t bytes);

  std::uint64_t size_bytes() const { return size_bytes_; }
  // Memory that is not null. What copies share counts in full.
  std::uint64_t memory_bytes() const;

  // Writes bytes where none were written before; zeros take no memory. Returns false if memory is lacking. Precondition: offset
  // + bytes.size() <= size_bytes().
  [[nodiscard]] bool store(std::uint64_t offset, std::span<const std::byte> bytes);
  // Copies bytes. Precondition: as above.
  void load(std::uint64_t offset, std::span<std::byte> out) const;

  // Returns the address of a word; null for 0.
  const std::uint64_t* word(std::uint64_t index) const {
    const Slot& slot = slots_[index / kWordsInChunk];
    return slot.late.read() == nullptr ? in_chunk(slot, index) : late_or_in_chunk(slot, index);
  }
  // Whether the words of a chunk from this one on follow its address.
  bool are_neighbours_from(std::uint64_t index) const {
    return slots_[index / kWordsInChunk].late.read() == nullptr;
  }

  // Brings into the cache what word() and ready() read first. An item ahead of it, the word itself can be prefetched.
  void prefetch(std::uint64_t index) const {
    const Slot& slot = slots_[index / kWordsInChunk];
    slot.chunk.prefetch();
    slot.late.prefetch();
  }
  // A step begins: so many chunks may be copied until the next one.
  void begin_step() {
    chunks_left_ = kChunksAStep;
    late_left_ = kLateAStep;
  }
  // Makes room for writing `more` words of the chunk of a word. Returns false if memory is lacking; nothing has changed then.
  [[nodiscard]] bool ready(std::uint64_t index, unsigned more);
  // Precondition: ready() had room for it.
  void write(std::uint64_t index, std::uint64_t value);

 private:
  struct Slot {
    SharedChunk chunk;
    SharedChunk late;
  };

  static const std::uint64_t* in_chunk(const Slot& slot, std::uint64_t index) {
    const std::byte* const bytes = slot.chunk.read();
    return bytes == nullptr ? nullptr : reinterpret_cast<const std::uint64_t*>(bytes) + index % kWordsInChunk;
  }
  static const std::uint64_t* late_or_in_chunk(const Slot& slot, std::uint64_t index);
  std::uint64_t chunk_bytes(std::uint64_t chunk) const;
  bool own(std::uint64_t chunk);
  static bool make_room(Slot& slot, unsigned more);

  std::uint64_t size_bytes_ = 0;
  unsigned chunks_left_ = 0;
  unsigned late_left_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace bloomery::redis_module
