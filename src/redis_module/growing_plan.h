// What a growing filter is made from: its first capacity, its fpp, how it grows, and its hash.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/hash/hash128.h"

namespace bloomery::redis_module {

inline constexpr std::size_t kMostLayers = 1024;
inline constexpr std::uint64_t kMostCapacity = std::uint64_t{1} << 40;

// How the layers of a filter share its fpp (layer_schedule.h).
enum class Schedule : std::uint16_t {
  kByIndex = 0,
  kByCapacity = 1
};  // in fronts since version 3; never renumber

struct GrowingPlan {
  std::uint64_t capacity = 0;
  double fpp = 0;
  std::uint32_t expansion = 2;  // 0: the filter does not grow
  HashSpec hash;
  Schedule schedule = Schedule::kByCapacity;  // without meaning if the filter does not grow
};

}  // namespace bloomery::redis_module
