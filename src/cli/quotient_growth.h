// Predicts how far a quotient filter can grow.
//
// A full segment splits in two until fingerprints have one remainder bit. Then there are 2^(r - 1) segments
// for each planned one, all of one size, and the filter is full when any of them has no free slot. Two
// effects determine how many keys it has then:
//
//   - Keys with equal fingerprints use more than one slot (quotient_slots.h). They are frequent when
//     remainders are short.
//   - The fullest segment has more keys than the others, by the variance of the used slots.
//
// Both follow from Poisson-distributed numbers of keys per fingerprint. In measurements, the first key is
// refused within 2 % of the computed number: -n 100 -p 0.01 at 9,337, -n 1,000 -p 0.01 at 74,267, -n 10,000
// -p 0.05 at 160,576.
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/filter/quotient_sizing.h"

namespace bloomery::cli {

// Returns the number of distinct keys that a filter of a shape accepts, without refusing one, with
// probability 1/2. At most 10^18.
std::uint64_t quotient_keys_max(const QuotientShape& shape);

// Returns "grows by itself, and its fpp with it: 2,000 keys at fpp 0.001794, about 590,000 keys at fpp
// 0.4111, then it is full".
std::string quotient_growth(const QuotientShape& shape, std::uint64_t capacity);

}  // namespace bloomery::cli
