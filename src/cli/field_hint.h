// A hint for users who query with entire lines although the filter's keys are a field of the lines (forgotten
// -k).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

// Splits the lines at the usual delimiters and queries each of the first fields. Returns a hint if a field
// matches in at least half of the lines and more often than by chance. fpp() returns the probability of a
// chance match; it may be slow, so it is only called if a field matches. `count_maybes` queries the filters
// for the lines of a batch, and returns the number of maybes.
std::optional<std::string> field_hint(std::span<const std::string> lines, const std::function<double()>& fpp,
                                      const std::function<Result<std::uint64_t>(LineBatch&)>& count_maybes);

}  // namespace bloomery::cli
