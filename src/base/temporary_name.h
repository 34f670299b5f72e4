// Names for temporary files that no leftover has and no stranger can foresee.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bloomery {

// Hexadecimal digits from the operating system's randomness.
std::string random_digits(std::size_t count);

// `prefix` and sixteen random hexadecimal digits. A process number in their place comes back: in a container every
// command may be process 7, and the leftovers of those that were killed would be in the way of all later ones.
std::string temporary_name(std::string_view prefix);

// How often a name that is taken is followed by another one.
inline constexpr int kTemporaryNameTries = 8;

}  // namespace bloomery
