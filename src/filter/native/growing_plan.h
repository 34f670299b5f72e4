// The plan of a filter that grows, and what became of a key that was inserted into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/hash/hash128.h"

namespace bloomery {

inline constexpr std::size_t kMostLayers = 1024;
inline constexpr std::uint64_t kMostCapacity = std::uint64_t{1} << 40;
inline constexpr std::uint32_t kMostExpansion = 32768;

// How the layers of a scalable filter share its fpp (scalable/layer_schedule.h).
enum class Schedule : std::uint16_t {
  kByIndex = 0,
  kByCapacity = 1
};  // in the fronts of scalable payloads since version 3; never renumber

struct GrowingPlan {
  std::uint64_t capacity = 0;
  double fpp = 0;
  std::uint32_t expansion = 2;  // 0: the filter does not grow
  HashSpec hash;
  Schedule schedule = Schedule::kByCapacity;  // without meaning if the filter does not grow
  BlockedSetting setting = BlockedSetting::kFast;
};

// Errors: kInvalidArgument unless a filter can begin with this capacity and fpp.
inline Status check_start(std::uint64_t capacity, double fpp) {
  if (fpp > 0 && fpp < 1 && capacity > 0 && capacity <= kMostCapacity) {  // written so that NaN fails
    return {};
  }
  return Error::invalid_argument("filter", "expected an fpp between 0 and 1 and 1 to 2^40 keys, found " +
                                               std::to_string(fpp) + " and " + std::to_string(capacity));
}

// kAlways adds a key even if it may be in already; kAbsent adds only a key that is certainly absent.
enum class AddWhen : std::uint8_t { kAlways, kAbsent };

enum class Added : std::uint8_t {
  kKnown,      // it may be in already; nothing has changed
  kNew,        // it is in now
  kFull,       // the filter does not grow and is full
  kOverLimit,  // growing would exceed the limit that the caller gave
  kNoMemory,   // memory is lacking
};

enum class Removed : std::uint8_t { kAbsent, kYes, kNoMemory };

}  // namespace bloomery
