// A hint for those who ask whole lines of a filter whose keys are a field of them (-k forgotten), and get no for every line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "keys/line_reader.h"

namespace bloomery::cli {

// Cuts the lines at the usual delimiters and asks about each of the first fields. Returns what to do if one of them may be
// in for at least half of the lines, and for more than chance would give at the probability that fpp() returns. That is only
// called if a field matches, since it may take long. `count_maybes` asks the filters about the lines of a batch, and counts
// those that may be in.
std::optional<std::string> field_hint(std::span<const std::string> lines, const std::function<double()>& fpp,
                                      const std::function<Result<std::uint64_t>(LineBatch&)>& count_maybes);

}  // namespace bloomery::cli
