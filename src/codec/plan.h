// What dialects read out of a plan and out of the option behind their name.
#pragma once

#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

// Returns the plan's fpp, or that of the best Bloom filter with its bits per key: exp(-b (ln 2)^2). Errors:
// kInvalidArgument unless exactly one of them is given and in range.
Result<double> planned_fpp(const DialectPlan& plan);
// Returns the plan's bits per key, or those of the best Bloom filter with its fpp. Errors as above.
Result<double> planned_bits_per_key(const DialectPlan& plan);

// Returns the words of an option, "mitz32,k-new"; none of an empty one.
std::vector<std::string_view> option_words(std::string_view option);
// "guava: option: expected WHAT, found 'WORD'".
Error unknown_option(std::string_view dialect, std::string_view expected, std::string_view found);

}  // namespace bloomery
