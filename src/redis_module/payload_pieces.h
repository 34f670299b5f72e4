// The payload of a filter file in chunks that copies share (word_chunks.h), with a CRC that follows every change.
//
//   PayloadPieces   bytes `begin` to the end of some chunks, and their CRC-32C
//   PieceWords      finds a word for kernels that ask; a chunk that is null has zeros
//   WordBuffer      the words of one key, for kernels that change them: loaded when they are asked for, changed here, and
//                   written back together, or not at all if memory is lacking
//
// Every write keeps the CRC by the difference of the words that it writes (base/crc32c_change.h). So no step takes a time that
// grows with the payload.
//
// Invariant: crc() is that of the bytes. Threads: as WordChunks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/filter/sizing.h"
#include "redis_module/word_chunks.h"

namespace bloomery::redis_module {

class PayloadPieces {
 public:
  // Precondition: `begin` is a multiple of 64, at most the size of the chunks; `crc` is that of the bytes from there on.
  PayloadPieces(WordChunks chunks, std::uint64_t begin, std::uint32_t crc)
      : chunks_(std::move(chunks)), first_(begin / kWordBytes), crc_(crc) {}
  // Errors: kCapacity.
  static Result<PayloadPieces> zeroed(std::uint64_t bytes);

  std::uint64_t size_bytes() const { return chunks_.size_bytes() - first_ * kWordBytes; }
  std::uint32_t crc() const { return crc_; }
  std::uint64_t memory_bytes() const { return chunks_.memory_bytes(); }
  // Copies bytes. Precondition: offset + out.size() <= size_bytes().
  void read(std::uint64_t offset, std::span<std::byte> out) const {
    chunks_.load(first_ * kWordBytes + offset, out);
  }

  // Returns the address of a word; null for 0.
  const std::uint64_t* word(std::uint64_t index) const { return chunks_.word(first_ + index); }
  // Whether `count` words from this one on follow its address.
  bool are_neighbours(std::uint64_t index, std::uint64_t count) const {
    return (first_ + index) % kWordsInChunk + count <= kWordsInChunk &&
           chunks_.are_neighbours_from(first_ + index);
  }

  void prefetch_chunk(std::uint64_t index) const { chunks_.prefetch(first_ + index); }
  void begin_step() { chunks_.begin_step(); }
  // Writes words together. Returns false if memory is lacking; then nothing has changed. Precondition: `before` is what they are,
  // and the indexes are different.
  [[nodiscard]] bool put(std::span<const std::uint64_t> indexes, std::span<const std::uint64_t> before,
                         std::span<const std::uint64_t> after);

 private:
  WordChunks chunks_;
  std::uint64_t first_;  // the word that is word 0 here
  std::uint32_t crc_;
};

// Finds words for CountingTableOf and BloomTableOf when they ask. They write nothing through it.
class PieceWords {
 public:
  explicit PieceWords(const PayloadPieces& pieces) : pieces_(&pieces) {}
  std::uint64_t* operator+(std::uint64_t index) const;

 private:
  const PayloadPieces* pieces_;
};

class WordBuffer {
 public:
  explicit WordBuffer(const PayloadPieces& pieces) : pieces_(&pieces) {}
  // Returns the address of our copy of a word. At most kMaxHashCount different words.
  std::uint64_t* operator+(std::uint64_t index);
  // Writes the words that have changed to `pieces`, which the buffer was made for. Returns false if memory is lacking; then
  // nothing has changed.
  [[nodiscard]] bool write_to(PayloadPieces& pieces) const;

 private:
  const PayloadPieces* pieces_;
  std::size_t count_ = 0;
  std::array<std::uint64_t, kMaxHashCount> indexes_;
  std::array<std::uint64_t, kMaxHashCount> before_;
  std::array<std::uint64_t, kMaxHashCount> after_;
};

}  // namespace bloomery::redis_module
