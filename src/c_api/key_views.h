// The loops over the keys of a batch of the C interface. They are a batch's extra cost compared with C++, so
// this file is compiled with -O3 and the other files, which make errors, with -O2 (bloomery_compile_small).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "bloomery.h"

namespace bloomery::c_api {

// No object in memory is larger.
inline constexpr auto kMostBytes = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());

// Returns true if the offsets ascend and none is above kMostBytes. Precondition: `keys` has offsets and no
// lengths.
bool are_ascending(const bloomery_keys& keys);

// Sets views[i] to key number first + i. Each layout of keys has its own loop. The view of an empty key
// points between its neighbours or is null. Precondition: checked_keys() returned `keys`, and it contains
// these keys.
void read_keys(const bloomery_keys& keys, std::size_t first, std::span<std::string_view> views);

}  // namespace bloomery::c_api
