#include "bloomery/filter/ribbon_sizing.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "filter/shards/hash_bits.h"

namespace bloomery {
namespace {

// Space in addition to L, the result of ribbon_bound(), measured by bench/ribbon_space.
//
//    bits besides columns   codes of the buckets: 2 bits for 128 starts of 60 / 64 slots a key (0.0156, with
//                           those of band 1); directory: 128 bits for 65,536 keys (0.0020); rounding
//    empty slots            the share of slots that stay free
//    wasted slots           the slots that a shard loses at the ends of its bands
constexpr double kBitsBesidesColumns = 0.0185;
constexpr double kEmptySlots = 0.0018;
constexpr double kWastedSlots = 40;

double wasted_slots(double keys) {
  // A tail alone wastes a slot or two, and 16 at most (once in 2^16 sets more). Bands are rounded to full
  // blocks, which costs small sets most: the exponential is fitted to measured sizes.
  return keys <= 160 ? 16 : kWastedSlots + 150 * std::exp(-keys / 3000);
}

Status check_key_count(std::uint64_t key_count) {
  if (key_count > kMaxRibbonKeys) {
    return Error::invalid_argument("keys", "expected at most 2^46, found " + std::to_string(key_count));
  }
  return {};
}

}  // namespace

std::uint32_t ribbon_hash_bits(std::uint64_t most_keys, double fpp) {
  return hash_bits_for(most_keys, fpp);
}

Result<RibbonShape> ribbon_shape_for_fpp(std::uint64_t key_count, double fpp, std::uint32_t most_hash_bits) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t hash_bits, checked_hash_bits(key_count, fpp, most_hash_bits));
  const double collisions = std::ldexp(static_cast<double>(key_count), -static_cast<int>(hash_bits));
  // Collisions are false positives, so the columns must make do with the rest of the fpp.
  const double left = fpp - collisions;
  // left = fraction * 2^exponent with 1/2 <= fraction < 1, without rounding. So r = floor(log2(1 / left)) is
  // exact, and the same on every machine.
  int exponent = 0;
  const double fraction = std::frexp(left, &exponent);
  const bool is_power = fraction == 0.5;
  const int columns = std::max(is_power ? 1 - exponent : -exponent, 0);
  if (columns > static_cast<int>(kMaxRibbonColumns)) {
    return Error::invalid_argument("fpp", "expected at least 2^-59 for a ribbon, found less");
  }
  // An fpp that is a power of two counts as met if collisions use less than 2^-20 of it. Otherwise nearly all
  // blocks would be narrow, and the few others wide.
  const double exact = std::ldexp(left, columns + 1);
  const double scaled = exact * (1 + std::ldexp(1.0, -20)) >= 2 ? 2 : exact;
  return RibbonShape{
      .columns = static_cast<std::uint32_t>(columns),
      .hash_bits = hash_bits,
      .shards = static_cast<std::uint32_t>(std::max<std::uint64_t>(key_count / kRibbonShardKeys, 1)),
      .scaled_fpp = static_cast<std::uint64_t>(std::ldexp(scaled, 32)),
  };
}

double ribbon_bound(double fpp) {
  const double columns = std::floor(-std::log2(fpp));
  const double narrow_share = std::exp2(columns + 1) * fpp - 1;
  return columns + 1 - narrow_share;
}

Result<double> ribbon_fpp_for_bits_per_key(std::uint64_t key_count, double bits_per_key) {
  if (!(bits_per_key > 0 && bits_per_key <= kMaxRibbonColumns + 1)) {
    return Error::invalid_argument(
        "bits per key", "expected more than 0 and at most 60, found " + std::to_string(bits_per_key));
  }
  BLOOMERY_RETURN_IF_ERROR(check_key_count(key_count));
  const auto keys = static_cast<double>(std::max<std::uint64_t>(key_count, 1));
  // Inverts predicted_ribbon_bytes(). Subtracts the bits besides columns and divides the rest by the slots of
  // a key. The result is L (ribbon_bound()), from which r, the number of columns, and the share of narrow
  // blocks follow. L stays above 0, so that the fpp stays below 1.
  const double slots = 1 + kEmptySlots + (keys < 2 * kRibbonShardKeys ? wasted_slots(keys) / keys : 0);
  const double bound = std::max((bits_per_key - kBitsBesidesColumns) / slots, std::min(bits_per_key, 0.01));
  const double columns = std::floor(bound);
  const double narrow_share = columns + 1 - bound;
  return (1 + narrow_share) * std::exp2(-columns - 1);
}

std::uint64_t predicted_ribbon_bytes(std::uint64_t key_count, double fpp) {
  const auto keys = static_cast<double>(key_count);
  const double slots = keys * (1 + kEmptySlots) + (key_count < 2 * kRibbonShardKeys ? wasted_slots(keys) : 0);
  const double bits = slots * (ribbon_bound(fpp) + (keys <= 160 ? 1 : 0)) + keys * kBitsBesidesColumns + 64;
  return static_cast<std::uint64_t>(bits / 64 + 1) * 8;
}

}  // namespace bloomery
