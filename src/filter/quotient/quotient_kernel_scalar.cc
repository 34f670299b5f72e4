// The definition of the quotient kernel, which runs on every machine.
#include <bit>
#include <cstdint>

namespace bloomery {
namespace {

// Returns the position of the n-th set bit of a word with more than n. The lowest set bit is number 0. Counts
// the bits of all bytes in parallel, then finds the byte, then the bit.
inline std::uint64_t nth_set_bit(std::uint64_t word, std::uint64_t n) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::uint64_t counts = word - ((word >> 1) & 0x5555555555555555);
  counts = (counts & 0x3333333333333333) + ((counts >> 2) & 0x3333333333333333);
  counts = ((counts + (counts >> 4)) & 0x0f0f0f0f0f0f0f0f) * kOnes;  // byte i: the bits of bytes 0..i
  // The top bit of a byte says that at most n bits are set up to and including that byte. The counts are at
  // most 64 and n is at most 63.
  const std::uint64_t before = ((n * kOnes | 0x8080808080808080) - counts) & 0x8080808080808080;
  const std::uint64_t shift = static_cast<std::uint64_t>(std::popcount(before)) * 8;
  n -= (counts << 8) >> shift & 0xff;
  std::uint64_t byte = word >> shift & 0xff;
  for (; n > 0; --n) {
    byte &= byte - 1;
  }
  return shift + static_cast<std::uint64_t>(std::countr_zero(byte));
}

// Returns the least position p >= from such that bits 0 to p contain equally many set bits of `opens` and of
// `closes`; 64 if there is none.
inline std::uint64_t first_balanced(std::uint64_t opens, std::uint64_t closes, std::uint64_t from) {
  for (;;) {
    const std::uint64_t through = ~std::uint64_t{0} >> (63 - from);
    const int open = std::popcount(opens & through) - std::popcount(closes & through);
    if (open == 0) {
      return from;
    }
    const std::uint64_t to_come = closes & ~through;
    if (std::popcount(to_come) < open) {
      return 64;
    }
    from = nth_set_bit(to_come, static_cast<std::uint64_t>(open) - 1);
  }
}

// Moves bits up over the `count` words after the first, which keeps its own bits. Each word gets the top
// `distance` bits of the word before it.
inline void move_words_up(std::uint64_t* words, std::uint64_t count, std::uint32_t distance) {
  for (std::uint64_t i = count; i > 0; --i) {
    words[i] = words[i] << distance | words[i - 1] >> (64 - distance);
  }
}

// Moves bits down over `count` words. Each word gets the low `distance` bits of the next word.
inline void move_words_down(std::uint64_t* words, std::uint64_t count, std::uint32_t distance) {
  for (std::uint64_t i = 0; i < count; ++i) {
    words[i] = words[i] >> distance | words[i + 1] << (64 - distance);
  }
}

}  // namespace
}  // namespace bloomery

#define BLOOMERY_QUOTIENT_TARGET
#include "filter/quotient/quotient_kernel_ops.h"

namespace bloomery {

constexpr QuotientKernel kScalarQuotientKernel = {.name = "scalar",
                                                  .available = [] { return true; },
                                                  .contains = contains,
                                                  .count = count_of,
                                                  .insert = insert,
                                                  .erase = erase,
                                                  .first_free = first_free,
                                                  .contains_batch = contains_batch,
                                                  .erase_batch = erase_batch,
                                                  .insert_batch = insert_batch};

}  // namespace bloomery
