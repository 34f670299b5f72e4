// Dates, times and timestamps as ISO 8601 text, exactly.
//
//   date        YYYY-MM-DD in the Gregorian calendar, also before 1582; the year has 4 to 7 digits, perhaps
//               behind a sign, and year 0 is the one before year 1
//   time        HH:MM:SS, then perhaps a point and digits
//   zone        Z, +HH, +HHMM or +HH:MM (or -), perhaps behind a blank; where the type is adjusted to UTC
//   timestamp   a date, T or one blank, a time, perhaps a zone
//
// A text without a zone is in UTC where the type is adjusted to UTC, and otherwise is the local time that the
// file stores. Digits behind the point that the unit does not hold must be zeros. There are no leap seconds,
// and no hour 24.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/parquet/column_type.h"

namespace bloomery::parquet {

// All of them return nothing for any other text.

// Returns the days since 1970-01-01.
std::optional<std::int64_t> date_from_text(std::string_view text);

// Returns the units since midnight. With a zone, the time of the day in UTC.
std::optional<std::int64_t> time_from_text(std::string_view text, const LogicalType& type);

// Seconds since 1970, and the units behind the second: 0 or more, less than a second.
struct Instant {
  std::int64_t seconds;
  std::int64_t units;
};
std::optional<Instant> instant_from_text(std::string_view text, const LogicalType& type);

// Returns the units of a second: 1000 for milliseconds.
std::int64_t units_per_second(TimeUnit unit);

}  // namespace bloomery::parquet
