// What attackers know of a filter, and its secret, which they do not.
#pragma once

#include <cstdint>

#include "bloomery/filter/filter_options.h"

namespace bloomery {

inline constexpr std::uint64_t kMembers = 20'000;
inline const HashSecret kSecret = {.bytes = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6}};

inline FilterOptions options_for(bool keyed) {
  return {.hash = keyed ? keyed_hash(kSecret) : HashSpec{}, .keys = {}};
}

}  // namespace bloomery
