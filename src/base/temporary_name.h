// Names for temporary files that no leftover file has and that nobody can predict.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bloomery {

// Returns hexadecimal digits from the operating system's random number generator.
std::string random_digits(std::size_t count);

// Returns `prefix` and sixteen random hexadecimal digits. A process number would recur: in a container every
// command may be process 7. Then the leftovers of killed processes would block all later ones.
std::string temporary_name(std::string_view prefix);

// How many names are tried if a name is taken.
inline constexpr int kTemporaryNameTries = 8;

}  // namespace bloomery
