// The times of a file's cells, as file info has them under TIMERANGE.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hfile/open_file.h"

namespace bloomery::hfile {

// Both ends within.
struct TimeSpan {
  std::int64_t oldest = 0;
  std::int64_t newest = 0;
};

// What the bytes of a TIMERANGE say; nothing where their form is not known.
std::optional<TimeSpan> parse_time_span(std::string_view value);
// What a file says; nothing where it has none.
std::optional<TimeSpan> times_of(const OpenFile& file);

}  // namespace bloomery::hfile
