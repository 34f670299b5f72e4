#include "bloomery/filter/plan_for_bytes.h"

#include <algorithm>
#include <string>

namespace bloomery {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 56;

bool fits(const FilterPlan& plan, std::uint64_t bytes) {
  const Result<PlannedSize> size = planned_size(plan);
  return size && size->bits <= bytes * 8;
}

// Bisects, since the size grows with the capacity. No filter needs less than half a bit per key, so the
// search starts at 16 keys per byte.
std::uint64_t largest_capacity(FilterPlan plan, std::uint64_t bytes) {
  std::uint64_t low = 0;
  std::uint64_t high = bytes * 16;
  while (low < high) {
    plan.capacity = high - (high - low) / 2;
    if (fits(plan, bytes)) {
      low = plan.capacity;
    } else {
      high = plan.capacity - 1;
    }
  }
  return low;
}

// Bisects between a rate that fits and one that does not. Sizes are rounded to words, so the last steps
// change nothing.
double most_bits_per_key(FilterPlan plan, std::uint64_t bytes) {
  double low = 0;
  double high = static_cast<double>(bytes) * 8 / static_cast<double>(plan.capacity);
  plan.bits_per_key = high;
  if (fits(plan, bytes)) {
    return high;
  }
  for (int step = 0; step < 40; ++step) {
    plan.bits_per_key = (low + high) / 2;
    (fits(plan, bytes) ? low : high) = *plan.bits_per_key;
  }
  return low;
}

}  // namespace

Result<FilterPlan> plan_for_bytes(FilterPlan plan, std::uint64_t bytes) {
  if (plan.bits_per_key || plan.fpp.has_value() == (plan.capacity != 0)) {
    return Error::invalid_argument("bytes", "expected either an fpp or a capacity beside the bytes, found " +
                                                std::string(plan.fpp ? "both" : "neither"));
  }
  if (bytes > kMostBytes) {
    return Error::invalid_argument("bytes", "expected at most 2^56, found " + std::to_string(bytes));
  }
  if (plan.fpp) {
    plan.capacity = largest_capacity(plan, bytes);
    if (plan.capacity == 0) {
      plan.capacity = 1;
      BLOOMERY_RETURN_IF_ERROR(planned_size(plan));  // reports an impossible fpp
      return Error::invalid_argument("bytes", "expected room for one key, found " + std::to_string(bytes));
    }
  } else {
    plan.bits_per_key = most_bits_per_key(plan, bytes);
    if (*plan.bits_per_key <= 0) {
      return Error::invalid_argument("bytes", "expected room for " + std::to_string(plan.capacity) +
                                                  " keys, found " + std::to_string(bytes));
    }
  }
  return plan;
}

}  // namespace bloomery
