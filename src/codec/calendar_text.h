// Dates, times and timestamps as ISO 8601 text, exactly.
//
//   date        YYYY-MM-DD in the Gregorian calendar, also before 1582
//   time        HH:MM:SS, then perhaps a point and one to nine digits
//   zone        Z, +HH, +HHMM or +HH:MM (or -), at most 18 hours
//   timestamp   a date, T or one blank, a time, perhaps a zone
//
// Fractional digits that the unit does not hold must be zeros. There are no leap seconds, and no hour 24.
// Where the systems that share this file differ, DateText and TimeText select what is accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bloomery {

enum class DateText {
  kFourDigits,  // the year has exactly four digits
  kAnyYear,     // 4 to 7 digits after an optional sign; year 0 is the year before year 1
};

enum class ZoneText {
  kNone,  // a zone is an error
  kMay,   // without a zone the text is in UTC; a blank may precede the zone
  kMust,
};

struct TimeText {
  std::int64_t units_per_second = 1'000'000'000;  // a power of ten
  ZoneText zone = ZoneText::kNone;
  DateText date = DateText::kFourDigits;
  // HH:MM is accepted too; a timestamp may be a date and a zone, which means midnight.
  bool may_be_short = false;
};

// All of these functions return nothing for any other text.

// Returns the days since 1970-01-01.
std::optional<std::int64_t> date_from_text(std::string_view text, DateText date);

// Returns the units since midnight. With a zone, this is the time of day in UTC.
std::optional<std::int64_t> time_from_text(std::string_view text, const TimeText& how);

// Seconds since 1970, and the units after that second: at least 0, less than a second. The pair covers all
// years; 64 bits of nanoseconds would not.
struct Instant {
  std::int64_t seconds;
  std::int64_t units;
};
std::optional<Instant> instant_from_text(std::string_view text, const TimeText& how);

}  // namespace bloomery
