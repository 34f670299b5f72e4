// The measure by which a Bloom filter pays, for advice and for stores that choose (docs/hfile-advise.md).
#pragma once

#include <cstddef>
#include <span>

namespace bloomery::table {

// Returns the needed reads plus those by false positives. `in_range` counts all reads without a filter.
constexpr double expected_reads(double in_range, double needed, double fpp) {
  return needed + fpp * (in_range - needed);
}

// Returns the index of the choice that pays. `blocks_per_get` has the reads that are left with each choice,
// from the choice with the smallest filters to the one with the largest. A larger one must save a get both
// 0.01 blocks, and 5 % of the reads of the smaller one. Precondition: there is a choice.
std::size_t choice_that_pays(std::span<const double> blocks_per_get);

}  // namespace bloomery::table
