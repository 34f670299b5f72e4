#include "filter/blocked/blocked_fill.h"

#include <array>
#include <bit>
#include <cstddef>

#include "base/atomic_word.h"

namespace bloomery {
namespace {

// The probability that `asked` different bits are set in a word, by the number of set bits.
using Chances = std::array<double, 65>;

constexpr Chances chances_of(int asked) {
  Chances chances{};
  for (std::size_t set = 0; set < chances.size(); ++set) {
    const auto one = static_cast<double>(set) / 64;
    chances[set] = asked == 1 ? one : one * (static_cast<double>(set) - 1) / 63;
  }
  return chances;
}

constexpr Chances kOneBit = chances_of(1);
constexpr Chances kTwoBits = chances_of(2);

}  // namespace

double fpp_of_bits(const BlockedTable& table) {
  const std::uint32_t doubled = table.hash_count - kMinBlockedHashes;
  double sum = 0;
  for (std::uint64_t i = 0; i < table.windows; ++i) {
    const std::uint64_t* const window = table.words + (i << table.stride_shift);
    double chance = 1;
    for (std::uint32_t word = 0; word < kWindowWords; ++word) {
      const auto set = static_cast<std::size_t>(std::popcount(relaxed_load(window[word])));
      chance *= word < doubled ? kTwoBits[set] : kOneBit[set];
    }
    sum += chance;
  }
  return sum / static_cast<double>(table.windows);
}

}  // namespace bloomery
