// The event time of a line: one of its fields, in one of four formats.
//
//   epoch      1700000000, 1700000000.25             seconds since 1970
//   epoch-ms   1700000000250                         milliseconds since 1970
//   iso8601    2023-11-14T22:13:20Z, 2023-11-14 22:13:20.25 +01:00; without a zone it is UTC
//   clf        [14/Nov/2023:22:13:20 +0100], as web servers write it; without a zone it is UTC
//
// A time may contain the delimiter of fields, as clf does if fields are separated by blanks: it begins with
// the field and ends where its format ends. Then the field or the line must end, or a bracket or quotation
// mark must follow. Not here: leap seconds (a 60th second counts as the next minute's first); names of zones;
// times before 1970.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery {

enum class TimeFormat { kEpoch, kEpochMs, kIso8601, kClf };

// Returns nothing for an unknown name.
std::optional<TimeFormat> time_format_from_name(std::string_view name);

struct TimePlace {
  std::uint32_t field = 1;  // one-based
  char delimiter = '\t';
  TimeFormat format = TimeFormat::kIso8601;
};

// Returns the time of a line, in nanoseconds since 1970. Errors: kInvalidArgument, which quotes the text
// found.
Result<std::int64_t> event_time(std::string_view line, const TimePlace& place);

}  // namespace bloomery
