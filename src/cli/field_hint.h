// A hint for users who query with entire lines although the filter's keys are a field of them (-k
// forgotten).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

// Splits the lines at the usual delimiters and queries each of the first fields. Returns advice if one of
// them matches in at least half of the lines, and more often than by chance. Chance has the probability
// that fpp() returns. fpp() is only called if a field matches, since it may be slow. `count_maybes` queries
// the filters for the lines of a batch, and counts the maybes.
std::optional<std::string> field_hint(std::span<const std::string> lines, const std::function<double()>& fpp,
                                      const std::function<Result<std::uint64_t>(LineBatch&)>& count_maybes);

}  // namespace bloomery::cli
