#include "filter/quotient/deletable_shape.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "filter/native/growing_plan.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kDeletableLoad = 930;  // keys for every thousand quotients at capacity
constexpr std::uint64_t kLeastTableQuotients = 64;
constexpr std::uint64_t kQuotientStep = std::uint64_t{1} << kJoinedDoublings;
// A filter begins with at most 2^14 segments, which cost a millisecond to make. Larger filters split as they
// fill.
constexpr std::uint32_t kMostFirstDepth = 14;

}  // namespace

double DeletableShape::universe() const {
  return std::ldexp(static_cast<double>(quotients) / static_cast<double>(kQuotientStep),
                    static_cast<int>(remainder_bits));
}

Result<DeletableStart> deletable_start(std::uint64_t capacity, double fpp, Grows grows) {
  BLOOMERY_RETURN_IF_ERROR(check_start(capacity, fpp));
  const std::uint64_t slots =
      std::max((capacity * 1000 + kDeletableLoad - 1) / kDeletableLoad, kLeastTableQuotients);
  // Finds the level at which a filter of this capacity has 2,049 to 4,096 quotients in each segment.
  std::uint32_t level = kJoinedDoublings;
  std::uint64_t share = slots;
  for (; share > kMostSegmentQuotients; share = (share + 1) / 2) {
    ++level;
  }
  for (; share <= kMostSegmentQuotients / 2; share *= 2) {
    --level;
  }
  DeletableStart start;
  start.shape.quotients =
      static_cast<std::uint32_t>((share + kQuotientStep - 1) / kQuotientStep * kQuotientStep);
  const double keys = static_cast<double>(grows == Grows::kYes ? std::max(capacity, kGrowthKeys) : capacity);
  while (start.shape.remainder_bits <= level || start.shape.universe() * fpp < keys) {
    ++start.shape.remainder_bits;
  }
  start.shape.remainder_bits = std::min(start.shape.remainder_bits, kMaxRemainderBits);
  const SegmentShape segments = start.shape.segments();
  if (!segments.is_level(level) || start.shape.universe() * fpp < static_cast<double>(capacity)) {
    return Error::capacity("filter", "no fingerprints have an fpp of " + std::to_string(fpp) + " with " +
                                         std::to_string(capacity) + " keys");
  }
  start.planned_bytes = segments.table_bytes(level) << segments.depth(level);
  start.level = std::min(level, kJoinedDoublings + kMostFirstDepth);
  return start;
}

Status check_deletable_shape(const DeletableShape& shape) {
  if (shape.quotients <= kMostSegmentQuotients / 2 || shape.quotients > kMostSegmentQuotients ||
      shape.quotients % kQuotientStep != 0 || shape.remainder_bits < 2 ||
      shape.remainder_bits > kMaxRemainderBits) {
    return Error(ErrorCode::kCorruption, "shape",
                 "expected 2,049 to 4,096 quotients, a multiple of 128, and 2 to 48 remainder bits, found " +
                     std::to_string(shape.quotients) + " and " + std::to_string(shape.remainder_bits));
  }
  return {};
}

}  // namespace bloomery
