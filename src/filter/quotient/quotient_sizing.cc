#include "bloomery/filter/quotient_sizing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "base/message.h"
#include "bloomery/filter/sizing.h"
#include "filter/quotient/quotient_layout.h"
#include "filter/quotient/quotient_slots.h"

namespace bloomery {
namespace {

std::uint32_t quotient_bits(const QuotientShape& shape) {
  return static_cast<std::uint32_t>(std::bit_width(shape.quotients - 1));
}

// Checks that the largest possible remainder suffices for `fpp`. Each growth doubling uses up one of its
// bits, so only the other bits count. `slots` is the number of quotients of all segments. Errors:
// kInvalidArgument.
Status check_reachable(std::uint64_t keys, double fpp, double slots, const QuotientShape& shape) {
  const std::uint32_t most =
      std::min(kMaxRemainderBits, kMostFingerprintBits - shape.depth - quotient_bits(shape));
  const std::uint32_t growth = shape.growth_doublings;
  if (growth >= most) {
    return Error::invalid_argument(
        "growth doublings", message("expected less than ", most, " for ", keys, " keys, found ", growth));
  }
  const double fingerprints = std::ldexp(slots, static_cast<int>(most - growth));
  if (static_cast<double>(keys) > fpp * fingerprints) {
    const double least = static_cast<double>(keys) / fingerprints;
    const std::string doublings = growth == 0 ? "" : message(" that double ", growth, " times");
    return Error::invalid_argument(
        "fpp", message("expected at least ", least, " for ", keys, " keys", doublings, ", found ", fpp));
  }
  return {};
}

}  // namespace

Result<QuotientShape> quotient_shape_for_fpp(std::uint64_t capacity, double fpp,
                                             std::uint32_t growth_doublings) {
  BLOOMERY_RETURN_IF_ERROR(check_fpp(fpp));
  const std::uint64_t keys = std::max<std::uint64_t>(capacity, 1);
  if (keys > std::uint64_t{1} << 50 || growth_doublings > kMaxRemainderBits) {
    return Error::invalid_argument("capacity", "expected at most 2^50 keys and 48 doublings, found " +
                                                   std::to_string(capacity) + " and " +
                                                   std::to_string(growth_doublings));
  }
  const std::uint64_t slots = (keys * 1000 + kPlannedLoad - 1) / kPlannedLoad;
  QuotientShape shape{.growth_doublings = growth_doublings};
  while (slots > kMostQuotients << shape.depth) {
    ++shape.depth;
  }
  const std::uint64_t share = ((slots - 1) >> shape.depth) + 1;
  shape.quotients = std::max((share + 63) / 64 * 64, kLeastQuotients);
  const double quotients = std::ldexp(static_cast<double>(shape.quotients), static_cast<int>(shape.depth));
  BLOOMERY_RETURN_IF_ERROR(check_reachable(keys, fpp, quotients, shape));
  shape.remainder_bits = 1;
  while (static_cast<double>(keys) > fpp * std::ldexp(quotients, static_cast<int>(shape.remainder_bits))) {
    ++shape.remainder_bits;
  }
  shape.remainder_bits += growth_doublings;
  BLOOMERY_RETURN_IF_ERROR(check_quotient_shape(shape));
  return shape;
}

Status check_quotient_shape(const QuotientShape& shape) {
  if (shape.quotients == 0 || shape.quotients > 1u << 20 || shape.quotients % 64 != 0) {
    return Error::invalid_argument(
        "quotients", "expected a multiple of 64 from 64 to 2^20, found " + std::to_string(shape.quotients));
  }
  if (shape.remainder_bits == 0 || shape.remainder_bits > kMaxRemainderBits) {
    return Error::invalid_argument("remainder bits", "expected 1 to " + std::to_string(kMaxRemainderBits) +
                                                         ", found " + std::to_string(shape.remainder_bits));
  }
  if (shape.growth_doublings >= shape.remainder_bits) {
    return Error::invalid_argument("growth doublings", "expected less than the remainder bits, " +
                                                           std::to_string(shape.remainder_bits) + ", found " +
                                                           std::to_string(shape.growth_doublings));
  }
  if (const std::uint32_t bits = quotient_bits(shape);
      shape.depth > kMostFingerprintBits - bits - shape.remainder_bits ||
      bits + shape.remainder_bits > kMostFingerprintBits) {
    return Error::invalid_argument("fingerprint", "expected at most 63 bits, found " +
                                                      std::to_string(shape.depth) + " of depth, " +
                                                      std::to_string(bits) + " of the quotient and " +
                                                      std::to_string(shape.remainder_bits));
  }
  return {};
}

std::uint64_t quotient_bytes(const QuotientShape& shape) {
  const QuotientPlan plan{.quotients = shape.quotients, .remainder_bits = shape.remainder_bits};
  return quotient_front_bytes(std::uint64_t{1} << shape.depth) +
         ((*quotient_words(plan) * sizeof(std::uint64_t)) << shape.depth);
}

// An absent key is a false positive if any of the keys has its fingerprint.
double predicted_fpp(const QuotientShape& shape, std::uint64_t key_count) {
  const double fingerprints =
      std::ldexp(static_cast<double>(shape.quotients), static_cast<int>(shape.depth + shape.remainder_bits));
  return -std::expm1(static_cast<double>(key_count) * std::log1p(-1 / fingerprints));
}

}  // namespace bloomery
