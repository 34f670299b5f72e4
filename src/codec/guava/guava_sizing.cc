#include "codec/guava/guava_sizing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "bloomery/filter/sizing.h"
#include "codec/java_sizing.h"

namespace bloomery {
namespace {

double computed_guava_hash_count(double bits, double capacity, double fpp, GuavaHashCountRule rule) {
  const double exact = rule == GuavaHashCountRule::kFromBits ? java_ideal_hash_count(bits, capacity)
                                                             : -std::log(fpp) / std::numbers::ln2;
  return std::max(1.0, java_round(exact));
}

}  // namespace

Result<GuavaShape> guava_shape(std::uint64_t capacity, double fpp, GuavaHashCountRule rule) {
  BLOOMERY_RETURN_IF_ERROR(check_fpp(fpp));
  const auto keys = static_cast<double>(std::max<std::uint64_t>(capacity, 1));
  const double bits = java_optimal_bits(keys, fpp);
  if (bits < 1) {
    return Error::invalid_argument("guava", "capacity and fpp: expected at least 1 bit, found none");
  }
  if (bits > double{kMaxJavaWords} * 64) {
    return Error::invalid_argument(
        "guava", "capacity and fpp: expected at most 2147483647 words, found " + std::to_string(bits / 64));
  }
  const double hash_count = computed_guava_hash_count(bits, keys, fpp, rule);
  if (hash_count > 255) {
    return Error::invalid_argument("guava",
                                   "hash count: expected at most 255, found " + std::to_string(hash_count));
  }
  const auto whole_bits = static_cast<std::uint64_t>(bits);
  return GuavaShape{.computed_bits = whole_bits,
                    .words = static_cast<std::uint32_t>((whole_bits + 63) / 64),
                    .hash_count = static_cast<std::uint32_t>(hash_count)};
}

}  // namespace bloomery
