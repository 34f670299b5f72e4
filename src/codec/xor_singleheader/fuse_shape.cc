#include "codec/xor_singleheader/fuse_shape.h"

#include <algorithm>
#include <cmath>

namespace bloomery::xor_singleheader {

// The order of the floating-point operations is the library's, so that a rounding never differs.
FuseShape fuse_shape_of(std::uint32_t keys) {
  FuseShape shape{.keys = keys};
  if (keys == 0) {
    return shape;
  }
  const auto size = static_cast<double>(keys);
  const auto log_cells = static_cast<unsigned>(std::floor(std::log(size) / std::log(3.33) + 2.25));
  shape.segment_cells = std::min(std::uint32_t{1} << log_cells, kMostSegmentCells);
  const double factor = keys == 1 ? 0 : std::max(1.125, 0.875 + 0.25 * std::log(1000000.0) / std::log(size));
  const auto wanted = static_cast<std::uint64_t>(std::round(size * factor));
  const std::uint64_t all = (wanted + shape.segment_cells - 1) / shape.segment_cells;
  shape.segments = static_cast<std::uint32_t>(std::max<std::uint64_t>(all, 3) - 2);
  return shape;
}

std::optional<std::uint32_t> number_of_seed(std::uint64_t seed) {
  SampleNumbers seeds = fuse_seeds();
  for (std::uint32_t number = 0; number < kMostTries; ++number) {
    if (seeds.next() == seed) {
      return number;
    }
  }
  return std::nullopt;
}

}  // namespace bloomery::xor_singleheader
