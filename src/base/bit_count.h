// The number of set bits in words, by the processor's instruction if it has one.
#pragma once

#include <cstdint>
#include <span>

namespace bloomery {

// Reads the words as relaxed atomics, since they may be changing.
std::uint64_t count_set_bits(std::span<const std::uint64_t> words);

struct BitCountKernel {
  const char* name;
  bool (*available)();
  // Counts like count_set_bits().
  std::uint64_t (*count)(std::span<const std::uint64_t> words);
};

// Returns all kernels of this build. The scalar definition is the last.
std::span<const BitCountKernel> bit_count_kernels();

extern const BitCountKernel kScalarBitCountKernel;
extern const BitCountKernel kPopcntBitCountKernel;

}  // namespace bloomery
