// The number of set bits: one truth for every kernel.
#include "base/bit_count.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(BitCount, EveryKernelCountsEveryBit) {
  for (const BitCountKernel& kernel : bit_count_kernels()) {
    if (!kernel.available()) {
      continue;
    }
    EXPECT_EQ(kernel.count({}), 0u) << kernel.name;
    for (int bit = 0; bit < 192; ++bit) {
      std::vector<std::uint64_t> words(3);
      words[static_cast<std::size_t>(bit / 64)] = std::uint64_t{1} << (bit % 64);
      EXPECT_EQ(kernel.count(words), 1u) << kernel.name << ", bit " << bit;
    }
  }
}

TEST(BitCount, KernelsAgreeOnRandomWords) {
  constexpr std::uint64_t kSeed = 20261122;
  std::mt19937_64 random(kSeed);
  for (std::size_t size = 0; size < 300; ++size) {
    std::vector<std::uint64_t> words(size);
    for (std::uint64_t& word : words) {
      word = random();
    }
    const std::uint64_t expected = kScalarBitCountKernel.count(words);
    EXPECT_EQ(count_set_bits(words), expected) << size << " words, seed " << kSeed;
    for (const BitCountKernel& kernel : bit_count_kernels()) {
      if (kernel.available()) {
        EXPECT_EQ(kernel.count(words), expected) << kernel.name << ", " << size << " words, seed " << kSeed;
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
