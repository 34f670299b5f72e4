#include "cli/quotient_growth.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/numbers.h"

namespace bloomery::cli {

std::uint64_t quotient_keys_max(const QuotientShape& shape, std::uint64_t capacity) {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;
  std::uint64_t keys = std::max<std::uint64_t>(capacity, 1);
  for (std::uint32_t bit = 1; bit < shape.remainder_bits; ++bit) {
    keys = keys > kMost / 2 ? kMost : 2 * keys;
  }
  return keys;
}

std::string quotient_growth(const QuotientShape& shape, std::uint64_t capacity) {
  const std::uint64_t most = quotient_keys_max(shape, capacity);
  const std::uint64_t twice = 2 * std::max<std::uint64_t>(capacity, 1);
  if (most < twice) {
    return "does not grow: its fingerprints are too short; a smaller fpp lets it";
  }
  const auto at = [&shape](std::uint64_t keys) {
    return show_count(keys) + " keys at fpp " + show_probability(predicted_fpp(shape, keys));
  };
  return most == twice
             ? fmt::format("grows by itself, and its fpp with it: about {}, then it is full", at(most))
             : fmt::format("grows by itself, and its fpp with it: {}, about {}, then it is full", at(twice),
                           at(most));
}

}  // namespace bloomery::cli
