// Helps dialects to read a plan and the option after their name.
#pragma once

#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

// Returns the plan's fpp. If the plan has b bits per key instead, returns the fpp of the best Bloom filter of
// that size:
//
//   exp(-b (ln 2)^2)
//
// Errors: kInvalidArgument unless the plan has exactly one of the two, in range.
Result<double> planned_fpp(const DialectPlan& plan);
// Returns the plan's bits per key. If the plan has an fpp instead, returns the bits per key of the best Bloom
// filter with that fpp. Errors: kInvalidArgument unless the plan has exactly one of the two, in range.
Result<double> planned_bits_per_key(const DialectPlan& plan);

// Returns the comma-separated words of an option such as "mitz32,k-old". An empty option has none.
std::vector<std::string_view> option_words(std::string_view option);
// Returns an error with the text "guava: option: expected WHAT, found 'WORD'".
Error unknown_option(std::string_view dialect, std::string_view expected, std::string_view found);

}  // namespace bloomery
