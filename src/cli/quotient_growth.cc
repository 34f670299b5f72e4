#include "cli/quotient_growth.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "cli/numbers.h"
#include "filter/quotient/quotient_slots.h"

namespace bloomery::cli {
namespace {

// How many slots the keys of one fingerprint use in a table with one remainder bit.
struct SlotsTaken {
  double mean = 0;
  double variance = 0;
};

// Returns the slots of `count` equal fingerprints: one each below 3, otherwise 3 and two per bit of count -
// 3.
double slots_of_count(std::uint32_t count) {
  return count < 3 ? count : 3 + 2 * static_cast<double>(std::bit_width((count - 3) | 1));
}

// Returns the distribution if a fingerprint has `keys` keys on average (Poisson). Precondition: keys <= 1.
SlotsTaken slots_taken(double keys) {
  constexpr std::uint32_t kCounts = 32;  // larger counts have a probability below 1e-35
  SlotsTaken taken;
  double squares = 0;
  double probability = std::exp(-keys);
  for (std::uint32_t count = 1; count < kCounts; ++count) {
    probability *= keys / count;
    const double slots = slots_of_count(count);
    taken.mean += probability * slots;
    squares += probability * slots * slots;
  }
  taken.variance = squares - taken.mean * taken.mean;
  return taken;
}

// Keeps three significant digits, because the number is an approximation.
std::uint64_t rounded(std::uint64_t keys) {
  std::uint64_t unit = 1;
  while (keys / unit >= 1000) {
    unit *= 10;
  }
  return keys / unit * unit;
}

}  // namespace

std::uint64_t quotient_keys_max(const QuotientShape& shape) {
  constexpr double kMost = 1e18;
  const double segments = std::ldexp(1.0, static_cast<int>(shape.depth + shape.remainder_bits - 1));
  const double fingerprints = 2 * static_cast<double>(shape.quotients);  // possible fingerprints per segment
  const auto slots = static_cast<double>(quotient_slots({.quotients = shape.quotients, .remainder_bits = 1}));
  // The probability that one segment is full, if with probability 1/2 none is.
  const double full = -std::expm1(-std::numbers::ln2 / segments);
  double least = 0;
  double most = 1;
  for (int step = 0; step < 60; ++step) {
    const double keys = (least + most) / 2;
    const SlotsTaken taken = slots_taken(keys);
    const double free_by = (slots - taken.mean * fingerprints) / std::sqrt(taken.variance * fingerprints);
    (std::erfc(free_by / std::numbers::sqrt2) / 2 < full ? least : most) = keys;
  }
  return static_cast<std::uint64_t>(std::min(least * fingerprints * segments, kMost));
}

std::string quotient_growth(const QuotientShape& shape, std::uint64_t capacity) {
  const std::uint64_t most = rounded(quotient_keys_max(shape));
  const std::uint64_t twice = 2 * std::max<std::uint64_t>(capacity, 1);
  const auto at = [&shape](std::uint64_t keys) {
    return show_count(keys) + " keys at fpp " + show_probability(predicted_fpp(shape, keys));
  };
  if (shape.remainder_bits == 1) {
    return fmt::format(
        "does not grow: its fingerprints are too short; about {}, then it is full; a smaller fpp lets it "
        "grow",
        at(most));
  }
  return most <= twice
             ? fmt::format("grows by itself, and its fpp with it: about {}, then it is full", at(most))
             : fmt::format("grows by itself, and its fpp with it: {}, about {}, then it is full", at(twice),
                           at(most));
}

}  // namespace bloomery::cli
