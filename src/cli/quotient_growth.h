// How far a quotient filter grows by itself, in words.
//
// A full segment splits in two until one remainder bit is left. Then there are 2^(r - 1) segments for each planned one, all
// of one size, and the filter is full when one of them has no free slot. Two things decide how many keys that are:
//
//   - keys with equal fingerprints, which a short remainder makes many, take more slots than one (quotient_slots.h)
//   - the fullest of the segments is ahead of the others, by the scatter of the slots taken
//
// Both follow from counts of keys per fingerprint that are Poisson distributed. Measured, the first key is refused within
// 2 % of the number that is computed: -n 100 -p 0.01 at 9,337, -n 1,000 -p 0.01 at 74,267, -n 10,000 -p 0.05 at 160,576.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/filter/quotient_sizing.h"

namespace bloomery::cli {

// Returns how many different keys a filter of a shape takes before it refuses the first, approximately: as many as it takes
// with a probability of one half. At most 10^18.
std::uint64_t quotient_keys_max(const QuotientShape& shape);

// Returns "grows by itself, and its fpp with it: 2,000 keys at fpp 0.001794, about 590,000 keys at fpp 0.4111, then it is
// full".
std::string quotient_growth(const QuotientShape& shape, std::uint64_t capacity);

}  // namespace bloomery::cli
