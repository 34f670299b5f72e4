// Runs of bits are found where a loop over single bits finds them, whatever stands behind the last bit.
#include "base/bit_runs.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

std::size_t next_by_loop(const std::vector<std::uint64_t>& words, bool set, std::size_t i, std::size_t size) {
  while (i < size && ((words[i / 64] >> (i % 64) & 1) != 0) != set) {
    ++i;
  }
  return i;
}

TEST(BitRuns, AreThoseOfALoop) {
  std::mt19937_64 random(7);
  const std::vector<std::uint64_t> edges{0, ~std::uint64_t{0}, 1, std::uint64_t{1} << 63};
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> words(3);
    for (std::uint64_t& word : words) {
      const std::uint64_t kind = random() % (edges.size() + 1);
      word = kind < edges.size() ? edges[kind] : random() & random();
    }
    for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 128U, 150U, 192U}) {
      for (std::size_t i = 0; i <= size; ++i) {
        for (const bool set : {true, false}) {
          ASSERT_EQ(next_bit(words, set, i, size), next_by_loop(words, set, i, size))
              << "round " << round << ", bit " << i << " of " << size << ", set " << set;
        }
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
