#include "store/filter_spread.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace bloomery::store {
namespace {

constexpr double kSquaredLn2 = std::numbers::ln2 * std::numbers::ln2;

bool is_worth_bits(const FilterPart& part) {
  return part.keys > 0 && part.weight > 0;
}

}  // namespace

double filter_bits(const FilterPart& part, double rate) {
  return rate >= kNoFilterRate ? 0 : part.keys * std::log(part.probes / rate) / kSquaredLn2;
}

// With p_i = x n_i / w_i the bits give x. If a rate is too large, its filter is left out and the others share
// the bits: largest first, as its bits are worth least.
std::vector<double> spread_rates(std::span<const FilterPart> parts, double bits) {
  std::vector<double> rates(parts.size(), kNoFilterRate);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_worth_bits(parts[i])) {
      open.push_back(i);
    }
  }
  const auto share = [&](std::size_t i) { return parts[i].keys / parts[i].weight; };
  std::ranges::sort(open, {}, share);
  while (!open.empty()) {
    double keys = 0;
    double sum = 0;
    for (const std::size_t i : open) {
      keys += parts[i].keys;
      sum += parts[i].keys * std::log(parts[i].probes / share(i));
    }
    const double x = std::exp((sum - bits * kSquaredLn2) / keys);
    if (x * share(open.back()) <= kMostRate) {
      for (const std::size_t i : open) {
        rates[i] = std::max(x * share(i), kLeastRate);
      }
      break;
    }
    open.pop_back();
  }
  return rates;
}

}  // namespace bloomery::store
