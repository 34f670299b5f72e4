// Text of dates and times (ISO 8601) as numbers. Years have four digits, and the calendar is the Gregorian one for all
// of them. Each function returns nothing for any other text, and for a day or an hour that does not exist.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bloomery {

// "2026-11-23": days since 1970-01-01.
std::optional<std::int64_t> days_of_date(std::string_view text);
// "13:30", "13:30:54", "13:30:54.234": nanoseconds of the day. A fraction has up to nine digits.
std::optional<std::int64_t> nanoseconds_of_time(std::string_view text);

// "2026-11-23 13:30:54.234+0100", "2026-11-23T13:30Z", "2026-11-23+02": the time since 1970-01-01 00:00 UTC. It is in two
// parts, because 64 bits of nanoseconds do not reach all years. A zone must be there: Z, +hh, +hhmm or +hh:mm.
struct Instant {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;  // 0 to 999,999,999
};
std::optional<Instant> instant_of_timestamp(std::string_view text);

}  // namespace bloomery
