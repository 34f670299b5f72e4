#include "bloomery/filter/sizing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/message.h"

namespace bloomery {
namespace {

constexpr long double kLn2 = 0.693147180559945309417232121458176568L;
constexpr long double kHashValues = 18446744073709551616.0L;  // 2^64
// At an fpp of this many times the collision rate of the hash itself, the predicted fpp is still right to 6
// %.
constexpr long double kHashMargin = 16;

std::uint32_t rounded_hash_count(long double ideal) {
  const long double rounded = std::floor(ideal + 0.5L);
  return static_cast<std::uint32_t>(std::clamp(rounded, 1.0L, static_cast<long double>(kMaxHashCount)));
}

Result<BloomShape> checked_shape(long double bits, long double ideal_k) {
  if (bits > static_cast<long double>(kMaxBloomBits)) {
    return Error::invalid_argument("size",
                                   message("expected at most 2^56 bits, needs ", static_cast<double>(bits)));
  }
  return BloomShape{.bits = std::max<std::uint64_t>(static_cast<std::uint64_t>(bits), 1),
                    .hash_count = rounded_hash_count(ideal_k)};
}

// Returns ln(1 - 1/m), the logarithm of the probability that one bit stays clear under one hash function.
long double log_one_bit_clear(std::uint64_t bits) {
  return std::log1p(-1.0L / static_cast<long double>(bits));
}

}  // namespace

Status check_fpp(double fpp) {
  if (!(fpp > 0 && fpp < 1)) {  // written so that NaN fails
    return Error::invalid_argument("fpp", message("expected more than 0 and less than 1, found ", fpp));
  }
  return {};
}

Status check_shape(const BloomShape& shape) {
  if (shape.bits == 0 || shape.bits > kMaxBloomBits) {
    return Error::invalid_argument("bits", "expected 1 to 2^56, found " + std::to_string(shape.bits));
  }
  if (shape.hash_count == 0 || shape.hash_count > kMaxHashCount) {
    return Error::invalid_argument("hash count",
                                   "expected 1 to 255, found " + std::to_string(shape.hash_count));
  }
  return {};
}

Result<BloomShape> shape_for_fpp(std::uint64_t key_count, double fpp) {
  BLOOMERY_RETURN_IF_ERROR(check_fpp(fpp));
  const auto n = static_cast<long double>(std::max<std::uint64_t>(key_count, 1));
  const auto least = static_cast<double>(kHashMargin * n / kHashValues);
  if (least >= 1) {  // no fpp helps, so the capacity is the wrong argument
    return Error::invalid_argument(
        "capacity",
        message("expected less than 2^60 keys, beyond which 64 hash bits collide too often, found ",
                key_count));
  }
  if (fpp < kHashMargin * n / kHashValues) {
    return Error::invalid_argument("fpp", message("expected at least ", least, " for ", key_count,
                                                  " keys, where 64 hash bits begin to collide, found ", fpp));
  }
  const long double ideal_k = -std::log(static_cast<long double>(fpp)) / kLn2;
  return checked_shape(std::ceil(n * ideal_k / kLn2), ideal_k);
}

Result<BloomShape> shape_for_bits_per_key(std::uint64_t key_count, double bits_per_key) {
  if (!(bits_per_key > 0 && bits_per_key <= 4096)) {
    return Error::invalid_argument("bits per key",
                                   message("expected more than 0 and at most 4096, found ", bits_per_key));
  }
  const auto n = static_cast<long double>(std::max<std::uint64_t>(key_count, 1));
  return checked_shape(std::ceil(n * bits_per_key), bits_per_key * kLn2);
}

Result<BloomShape> shape_for_bits(std::uint64_t bits, double fpp) {
  BLOOMERY_RETURN_IF_ERROR(check_fpp(fpp));
  const BloomShape shape{.bits = bits,
                         .hash_count = rounded_hash_count(-std::log2(static_cast<long double>(fpp)))};
  BLOOMERY_RETURN_IF_ERROR(check_shape(shape));
  return shape;
}

double ideal_hash_count(double fpp) {
  return -std::log2(fpp);
}

double predicted_fpp(const BloomShape& shape, std::uint64_t key_count) {
  const auto k = static_cast<long double>(shape.hash_count);
  const long double exponent = k * static_cast<long double>(key_count) * log_one_bit_clear(shape.bits);
  const long double fill = key_count == 0 ? 0 : -std::expm1(exponent);
  return static_cast<double>(std::pow(fill, k));
}

std::uint64_t capacity_at(const BloomShape& shape, double fpp) {
  const auto k = static_cast<long double>(shape.hash_count);
  const long double fill = std::pow(static_cast<long double>(fpp), 1 / k);
  const long double count = std::log1p(-fill) / (k * log_one_bit_clear(shape.bits));
  constexpr auto kMost = static_cast<long double>(std::uint64_t{1} << 63);
  return static_cast<std::uint64_t>(std::clamp(std::floor(count), 0.0L, kMost));
}

double fpp_at_fill(double fill, std::uint32_t hash_count) {
  return std::pow(fill, hash_count);
}

double estimated_key_count(const BloomShape& shape, std::uint64_t set_bits) {
  const auto m = static_cast<long double>(shape.bits);
  const auto k = static_cast<long double>(shape.hash_count);
  if (set_bits >= shape.bits) {
    constexpr long double kEulerGamma = 0.57721566490153286L;  // coupon collector: m (ln m + gamma) draws
    return static_cast<double>(m / k * (std::log(m) + kEulerGamma));
  }
  return static_cast<double>(std::log1p(-static_cast<long double>(set_bits) / m) /
                             (k * log_one_bit_clear(shape.bits)));
}

bool clearly_exceeds(double estimated_count, std::uint64_t capacity) {
  const auto most = static_cast<double>(capacity);
  return estimated_count > most + 3 * std::sqrt(most);
}

double wrong_maybe_cost(const MaybeCosts& costs, double fpp) {
  return costs.miss_rate * fpp * (costs.read - costs.skip);
}

double least_useful_fpp(const MaybeCosts& costs) {
  const double saved = costs.miss_rate * (costs.read - costs.skip);
  return saved > 0 ? costs.skip / saved : std::numeric_limits<double>::infinity();
}

}  // namespace bloomery
