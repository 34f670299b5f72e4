// How far a quotient filter grows by itself, in words.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/filter/quotient_sizing.h"

namespace bloomery::cli {

// Returns the number of keys at which a filter of a shape is full, approximately: every doubling takes one bit of
// each remainder, and the last bit stays. At most 10^18.
std::uint64_t quotient_keys_max(const QuotientShape& shape, std::uint64_t capacity);

// Returns "grows by itself, and its fpp with it: 2,000 keys at 0.0019, about 512,000 at 0.36; then it is full".
std::string quotient_growth(const QuotientShape& shape, std::uint64_t capacity);

}  // namespace bloomery::cli
