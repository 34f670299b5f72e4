// The sizes of the machine's memory pages.
#pragma once

#include <cstddef>

namespace bloomery {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
inline constexpr std::size_t kSmallPageBytes = std::size_t{4} << 10;

// Returns the least multiple of `unit` that is not below `value`. Precondition: both are far from the largest
// number.
constexpr std::size_t rounded_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace bloomery
