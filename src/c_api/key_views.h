// The loops over the keys of a batch of the C interface. They are the cost of a batch above that of C++, so this file is
// compiled with -O3 and the others, which make errors, with -O2 (bloomery_compile_small).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "bloomery.h"

namespace bloomery::c_api {

// No object of memory has more bytes.
inline constexpr auto kMostBytes = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());

// Returns whether the keys lie one behind the other, in memory that a machine can have. Precondition: it has offsets and
// no lengths.
bool are_ascending(const bloomery_keys& keys);

// Sets views[i] to key number first + i. Each kind of keys has a loop of its own. An empty key between two others may have
// any address between them; one that has a length and an offset of its own need not have one.
// Precondition: checked_keys() returned `keys`, and it has these keys.
void read_keys(const bloomery_keys& keys, std::size_t first, std::span<std::string_view> views);

}  // namespace bloomery::c_api
