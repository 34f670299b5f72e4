#include "codec/parquet/parquet_sizing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "codec/parquet/split_blocks.h"
#include "codec/plan.h"

namespace bloomery::parquet {
namespace {

constexpr std::uint64_t kArrowMaxBits = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

Result<double> planned_bits(const DialectPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  const auto keys = static_cast<double>(plan.capacity);
  if (plan.bits_per_key) {
    return keys * *plan.bits_per_key;
  }
  const double bits = -8.0 * keys / std::log(1 - std::pow(fpp, 1.0 / 8));
  // The logarithm is 0 if the power is too small to change 1: an fpp below about 1e-127.
  return bits >= 0 ? bits : std::numeric_limits<double>::infinity();
}

}  // namespace

Result<std::uint64_t> bitset_bytes(const DialectPlan& plan, SizingRule rule) {
  BLOOMERY_ASSIGN_OR_RETURN(const double bits, planned_bits(plan));
  if (rule == SizingRule::kArrow) {
    if (!(bits < static_cast<double>(kArrowMaxBits))) {
      return kArrowMaxBits / 8;
    }
    return std::bit_ceil(std::max(static_cast<std::uint64_t>(bits), kBlockBytes * 8)) / 8;
  }
  if (!(bits / 8 <= static_cast<double>(kMaxBytes))) {
    return Error::capacity("parquet", "bytes of the filter: expected at most " + std::to_string(kMaxBytes) +
                                          ", found " + std::to_string(bits / 8));
  }
  return std::max(std::bit_ceil(static_cast<std::uint64_t>(bits / 8)), kBlockBytes);
}

}  // namespace bloomery::parquet
