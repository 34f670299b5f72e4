// Describes how far a quotient filter grows by itself.
//
// A full segment splits in two until one remainder bit is left. Then there are 2^(r - 1) segments for each
// planned one, all of one size, and the filter is full when one of them has no free slot. Two effects
// decide how many keys that are:
//
//   - keys with equal fingerprints, frequent with a short remainder, use more than one slot
//     (quotient_slots.h)
//   - the fullest segment is ahead of the others, by the variance of the used slots
//
// Both follow from Poisson distributed counts of keys per fingerprint. In measurements, the first key is
// refused within 2 % of the computed number: -n 100 -p 0.01 at 9,337, -n 1,000 -p 0.01 at 74,267, -n 10,000
// -p 0.05 at 160,576.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/filter/quotient_sizing.h"

namespace bloomery::cli {

// Returns the approximate number of different keys that a filter of a shape accepts before it refuses the
// first: the number that it accepts with a probability of one half. At most 10^18.
std::uint64_t quotient_keys_max(const QuotientShape& shape);

// Returns "grows by itself, and its fpp with it: 2,000 keys at fpp 0.001794, about 590,000 keys at fpp
// 0.4111, then it is full".
std::string quotient_growth(const QuotientShape& shape, std::uint64_t capacity);

}  // namespace bloomery::cli
