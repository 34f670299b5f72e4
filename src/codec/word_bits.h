// m bits in 64-bit words: bit i is bit i mod 64 of word i / 64, counted from the least significant.
//
// Java's BitSet, Go's slices of uint64 and filters that use them have this layout. Each dialect decides how a
// file stores the words. The operations are not atomic, so no other thread may use the bits during a write.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "base/bit_count.h"
#include "base/memory.h"
#include "bloomery/base/result.h"

namespace bloomery {

class WordBits {
 public:
  // Errors: kCapacity.
  static Result<WordBits> zeroed(std::uint64_t bits) {
    BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::zeroed(word_count(bits) * 8));
    return WordBits(std::move(buffer), bits);
  }
  static constexpr std::uint64_t word_count(std::uint64_t bits) {
    return bits / 64 + (bits % 64 != 0 ? 1 : 0);
  }

  std::uint64_t size() const { return bits_; }
  std::span<std::uint64_t> words() { return {words_, word_count(bits_)}; }
  std::span<const std::uint64_t> words() const { return {words_, word_count(bits_)}; }
  std::uint64_t byte_size() const { return word_count(bits_) * 8; }

  const std::uint64_t* word_of(std::uint64_t position) const { return words_ + position / 64; }
  // Returns 0 or 1.
  std::uint64_t test(std::uint64_t position) const { return *word_of(position) >> (position % 64) & 1; }
  // Returns 1 if the bit was clear.
  std::uint64_t set(std::uint64_t position) {
    std::uint64_t& word = words_[position / 64];
    const std::uint64_t was_set = word >> (position % 64) & 1;
    word |= std::uint64_t{1} << (position % 64);
    return was_set ^ 1;
  }

  // Counts the set bits below m. Only a foreign file may have bits at m and beyond in its last word.
  std::uint64_t count() const {
    const std::uint64_t behind = bits_ % 64 == 0 ? 0 : words().back() >> (bits_ % 64);
    return count_set_bits(words()) - static_cast<std::uint64_t>(std::popcount(behind));
  }
  double fill() const { return static_cast<double>(count()) / static_cast<double>(bits_); }

  // Precondition: `other` has the same size.
  void unite(const WordBits& other) {
    std::ranges::transform(words(), other.words(), words().begin(), [](auto a, auto b) { return a | b; });
  }

 private:
  WordBits(AlignedBuffer buffer, std::uint64_t bits)
      : buffer_(std::move(buffer)),
        words_(reinterpret_cast<std::uint64_t*>(buffer_.bytes().data())),
        bits_(bits) {}

  AlignedBuffer buffer_;
  std::uint64_t* words_ = nullptr;
  std::uint64_t bits_ = 0;
};

}  // namespace bloomery
